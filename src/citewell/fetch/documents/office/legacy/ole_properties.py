"""Reads the title, author and date that an old Office document declares (its property set)."""

from __future__ import annotations

import codecs
import struct
from datetime import UTC, datetime, timedelta

from citewell.fetch.decoding.compound_file import CompoundFile
from citewell.fetch.documents.office.office_properties import OfficeProperties

_SUMMARY_STREAM = "\x05SummaryInformation"
_CODE_PAGE, _TITLE, _AUTHOR, _CREATED, _PAGES = 1, 2, 4, 12, 14  # numbers of properties
_NARROW_TEXT, _WIDE_TEXT, _FILE_TIME, _SHORT, _LONG = 30, 31, 64, 2, 3  # types of values
_MAX_PROPERTIES = 200
_MAX_TEXT_BYTES = 2000
_FILE_TIME_START = datetime(1601, 1, 1, tzinfo=UTC)


def read_ole_properties(container: CompoundFile) -> OfficeProperties:
    """The declared properties; a damaged property set is ignored."""
    stream = container.find_stream(_SUMMARY_STREAM) or b""
    try:
        places = _locate_properties(stream)
        charset = _find_code_page(stream, places)
        return OfficeProperties(
            title=_read_property_text(stream, places.get(_TITLE), charset),
            author=_read_property_text(stream, places.get(_AUTHOR), charset),
            created=_read_property_time(stream, places.get(_CREATED)),
        )
    except struct.error:
        return OfficeProperties()


def _locate_properties(stream: bytes) -> dict[int, int]:
    """The place of each property's value by its number."""
    (start,) = struct.unpack_from("<I", stream, 44)
    (count,) = struct.unpack_from("<I", stream, start + 4)
    found: dict[int, int] = {}
    for place in range(min(count, _MAX_PROPERTIES)):
        number, offset = struct.unpack_from("<2I", stream, start + 8 + 8 * place)
        found[number] = start + offset
    return found


def _find_code_page(stream: bytes, places: dict[int, int]) -> str:
    if _CODE_PAGE not in places:
        return "cp1252"
    kind, number = struct.unpack_from("<IH", stream, places[_CODE_PAGE])
    return resolve_code_page(number) if kind == _SHORT else "cp1252"


def resolve_code_page(number: int) -> str:
    """The name of the charset of a Windows code page; Windows-1252 if it is unknown."""
    named = {
        65001: "utf-8",
        1200: "utf-16-le",
        10000: "mac-roman",
        20127: "ascii",
        28591: "latin-1",
    }
    try:
        return codecs.lookup(named.get(number, f"cp{number}")).name
    except LookupError:
        return "cp1252"


def _read_property_text(stream: bytes, place: int | None, charset: str) -> str | None:
    if place is None:
        return None
    kind, size = struct.unpack_from("<2I", stream, place)
    if kind == _NARROW_TEXT:
        raw = stream[place + 8 : place + 8 + min(size, _MAX_TEXT_BYTES)]
        text = raw.decode(charset, "replace")
    elif kind == _WIDE_TEXT:
        raw = stream[place + 8 : place + 8 + min(size * 2, _MAX_TEXT_BYTES)]
        text = raw.decode("utf-16-le", "replace")
    else:
        return None
    return " ".join(text.partition("\x00")[0].split()) or None


def _read_property_time(stream: bytes, place: int | None) -> str | None:
    if place is None:
        return None
    kind, value = struct.unpack_from("<IQ", stream, place)
    return format_file_time(value) if kind == _FILE_TIME else None


def format_file_time(value: int) -> str | None:
    """A Windows file time (tenths of microseconds since 1601) in ISO form; None if it is absurd."""
    try:
        moment = _FILE_TIME_START + timedelta(microseconds=value // 10)
    except OverflowError:
        return None
    if not 1970 <= moment.year <= 2100:
        return None
    return moment.replace(microsecond=0, tzinfo=None).isoformat() + "Z"
