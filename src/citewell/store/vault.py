"""Every owner's data keys, wrapped by the master key: made, found, rotated and destroyed here.

Erasing an owner's keys makes whatever they sealed unreadable, in backups too.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from citewell.store.crypto import Keyring, Keys, Place, Randomness
from citewell.store.failures import Contended, GuardFailed, Unreadable, WrongKey
from citewell.store.keychain import NAMING, Keychain
from citewell.store.sql import Database, Scalar, Statement

_SYSTEM = ""  # its key names the owners, so that the master key can change and the names stay
_REMEMBERED = 1024
_ATTEMPTS = 8

_MASTER = "SELECT key_id, revision FROM master"
_SYSTEM_KEY = "SELECT wrapped FROM dek WHERE owner = '' AND generation = 0"
_FOUND = "INSERT INTO master (one, key_id, revision) VALUES (1, :key_id, 0)"
# Every new key passes here, so that none is wrapped by a master key on its way out.
_UNDER = "UPDATE master SET revision = revision + 1 WHERE key_id = :key_id"
_CHANGE = """
UPDATE master SET key_id = :new, revision = revision + 1
WHERE key_id = :old AND revision = :revision
"""
_OF_OWNER = "SELECT generation, wrapped FROM dek WHERE owner = :owner"
_ALL = "SELECT owner, generation, wrapped FROM dek"
_ADD = """
INSERT INTO dek (owner, generation, wrapped, made, used)
VALUES (:owner, :generation, :wrapped, :now, :now)
"""
_REWRAP = "UPDATE dek SET wrapped = :wrapped WHERE owner = :owner AND generation = :generation"
_GUARD = "UPDATE dek SET used = :now WHERE owner = :owner AND generation = :generation"
_ERASE = "DELETE FROM dek WHERE owner = :owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    owners: int
    rewrapped: int


class Vault:
    def __init__(
        self,
        database: Database,
        keys: Keys,
        *,
        clock: Callable[[], float],
        randomness: Randomness = os.urandom,
    ) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock
        self._randomness = randomness
        self._system: Keychain | None = None
        self._chains: OrderedDict[str, Keychain] = OrderedDict()

    async def find(self, owner: str) -> Keychain | None:
        """The owner's keys; None when nothing was ever sealed for it, or it was erased."""
        chain = self._chains.get(owner)
        if chain is None:
            return await self.refreshed(owner)
        self._chains.move_to_end(owner)
        return chain

    async def refreshed(self, owner: str) -> Keychain | None:
        """The owner's keys as they stand in the store now."""
        self._chains.pop(owner, None)
        chain = await self.tagged(await self.tag(owner), owner)
        if chain is not None:
            self._remember(owner, chain)
        return chain

    async def tagged(self, tag: str, owner: str = "") -> Keychain | None:
        """The keys of an owner that is known only as it stands in the tables."""
        await self._root()  # or another master key would pass for an altered row
        rows = await self._database.fetch(_OF_OWNER, {"owner": tag})
        secrets = {
            generation: await self._unwrapped(tag, generation, wrapped)
            for generation, wrapped in rows
        }
        return Keychain(owner, tag, secrets, randomness=self._randomness) if secrets else None

    async def ensure(self, owner: str) -> Keychain:
        """The owner's keys, made on first use."""
        for _ in range(_ATTEMPTS):
            chain = await self.find(owner)
            if chain is not None:
                return chain
            await self._make(owner)
        raise Contended("The owner's keys kept changing.")

    async def covering(self, owner: str, bodies: Iterable[bytes]) -> Keychain | None:
        """The owner's keys, fetched again where a body was sealed with one not known here yet."""
        chain = await self.find(owner)
        if chain is not None and not all(chain.opens(body) for body in bodies):
            return await self.refreshed(owner)
        return chain

    async def tag(self, owner: str) -> str:
        """The owner as it stands in the tables."""
        return (await self._root()).name("owner", owner)

    async def check(self) -> None:
        """Raises WrongKey where the master key at hand is not the one the store was sealed with."""
        self._system = None
        await self._root()

    def guard(self, chain: Keychain) -> Statement:
        """Refuses a batch of new rows when the owner's keys have been erased meanwhile."""
        params: dict[str, Scalar] = {
            "owner": chain.tag,
            "generation": chain.newest,
            "now": self._clock(),
        }
        return Statement(sql=_GUARD, params=params, expect=1)

    async def erase(self, owner: str) -> Statement:
        """The statement that destroys the owner's keys, to go with the rows that they sealed."""
        tag = await self.tag(owner)
        return Statement(sql=_ERASE, params={"owner": tag})

    def forget(self, owner: str) -> None:
        self._chains.pop(owner, None)

    async def rotate(self) -> Rotation:
        """Wrap every key by the newest master key and give every owner a new generation.

        Rows sealed before stay readable; whoever serves meanwhile notices and goes on.
        """
        await self._root()
        for _ in range(_ATTEMPTS):
            ring = await self._keys.reload()
            try:
                return await self._rotate(ring)
            except GuardFailed:
                continue
        raise Contended("New keys kept being made during the rotation. Run it again.")

    async def _rotate(self, ring: Keyring) -> Rotation:
        ((old, revision),) = await self._database.fetch(_MASTER)
        rows = await self._database.fetch(_ALL)
        change: dict[str, Scalar] = {"new": ring.current, "old": old, "revision": revision}
        batch = [Statement(sql=_CHANGE, params=change, expect=1)]
        newest: dict[str, int] = {}
        for owner, generation, wrapped in rows:
            plain = await self._unwrapped(owner, generation, wrapped)
            batch.append(self._row(_REWRAP, ring, owner, (generation, plain)))
            newest[owner] = max(generation, newest.get(owner, 0))
        newest.pop(_SYSTEM, None)
        for owner, generation in newest.items():
            batch.append(self._row(_ADD, ring, owner, (generation + 1, self._randomness(32))))
        await self._database.execute(batch)
        self._chains.clear()
        return Rotation(owners=len(newest), rewrapped=len(rows))

    async def _make(self, owner: str) -> None:
        tag = await self.tag(owner)
        ring = await self._ring()
        under = Statement(sql=_UNDER, params={"key_id": ring.current}, expect=1)
        secrets = [(generation, self._randomness(32)) for generation in (NAMING, 1)]
        try:
            await self._database.execute(
                [under, *(self._row(_ADD, ring, tag, secret) for secret in secrets)]
            )
        except GuardFailed:
            return  # another process made them first, or has just changed the master key

    async def _ring(self) -> Keyring:
        """The keys, sealing with the one the store is under: a newer one may be at hand already."""
        ((key_id, _),) = await self._database.fetch(_MASTER)
        ring = (await self._keys.ring()).under(key_id)
        ring = ring or (await self._keys.reload()).under(key_id)
        if ring is None:
            current = (await self._keys.ring()).current
            raise WrongKey(_wrong(key_id, current))
        return ring

    def _row(self, sql: str, ring: Keyring, owner: str, secret: tuple[int, bytes]) -> Statement:
        generation, plain = secret
        params: dict[str, Scalar] = {
            "owner": owner,
            "generation": generation,
            "wrapped": ring.seal(_place(owner, generation), plain),
        }
        if sql is _ADD:
            params["now"] = self._clock()
        return Statement(sql=sql, params=params, expect=1)

    async def _root(self) -> Keychain:
        if self._system is None:
            self._system = await self._opened_root()
        return self._system

    async def _opened_root(self) -> Keychain:
        for _ in range(_ATTEMPTS):
            rows = await self._database.fetch(_SYSTEM_KEY)
            if rows:
                ((wrapped,),) = rows
                secret = await self._unwrapped(_SYSTEM, NAMING, wrapped)
                return Keychain(_SYSTEM, _SYSTEM, {NAMING: secret}, randomness=self._randomness)
            await self._found()
        raise Contended("The store's first key kept changing.")

    async def _found(self) -> None:
        ring = await self._keys.ring()
        found = Statement(sql=_FOUND, params={"key_id": ring.current}, expect=1)
        try:
            key = self._row(_ADD, ring, _SYSTEM, (NAMING, self._randomness(32)))
            await self._database.execute([found, key])
        except GuardFailed:
            return  # another process was first

    async def _unwrapped(self, owner: str, generation: int, wrapped: bytes) -> bytes:
        ring = await self._keys.ring()
        place = _place(owner, generation)
        try:
            return ring.open(place, wrapped)
        except Unreadable:
            ring = await self._keys.reload()
        try:
            return ring.open(place, wrapped)
        except Unreadable:
            if Keyring.sealer(wrapped) in {key.id.hex() for key in ring.keys}:
                raise  # the right key, so the row was altered
            raise WrongKey(_wrong(Keyring.sealer(wrapped), ring.current)) from None

    def _remember(self, owner: str, chain: Keychain) -> None:
        self._chains[owner] = chain
        while len(self._chains) > _REMEMBERED:
            self._chains.popitem(last=False)


def _place(owner: str, generation: int) -> Place:
    return Place(owner=owner, table="dek", row=str(generation))


def _wrong(sealer: str, at_hand: str) -> str:
    return (
        f"What is kept was sealed under the master key {sealer}, and the key at hand is {at_hand}. "
        "Give back the former in CITEWELL_MASTER_KEY or the key file; nothing was changed."
    )
