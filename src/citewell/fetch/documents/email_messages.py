"""Reads e-mail messages: headers, text and the names of attachments."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage

from citewell.fetch.decoding.page_charset import decode_body
from citewell.fetch.documents.document_text import Broken, ParsedDocument
from citewell.fetch.documents.html_fragments import convert_html_fragment
from citewell.fetch.markdown.markdown_text import escape_markdown
from citewell.model.counted_words import pluralize
from citewell.text.dates.calendar_dates import parse_document_date

_SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MAX_MESSAGE_PARTS = 500


def read_email(body: bytes) -> ParsedDocument:
    message = message_from_bytes(body, policy=policy.default)
    parts = _collect_message_parts(message)
    headers = [(name, _read_message_header(message, name)) for name in _SHOWN_HEADERS]
    attached = [
        _measure_attachment(part)
        for part in parts
        if part.get_filename() and not _is_text_part(part)
    ]
    return ParsedDocument(
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
        raise Broken("The e-mail's MIME structure is damaged.") from error
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
    said = f"text/plain; charset={charset}" if isinstance(charset, str) else ""
    return decode_body(raw, content_type=said).text.replace("\r\n", "\n")


def _read_message_header(message: EmailMessage, name: str) -> str:
    """A header on one line; "" if it is absent or the email library cannot parse it."""
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, IndexError, AttributeError, TypeError, LookupError):
        return ""


def _measure_attachment(part: EmailMessage) -> tuple[str, str, int]:
    payload = part.get_payload(decode=True)
    size = len(payload) if isinstance(payload, bytes) else 0
    return " ".join(str(part.get_filename()).split()), part.get_content_type(), size


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
