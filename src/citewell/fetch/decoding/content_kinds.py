"""Finds out what a response body is: by its first bytes, then by its content type."""

from __future__ import annotations

import re
from dataclasses import dataclass

_KIND_BY_MAGIC_BYTES = (
    (b"%PDF-", "pdf"),
    (b"PK\x03\x04", "zip or office document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "office document"),
    (b"{\\rtf", "rtf"),
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"RIFF", "image, sound or film"),
    (b"\x1f\x8b", "gzip"),
    (b"\x7fELF", "program"),
)
_HTML_START = re.compile(
    # The groups are possessive: backtracking over many comments would take exponential time.
    rb"\s*+(?:<!--.{0,2000}?-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_UTF16_TAG = re.compile(rb"(?:\s\0)*<\0[!?a-z]\0|(?:\0\s)*\0<\0[!?a-z]", re.IGNORECASE)
_CONTROL_BYTES = bytes(set(range(32)) - {9, 10, 12, 13, 27})
_KIND_BY_CONTENT_TYPE = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "application/json": "json",
    "text/json": "json",
    "application/ld+json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentKind:
    name: str
    is_text: bool


def sniff_content_kind(body: bytes, content_type: str) -> ContentKind:
    """`html`, `markdown`, `json`, `xml` or `text`; for anything else a name, not readable as text."""
    for magic, name in _KIND_BY_MAGIC_BYTES:
        if body.startswith(magic):
            return ContentKind(name=name, is_text=False)
    if _HTML_START.match(body[:4096]):
        return ContentKind(name="html", is_text=True)
    if _is_binary(body):
        return ContentKind(name=content_type or "binary data", is_text=False)
    return _choose_declared_kind(content_type)


def _choose_declared_kind(content_type: str) -> ContentKind:
    if name := _KIND_BY_CONTENT_TYPE.get(content_type):
        return ContentKind(name=name, is_text=True)
    family, _, rest = content_type.partition("/")
    if rest.endswith("+json"):
        return ContentKind(name="json", is_text=True)
    if rest.endswith("+xml") and family != "image":
        return ContentKind(name="xml", is_text=True)
    if family in {"image", "audio", "video", "font"}:
        return ContentKind(name=content_type, is_text=False)
    return ContentKind(name="text", is_text=True)


def _is_binary(body: bytes) -> bool:
    """Whether the body has too many control characters for a text; UTF-16 is text."""
    start = body[:4096]
    controls = len(start) - len(start.translate(None, delete=_CONTROL_BYTES))
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or _is_unmarked_utf16(start):
        return False
    return controls * 50 > len(start)


def _is_unmarked_utf16(start: bytes) -> bool:
    """Whether it is UTF-16: it starts with a tag, or nearly every second byte is zero."""
    if _UTF16_TAG.match(start):
        return True
    zeros = (start[0::2].count(0), start[1::2].count(0))
    return max(zeros) * 4 > len(start) and min(zeros) * 20 < max(zeros)
