"""Writes the archive of one user as JSON or as a zip file, piece by piece, so that any size fits."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import AsyncIterator
from enum import Enum, StrEnum
from typing import Any

from citewell.services.subjects.subject_archive import SubjectArchive
from citewell.tooling import Owner

ARCHIVE_VERSION = 1


class ArchiveFormat(StrEnum):
    JSON = "json"
    ZIP = "zip"


MEDIA_TYPES = {
    ArchiveFormat.JSON: "application/json",
    ArchiveFormat.ZIP: "application/zip",
}


def write_archive(
    archive: SubjectArchive, owner: Owner, chosen: ArchiveFormat, *, created_at: str
) -> AsyncIterator[bytes]:
    """The pieces of the archive: one JSON object, or a zip with one JSON file for each namespace."""
    write = _write_json_archive if chosen is ArchiveFormat.JSON else _write_zip
    return write(archive, owner, _describe_archive(archive, owner, created_at))


def _describe_archive(archive: SubjectArchive, owner: Owner, created_at: str) -> dict[str, Any]:
    return {
        "format": "citewell-archive",
        "version": ARCHIVE_VERSION,
        "createdAt": created_at,
        "tenantId": owner.tenant,
        "userId": owner.user,
        "namespaces": list(archive.list_namespaces()),
    }


async def _write_json_archive(
    archive: SubjectArchive, owner: Owner, told: dict[str, Any]
) -> AsyncIterator[bytes]:
    yield f'{{"archive":{_encode_item(told)},"data":{{'.encode()
    for place, name in enumerate(archive.list_namespaces()):
        yield f"{',' if place else ''}{_encode_item(name)}:[".encode()
        async for piece in _write_items(archive, owner, name):
            yield piece
        yield b"]"
    yield b"}}\n"


async def _write_zip(
    archive: SubjectArchive, owner: Owner, told: dict[str, Any]
) -> AsyncIterator[bytes]:
    stream = _PieceStream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("archive.json", _encode_item(told))
        yield stream.take_written()
        for name in archive.list_namespaces():
            with packed.open(f"{name}.json", "w", force_zip64=True) as file:
                file.write(b"[")
                async for piece in _write_items(archive, owner, name):
                    file.write(piece)
                    yield stream.take_written()
                file.write(b"]\n")
    yield stream.take_written()


async def _write_items(archive: SubjectArchive, owner: Owner, name: str) -> AsyncIterator[bytes]:
    separator = ""
    async for item in archive.iterate_items(owner, name):
        yield f"{separator}{_encode_item(item)}".encode("utf-8", "surrogatepass")
        separator = ",\n"


def _encode_item(item: Any) -> str:
    return json.dumps(item, default=_encode_value, separators=(",", ":"))


def _encode_value(value: Any) -> Any:
    """JSON's form of the values that stores return besides plain ones."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return dict(value) if hasattr(value, "keys") else list(value)


class _PieceStream(io.RawIOBase):
    """What a zip file is written to; it cannot seek, so nothing that was written is changed later."""

    def __init__(self) -> None:
        self._written = bytearray()

    def write(self, data: Any) -> int:
        self._written += data
        return len(data)

    def take_written(self) -> bytes:
        taken, self._written = bytes(self._written), bytearray()
        return taken
