"""The text that recognition found on a scanned page, as paragraphs and headings."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import groupby
from statistics import median
from typing import NamedTuple

from citewell.fetch.documents.pdf.pdf_blocks import PdfBlock
from citewell.fetch.documents.pdf.pdf_headings import HeadingFound
from citewell.fetch.markdown.markdown_text import escape_markdown

_WORD_LEVEL = "5"
_MIN_CONFIDENCE = 20.0  # per cent; less is a stain or a line, not a letter
_HEADING_HEIGHT = 1.45  # of the usual line: taller ones are headings
_MAX_HEADING_WORDS = 12


class _SeenLine(NamedTuple):
    words: list[str]
    height: float


def build_recognized_blocks(table: str, body: float) -> list[PdfBlock]:
    """The blocks of a page from tesseract's table of words; `body` is the size of the usual text."""
    paragraphs = list(_read_paragraphs(table))
    heights = [line.height for lines in paragraphs for line in lines]
    usual = median(heights) if heights else 0.0
    blocks: list[PdfBlock] = []
    for lines in paragraphs:
        text = escape_markdown(_join_recognized_lines(lines))
        tall = len(heights) > 3 and all(line.height >= _HEADING_HEIGHT * usual for line in lines)
        if tall and len(text.split()) <= _MAX_HEADING_WORDS and not text[:1].islower():
            blocks.append(PdfBlock("heading", text, 1.5 * body, heading=HeadingFound()))
        else:
            blocks.append(PdfBlock("paragraph", text, body))
    return blocks


def _read_paragraphs(table: str) -> Iterator[list[_SeenLine]]:
    rows = csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = [row for row in rows if row.get("level") == _WORD_LEVEL and _is_certain(row)]
    for _, paragraph in groupby(words, key=lambda row: (row["block_num"], row["par_num"])):
        lines = [
            _build_seen_line(list(line))
            for _, line in groupby(paragraph, key=lambda row: row["line_num"])
        ]
        yield lines


def _is_certain(row: dict[str, str]) -> bool:
    try:
        return float(row["conf"]) >= _MIN_CONFIDENCE and bool((row["text"] or "").strip())
    except (KeyError, TypeError, ValueError):
        return False


def _build_seen_line(row: list[dict[str, str]]) -> _SeenLine:
    heights = [float(word["height"]) for word in row if word["height"].isdigit()]
    return _SeenLine([word["text"].strip() for word in row], median(heights) if heights else 0.0)


def _join_recognized_lines(lines: list[_SeenLine]) -> str:
    text = ""
    for line in lines:
        added = " ".join(line.words)
        if text.endswith(("-", "‐")) and text[-2:-1].islower() and added[:1].islower():
            text = text[:-1] + added
        else:
            text = f"{text} {added}" if text else added
    return text
