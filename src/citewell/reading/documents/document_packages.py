"""Opens documents that are ZIP archives or OLE containers, refuses ZIP bombs, and reads relations and properties."""

from __future__ import annotations

import codecs
import io
import posixpath
import struct
import zipfile
import zlib
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from xml.etree.ElementTree import Element

from citewell.core.values.counted_words import pluralize
from citewell.reading.documents import xml_tree
from citewell.reading.documents.document_text import (
    Broken,
    DocumentLimits,
    DocumentText,
    EncryptedDocument,
    TookTooMuch,
)
from citewell.reading.file_containers import CompoundFile, DamagedContainer, list_zip_names
from citewell.text.calendar_dates import parse_document_date

_RATIO_CHECK_BYTES = 2**20  # smaller members are harmless at any compression ratio
_READ_CHUNK_BYTES = 2**16
_PROPERTY_PARTS = ("docProps/core.xml", "docProps/app.xml", "meta.xml")
# What the default template of python-pptx declares, which most of its users never change.
_TEMPLATE_TITLE, _TEMPLATE_AUTHOR = "PowerPoint Presentation", "Steve Canny"
_TEMPLATE_CREATED = "2013-01-27T09:14:16Z"
_SUMMARY_STREAM = "\x05SummaryInformation"
_CODE_PAGE, _TITLE, _AUTHOR, _CREATED = 1, 2, 4, 12  # numbers of properties
_NARROW_TEXT, _WIDE_TEXT, _FILE_TIME, _SHORT = 30, 31, 64, 2  # types of values
_MAX_PROPERTIES = 200
_MAX_TEXT_BYTES = 2000
_FILE_TIME_START = datetime(1601, 1, 1, tzinfo=UTC)


class PackageRelation(NamedTuple):
    kind: str
    target: str  # the name of a part, or an address if external
    external: bool


def read_package_relations(archive: ZipDocument, part: str) -> dict[str, PackageRelation]:
    """The relations of one part by their ids; empty if the part has none."""
    folder, name = posixpath.split(part)
    body = archive.find_member(f"{folder}/_rels/{name}.rels".lstrip("/"))
    if body is None:
        return {}
    found: dict[str, PackageRelation] = {}
    for item in xml_tree.parse_xml_bytes(body):
        external = item.attrib.get("TargetMode") == "External"
        target = item.attrib.get("Target", "")
        if not external:
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        kind = item.attrib.get("Type", "").rpartition("/")[2]
        found[item.attrib.get("Id", "")] = PackageRelation(kind, target, external)
    return found


# Opens documents that are ZIP archives, and refuses ZIP bombs.


class ZipDocument:
    """Members by name. Bytes are counted while unpacking, since the directory may give wrong sizes."""

    def __init__(self, body: bytes, limits: DocumentLimits) -> None:
        _check_member_count(body, limits)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise Broken("The file is a damaged ZIP archive; it may have been cut off.") from error
        self._left = limits.max_unpacked
        self._members = {info.filename: info for info in self._zip.infolist()}
        self._check_limits(limits)

    def _check_limits(self, limits: DocumentLimits) -> None:
        infos = self._zip.infolist()
        total = sum(info.file_size for info in infos)
        if total > limits.max_unpacked:
            raise TookTooMuch(
                f"The archive would unpack to {total} {pluralize(total, 'byte')}; it may be a ZIP bomb."
            )
        for info in infos:
            packed = max(info.compress_size, 1)
            if info.file_size > _RATIO_CHECK_BYTES and info.file_size / packed > limits.max_ratio:
                raise TookTooMuch("An archive member is compressed too far; it may be a ZIP bomb.")
        if any(info.flag_bits & 1 for info in infos):
            raise EncryptedDocument("The archive is encrypted and opens only with a password.")

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def read_member(self, name: str) -> bytes:
        """One member's bytes; raises Broken if missing or damaged, TookTooMuch if over the limit."""
        info = self._members.get(name) or self._members.get(name.lstrip("/"))
        if info is None:
            raise Broken(f"The document has no part {name[:100]}.")
        pieces: list[bytes] = []
        try:
            with self._zip.open(info) as stream:
                while piece := stream.read(_READ_CHUNK_BYTES):
                    self._left -= len(piece)
                    if self._left < 0:
                        raise TookTooMuch("The unpacked archive is too big; it may be a ZIP bomb.")
                    pieces.append(piece)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            ValueError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise Broken(f"The document's part {name[:100]} is damaged.") from error
        return b"".join(pieces)

    def find_member(self, name: str) -> bytes | None:
        """One member's bytes, or None if the archive does not have it."""
        return self.read_member(name) if name in self._members else None


def _check_member_count(body: bytes, limits: DocumentLimits) -> None:
    """Refuse an archive of too many members before any of them is looked at."""
    listing = list_zip_names(body, most=limits.max_members)
    if listing is not None and not listing.is_whole:
        count = max(listing.declared_count, limits.max_members + 1)
        raise TookTooMuch(
            f"The archive holds {count} {pluralize(count, 'file')}, more than are allowed."
        )


def read_office_properties(archive: ZipDocument) -> DocumentText:
    """The declared properties, without text; damaged property files and those of a template are ignored."""
    found: dict[str, str] = {}
    pages: int | None = None
    for name in _PROPERTY_PARTS:
        root = _find_property_part(archive, name)
        for element in root.iter() if root is not None else ():
            text = xml_tree.join_element_text(element)
            if text and len(element) == 0:
                found.setdefault(xml_tree.strip_namespace(element), text)
            pages = _parse_page_count(xml_tree.find_xml_attribute(element, "page-count"), pages)
    is_untitled = found.get("title") == _TEMPLATE_TITLE
    is_template = is_untitled or found.get("created") == _TEMPLATE_CREATED
    if is_template and found.get("creator") == _TEMPLATE_AUTHOR:
        del found["creator"]
    if is_untitled:
        del found["title"]
    return DocumentText(
        markdown="",
        title=found.get("title"),
        author=found.get("creator") or found.get("initial-creator"),
        created=parse_document_date(
            found.get("created") or found.get("creation-date") or found.get("date")
        ),
        language=(found.get("language") or "")[:2].lower() or None,
        page_count=_parse_page_count(found.get("Pages", ""), pages),
    )


def _parse_page_count(text: str, otherwise: int | None) -> int | None:
    count = xml_tree.parse_short_number(text, -1, max_digits=6)
    return otherwise if count < 0 else count


def _find_property_part(archive: ZipDocument, name: str) -> Element | None:
    try:
        body = archive.find_member(name)
        return xml_tree.parse_xml_bytes(body) if body is not None else None
    except Broken:
        return None


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
