"""The disk tier: sealed entries in a SQL table, bounded in bytes, the least recently used first out."""

from __future__ import annotations

from collections.abc import Callable

from citewell.store.crypto import Keyring, Keys
from citewell.store.entries import open_entry, seal_entry
from citewell.store.lru import Kept, Spot
from citewell.store.packing import maybe_off_loop
from citewell.store.sql import Database, Scalar, Statement

_ROW_BYTES = 256  # what a row costs besides its body, roughly
_SWEEP_EVERY = 600.0
_TOUCH_AT = 64

_GET = "SELECT id, body FROM entry WHERE id = :id OR id = :old"
_PUT = """
INSERT INTO entry (id, space, owner, body, size, expires, used)
VALUES (:id, :space, :owner, :body, :size, :expires, :used)
ON CONFLICT (id) DO UPDATE SET
    body = excluded.body, size = excluded.size, expires = excluded.expires, used = excluded.used
"""
_TOUCH = "UPDATE entry SET used = :used WHERE id = :id"
_FORGET = "DELETE FROM entry WHERE id = :id OR id = :old"
_CLEAR = "DELETE FROM entry WHERE space = :space"
_CLEAR_OWNER = "DELETE FROM entry WHERE space = :space AND (owner = :owner OR owner = :old)"
_EXPIRE = "DELETE FROM entry WHERE expires <= :now"
_EXPIRE_LEASES = "DELETE FROM lease WHERE expires <= {now}"
_EXPIRE_PACES = "DELETE FROM pace WHERE due <= {now}"
_TOTAL = "SELECT COALESCE(SUM(size), 0) FROM entry"
_EVICT = """
DELETE FROM entry WHERE id IN (
    SELECT id FROM (
        SELECT id, SUM(size) OVER (ORDER BY used DESC, id) AS running FROM entry
    ) AS ranked WHERE running > :keep
)
"""


class DiskTier:
    """Entries of every space; their names and owners are on disk as keyed hashes only."""

    def __init__(
        self, database: Database, keys: Keys, *, clock: Callable[[], float], max_bytes: int
    ) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock
        self._max = max_bytes
        self._written = max_bytes  # so that the first write looks at the whole
        self._swept = clock()
        self._touched: dict[str, float] = {}

    async def get(self, spot: Spot) -> Kept | None:
        """The entry, fresh or not; raises Unreadable when it does not open."""
        ring = await self._keys.ring()
        names = ring.names(*spot)
        rows = await self._database.fetch(_GET, {"id": names[0], "old": names[-1]})
        if not rows:
            return None
        row, body = min(rows, key=lambda found: names.index(found[0]))
        kept = await maybe_off_loop(len(body), lambda: open_entry(ring, spot, row, body))
        await self._touch(row)
        return kept

    async def put(self, spot: Spot, kept: Kept) -> bool:
        """True once it is durable; False when it is too large to be kept."""
        ring = await self._keys.ring()
        size = len(kept.value)
        body = await maybe_off_loop(size, lambda: seal_entry(ring, spot, kept))
        if len(body) + _ROW_BYTES > self._max // 4:
            await self.forget(spot)  # or the older value would come back
            return False
        await self._database.execute([*self._touches(), self._insert(ring, spot, kept, body)])
        self._written += len(body) + _ROW_BYTES
        if self._written >= self._max // 32 or self._clock() >= self._swept + _SWEEP_EVERY:
            await self.sweep()
        return True

    async def forget(self, spot: Spot) -> None:
        names = (await self._keys.ring()).names(*spot)
        params = {"id": names[0], "old": names[-1]}
        await self._database.execute([Statement(sql=_FORGET, params=params)])

    async def clear(self, space: str, owner: str | None) -> None:
        if owner is None:
            await self._database.execute([Statement(sql=_CLEAR, params={"space": space})])
            return
        names = (await self._keys.ring()).names(owner)
        params = {"space": space, "owner": names[0], "old": names[-1]}
        await self._database.execute([Statement(sql=_CLEAR_OWNER, params=params)])

    async def sweep(self) -> None:
        """Let go of what has expired, then of the least recently used beyond the bound."""
        self._written, self._swept = 0, self._clock()
        now = {"now": self._swept}
        shared = self._database.dialect.now
        expiring = (_EXPIRE, _EXPIRE_LEASES.format(now=shared), _EXPIRE_PACES.format(now=shared))
        expire = [Statement(sql=sql, params=now) for sql in expiring]
        await self._database.execute([*self._touches(), *expire])
        ((total,),) = await self._database.fetch(_TOTAL)
        if total > self._max - self._max // 32:
            # Some slack, so that the next writes need not do this again.
            keep = {"keep": self._max * 9 // 10}
            await self._database.execute([Statement(sql=_EVICT, params=keep)])

    def _insert(self, ring: Keyring, spot: Spot, kept: Kept, body: bytes) -> Statement:
        space, owner, _ = spot
        params: dict[str, Scalar] = {
            "id": ring.names(*spot)[0],
            "space": space,
            "owner": ring.names(owner)[0],
            "body": body,
            "size": len(body) + _ROW_BYTES,
            "expires": kept.made + kept.ttl,
            "used": self._clock(),
        }
        return Statement(sql=_PUT, params=params)

    async def _touch(self, row: str) -> None:
        """Uses are written along with the next change, or in dozens: a read stays a read."""
        self._touched[row] = self._clock()
        if len(self._touched) >= _TOUCH_AT:
            await self._database.execute(self._touches())

    def _touches(self) -> list[Statement]:
        """In one order, so that two processes never wait for each other in a circle."""
        touched, self._touched = sorted(self._touched.items()), {}
        return [Statement(sql=_TOUCH, params={"id": row, "used": used}) for row, used in touched]
