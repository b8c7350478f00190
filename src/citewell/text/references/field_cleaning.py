"""Cleans single values of a reference to one line of plain text of limited length."""

from __future__ import annotations

from collections.abc import Iterator

from citewell.text.safety.markup_cleaning import clean_markup

MAX_VALUE_CHARS = 8000  # characters; longer than any title, and short enough to clean fast
MAX_RECORDS = 50_000  # records of one document; a damage report says that the rest is not read
RECORDS_LIMIT_REASON = f"Only the first {MAX_RECORDS} records of a document are read."
MAX_PROSE_REFERENCES = 5_000  # fewer, because parsing prose takes a hundred times as long
PROSE_LIMIT_REASON = (
    f"Only the first {MAX_PROSE_REFERENCES} references of a list in prose are read."
)
_DAMAGE_EXCERPT_CHARS = 120


def clean_reference_value(text: str) -> str:
    """The value without tags, with entities decoded and single spaces, cut at MAX_VALUE_CHARS."""
    if len(text) > MAX_VALUE_CHARS:
        text = text[:MAX_VALUE_CHARS]
    if text.isascii() and "<" not in text and "&" not in text:
        return " ".join(text.split()) if text.isprintable() else clean_markup(text)
    return clean_markup("".join(_drop_html_comments(text)))


def extract_damage_excerpt(text: str) -> str:
    """The beginning of a damaged record, to show in its report."""
    line = " ".join(text[: 4 * _DAMAGE_EXCERPT_CHARS].split())
    return line if len(line) <= _DAMAGE_EXCERPT_CHARS else f"{line[: _DAMAGE_EXCERPT_CHARS - 1]}…"


def _drop_html_comments(text: str) -> Iterator[str]:
    """The text between HTML comments, in one pass; a regular expression could take far longer."""
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        yield text[at:start]
        at = end + 3
    yield text[at:].replace("<!--", "")
