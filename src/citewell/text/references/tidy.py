"""One value of a reference made fit to show: a line of plain text, of bounded length."""

from __future__ import annotations

from collections.abc import Iterator

from citewell.text.markup import clean

LONGEST = 8000  # characters of one value; no title comes near, and cleaning stays cheap
MOST = 50_000  # records of one document; the rest is named, not read
UNREAD = f"Only the first {MOST} records of a document are read."
MOST_PROSE = 5_000  # which takes a hundred times as long to read
UNREAD_PROSE = f"Only the first {MOST_PROSE} references of a list in prose are read."
_EXCERPT = 120


def tidy(text: str) -> str:
    """Tags out, entities read, spaces single; what exceeds the bound is cut off."""
    if len(text) > LONGEST:
        text = text[:LONGEST]
    if text.isascii() and "<" not in text and "&" not in text:
        return " ".join(text.split()) if text.isprintable() else clean(text)
    return clean("".join(_uncommented(text)))


def excerpt(text: str) -> str:
    """The beginning of a damaged record, to know it by."""
    line = " ".join(text[: 4 * _EXCERPT].split())
    return line if len(line) <= _EXCERPT else f"{line[: _EXCERPT - 1]}…"


def _uncommented(text: str) -> Iterator[str]:
    """Comments out in one pass, which a pattern with an open end would not promise."""
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        yield text[at:start]
        at = end + 3
    yield text[at:].replace("<!--", "")
