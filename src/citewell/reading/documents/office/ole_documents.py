"""Opens old Office documents (OLE containers), and reads the title, author and date they declare."""

from __future__ import annotations

import codecs
import struct
from datetime import UTC, datetime, timedelta

from citewell.reading.documents.document_text import Broken, DocumentText
from citewell.reading.file_containers import CompoundFile, DamagedContainer

_SUMMARY_STREAM = "\x05SummaryInformation"
_CODE_PAGE, _TITLE, _AUTHOR, _CREATED = 1, 2, 4, 12  # numbers of properties
_NARROW_TEXT, _WIDE_TEXT, _FILE_TIME, _SHORT = 30, 31, 64, 2  # types of values
_MAX_PROPERTIES = 200
_MAX_TEXT_BYTES = 2000
_FILE_TIME_START = datetime(1601, 1, 1, tzinfo=UTC)


def read_ole_properties(container: CompoundFile) -> DocumentText:
    """The declared properties, without text; a damaged property set is ignored."""
    stream = container.find_stream(_SUMMARY_STREAM) or b""
    try:
        places = _locate_properties(stream)
        charset = "cp1252"
        if _CODE_PAGE in places:
            kind, number = struct.unpack_from("<IH", stream, places[_CODE_PAGE])
            charset = resolve_code_page(number) if kind == _SHORT else charset
        created = None
        title = _read_property_text(stream, places.get(_TITLE), charset)
        author = _read_property_text(stream, places.get(_AUTHOR), charset)
        if _CREATED in places:
            kind, value = struct.unpack_from("<IQ", stream, places[_CREATED])
            created = format_file_time(value) if kind == _FILE_TIME else None
    except struct.error:
        return DocumentText(markdown="")
    return DocumentText(markdown="", title=title, author=author, created=created)


def _locate_properties(stream: bytes) -> dict[int, int]:
    """The place of each property's value by its number."""
    (start,) = struct.unpack_from("<I", stream, 44)
    (count,) = struct.unpack_from("<I", stream, start + 4)
    found: dict[int, int] = {}
    for place in range(min(count, _MAX_PROPERTIES)):
        number, offset = struct.unpack_from("<2I", stream, start + 8 + 8 * place)
        found[number] = start + offset
    return found


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


def format_file_time(value: int) -> str | None:
    """A Windows file time (tenths of microseconds since 1601) in ISO form; None if it is absurd."""
    try:
        moment = _FILE_TIME_START + timedelta(microseconds=value // 10)
    except OverflowError:
        return None
    if not 1970 <= moment.year <= 2100:
        return None
    return moment.replace(microsecond=0, tzinfo=None).isoformat() + "Z"


# Opens the containers of old Office documents, with the errors of documents.


def open_ole_document(body: bytes) -> CompoundFile:
    try:
        return CompoundFile(body)
    except DamagedContainer as error:
        raise Broken(str(error)) from error
