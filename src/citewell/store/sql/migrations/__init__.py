"""The schema of each database: numbered SQL files, applied in order and never edited afterwards.

A file holds statements both engines understand, each ended by a semicolon at the end of a line,
and no other line ends with one. `{bytes}` and `{serial}` stand for the engine's types. Statements for one engine are in
a file of the same number with the engine's name before `.sql`, run after the common one.

A migration only adds, so that programs of the previous release go on working. One that removes or
changes something begins with the line `-- contract: ` and the reason why no such program needs it.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from citewell.store.failures import SchemaTooNew
from citewell.store.sql.database import SqlDialect

CREATE_VERSION_TABLE = "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)"
CREATE_CONTRACT_TABLE = "CREATE TABLE IF NOT EXISTS schema_contract (number BIGINT NOT NULL)"
SELECT_VERSION = "SELECT COALESCE(MAX(version), 0) FROM schema_version"
SELECT_CONTRACT = "SELECT COALESCE(MAX(number), 0) FROM schema_contract"

_FILE_NAME_PATTERN = re.compile(
    r"(?P<schema>[a-z]+)_(?P<number>\d{4})(?:\.(?P<engine>[a-z]+))?\.sql"
)
_STATEMENT_END_PATTERN = re.compile(r";\s*(?:\n|\Z)")
CONTRACT_MARK = "-- contract: "
_UNLOGGED_SCHEMAS = {"cache"}  # may be lost in a server crash, so PostgreSQL need not log it


def load_migrations(name: str, dialect: SqlDialect) -> tuple[tuple[str, ...], ...]:
    """The statements of each migration of the database called `name`, in order."""
    return tuple(
        tuple(
            statement for *_, file in files for statement in _read_statements(file, name, dialect)
        )
        for _, files in groupby(_list_files(name, dialect), key=lambda entry: entry[0])
    )


def find_newest_contract(name: str, dialect: SqlDialect) -> int:
    """The number of the newest migration that removes or changes something; 0 if there is none."""
    contracts = [
        int(number)
        for number, _, file in _list_files(name, dialect)
        if file.read_text(encoding="utf-8").startswith(CONTRACT_MARK)
    ]
    return max(contracts, default=0)


def _list_files(name: str, dialect: SqlDialect) -> list[tuple[str, str, Path]]:
    """Number, engine and path of each file, in the order in which they are applied."""
    return sorted(
        (match["number"], match["engine"] or "", file)
        for file in Path(__file__).parent.iterdir()
        if (match := _FILE_NAME_PATTERN.fullmatch(file.name))
        and match["schema"] == name
        and match["engine"] in {None, dialect.name}
    )


def _read_statements(file: Path, name: str, dialect: SqlDialect) -> tuple[str, ...]:
    text = file.read_text(encoding="utf-8")
    text = text.replace("{bytes}", dialect.bytes_type).replace("{serial}", dialect.serial_type)
    if dialect.name == "postgres" and name in _UNLOGGED_SCHEMAS:
        text = text.replace("CREATE TABLE", "CREATE UNLOGGED TABLE")
    return tuple(part.strip() for part in _STATEMENT_END_PATTERN.split(text) if part.strip())


# Whether this program can use a schema that a newer one has migrated.


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
