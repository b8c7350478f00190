"""Data keys of every owner, encrypted with the master key: creation, lookup, rotation and erasure.

After an owner's keys are erased, all data encrypted with them is unreadable, also in backups
that do not contain the keys.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from citewell.store import failures
from citewell.store.encryption import (
    NAMING_GENERATION,
    EncryptionKeyring,
    LazyKeyring,
    OwnerKeychain,
    RandomBytes,
    RowPlace,
)
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement

_SYSTEM_OWNER = ""  # its key hashes owner names, which so stay the same when the master key changes
_MAX_CACHED_KEYCHAINS = 1024
_MAX_KEY_ATTEMPTS = 8

_SELECT_MASTER = "SELECT key_id, revision FROM master"
_SELECT_SYSTEM_KEY = "SELECT wrapped FROM dek WHERE owner = '' AND generation = 0"
_INSERT_MASTER = "INSERT INTO master (one, key_id, revision) VALUES (1, :key_id, 0)"
# Run with every new key, so that none is encrypted with a master key that is being replaced.
_CONFIRM_MASTER_KEY = "UPDATE master SET revision = revision + 1 WHERE key_id = :key_id"
_CHANGE_MASTER_KEY = """
UPDATE master SET key_id = :new, revision = revision + 1
WHERE key_id = :old AND revision = :revision
"""
_SELECT_OWNER_KEYS = "SELECT generation, wrapped FROM dek WHERE owner = :owner"
_SELECT_ALL_KEYS = "SELECT owner, generation, wrapped FROM dek"
_INSERT_KEY = """
INSERT INTO dek (owner, generation, wrapped, made, used)
VALUES (:owner, :generation, :wrapped, :now, :now)
"""
_UPDATE_WRAPPED_KEY = (
    "UPDATE dek SET wrapped = :wrapped WHERE owner = :owner AND generation = :generation"
)
_CONFIRM_OWNER_KEY = "UPDATE dek SET used = :now WHERE owner = :owner AND generation = :generation"
_DELETE_OWNER_KEYS = "DELETE FROM dek WHERE owner = :owner"
_INSERT_OWNER_NAME = """
INSERT INTO owner_name (owner, body) VALUES (:owner, :body)
ON CONFLICT (owner) DO UPDATE SET body = excluded.body
"""
_DELETE_OWNER_NAME = "DELETE FROM owner_name WHERE owner = :owner"
_SELECT_OWNER_NAMES = """
SELECT DISTINCT dek.owner, owner_name.body
FROM dek LEFT JOIN owner_name ON owner_name.owner = dek.owner
WHERE dek.owner <> '' ORDER BY dek.owner
"""
_NAME_TABLE, _NAME_ROW = "owner_name", "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRotation:
    owners: int
    rewrapped: int


class KeyVault:
    def __init__(
        self,
        database: SqlDatabase,
        keys: LazyKeyring,
        *,
        clock: Callable[[], float],
        randomness: RandomBytes = os.urandom,
    ) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock
        self._randomness = randomness
        self._system: OwnerKeychain | None = None
        self._chains: OrderedDict[str, OwnerKeychain] = OrderedDict()

    async def find_keychain(self, owner: str) -> OwnerKeychain | None:
        """The owner's keychain; None if the owner has no keys or was erased."""
        chain = self._chains.get(owner)
        if chain is None:
            return await self.reload_keychain(owner)
        self._chains.move_to_end(owner)
        return chain

    async def reload_keychain(self, owner: str) -> OwnerKeychain | None:
        """The owner's keychain, read again from the database."""
        self._chains.pop(owner, None)
        chain = await self.load_tagged_keychain(await self.hash_owner_tag(owner), owner)
        if chain is not None:
            self._chains[owner] = chain
            while len(self._chains) > _MAX_CACHED_KEYCHAINS:
                self._chains.popitem(last=False)
        return chain

    async def load_tagged_keychain(self, tag: str, owner: str = "") -> OwnerKeychain | None:
        """The keychain of an owner of whom only the hashed tag is known."""
        await (
            self._load_system_keychain()
        )  # otherwise a wrong master key would look like an altered row
        rows = await self._database.select_rows(_SELECT_OWNER_KEYS, {"owner": tag})
        secrets = {
            generation: await self._decrypt_data_key(tag, generation, wrapped)
            for generation, wrapped in rows
        }
        return OwnerKeychain(owner, tag, secrets, randomness=self._randomness) if secrets else None

    async def ensure_keychain(self, owner: str) -> OwnerKeychain:
        """The owner's keychain, created on first use."""
        for _ in range(_MAX_KEY_ATTEMPTS):
            chain = await self.find_keychain(owner)
            if chain is not None:
                return chain
            await self._create_owner_keys(owner)
        raise failures.WriteContended("The owner's keys kept changing. Try again.")

    async def find_covering_keychain(
        self, owner: str, bodies: Iterable[bytes]
    ) -> OwnerKeychain | None:
        """The owner's keychain, read again if it lacks the key of one of `bodies`."""
        chain = await self.find_keychain(owner)
        if chain is not None and not all(chain.can_decrypt(body) for body in bodies):
            return await self.reload_keychain(owner)
        return chain

    async def hash_owner_tag(self, owner: str) -> str:
        """The keyed hash that stands for the owner in the tables."""
        return (await self._load_system_keychain()).hash_row_name("owner", owner)

    async def hash_shared_name(self, kind: str, name: str) -> str:
        """The keyed hash that stands for a name that several owners share, such as a workspace's."""
        return (await self._load_system_keychain()).hash_row_name(kind, name)

    async def derive_store_secret(self, purpose: str) -> bytes:
        """A key of the whole store for one purpose; raises WrongMasterKey."""
        return (await self._load_system_keychain()).derive_secret(purpose)

    async def check_master_key(self) -> None:
        """Raises WrongMasterKey if the store is encrypted with another master key."""
        self._system = None
        await self._load_system_keychain()

    def build_owner_guard(self, chain: OwnerKeychain) -> SqlStatement:
        """A statement that rolls its batch back if the owner's keys were erased in the meantime."""
        params: dict[str, SqlScalar] = {
            "owner": chain.tag,
            "generation": chain.newest,
            "now": self._clock(),
        }
        return SqlStatement(sql=_CONFIRM_OWNER_KEY, params=params, expected_rows=1)

    async def build_key_erasure(self, owner: str) -> list[SqlStatement]:
        """The statements that delete the owner's keys and name, for the batch that deletes the rows."""
        params: dict[str, SqlScalar] = {"owner": await self.hash_owner_tag(owner)}
        return [
            SqlStatement(sql=sql, params=params) for sql in (_DELETE_OWNER_NAME, _DELETE_OWNER_KEYS)
        ]

    def forget_keychain(self, owner: str) -> None:
        self._chains.pop(owner, None)

    def forget_tagged_keychain(self, tag: str) -> None:
        """Like `forget_keychain`, for an owner of whom only the hashed tag is known."""
        for owner in [owner for owner, chain in self._chains.items() if chain.tag == tag]:
            del self._chains[owner]

    async def list_owner_names(self) -> list[str]:
        """Every owner that has keys, in alphabetical order."""
        names = []
        for tag, body in await self._database.select_rows(_SELECT_OWNER_NAMES):
            chain = await self.load_tagged_keychain(tag) if body else None
            if chain is not None:
                names.append(
                    chain.decrypt_row(_NAME_TABLE, _NAME_ROW, body).decode("utf-8", "replace")
                )
        return sorted(names)

    async def rotate_keys(self) -> KeyRotation:
        """Encrypt every data key with the newest master key, and give every owner a new data key.

        Older rows stay readable, and other processes can go on working during the rotation.
        """
        await self._load_system_keychain()
        for _ in range(_MAX_KEY_ATTEMPTS):
            ring = await self._keys.reload_keyring()
            try:
                return await self._rotate_once(ring)
            except failures.BatchRolledBack:
                continue
        raise failures.WriteContended(
            "New keys kept being created during the rotation. Run it again."
        )

    async def _rotate_once(self, ring: EncryptionKeyring) -> KeyRotation:
        ((old, revision),) = await self._database.select_rows(_SELECT_MASTER)
        rows = await self._database.select_rows(_SELECT_ALL_KEYS)
        change: dict[str, SqlScalar] = {
            "new": ring.current_key_id,
            "old": old,
            "revision": revision,
        }
        batch = [SqlStatement(sql=_CHANGE_MASTER_KEY, params=change, expected_rows=1)]
        newest: dict[str, int] = {}
        for owner, generation, wrapped in rows:
            plain = await self._decrypt_data_key(owner, generation, wrapped)
            batch.append(
                self._build_key_write(_UPDATE_WRAPPED_KEY, ring, owner, (generation, plain))
            )
            newest[owner] = max(generation, newest.get(owner, 0))
        newest.pop(_SYSTEM_OWNER, None)
        for owner, generation in newest.items():
            batch.append(
                self._build_key_write(
                    _INSERT_KEY, ring, owner, (generation + 1, self._randomness(32))
                )
            )
        await self._database.execute_batch(batch)
        self._chains.clear()
        return KeyRotation(owners=len(newest), rewrapped=len(rows))

    async def _create_owner_keys(self, owner: str) -> None:
        tag = await self.hash_owner_tag(owner)
        ring = await self._load_current_keyring()
        under = SqlStatement(
            sql=_CONFIRM_MASTER_KEY, params={"key_id": ring.current_key_id}, expected_rows=1
        )
        secrets = [(generation, self._randomness(32)) for generation in (NAMING_GENERATION, 1)]
        chain = OwnerKeychain(owner, tag, dict(secrets), randomness=self._randomness)
        name = chain.encrypt_row(_NAME_TABLE, _NAME_ROW, owner.encode("utf-8", "surrogatepass"))
        named = SqlStatement(sql=_INSERT_OWNER_NAME, params={"owner": tag, "body": name})
        try:
            await self._database.execute_batch(
                [
                    under,
                    *(self._build_key_write(_INSERT_KEY, ring, tag, secret) for secret in secrets),
                    named,
                ]
            )
        except failures.BatchRolledBack:
            return  # another process created them first, or has just changed the master key

    async def _load_current_keyring(self) -> EncryptionKeyring:
        """A keyring that encrypts with the store's master key, which need not be the newest available."""
        missing = None
        while True:
            ((key_id, _),) = await self._database.select_rows(_SELECT_MASTER)
            ring = (await self._keys.load_keyring()).find_ring_for_key(key_id)
            ring = ring or (await self._keys.reload_keyring()).find_ring_for_key(key_id)
            if ring is not None:
                return ring
            if key_id == missing:
                current = (await self._keys.load_keyring()).current_key_id
                raise failures.WrongMasterKey(_describe_wrong_key(key_id, current))
            missing = key_id  # unless a rotation has ended since it was read

    def _build_key_write(
        self, sql: str, ring: EncryptionKeyring, owner: str, secret: tuple[int, bytes]
    ) -> SqlStatement:
        generation, plain = secret
        params: dict[str, SqlScalar] = {
            "owner": owner,
            "generation": generation,
            "wrapped": ring.encrypt_bytes(_build_key_place(owner, generation), plain),
        }
        if sql is _INSERT_KEY:
            params["now"] = self._clock()
        return SqlStatement(sql=sql, params=params, expected_rows=1)

    async def _load_system_keychain(self) -> OwnerKeychain:
        if self._system is None:
            self._system = await self._open_system_keychain()
        return self._system

    async def _open_system_keychain(self) -> OwnerKeychain:
        for _ in range(_MAX_KEY_ATTEMPTS):
            rows = await self._database.select_rows(_SELECT_SYSTEM_KEY)
            if rows:
                ((wrapped,),) = rows
                secret = await self._decrypt_data_key(_SYSTEM_OWNER, NAMING_GENERATION, wrapped)
                return OwnerKeychain(
                    _SYSTEM_OWNER,
                    _SYSTEM_OWNER,
                    {NAMING_GENERATION: secret},
                    randomness=self._randomness,
                )
            await self._create_system_key()
        raise failures.WriteContended("The store's first key kept changing. Try again.")

    async def _create_system_key(self) -> None:
        ring = await self._keys.load_keyring()
        found = SqlStatement(
            sql=_INSERT_MASTER, params={"key_id": ring.current_key_id}, expected_rows=1
        )
        try:
            key = self._build_key_write(
                _INSERT_KEY, ring, _SYSTEM_OWNER, (NAMING_GENERATION, self._randomness(32))
            )
            await self._database.execute_batch([found, key])
        except failures.BatchRolledBack:
            return  # another process created it first

    async def _decrypt_data_key(self, owner: str, generation: int, wrapped: bytes) -> bytes:
        ring = await self._keys.load_keyring()
        place = _build_key_place(owner, generation)
        try:
            return ring.decrypt_bytes(place, wrapped)
        except failures.DecryptionFailed:
            ring = await self._keys.reload_keyring()
        try:
            return ring.decrypt_bytes(place, wrapped)
        except failures.DecryptionFailed:
            if EncryptionKeyring.read_key_id(wrapped) in {key.id.hex() for key in ring.keys}:
                raise  # the key is right, so the row was altered
            raise failures.WrongMasterKey(
                _describe_wrong_key(EncryptionKeyring.read_key_id(wrapped), ring.current_key_id)
            ) from None


def _build_key_place(owner: str, generation: int) -> RowPlace:
    return RowPlace(owner=owner, table="dek", row=str(generation))


def _describe_wrong_key(sealer: str, at_hand: str) -> str:
    return (
        f"The data is encrypted with the master key {sealer}, but the configured key is {at_hand}. "
        "Put the former into CITEWELL_MASTER_KEY or the key file; nothing was changed."
    )
