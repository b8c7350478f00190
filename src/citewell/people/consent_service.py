"""Consents of users: recorded, withdrawn, listed, and asked for before anything personal is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

from citewell.core.errors import InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ANONYMOUS_USER, Owner
from citewell.core.values.counted_words import pluralize
from citewell.store.encryption import OwnerKeychain
from citewell.store.owner_table import OwnerStore, RecordTable
from citewell.store.sql.database import SqlScalar, SqlStatement
from citewell.text.calendar_dates import format_utc_time

MAX_IDENTITY_CHARS = 256
MAX_WORKSPACE_ID_CHARS = 128

MAX_TERMS_CHARS = 200
LOCAL_CONSENT_SOURCE = "STDIO_USER_ID"


class ConsentService:
    """Grants, withdraws and lists consents. `local_owner` is the user of this process."""

    def __init__(
        self,
        store: SqlConsentStore,
        *,
        local_owner: Owner | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._local_owner = local_owner
        self._clock = clock
        self._began = clock()

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.open_state().consents, local_owner=kit.local_owner)

    async def grant_consent(
        self, owner: Owner, purpose: str, *, terms_version: str = "", decided_from: str
    ) -> ConsentRecord:
        """Record that the user consents. Raises InvalidInput for an unknown purpose or user."""
        return await self._save_user_decision(
            owner, purpose, granted=True, terms=terms_version, decided_from=decided_from
        )

    async def withdraw_consent(
        self, owner: Owner, purpose: str, *, terms_version: str = "", decided_from: str
    ) -> ConsentRecord:
        """Record that the user does not consent; it also stops what a setting would grant.

        What was kept stays until it expires or is erased, but no tool reads or adds to it.
        """
        return await self._save_user_decision(
            owner, purpose, granted=False, terms=terms_version, decided_from=decided_from
        )

    async def list_consents(self, owner: Owner) -> tuple[ConsentRecord, ...]:
        """The latest decision for each purpose that the user decided on."""
        return await self._store.list_decisions(str(owner))

    async def has_consent(self, owner: Owner, purpose: ConsentPurpose) -> bool:
        """Whether consent is recorded; the local user's is recorded now if nothing was decided."""
        decision = await self._store.find_decision(str(owner), purpose)
        # Sharing with others is never granted by a setting of one process.
        is_local = owner == self._local_owner and not owner.is_anonymous
        if decision is None and is_local and purpose != "workspace":
            granted = replace(
                self._build_consent_record(
                    owner, purpose, granted=True, place=LOCAL_CONSENT_SOURCE
                ),
                decided=self._began,  # the setting holds since the process began
            )
            await self._store.save_decision(str(owner), granted, is_first=True)
            decision = await self._store.find_decision(str(owner), purpose)
        return decision is not None and decision.granted

    async def find_grants(
        self, owners: Collection[Owner], purpose: ConsentPurpose
    ) -> dict[Owner, float]:
        """Since when each of the owners has consented; those who have not are left out."""
        if self._local_owner is not None and self._local_owner in owners:
            await self.has_consent(self._local_owner, purpose)
        names = {str(owner): owner for owner in owners}
        granted = await self._store.find_grants(names, purpose)
        return {names[name]: since for name, since in granted.items()}

    async def _save_user_decision(
        self, owner: Owner, purpose: str, *, granted: bool, terms: str, decided_from: str
    ) -> ConsentRecord:
        require_identity(owner)
        known = check_purpose(purpose)
        if len(terms) > MAX_TERMS_CHARS:
            raise InvalidInput(f"termsVersion has more than {MAX_TERMS_CHARS} characters.")
        record = self._build_consent_record(
            owner, known, granted=granted, place=decided_from, terms=terms
        )
        await self._store.save_decision(str(owner), record)
        return record

    def _build_consent_record(
        self, owner: Owner, purpose: ConsentPurpose, *, granted: bool, place: str, terms: str = ""
    ) -> ConsentRecord:
        return ConsentRecord(
            tenant=owner.tenant,
            user=owner.user,
            purpose=purpose,
            granted=granted,
            terms_version=terms,
            decided=self._clock(),
            decided_from=place,
        )


def check_purpose(purpose: str) -> ConsentPurpose:
    """The purpose; raises InvalidInput, with the known ones, if there is no such purpose."""
    for known in CONSENT_PURPOSES:
        if purpose == known:
            return known
    raise InvalidInput(
        f"There is no such purpose of consent. It is one of: {', '.join(CONSENT_PURPOSES)}."
    )


# Checks the tenant, user and workspace names that administrators and callers give.


def check_identity(owner: Owner) -> None:
    """Raises InvalidInput if a name of the owner is empty, too long or not printable."""
    for field, value in (("tenant_id", owner.tenant), ("user_id", owner.user)):
        _check_name(field, value, MAX_IDENTITY_CHARS)


def require_identity(owner: Owner) -> None:
    """Raises InvalidInput if the owner is not one that a verified caller can have."""
    check_identity(owner)
    if owner.is_anonymous:
        raise InvalidInput(
            f"user_id must name a user; {ANONYMOUS_USER!r} stands for callers without a name."
        )


def check_workspace_id(workspace_id: str) -> str:
    """The id; raises InvalidInput if it is blank, too long or not printable."""
    return _check_name("workspace_id", workspace_id, MAX_WORKSPACE_ID_CHARS)


def _check_name(field: str, value: str, most: int) -> str:
    if not value.strip():
        raise InvalidInput(f"{field} is empty.")
    if len(value) > most:
        raise InvalidInput(
            f"{field} has {len(value)} {pluralize(len(value), 'character')}; {most} is the maximum."
        )
    if not value.isprintable():
        raise InvalidInput(f"{field} contains control or other invisible characters.")
    return value


# Recorded consents: for each user and purpose the latest decision, and who recorded it.


ConsentPurpose = Literal["memory", "analytics", "workspace", "monitoring"]
CONSENT_PURPOSES: tuple[ConsentPurpose, ...] = get_args(ConsentPurpose)

_MAX_OWNERS_PER_QUERY = 200
_REPLACE_DECISION = """
ON CONFLICT (owner, purpose) DO UPDATE SET
    granted = excluded.granted, decided = excluded.decided, body = excluded.body
"""
_KEEP_DECISION = "ON CONFLICT (owner, purpose) DO NOTHING"
_SELECT_GRANTS = """
SELECT owner, decided FROM consent WHERE purpose = :purpose AND granted = 1 AND owner IN ({owners})
"""
_CONFIRM_GRANT = """
UPDATE consent SET granted = 1 WHERE owner = :owner AND purpose = :purpose AND granted = 1
"""


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


CONSENTS = RecordTable(
    name="consent",
    counted_as="consents",
    record=ConsentRecord,
    columns=("purpose", "granted", "decided"),
    encrypted=("tenant", "user", "terms_version", "decided_from"),
    row_name="{purpose}/{granted}",  # so that `granted` cannot be changed unnoticed
    converters={"granted": bool},
)


class SqlConsentStore(OwnerStore):
    """Every call names an owner (tenant/user), whose keys encrypt what identifies the person."""

    tables = (CONSENTS,)

    async def save_decision(
        self, owner: str, record: ConsentRecord, *, is_first: bool = False
    ) -> None:
        """Record a decision in place of an earlier one for the same purpose, or only the first."""
        on_conflict = _KEEP_DECISION if is_first else _REPLACE_DECISION
        await self._write_as_owner(
            owner, lambda chain: [CONSENTS.build_insert(chain, record, on_conflict=on_conflict)]
        )

    async def find_decision(self, owner: str, purpose: ConsentPurpose) -> ConsentRecord | None:
        """The latest decision; None if the user never decided."""
        found = await self._read_own(CONSENTS, owner, "AND purpose = :purpose", purpose=purpose)
        return next(iter(found), None)

    async def list_decisions(self, owner: str) -> tuple[ConsentRecord, ...]:
        return await self._read_own(CONSENTS, owner, "ORDER BY purpose")

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

    async def export_owner(self, owner: str) -> list[dict[str, Any]]:
        """All decisions of the owner as JSON values."""
        return [record.to_json() for record in await self.list_decisions(owner)]
