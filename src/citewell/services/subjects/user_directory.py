"""The users about whom something is kept."""

from __future__ import annotations

from citewell.services.subjects.subject_checks import split_owner_name
from citewell.store.state_store import StateStore
from citewell.tooling import Owner


class UserDirectory:
    def __init__(self, state: StateStore) -> None:
        self._state = state

    async def list_users(self, tenant: str | None = None) -> tuple[Owner, ...]:
        """All users with stored data, or those of one tenant, in alphabetical order."""
        owners = map(split_owner_name, await self._state.vault.list_owner_names())
        return tuple(owner for owner in owners if tenant is None or owner.tenant == tenant)
