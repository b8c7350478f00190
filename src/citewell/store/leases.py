"""Leases by name: of several processes on one store, one does the work while the others wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from citewell.errors import CitewellError
from citewell.store.crypto import Keys
from citewell.store.health import Health
from citewell.store.sql import Database, Scalar, Statement

_TAKE = """
INSERT INTO lease (id, holder, expires) VALUES (:id, :holder, {now} + :seconds)
ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
WHERE lease.expires <= {now} OR lease.holder = excluded.holder
"""
_GIVE_BACK = "DELETE FROM lease WHERE id = :id AND holder = :holder"


class Leases(Protocol):
    async def take(self, name: str, *, seconds: float) -> bool:
        """Whether it is ours now; it lapses by itself when we are killed."""
        ...

    async def give_back(self, name: str) -> None: ...


class SqlLeases:
    """Leases in the SQL store; where that fails, every process is its own master.

    Times are the database's where it has a clock. Without `keys`, names are kept as they are.
    """

    def __init__(
        self,
        database: Database,
        keys: Keys | None,
        *,
        holder: str,
        health: Health,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._keys = keys
        self._holder = holder
        self._health = health
        self._clock = clock
        self._take = _TAKE.format(now=database.dialect.now)

    async def take(self, name: str, *, seconds: float) -> bool:
        if not self._health.usable():
            return True
        try:
            params: dict[str, Scalar] = {
                "id": await self._id(name),
                "holder": self._holder,
                "now": self._clock(),
                "seconds": float(seconds),
            }
            (outcome,) = await self._database.execute([Statement(sql=self._take, params=params)])
        except CitewellError as error:
            self._health.failed(error)
            return True
        return outcome.changed == 1

    async def give_back(self, name: str) -> None:
        if not self._health.usable():
            return
        try:
            params = {"id": await self._id(name), "holder": self._holder}
            await self._database.execute([Statement(sql=_GIVE_BACK, params=params)])
        except CitewellError as error:
            self._health.failed(error)

    async def _id(self, name: str) -> str:
        if self._keys is None:
            return name
        return (await self._keys.ring()).names("lease", name)[0]


class NoLeases:
    """For a process that shares its store with nobody."""

    async def take(self, name: str, *, seconds: float) -> bool:  # noqa: ARG002 - the port's signature
        return True

    async def give_back(self, name: str) -> None: ...
