"""What a body really is, by its first bytes and then by its content type."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MAGIC = (
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
_HTML = re.compile(
    # The groups are possessive: comments that could be split in many ways would take for ever.
    rb"\s*+(?:<!--.{0,2000}?-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_WIDE = re.compile(rb"(?:\s\0)*<\0[!?a-z]\0|(?:\0\s)*\0<\0[!?a-z]", re.IGNORECASE)
_CONTROLS = bytes(set(range(32)) - {9, 10, 12, 13, 27})
_NAMES = {
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
class Kind:
    name: str
    readable: bool


def sniff(body: bytes, content_type: str) -> Kind:
    """html, markdown, json, xml or text, or a name for what cannot be read as text."""
    for magic, name in _MAGIC:
        if body.startswith(magic):
            return Kind(name=name, readable=False)
    if _HTML.match(body[:4096]):
        return Kind(name="html", readable=True)
    if _binary(body):
        return Kind(name=content_type or "binary data", readable=False)
    return _named(content_type)


def _named(content_type: str) -> Kind:
    if name := _NAMES.get(content_type):
        return Kind(name=name, readable=True)
    family, _, rest = content_type.partition("/")
    if rest.endswith("+json"):
        return Kind(name="json", readable=True)
    if rest.endswith("+xml") and family != "image":
        return Kind(name="xml", readable=True)
    if family in {"image", "audio", "video", "font"}:
        return Kind(name=content_type, readable=False)
    return Kind(name="text", readable=True)


def _binary(body: bytes) -> bool:
    """Control characters in a text are rare; zeros in pairs with letters are UTF-16."""
    start = body[:4096]
    controls = len(start) - len(start.translate(None, delete=_CONTROLS))
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or _wide(start):
        return False
    return controls * 50 > len(start)


def _wide(start: bytes) -> bool:
    """UTF-16: it opens with a tag, or nearly every other byte is zero, always on the same side."""
    if _WIDE.match(start):
        return True
    zeros = (start[0::2].count(0), start[1::2].count(0))
    return max(zeros) * 4 > len(start) and min(zeros) * 20 < max(zeros)
