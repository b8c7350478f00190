"""Whether this program can use a schema that a newer one has migrated.

Migrations only add (expand) until no program of the previous release runs any more; what they then
remove or change is marked in its file as a contract. The database records the newest contract, so
a program can use a newer schema as long as it knows every contract in it.
"""

from __future__ import annotations

from citewell.store.failures import SchemaTooNew

CREATE_VERSION_TABLE = "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)"
CREATE_CONTRACT_TABLE = "CREATE TABLE IF NOT EXISTS schema_contract (number BIGINT NOT NULL)"
SELECT_VERSION = "SELECT COALESCE(MAX(version), 0) FROM schema_version"
SELECT_CONTRACT = "SELECT COALESCE(MAX(number), 0) FROM schema_contract"


def check_schema_version(
    version: int, contract: int, *, known: int, place: str, remedy: str
) -> None:
    """Raise SchemaTooNew if the schema has a contract that is newer than the `known` migrations.

    `version` and `contract` are the numbers of the newest migration and of the newest contract that
    were applied.
    """
    if version > known and contract > known:
        raise SchemaTooNew(
            f"{place} was written by a newer Citewell (schema {version}, this one knows {known}), "
            f"which no longer keeps what this one needs. Upgrade, or {remedy}."
        )
