"""Backups in an object store: encrypted parts, and a manifest that makes them a backup.

A backup is a folder `time-id` with `part-00000` and so on, and `manifest`, which is stored last and
names the parts with their hashes. Without its manifest a folder is no backup: it is never restored,
and is deleted a day later. Every object is encrypted with a key derived from the master key, and
can be decrypted only as the part of the backup that it is.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from citewell.core.errors import InvalidInput
from citewell.net.object_client import (
    ObjectAddress,
    ObjectClient,
    ObjectFailure,
    ObjectStoreFailed,
    StoredObject,
)
from citewell.people.erasure_store import ErasureRecord
from citewell.server.state.state_backup import BackupSummary, back_up_state, restore_state
from citewell.server.state.state_store import StateStore
from citewell.store.encryption import EncryptionKeyring, RowPlace, derive_key
from citewell.store.failures import DecryptionFailed, StoreError, WrongMasterKey
from citewell.store.master_keys import MasterKeySource

PART_BYTES = 8 * 2**20
_MANIFEST_VERSION = 1
_MAX_OBJECT_BYTES = PART_BYTES + 4096  # a part with its envelope, or a manifest
_MANIFEST = "manifest"
_NAME_TIME = "%Y%m%dT%H%M%SZ"
_BACKUP_NAME = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}")
_ORPHAN_SECONDS = 86_400.0  # a backup that is being written is younger


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectBackup:
    name: str
    summary: BackupSummary
    pruned: tuple[str, ...] = ()  # names of older backups that were deleted


@dataclass(frozen=True, slots=True, kw_only=True)
class _BackupFolder:
    name: str
    objects: tuple[StoredObject, ...]

    @property
    def is_whole(self) -> bool:
        return any(stored.name == f"{self.name}/{_MANIFEST}" for stored in self.objects)

    @property
    def began(self) -> float:
        stamp = self.name.partition("-")[0]
        return datetime.strptime(stamp, _NAME_TIME).replace(tzinfo=UTC).timestamp()


def split_backup_address(address: ObjectAddress) -> tuple[ObjectAddress, str | None]:
    """The place of the backups, and the name of one if the address ends with it."""
    place, _, last = address.prefix.rpartition("/")
    if _BACKUP_NAME.fullmatch(last):
        return replace(address, prefix=place), last
    return address, None


async def back_up_to_objects(
    state: StateStore,
    objects: ObjectClient,
    *,
    keep: int | None = None,
    clock: Callable[[], float],
    new_id: Callable[[], str],
) -> ObjectBackup:
    """Copy the whole state to a new backup, then delete all but the newest `keep`.

    Raises StoreError or ObjectStoreFailed; then there is no new backup, and no older one is deleted.
    """
    ring = await asyncio.to_thread(_build_backup_ring, state.master_key_source)
    stamp = datetime.fromtimestamp(clock(), UTC).strftime(_NAME_TIME)
    name = f"{stamp}-{new_id()[:8]}"
    async for _ in objects.iterate_objects():
        break  # before the state is copied
    with tempfile.TemporaryDirectory(prefix="citewell-backup-") as room:
        draft = Path(room) / "backup.db"
        summary = await back_up_state(state, draft)
        parts = await _upload_parts(objects, ring, name, draft)
    await _check_stored_parts(objects, name, parts)
    manifest = {"version": _MANIFEST_VERSION, "counts": summary.counts, "parts": parts}
    await objects.put_object(
        f"{name}/{_MANIFEST}", _encrypt_object(ring, name, _MANIFEST, json.dumps(manifest).encode())
    )
    pruned = await _prune_backups(objects, keep=keep, now=clock())
    return ObjectBackup(name=name, summary=summary, pruned=pruned)


async def restore_from_objects(
    state: StateStore,
    objects: ObjectClient,
    *,
    name: str | None = None,
    force: bool = False,
    erased: Sequence[ErasureRecord] = (),
) -> ObjectBackup:
    """Replace the state with the backup of this name, or with the newest whole one.

    Every part is verified before the state is touched. Raises InvalidInput if there is no such
    backup, StoreError if it is damaged or of another master key.
    """
    whole = [folder.name for folder in await _list_backup_folders(objects) if folder.is_whole]
    chosen = name or max(whole, default=None)
    if not whole:
        raise InvalidInput(f"There is no whole backup at {objects.address}.")
    if chosen not in whole:
        newest = ", ".join(sorted(whole, reverse=True)[:5])
        raise InvalidInput(
            f"There is no whole backup {name} at {objects.address}. The newest there: {newest}."
        )
    assert chosen is not None  # noqa: S101 - it is among the names
    ring = await asyncio.to_thread(_build_backup_ring, state.master_key_source)
    manifest = await _load_backup_manifest(objects, ring, chosen)
    with tempfile.TemporaryDirectory(prefix="citewell-restore-") as room:
        copy = Path(room) / "backup.db"
        await _download_parts(objects, ring, chosen, manifest["parts"], copy)
        summary = await restore_state(state, copy, force=force, erased=erased)
    return ObjectBackup(name=chosen, summary=summary)


async def _upload_parts(
    objects: ObjectClient, ring: EncryptionKeyring, name: str, file: Path
) -> list[dict[str, Any]]:
    """One part at a time, so that the memory needed does not grow with the state."""
    parts: list[dict[str, Any]] = []
    with await asyncio.to_thread(file.open, "rb") as source:
        while plain := await asyncio.to_thread(source.read, PART_BYTES):
            part = f"part-{len(parts):05}"
            body = await asyncio.to_thread(_encrypt_object, ring, name, part, plain)
            await objects.put_object(f"{name}/{part}", body)
            digest = hashlib.sha256(plain).hexdigest()
            parts.append({"name": part, "bytes": len(body), "sha256": digest})
    return parts


async def _check_stored_parts(
    objects: ObjectClient, name: str, parts: list[dict[str, Any]]
) -> None:
    """Raises ObjectStoreFailed unless the store lists every part with its size."""
    stored = {part.name: part.size_bytes async for part in objects.iterate_objects(name)}
    if stored != {f"{name}/{part['name']}": part["bytes"] for part in parts}:
        raise ObjectStoreFailed(
            ObjectFailure.DAMAGED,
            "The object store did not keep every part of the backup. There is no new backup; try again.",
        )


async def _load_backup_manifest(
    objects: ObjectClient, ring: EncryptionKeyring, name: str
) -> dict[str, Any]:
    plain = await _load_part(objects, ring, name, _MANIFEST)
    manifest: dict[str, Any] = json.loads(plain)
    if manifest.get("version") != _MANIFEST_VERSION:
        raise StoreError(f"The backup {name} was made by a newer version of Citewell.")
    return manifest


async def _download_parts(
    objects: ObjectClient,
    ring: EncryptionKeyring,
    name: str,
    parts: list[dict[str, Any]],
    target: Path,
) -> None:
    with await asyncio.to_thread(target.open, "xb") as copy:
        for part in parts:
            plain = await _load_part(objects, ring, name, part["name"])
            if hashlib.sha256(plain).hexdigest() != part["sha256"]:
                raise _build_damage_error(name, part["name"])
            await asyncio.to_thread(copy.write, plain)


async def _load_part(objects: ObjectClient, ring: EncryptionKeyring, name: str, part: str) -> bytes:
    body = await objects.load_object(f"{name}/{part}", max_bytes=_MAX_OBJECT_BYTES)
    if body is None:
        raise _build_damage_error(name, part)
    place = _build_object_place(name, part)
    try:
        return await asyncio.to_thread(ring.decrypt_bytes, place, body)
    except DecryptionFailed:
        if ring.find_ring_for_key(ring.read_key_id(body)) is None:
            raise WrongMasterKey(
                f"The backup {name} was encrypted with another master key; nothing was changed."
            ) from None
        raise _build_damage_error(name, part) from None


def _build_damage_error(name: str, part: str) -> StoreError:
    return StoreError(
        f"The backup {name} is damaged ({part}); nothing was changed. Restore another one."
    )


async def _prune_backups(objects: ObjectClient, *, keep: int | None, now: float) -> tuple[str, ...]:
    """Delete whole backups but the newest `keep`, if given, and what was broken off a day ago."""
    folders = await _list_backup_folders(objects)
    whole = sorted(
        (folder for folder in folders if folder.is_whole), key=lambda folder: folder.name
    )
    old = whole[:-keep] if keep else []
    orphans = [
        folder for folder in folders if not folder.is_whole and folder.began < now - _ORPHAN_SECONDS
    ]
    for folder in (*old, *orphans):
        # The manifest first: what is left of a deletion that was broken off is no backup.
        names = sorted(
            (stored.name for stored in folder.objects), key=lambda name: "/part-" in name
        )
        await objects.delete_objects(names[:1])
        await objects.delete_objects(names[1:])
    return tuple(folder.name for folder in old)


async def _list_backup_folders(objects: ObjectClient) -> list[_BackupFolder]:
    folders: dict[str, list[StoredObject]] = {}
    async for stored in objects.iterate_objects():
        folder, _, rest = stored.name.partition("/")
        if _BACKUP_NAME.fullmatch(folder) and rest and "/" not in rest:
            folders.setdefault(folder, []).append(stored)
    return [_BackupFolder(name=name, objects=tuple(kept)) for name, kept in folders.items()]


def _build_backup_ring(source: MasterKeySource) -> EncryptionKeyring:
    return EncryptionKeyring(derive_key(key, b"backup") for key in source.load_master_keys())


def _encrypt_object(ring: EncryptionKeyring, name: str, part: str, plain: bytes) -> bytes:
    return ring.encrypt_bytes(_build_object_place(name, part), plain)


def _build_object_place(name: str, part: str) -> RowPlace:
    return RowPlace(owner="", table=f"backup/{name}", row=part)
