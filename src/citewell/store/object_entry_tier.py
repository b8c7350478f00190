"""Large entries in an object store, small ones in the tier that processes share anyway.

The name of an object is `space/owner/row`, where owner and row are keyed hashes. Its body is
encrypted together with its age and time to live, and can be decrypted under no other name.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable

from citewell.core.errors import CitewellError
from citewell.net.object_client import ObjectClient, ObjectStoreFailed, StoredObject
from citewell.store.cache.sql_tier import decrypt_entry, encrypt_entry
from citewell.store.cache.tiered_cache import CacheTier, EntryKey, TimedValue
from citewell.store.encryption import EncryptionKeyring, LazyKeyring, run_off_loop_if_large
from citewell.store.failures import DecryptionFailed, EntryUnreachable, StoreError, StoreHealth

logger = logging.getLogger(__name__)
MIN_OBJECT_BYTES = 256 * 1024  # below it the database is faster; see benchmarks/RESULTS.md
_MAX_OBJECT_BYTES = 512 * 2**20
_SWEEP_MARGIN_SECONDS = 3600.0  # the clock of the store may differ from ours


class ObjectEntryTier:
    """A CacheTier on top of another one; without `small`, every entry is an object."""

    def __init__(
        self,
        small: CacheTier | None,
        objects: ObjectClient,
        keys: LazyKeyring,
        *,
        health: StoreHealth,
        clock: Callable[[], float],
    ) -> None:
        self._small = small
        self._objects = objects
        self._keys = keys
        self._health = health
        self._clock = clock

    async def load_entry(self, spot: EntryKey) -> TimedValue | None:
        """The entry, even if it has expired; raises DecryptionFailed or EntryUnreachable."""
        kept = await self._small.load_entry(spot) if self._small is not None else None
        if kept is not None:
            return kept
        ring = await self._keys.load_keyring()
        for name in _build_object_names(ring, spot):
            body = await self._load_entry_object(name)
            if body is not None:
                return await _decrypt_object(ring, spot, name, body)
        return None

    async def save_entry(self, spot: EntryKey, kept: TimedValue) -> bool:
        """True once it is stored. While the object store fails, the other tier takes large entries."""
        if self._small is not None and (
            len(kept.value) < MIN_OBJECT_BYTES or not self._health.is_usable()
        ):
            return await self._small.save_entry(spot, kept)
        ring = await self._keys.load_keyring()
        size = len(kept.value)
        body = await run_off_loop_if_large(size, lambda: encrypt_entry(ring, spot, kept))
        try:
            await self._objects.put_object(_build_object_names(ring, spot)[0], body)
        except ObjectStoreFailed as error:
            self._health.record_store_failure(error)
            return self._small is not None and await self._small.save_entry(spot, kept)
        return True

    async def delete_entry(self, spot: EntryKey) -> None:
        if self._small is not None:
            await self._small.delete_entry(spot)
        ring = await self._keys.load_keyring()
        await self._delete_entry_objects(_build_object_names(ring, spot))

    async def clear_space(self, space: str, owner: str | None) -> None:
        if self._small is not None:
            await self._small.clear_space(space, owner)
        await self._delete_folders(await self._list_entry_folders(space, owner))

    async def erase_entries(self, owner: str, *, private_space: str) -> None:
        """Raises StoreError if the object store fails: then something of the owner may be left."""
        if self._small is not None:
            await self._small.erase_entries(owner, private_space=private_space)
        await self._delete_folders(await self._list_entry_folders(private_space, owner))

    async def iterate_entries(self, space: str, owner: str) -> AsyncIterator[TimedValue]:
        if self._small is not None:
            async for kept in self._small.iterate_entries(space, owner):
                yield kept
        ring = await self._keys.load_keyring()
        for folder in await self._list_entry_folders(space, owner):
            for stored in await self._list_objects(folder):
                body = await self._load_entry_object(stored.name)
                if body is None:
                    continue
                try:
                    kept = await _decrypt_object(ring, (space, owner, ""), stored.name, body)
                except DecryptionFailed as error:
                    logger.warning("An object is left out. %s", error.message)
                    continue
                if kept.is_fresh(self._clock()):
                    yield kept

    async def sweep_objects(self, space: str, *, ttl: float) -> int:
        """Delete objects that were stored longer ago than `ttl` and an hour; returns how many."""
        oldest = self._clock() - ttl - _SWEEP_MARGIN_SECONDS
        found = await self._list_objects(space)
        return await self._delete_entry_objects(
            [stored.name for stored in found if stored.modified < oldest]
        )

    async def _list_entry_folders(self, space: str, owner: str | None) -> list[str]:
        if owner is None:
            return [space]
        ring = await self._keys.load_keyring()
        return [f"{space}/{named}" for named in dict.fromkeys(ring.hash_names(owner))]

    async def _list_objects(self, folder: str) -> list[StoredObject]:
        try:
            return [stored async for stored in self._objects.iterate_objects(folder)]
        except ObjectStoreFailed as error:
            raise StoreError(error.message) from error

    async def _delete_folders(self, folders: list[str]) -> None:
        for folder in folders:
            await self._delete_entry_objects(
                [stored.name for stored in await self._list_objects(folder)]
            )

    async def _delete_entry_objects(self, names: list[str]) -> int:
        try:
            return await self._objects.delete_objects(names)
        except ObjectStoreFailed as error:
            raise StoreError(error.message) from error

    async def _load_entry_object(self, name: str) -> bytes | None:
        try:
            return await self._objects.load_object(name, max_bytes=_MAX_OBJECT_BYTES)
        except CitewellError as error:
            raise EntryUnreachable(error.message) from error


def _build_object_names(ring: EncryptionKeyring, spot: EntryKey) -> list[str]:
    """The names under each key, the encrypting key first."""
    space, owner, _ = spot
    pairs = zip(ring.hash_names(owner), ring.hash_names(*spot), strict=True)
    return list(dict.fromkeys(f"{space}/{named}/{row}" for named, row in pairs))


async def _decrypt_object(
    ring: EncryptionKeyring, spot: EntryKey, name: str, body: bytes
) -> TimedValue:
    row = name.rpartition("/")[2]
    return await run_off_loop_if_large(len(body), lambda: decrypt_entry(ring, spot, row, body))
