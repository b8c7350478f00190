"""Reads OLE compound files, and finds out what an OLE or ZIP container is by the names in its directory."""

from __future__ import annotations

import io
import struct
import zipfile
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

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

_END_SIGNATURE = b"PK\x05\x06"
_END_BYTES = 22
_MAX_COMMENT_BYTES = 65_535
_WIDE_LOCATOR_SIGNATURE = b"PK\x06\x07"  # of ZIP64
_WIDE_END_SIGNATURE = b"PK\x06\x06"
_ENTRY_SIGNATURE = b"PK\x01\x02"
_ENTRY_HEAD = struct.Struct("<4s24xHHH12x")  # with the lengths of name, extra field and comment
_WIDE_MARK = 0xFFFFFFFF

ENCRYPTED_OFFICE_KIND = "encrypted Office document"
_KINDS_BY_ZIP_MIMETYPE = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.text-template": "odt",
    "application/vnd.oasis.opendocument.spreadsheet-template": "ods",
    "application/vnd.oasis.opendocument.presentation-template": "odp",
}
_KINDS_BY_PART_PREFIX = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))
_KINDS_BY_OLE_STREAM = (
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("__properties_version1.0", "msg"),
)
_OLE_KIND_NAMES = {
    "doc": "old Word document (.doc)",
    "ppt": "old PowerPoint document (.ppt)",
    "xls": "old Excel document (.xls)",
    "msg": "Outlook message (.msg)",
}
_MAX_LISTED_NAMES = 5000  # an Office document has its main part among the first few
_MAX_OPENED_BYTES = 2**22  # opening a small archive costs little however many members it has


def detect_zip_kind(body: bytes) -> str:
    """The kind of a ZIP archive, by a few of the names in its directory."""
    listing = list_zip_names(body, most=_MAX_LISTED_NAMES)
    if listing is None:
        return _detect_damaged_zip_kind(body)
    names = listing.names
    if kind := _KINDS_BY_ZIP_MIMETYPE.get(_read_zip_mimetype(body) if "mimetype" in names else ""):
        return kind
    if "META-INF/container.xml" in names:
        return "epub"
    if "xl/workbook.bin" in names:
        return "xlsb"
    return next(
        (
            kind
            for prefix, kind in _KINDS_BY_PART_PREFIX
            if any(n.startswith(prefix) for n in names)
        ),
        "ZIP archive",
    )


def _read_zip_mimetype(body: bytes) -> str:
    """The content of the small member that declares what an archive is; "" if it is unreadable."""
    # The standards put it first and uncompressed; then the archive need not be opened.
    name_bytes, extra_bytes = (
        int.from_bytes(body[26:28], "little"),
        int.from_bytes(body[28:30], "little"),
    )
    if body[30 : 30 + name_bytes] == b"mimetype" and body[8:10] == b"\x00\x00":
        start = 38 + extra_bytes
        # Its size may be elsewhere.
        declared = body[start : start + 100].decode("ascii", "replace")
        matches = filter(declared.startswith, _KINDS_BY_ZIP_MIMETYPE)
        return max(matches, key=len, default="")
    if len(body) > _MAX_OPENED_BYTES:
        return ""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            small = archive.getinfo("mimetype").file_size < 200
            return archive.read("mimetype").decode("ascii", "replace").strip() if small else ""
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return ""


def _detect_damaged_zip_kind(body: bytes) -> str:
    """The kind of a damaged archive, by the member names near its start."""
    head = body[:65_536]
    for media_type, kind in _KINDS_BY_ZIP_MIMETYPE.items():
        if b"mimetype" + media_type.encode() in head:
            return kind
    return next(
        (kind for prefix, kind in _KINDS_BY_PART_PREFIX if prefix.encode() in head), "ZIP archive"
    )


def detect_ole_kind(body: bytes) -> str:
    """The kind of an OLE container, by the streams in its root; a damaged one by names in it."""
    try:
        names = CompoundFile(body).list_root_names(most=_MAX_LISTED_NAMES)
    except DamagedContainer:
        return _detect_damaged_ole_kind(body)
    if "EncryptedPackage" in names:
        return ENCRYPTED_OFFICE_KIND
    known = {name.lower() for name in names}  # names in a container differ by more than case
    for name, kind in _KINDS_BY_OLE_STREAM:
        if name.lower() in known:
            return kind
    return "OLE container"


def _detect_damaged_ole_kind(body: bytes) -> str:
    if "EncryptedPackage".encode("utf-16-le") in body:
        return ENCRYPTED_OFFICE_KIND
    for name, kind in _KINDS_BY_OLE_STREAM:
        if name.encode("utf-16-le") in body:
            return f"damaged {_OLE_KIND_NAMES[kind]}"
    return "damaged old Office document"


# Lists the names in a ZIP archive's directory, a bounded number of them, without opening it.


class ZipListing(NamedTuple):
    names: list[str]
    is_whole: bool  # False if the archive has more names than were asked for
    declared_count: int  # how many members the archive says it has


def list_zip_names(body: bytes, *, most: int) -> ZipListing | None:
    """The first `most` names in the directory; None if the archive is damaged or cut off."""
    found = _find_directory(body)
    if found is None:
        return None
    start, count = found
    names = list(islice(_iterate_entry_names(body, start), most + 1))
    return ZipListing(names[:most], is_whole=len(names) <= most, declared_count=count)


def _iterate_entry_names(body: bytes, start: int) -> Iterator[str]:
    place = start
    while len(body) - place >= _ENTRY_HEAD.size:
        mark, name_bytes, extra_bytes, comment_bytes = _ENTRY_HEAD.unpack_from(body, place)
        if mark != _ENTRY_SIGNATURE:
            return
        place += _ENTRY_HEAD.size
        yield body[place : place + name_bytes].decode("utf-8", "replace")
        place += name_bytes + extra_bytes + comment_bytes


def _find_directory(body: bytes) -> tuple[int, int] | None:
    """Where the directory begins, and its number of members; other bytes may precede the archive."""
    end = body.rfind(_END_SIGNATURE, max(len(body) - _END_BYTES - _MAX_COMMENT_BYTES, 0))
    if end < 0 or len(body) - end < _END_BYTES:
        return None
    count, size, offset = struct.unpack_from("<HII", body, end + 10)
    if _WIDE_MARK in {size, offset}:
        return _find_wide_directory(body, end)
    start = end - size
    return (start, count) if start >= offset else None


def _find_wide_directory(body: bytes, end: int) -> tuple[int, int] | None:
    locator = end - 20
    if locator < 0 or not body.startswith(_WIDE_LOCATOR_SIGNATURE, locator):
        return None
    (place,) = struct.unpack_from("<Q", body, locator + 8)
    if not body.startswith(_WIDE_END_SIGNATURE, place) or len(body) - place < 56:
        return None
    count, _, start = struct.unpack_from("<3Q", body, place + 32)
    return (int(start), int(count)) if start < len(body) else None


# Reads OLE compound files, the containers of old Office documents and Outlook messages.


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
