"""Lists the names in a ZIP archive's directory, a bounded number of them, without opening it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

_END_SIGNATURE = b"PK\x05\x06"
_END_BYTES = 22
_MAX_COMMENT_BYTES = 65_535
_WIDE_LOCATOR_SIGNATURE = b"PK\x06\x07"  # of ZIP64
_WIDE_END_SIGNATURE = b"PK\x06\x06"
_ENTRY_SIGNATURE = b"PK\x01\x02"
_ENTRY_HEAD = struct.Struct("<4s24xHHH12x")  # with the lengths of name, extra field and comment
_WIDE_MARK = 0xFFFFFFFF


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
