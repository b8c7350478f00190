"""Lets one process of all that share a PostgreSQL store do something at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from citewell.store.sql.postgres_database import PostgresDatabase

if TYPE_CHECKING:
    from citewell.store.sql.postgres_pool import PoolConnection

REAPER_LOCK_ID = 0x72656170


class LeaderLock:
    """An advisory lock that lasts for one transaction, so it also works behind a pooler.

    If its holder freezes, the server ends the transaction after `seconds`.
    """

    def __init__(self, database: PostgresDatabase, lock_id: int, *, seconds: float) -> None:
        self._database = database
        self._lock_id = lock_id
        self._timeout = f"SET LOCAL idle_in_transaction_session_timeout = {int(seconds * 1000)}"

    async def run_as_leader(self, work: Callable[[], Awaitable[None]]) -> bool:
        """Do the work if no other process does so now; returns whether it was done."""

        async def run_locked(link: PoolConnection) -> bool:
            await link.execute(self._timeout)
            if not await link.fetchval("SELECT pg_try_advisory_xact_lock($1)", self._lock_id):
                return False
            await work()
            return True

        return await self._database.run_in_transaction(run_locked)
