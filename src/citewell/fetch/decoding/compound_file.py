"""Reads OLE compound files, the containers of old Office documents and Outlook messages.

Every chain of sectors is followed at most once round the file, so that a damaged or hostile
file ends in an error and never in a loop.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER_BYTES = 512
_HEADER_TABLE_PLACE = 76  # of the first 109 numbers of sectors that hold the allocation table
_HEADER_TABLE_COUNT = 109
_ENTRY_BYTES = 128
_MINI_SECTOR_BYTES = 64
_FIRST_SPECIAL_SECTOR = 0xFFFFFFFA
_MAX_ENTRIES = 100_000
_MAX_STORAGE_DEPTH = 20
_STORAGE, _STREAM, _ROOT = 1, 2, 5


class DamagedContainer(ValueError):
    """The compound file is damaged; the message says where."""


@dataclass(frozen=True, slots=True)
class _DirectoryEntry:
    name: str
    kind: int
    left: int
    right: int
    child: int
    start: int
    size: int


class CompoundFile:
    """Streams by their paths, such as "WordDocument" or "__attach_version1.0_#00000000/x"."""

    def __init__(self, body: bytes) -> None:
        if len(body) < _HEADER_BYTES or not body.startswith(OLE_SIGNATURE):
            raise DamagedContainer("The file is too short for an OLE container.")
        self._body = memoryview(body)
        major, _, shift, mini_shift = struct.unpack_from("<4H", body, 26)
        if shift not in {9, 12} or mini_shift != 6:
            raise DamagedContainer("The OLE container's sector size is unknown.")
        self._sector_bytes = 1 << shift
        (directory,) = struct.unpack_from("<I", body, 48)
        self._cutoff, mini_table = struct.unpack_from("<2I", body, 56)
        self._table = self._read_allocation_table()
        self._directory = self._read_chain(directory)
        self._has_wide_sizes = major >= 4
        self._mini_table_start = mini_table
        self._root = self._expect_root()

    def list_paths(self) -> list[str]:
        """The paths of all streams."""
        return [path for path, entry in self._iterate_entries(nested=True) if entry.kind == _STREAM]

    def list_root_names(self, *, most: int) -> frozenset[str]:
        """The names of the streams and storages in the root, at most this many."""
        found = (path for path, _ in self._iterate_entries(nested=False))
        return frozenset(islice(found, most))

    def find_stream(self, path: str) -> bytes | None:
        """A stream's bytes, fewer than declared if the file is cut off; None if there is none."""
        entry = self._streams.get(path.lower())
        if entry is None:
            return None
        if entry.size >= self._cutoff:
            return self._read_chain(entry.start)[: entry.size]
        return self._read_mini_chain(entry.start, entry.size)

    def _read_sector(self, number: int) -> memoryview:
        start = (number + 1) * self._sector_bytes
        return self._body[start : start + self._sector_bytes]

    def _read_allocation_table(self) -> tuple[int, ...]:
        numbers = list(
            struct.unpack_from(f"<{_HEADER_TABLE_COUNT}I", self._body, _HEADER_TABLE_PLACE)
        )
        following, _ = struct.unpack_from("<2I", self._body, 68)
        most = len(self._body) // self._sector_bytes + 1
        for _ in range(most):
            if following >= _FIRST_SPECIAL_SECTOR:
                break
            listed = _unpack_numbers(self._read_sector(following))
            if not listed:
                break
            numbers += listed[:-1]
            following = listed[-1]
        used = [number for number in numbers if number < _FIRST_SPECIAL_SECTOR][:most]
        return _unpack_numbers(b"".join(self._read_sector(number) for number in used))

    def _read_chain(self, start: int) -> bytes:
        """The bytes of a chain of sectors, up to its end, a missing sector or a loop."""
        pieces: list[memoryview] = []
        number, most = start, len(self._body) // self._sector_bytes + 1
        while number < len(self._table) and len(pieces) < most:
            piece = self._read_sector(number)
            if not piece:
                break
            pieces.append(piece)
            number = self._table[number]
        return b"".join(pieces)

    def _read_mini_chain(self, start: int, size: int) -> bytes:
        pieces: list[bytes] = []
        number, needed = start, -(-size // _MINI_SECTOR_BYTES)
        while number < len(self._mini_table) and len(pieces) < needed:
            place = number * _MINI_SECTOR_BYTES
            pieces.append(self._mini_stream[place : place + _MINI_SECTOR_BYTES])
            number = self._mini_table[number]
        return b"".join(pieces)[:size]

    def _expect_root(self) -> _DirectoryEntry:
        root = self._find_entry(0)
        if root is None or root.kind != _ROOT:
            raise DamagedContainer(
                "The OLE container's directory is missing; it may have been cut off."
            )
        return root

    def _find_entry(self, number: int) -> _DirectoryEntry | None:
        place = number * _ENTRY_BYTES
        if number >= _MAX_ENTRIES or place + _ENTRY_BYTES > len(self._directory):
            return None
        return _parse_directory_entry(self._directory, place, wide_sizes=self._has_wide_sizes)

    def _iterate_entries(self, *, nested: bool) -> Iterator[tuple[str, _DirectoryEntry]]:
        """The entries with their paths, nearest the root first; each is reached only once."""
        seen = {0}
        waiting = deque([(self._root.child, "")])
        while waiting:
            number, folder = waiting.popleft()
            entry = None if number in seen else self._find_entry(number)
            if entry is None:
                continue
            seen.add(number)
            waiting += [(entry.left, folder), (entry.right, folder)]
            if entry.kind not in {_STORAGE, _STREAM}:
                continue
            path = folder + entry.name
            yield path, entry
            if nested and entry.kind == _STORAGE and path.count("/") < _MAX_STORAGE_DEPTH:
                waiting.append((entry.child, f"{path}/"))

    @cached_property
    def _streams(self) -> dict[str, _DirectoryEntry]:
        found: dict[str, _DirectoryEntry] = {}
        for path, entry in self._iterate_entries(nested=True):
            if entry.kind == _STREAM:
                found.setdefault(path.lower(), entry)  # names differ by more than case
        return found

    @cached_property
    def _mini_table(self) -> tuple[int, ...]:
        return _unpack_numbers(self._read_chain(self._mini_table_start))

    @cached_property
    def _mini_stream(self) -> bytes:
        return self._read_chain(self._root.start)[: self._root.size]


def _parse_directory_entry(raw: bytes, place: int, *, wide_sizes: bool) -> _DirectoryEntry:
    length, kind = struct.unpack_from("<HB", raw, place + 64)
    left, right, child = struct.unpack_from("<3I", raw, place + 68)
    start, size, high = struct.unpack_from("<3I", raw, place + 116)
    name = raw[place : place + max(min(length, 64) - 2, 0)].decode("utf-16-le", "replace")
    return _DirectoryEntry(
        name, kind, left, right, child, start, size + ((high << 32) if wide_sizes else 0)
    )


def _unpack_numbers(raw: bytes | memoryview) -> tuple[int, ...]:
    count = len(raw) // 4
    return struct.unpack_from(f"<{count}I", raw) if count else ()
