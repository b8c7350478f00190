"""Reads Outlook messages (MSG): headers, text and the names of attachments."""

from __future__ import annotations

import re
import struct

from citewell.fetch.decoding.compound_file import CompoundFile
from citewell.fetch.decoding.page_charset import decode_body
from citewell.fetch.documents.compressed_rtf import unpack_rtf
from citewell.fetch.documents.document_text import ParsedDocument, UnreadableDocument
from citewell.fetch.documents.email_messages import render_message
from citewell.fetch.documents.html_fragments import convert_html_fragment
from citewell.fetch.documents.office.legacy.ole_documents import open_ole_document
from citewell.fetch.documents.office.legacy.ole_properties import (
    format_file_time,
    resolve_code_page,
)
from citewell.fetch.documents.office.rich_text import read_rtf

_SUBJECT, _SENDER_NAME, _SENDER_ADDRESS, _SENDER_SMTP = "0037", "0C1A", "0C1F", "5D01"
_TO, _CC, _BODY, _HTML, _PACKED_RTF = "0E04", "0E03", "1000", "1013", "1009"
_ATTACHMENT_NAMES = ("3707", "3704", "3001")
_ATTACHMENT_TYPE, _ATTACHMENT_DATA = "370E", "37010102"
_SENT_TIME, _RECEIVED_TIME, _CREATED_TIME = 0x0039, 0x0E06, 0x3007
_CODE_PAGES = (0x3FFD, 0x3FDE)  # of the message, of the internet
_LONG, _TIME = 0x0003, 0x0040  # types of fixed values
_ROOT_HEADER_BYTES = 32
_MAX_FIXED_VALUES = 2000
_MAX_ATTACHMENTS = 200
_ATTACHMENT_FOLDER = re.compile(r"(__attach_version1\.0_#[0-9A-Fa-f]{8})/")


def read_msg(body: bytes) -> ParsedDocument:
    message = _OutlookMessage(open_ole_document(body))
    sender = message.find_text(_SENDER_NAME)
    address = message.find_text(_SENDER_SMTP) or message.find_text(_SENDER_ADDRESS)
    if "@" in address and address != sender:
        sender = f"{sender} <{address}>".strip()
    sent = message.find_sent_time()
    headers = [
        ("From", sender),
        ("To", message.find_text(_TO)),
        ("Cc", message.find_text(_CC)),
        ("Date", sent or ""),
        ("Subject", message.find_text(_SUBJECT)),
    ]
    return ParsedDocument(
        markdown=render_message(headers, message.read_text(), message.list_attachments()),
        title=message.find_text(_SUBJECT) or None,
        author=sender or None,
        published=sent,
    )


class _OutlookMessage:
    """The properties of one message; each text is a stream named by its number and type."""

    def __init__(self, container: CompoundFile) -> None:
        self._container = container
        self._fixed = self._read_fixed_values()
        pages = (self._fixed.get((number, _LONG)) for number in _CODE_PAGES)
        self._charset = resolve_code_page(next((page & 0xFFFF for page in pages if page), 1252))

    def find_text(self, number: str, folder: str = "") -> str:
        """A text property on one line; "" if it is absent."""
        return " ".join(self._find_raw_text(number, folder).split())

    def _find_raw_text(self, number: str, folder: str = "") -> str:
        wide = self._container.find_stream(f"{folder}__substg1.0_{number}001F")
        if wide is not None:
            return wide.decode("utf-16-le", "replace").rstrip("\x00")
        narrow = self._container.find_stream(f"{folder}__substg1.0_{number}001E")
        return (narrow or b"").decode(self._charset, "replace").rstrip("\x00")

    def read_text(self) -> str:
        """The plain text; else the HTML or the rich text as markdown."""
        plain = self._find_raw_text(_BODY).replace("\r\n", "\n").replace("\r", "\n").strip()
        if plain:
            return plain
        html = self._container.find_stream(f"__substg1.0_{_HTML}0102")
        written = decode_body(html).text if html else self._find_raw_text(_HTML)
        if written.strip():
            return convert_html_fragment(written)
        packed = self._container.find_stream(f"__substg1.0_{_PACKED_RTF}0102")
        try:
            return read_rtf(unpack_rtf(packed)).markdown if packed else ""
        except UnreadableDocument:
            return ""

    def find_sent_time(self) -> str | None:
        for number in (_SENT_TIME, _RECEIVED_TIME, _CREATED_TIME):
            value = self._fixed.get((number, _TIME))
            if value and (moment := format_file_time(value)):
                return moment
        return None

    def list_attachments(self) -> list[tuple[str, str, int]]:
        """Name, content type and size of each attachment."""
        folders = dict.fromkeys(
            found[0]
            for path in self._container.list_paths()
            if (found := _ATTACHMENT_FOLDER.match(path))
        )
        made: list[tuple[str, str, int]] = []
        for folder in list(folders)[:_MAX_ATTACHMENTS]:
            names = (self.find_text(number, folder) for number in _ATTACHMENT_NAMES)
            name = next(filter(None, names), "")
            data = self._container.find_stream(f"{folder}__substg1.0_{_ATTACHMENT_DATA}")
            inner = f"{folder}__substg1.0_3701000D/"
            kind = self.find_text(_ATTACHMENT_TYPE, folder)
            if data is None and self.find_text(_SUBJECT, inner):
                name, kind = name or self.find_text(_SUBJECT, inner), "application/vnd.ms-outlook"
            if name:
                made.append((name, kind or "application/octet-stream", len(data or b"")))
        return sorted(made)

    def _read_fixed_values(self) -> dict[tuple[int, int], int]:
        """Numbers and times by property number and type."""
        stream = self._container.find_stream("__properties_version1.0") or b""
        found: dict[tuple[int, int], int] = {}
        end = min(len(stream), _ROOT_HEADER_BYTES + 16 * _MAX_FIXED_VALUES)
        for place in range(_ROOT_HEADER_BYTES, end - 15, 16):
            kind, number = struct.unpack_from("<2H", stream, place)
            if kind == _LONG:
                (found[number, kind],) = struct.unpack_from("<I", stream, place + 8)
            elif kind == _TIME:
                (found[number, kind],) = struct.unpack_from("<Q", stream, place + 8)
        return found
