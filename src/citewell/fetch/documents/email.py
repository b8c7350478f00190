"""E-mail messages: who wrote what to whom, the text, and the names of what is attached."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import parsedate_to_datetime

from citewell.fetch.charset import decode
from citewell.fetch.documents.document import Broken, Parsed
from citewell.fetch.documents.markup import html_markdown
from citewell.fetch.markdown.text import escape

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_MOST_PARTS = 500


def read_email(body: bytes) -> Parsed:
    message = message_from_bytes(body, policy=policy.default)
    parts = _parts(message)
    text = _text(parts)
    lines = [
        f"**{name}:** {escape(value)}  " for name in _SHOWN if (value := _header(message, name))
    ]
    attached = [_describe(part) for part in parts if part.get_filename() and not _is_text(part)]
    blocks = ["\n".join(lines).rstrip(), text]
    if attached:
        blocks.append("**Attachments:**\n\n" + "\n".join(f"- {name}" for name in attached))
    return Parsed(
        markdown="\n\n".join(block for block in blocks if block),
        title=_header(message, "Subject") or None,
        author=_header(message, "From") or None,
        created=_date(_header(message, "Date")),
    )


def _parts(message: EmailMessage) -> list[EmailMessage]:
    found: list[EmailMessage] = []
    try:
        for part in message.walk():
            if len(found) >= _MOST_PARTS:
                break
            if not part.is_multipart():
                found.append(part)
    except (MessageError, RecursionError) as error:
        raise Broken("The message's parts do not fit together.") from error
    return found


def _is_text(part: EmailMessage) -> bool:
    return part.get_content_maintype() == "text" and part.get_content_disposition() != "attachment"


def _text(parts: list[EmailMessage]) -> str:
    """The plain texts, or where there are none the HTML ones."""
    plain = [part for part in parts if _is_text(part) and part.get_content_subtype() == "plain"]
    written = [_content(part).strip() for part in plain]
    if any(written):
        return "\n\n".join(filter(None, written))
    html = [part for part in parts if _is_text(part) and part.get_content_subtype() == "html"]
    return "\n\n".join(filter(None, (html_markdown(_content(part)) for part in html)))


def _content(part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    charset = part.get_param("charset")
    said = f"text/plain; charset={charset}" if isinstance(charset, str) else ""
    return decode(raw, content_type=said).text.replace("\r\n", "\n")


def _header(message: EmailMessage, name: str) -> str:
    """A header on one line; the library gives up on some that are malformed."""
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, IndexError, AttributeError, TypeError, LookupError):
        return ""


def _describe(part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    size = len(payload) if isinstance(payload, bytes) else 0
    name = " ".join(str(part.get_filename()).split())
    return f"{escape(name)} ({part.get_content_type()}, {size} bytes)"


def _date(text: str) -> str | None:
    try:
        return parsedate_to_datetime(text).isoformat() if text else None
    except (ValueError, TypeError, OverflowError):
        return None
