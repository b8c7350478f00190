"""Reads e-mail (EML) and Outlook messages (MSG): headers, text and the names of attachments."""

from __future__ import annotations

import re
import struct
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage

from citewell.core.values.counted_words import pluralize
from citewell.reading.documents import document_text
from citewell.reading.documents.document_packages import (
    format_file_time,
    open_ole_document,
    resolve_code_page,
)
from citewell.reading.documents.office.rich_text import read_rtf_body
from citewell.reading.documents.text_documents import convert_html_fragment
from citewell.reading.file_containers import CompoundFile
from citewell.reading.markdown.markdown_text import escape_markdown
from citewell.reading.page_charset import decode_body
from citewell.text.calendar_dates import parse_document_date

_SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MAX_MESSAGE_PARTS = 500

_HEADER_BYTES = 16
_PACKED_MARK, _PLAIN_MARK = 0x75465A4C, 0x414C454D
_WINDOW_BYTES = 4096
_MAX_RTF_BYTES = 64 * 2**20
_FIRST_WINDOW = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "
    rb"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)

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


def read_msg(job: document_text.DocumentRequest) -> document_text.DocumentText:
    message = _OutlookMessage(open_ole_document(job.body))
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
    return document_text.DocumentText(
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
            return read_rtf_body(unpack_rtf(packed)).markdown if packed else ""
        except document_text.UnreadableDocument:
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


# Unpacks the compressed RTF in which Outlook stores the text of a message.


def unpack_rtf(body: bytes) -> bytes:
    """The RTF; raises Broken if the header is not that of compressed RTF."""
    if len(body) < _HEADER_BYTES:
        raise document_text.Broken("The message's compressed text is cut off.")
    _, size, mark, _ = struct.unpack_from("<4I", body)
    if mark == _PLAIN_MARK:
        return body[_HEADER_BYTES : _HEADER_BYTES + size]
    if mark != _PACKED_MARK:
        raise document_text.Broken("The message's compressed text is damaged.")
    return _unpack_window(body, min(size, _MAX_RTF_BYTES))


def _unpack_window(body: bytes, size: int) -> bytes:
    window = bytearray(_FIRST_WINDOW.ljust(_WINDOW_BYTES, b"\x00"))
    write = len(_FIRST_WINDOW)
    out = bytearray()
    place = _HEADER_BYTES
    while place < len(body) and len(out) < size:
        control = body[place]
        place += 1
        for bit in range(8):
            if place >= len(body) or len(out) >= size:
                break
            if not control >> bit & 1:
                piece = body[place : place + 1]
                place += 1
            else:
                reference = int.from_bytes(body[place : place + 2], "big")
                place += 2
                start = reference >> 4
                if start == write:  # marks the end
                    return bytes(out)
                piece = _copy_window(window, start, (reference & 15) + 2, write)
            for byte in piece:
                window[write] = byte
                write = (write + 1) % _WINDOW_BYTES
            out += piece
    return bytes(out)


def _copy_window(window: bytearray, start: int, count: int, write: int) -> bytes:
    """Bytes from the window; those that this very copy writes may be part of it."""
    made = bytearray()
    for step in range(count):
        place = (start + step) % _WINDOW_BYTES
        ahead = (place - write) % _WINDOW_BYTES
        made.append(made[ahead] if ahead < step else window[place])
    return bytes(made)


# Reads e-mail messages: headers, text and the names of attachments.


def read_email(job: document_text.DocumentRequest) -> document_text.DocumentText:
    message = message_from_bytes(job.body, policy=policy.default)
    parts = _collect_message_parts(message)
    headers = [(name, _read_message_header(message, name)) for name in _SHOWN_HEADERS]
    attached: list[tuple[str, str, int]] = []
    for part in parts:
        if part.get_filename() and not _is_text_part(part):
            payload = part.get_payload(decode=True)
            size = len(payload) if isinstance(payload, bytes) else 0
            name = " ".join(str(part.get_filename()).split())
            attached.append((name, part.get_content_type(), size))
    return document_text.DocumentText(
        markdown=render_message(headers, _join_message_text(parts), attached),
        title=_read_message_header(message, "Subject") or None,
        author=_read_message_header(message, "From") or None,
        published=parse_document_date(_read_message_header(message, "Date")),
    )


def _collect_message_parts(message: EmailMessage) -> list[EmailMessage]:
    found: list[EmailMessage] = []
    try:
        for part in message.walk():
            if len(found) >= _MAX_MESSAGE_PARTS:
                break
            if not part.is_multipart():
                found.append(part)
    except (MessageError, RecursionError) as error:
        raise document_text.Broken("The e-mail's MIME structure is damaged.") from error
    return found


def _is_text_part(part: EmailMessage) -> bool:
    return part.get_content_maintype() == "text" and part.get_content_disposition() != "attachment"


def _join_message_text(parts: list[EmailMessage]) -> str:
    """The plain-text parts joined; if all are empty, the HTML parts as markdown."""
    plain = [
        part for part in parts if _is_text_part(part) and part.get_content_subtype() == "plain"
    ]
    written = [_decode_message_part(part).strip() for part in plain]
    if any(written):
        return "\n\n".join(filter(None, written))
    html = [part for part in parts if _is_text_part(part) and part.get_content_subtype() == "html"]
    return "\n\n".join(
        filter(None, (convert_html_fragment(_decode_message_part(part)) for part in html))
    )


def _decode_message_part(part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    charset = part.get_param("charset")
    content_type = f"text/plain; charset={charset}" if isinstance(charset, str) else ""
    return decode_body(raw, content_type=content_type).text.replace("\r\n", "\n")


def _read_message_header(message: EmailMessage, name: str) -> str:
    """A header on one line; "" if it is absent or the email library cannot parse it."""
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, IndexError, AttributeError, TypeError, LookupError):
        return ""


def render_message(
    headers: list[tuple[str, str]], text: str, attached: list[tuple[str, str, int]]
) -> str:
    """A message as markdown; attachments are given by name, content type and size in bytes."""
    lines = [f"**{name}:** {escape_markdown(value)}  " for name, value in headers if value]
    blocks = ["\n".join(lines).rstrip(), text]
    if attached:
        names = (
            f"- {escape_markdown(name)} ({kind}, {size} {pluralize(size, 'byte')})"
            for name, kind, size in attached
        )
        blocks.append("**Attachments:**\n\n" + "\n".join(names))
    return "\n\n".join(block for block in blocks if block)
