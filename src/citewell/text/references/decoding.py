"""Bytes of a bibliography file as text: reference managers write several encodings and name none."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from citewell.text.invisible import visible

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LOOK = 2000  # bytes


def text_of(document: str | bytes) -> str:
    """Text without byte-order mark, unseen characters or any line end but one."""
    text = document if isinstance(document, str) else _decoded(document)
    return visible(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def _decoded(document: bytes) -> str:
    for mark, encoding in _MARKS:
        if document.startswith(mark):
            return document[len(mark) :].decode(encoding, "replace")
    for encoding in _likely(document):
        try:
            return document.decode(encoding)
        except UnicodeDecodeError:
            continue
    return document.decode("latin-1")  # has a character for every byte


def _likely(document: bytes) -> Iterator[str]:
    """Without a mark, UTF-16 shows by its zeroes: every second byte of plain letters is one."""
    head = document[:_LOOK]
    if head[1::2].count(0) > len(head) // 4:
        yield "utf-16-le"
    if head[::2].count(0) > len(head) // 4:
        yield "utf-16-be"
    yield "utf-8"
    yield "cp1252"
