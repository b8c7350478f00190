"""The users about whom something is kept."""

from __future__ import annotations

from citewell.store.state_store import StateStore
from citewell.tooling import Owner


class UserDirectory:
    def __init__(self, state: StateStore) -> None:
        self._state = state

    async def list_users(self, tenant: str | None = None) -> tuple[Owner, ...]:
        """All users with stored data, or those of one tenant, in alphabetical order."""
        names = await self._state.vault.list_owner_names()
        # A name without a slash is not a user's: the server keeps something of its own under it.
        owners = [Owner.parse_text(name) for name in names if "/" in name]
        return tuple(owner for owner in owners if tenant is None or owner.tenant == tenant)
