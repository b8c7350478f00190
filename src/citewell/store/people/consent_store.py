"""Recorded consents: for each user and purpose the latest decision, and who recorded it."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, get_args

from citewell.store.failures import BatchRolledBack, WriteContended
from citewell.store.keys.key_vault import KeyVault
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.people.record_times import format_utc_time
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

ConsentPurpose = Literal["memory", "analytics", "workspace", "monitoring"]
CONSENT_PURPOSES: tuple[ConsentPurpose, ...] = get_args(ConsentPurpose)

_TABLE = "consent"
_MAX_WRITE_ATTEMPTS = 3  # a further attempt is needed only if the owner's keys were just erased
_MAX_OWNERS_PER_QUERY = 200

_UPSERT_DECISION = """
INSERT INTO consent (owner, purpose, granted, decided, body)
VALUES (:owner, :purpose, :granted, :decided, :body)
ON CONFLICT (owner, purpose) DO UPDATE SET
    granted = excluded.granted, decided = excluded.decided, body = excluded.body
"""
_INSERT_UNDECIDED = """
INSERT INTO consent (owner, purpose, granted, decided, body)
VALUES (:owner, :purpose, :granted, :decided, :body)
ON CONFLICT (owner, purpose) DO NOTHING
"""
_SELECT_DECISIONS = """
SELECT purpose, granted, decided, body FROM consent WHERE owner = :owner ORDER BY purpose
"""
_SELECT_DECISION = """
SELECT purpose, granted, decided, body FROM consent WHERE owner = :owner AND purpose = :purpose
"""
_SELECT_GRANTS = """
SELECT owner, decided FROM consent WHERE purpose = :purpose AND granted = 1 AND owner IN ({owners})
"""
_CONFIRM_GRANT = """
UPDATE consent SET granted = 1 WHERE owner = :owner AND purpose = :purpose AND granted = 1
"""
_DELETE_OWNER_CONSENTS = "DELETE FROM consent WHERE owner = :owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentRecord:
    """One user's decision for one purpose; `decided_from` says where it was recorded."""

    tenant: str
    user: str
    purpose: ConsentPurpose
    granted: bool
    terms_version: str
    decided: float  # seconds since the epoch
    decided_from: str

    def to_json(self) -> dict[str, Any]:
        return {
            "tenantId": self.tenant,
            "userId": self.user,
            "purpose": self.purpose,
            "granted": self.granted,
            "termsVersion": self.terms_version,
            "decidedAt": format_utc_time(self.decided),
            "decidedFrom": self.decided_from,
        }


def build_consent_guard(chain: OwnerKeychain, purpose: ConsentPurpose) -> SqlStatement:
    """A statement that rolls its batch back if the owner has not granted, or has withdrawn, consent."""
    params: dict[str, SqlScalar] = {"owner": chain.tag, "purpose": purpose}
    return SqlStatement(sql=_CONFIRM_GRANT, params=params, expected_rows=1)


class SqlConsentStore:
    """Every call names an owner (tenant/user), whose keys encrypt what identifies the person."""

    def __init__(self, database: SqlDatabase, vault: KeyVault) -> None:
        self._database = database
        self._vault = vault

    async def save_decision(self, owner: str, record: ConsentRecord) -> None:
        """Record a decision; it replaces an earlier one for the same purpose."""
        await self._write_decision(owner, record, _UPSERT_DECISION)

    async def save_first_decision(self, owner: str, record: ConsentRecord) -> None:
        """Record a decision only if there is none for this purpose."""
        await self._write_decision(owner, record, _INSERT_UNDECIDED)

    async def find_decision(self, owner: str, purpose: ConsentPurpose) -> ConsentRecord | None:
        """The latest decision; None if the user never decided."""
        return next(iter(await self._read_decisions(owner, _SELECT_DECISION, purpose)), None)

    async def list_decisions(self, owner: str) -> tuple[ConsentRecord, ...]:
        return await self._read_decisions(owner, _SELECT_DECISIONS, None)

    async def find_grants(
        self, owners: Collection[str], purpose: ConsentPurpose
    ) -> dict[str, float]:
        """When each of the owners who have granted consent did so; the others are left out."""
        tags = {await self._vault.hash_owner_tag(owner): owner for owner in owners}
        known = list(tags)
        granted: dict[str, float] = {}
        for start in range(0, len(known), _MAX_OWNERS_PER_QUERY):
            group = known[start : start + _MAX_OWNERS_PER_QUERY]
            params: dict[str, SqlScalar] = {f"o{place}": tag for place, tag in enumerate(group)}
            sql = _SELECT_GRANTS.format(owners=", ".join(f":{name}" for name in params))
            found = await self._database.select_rows(sql, params | {"purpose": purpose})
            granted |= {tags[tag]: float(decided) for tag, decided in found}
        return granted

    async def build_owner_erasure(self, owner: str) -> list[SqlStatement]:
        """The statements that remove all of the owner's consents."""
        tag = await self._vault.hash_owner_tag(owner)
        return [SqlStatement(sql=_DELETE_OWNER_CONSENTS, params={"owner": tag})]

    async def export_owner(self, owner: str) -> list[dict[str, Any]]:
        """All decisions of the owner as JSON values."""
        return [record.to_json() for record in await self.list_decisions(owner)]

    async def _write_decision(self, owner: str, record: ConsentRecord, sql: str) -> None:
        for _ in range(_MAX_WRITE_ATTEMPTS):
            chain = await self._vault.ensure_keychain(owner)
            params: dict[str, SqlScalar] = {
                "owner": chain.tag,
                "purpose": record.purpose,
                "granted": int(record.granted),
                "decided": record.decided,
                "body": chain.encrypt_row(
                    _TABLE,
                    _name_row(record.purpose, record.granted),
                    _encode_consent_record(record),
                ),
            }
            written = SqlStatement(sql=sql, params=params)
            try:
                await self._database.execute_batch([self._vault.build_owner_guard(chain), written])
            except BatchRolledBack:
                self._vault.forget_keychain(owner)  # erased by another process in the meantime
            else:
                return
        raise WriteContended("The user's keys kept changing. Try again.")

    async def _read_decisions(
        self, owner: str, sql: str, purpose: ConsentPurpose | None
    ) -> tuple[ConsentRecord, ...]:
        params: dict[str, SqlScalar] = {"owner": await self._vault.hash_owner_tag(owner)}
        found = await self._database.select_rows(
            sql, params if purpose is None else params | {"purpose": purpose}
        )
        chain = await self._vault.find_covering_keychain(owner, [row[-1] for row in found])
        return tuple(_decrypt_record(chain, row) for row in found) if chain else ()


def _name_row(purpose: str, granted: object) -> str:
    """The name under which a decision is encrypted: the column `granted` cannot be changed unnoticed."""
    return f"{purpose}/{int(bool(granted))}"


def _encode_consent_record(record: ConsentRecord) -> bytes:
    told = [record.tenant, record.user, record.terms_version, record.decided_from]
    return json.dumps(told).encode()


def _decrypt_record(chain: OwnerKeychain, row: SqlRow) -> ConsentRecord:
    purpose, granted, decided, body = row
    tenant, user, terms, place = json.loads(
        chain.decrypt_row(_TABLE, _name_row(purpose, granted), body)
    )
    return ConsentRecord(
        tenant=tenant,
        user=user,
        purpose=purpose,
        granted=bool(granted),
        terms_version=terms,
        decided=float(decided),
        decided_from=place,
    )
