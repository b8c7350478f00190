"""Consents of users: recorded, withdrawn, listed, and asked for before anything personal is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import replace

from citewell.errors import InvalidInput
from citewell.services.people.identity_checks import require_identity
from citewell.store.people.consent_store import (
    CONSENT_PURPOSES,
    ConsentPurpose,
    ConsentRecord,
    SqlConsentStore,
)
from citewell.tooling import Owner

MAX_TERMS_CHARS = 200
LOCAL_CONSENT_SOURCE = "STDIO_USER_ID"
# Sharing with others is never granted by a setting of one process.
_LOCALLY_GRANTED_PURPOSES: frozenset[ConsentPurpose] = frozenset(CONSENT_PURPOSES) - {"workspace"}


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
        if decision is None and self._is_granted_locally(owner, purpose):
            granted = replace(
                self._build_consent_record(
                    owner, purpose, granted=True, place=LOCAL_CONSENT_SOURCE
                ),
                decided=self._began,  # the setting holds since the process began
            )
            await self._store.save_first_decision(str(owner), granted)
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

    def _is_granted_locally(self, owner: Owner, purpose: ConsentPurpose) -> bool:
        is_local = owner == self._local_owner and not owner.is_anonymous
        return is_local and purpose in _LOCALLY_GRANTED_PURPOSES

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
