"""Decodes bibliography files, whose encoding reference managers do not declare."""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Iterator

from citewell.text.safety.invisible_characters import extract_visible_text

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16-LE, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ENCODING_SAMPLE_BYTES = 2000  # bytes
_PLAIN_CHARACTERS = str.maketrans({
    "\u00a0": " ", "\u2007": " ", "\u202f": " ", "\u2028": "\n", "\u2029": "\n", "\x85": "\n",
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st",
    "\ufb06": "st",
})  # fmt: skip


def decode_bibliography(document: str | bytes) -> str:
    """The document as text without byte-order mark and invisible characters, with plain newlines.

    Accents are composed, ligatures resolved and spaces plain. Form feeds stay, because they tell
    where pages end, and a soft hyphen at the end of a line becomes a hyphen.
    """
    text = document if isinstance(document, str) else _decode_bytes(document)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = text.translate(_PLAIN_CHARACTERS).replace("\u00ad\n", "-\n")
        text = unicodedata.normalize("NFC", text)
    return "\f".join(map(extract_visible_text, text.split("\f")))


def _decode_bytes(document: bytes) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if document.startswith(mark):
            return document[len(mark) :].decode(encoding, "replace")
    for encoding in _list_likely_encodings(document):
        try:
            return document.decode(encoding)
        except UnicodeDecodeError:
            continue
    return document.decode("latin-1")  # cannot fail: it has a character for every byte


def _list_likely_encodings(document: bytes) -> Iterator[str]:
    """Encodings to try for a file without a byte-order mark; UTF-16 shows by its many zero bytes."""
    head = document[:_ENCODING_SAMPLE_BYTES]
    if head[1::2].count(0) > len(head) // 4:
        yield "utf-16-le"
    if head[::2].count(0) > len(head) // 4:
        yield "utf-16-be"
    yield "utf-8"
    yield "cp1252"
