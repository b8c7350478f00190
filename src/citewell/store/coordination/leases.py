"""Leases by name: one process of many on a store does some work while the others wait."""

from __future__ import annotations

from collections.abc import Callable

from citewell.store.encryption import LazyKeyring
from citewell.store.failures import StoreHealth
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement

_UPSERT_LEASE = """
INSERT INTO lease (id, holder, expires) VALUES (:id, :holder, {now} + :seconds)
ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
WHERE lease.expires <= {now} OR lease.holder = excluded.holder
"""
_DELETE_LEASE = "DELETE FROM lease WHERE id = :id AND holder = :holder"


class LeaseTable:
    """Grants every lease, for a process that shares its store with no other."""

    async def take_lease(self, name: str, *, seconds: float) -> bool:  # noqa: ARG002 - for subclasses
        """Take or renew a lease; True if this process holds it now. It expires if the process dies."""
        return True

    async def release_lease(self, name: str) -> None: ...


class SqlLeaseTable(LeaseTable):
    """Leases in the SQL database; while it fails, every process gets every lease.

    Times are those of the database server, if there is one. Without `keys`, lease names are
    stored unhashed.
    """

    def __init__(
        self,
        database: SqlDatabase,
        keys: LazyKeyring | None,
        *,
        holder: str,
        health: StoreHealth,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._keys = keys
        self._holder = holder
        self._health = health
        self._clock = clock
        self._take = _UPSERT_LEASE.format(now=database.dialect.now_expression)

    async def take_lease(self, name: str, *, seconds: float) -> bool:
        async def take_row() -> bool:
            params: dict[str, SqlScalar] = {
                "id": await self._build_lease_id(name),
                "holder": self._holder,
                "now": self._clock(),
                "seconds": float(seconds),
            }
            (outcome,) = await self._database.execute_batch(
                [SqlStatement(sql=self._take, params=params)]
            )
            return outcome.changed_rows == 1

        return await self._health.try_store(take_row, otherwise=True)

    async def release_lease(self, name: str) -> None:
        async def release_row() -> None:
            params = {"id": await self._build_lease_id(name), "holder": self._holder}
            await self._database.execute_batch([SqlStatement(sql=_DELETE_LEASE, params=params)])

        await self._health.try_store(release_row, otherwise=None)

    async def _build_lease_id(self, name: str) -> str:
        if self._keys is None:
            return name
        return (await self._keys.load_keyring()).hash_names("lease", name)[0]
