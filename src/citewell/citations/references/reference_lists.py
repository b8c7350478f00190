"""Finds reference lists by their headings in many languages, and takes them out of markdown."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from citewell.text.data_tables import load_table

_TAG_PATTERN = re.compile(r"</?[a-z][^<>]{0,200}>", re.IGNORECASE)
_NUMBERING_REGEX = r"(?:\d{1,2}(?:\.\d{1,2}){0,3}[.):]?|[IVX]{1,5}[.):]?|[A-Z][.):])\s{1,3}"
_NUMBERING_PATTERN = re.compile(rf"\A{_NUMBERING_REGEX}")
# What some authors add: the style, the number of entries, an anchor.
_ADDITION_PATTERN = re.compile(r"\s{0,3}(?:\([^()]{1,40}\)|\{[^{}]{1,80}\})[\W_]{0,6}\Z")
_EDGE_PATTERN = re.compile(r"\A[\W_]{1,20}|[\W_]{1,20}\Z")
_MAX_HEADING_CHARS = 140
_MIN_HEADING_CHARS = 4

_HEADING_MARK_PATTERN = re.compile(r"(#{1,6}) ")
_NOTE_PATTERN = re.compile(r"\[\^[^\[\]\s]{1,60}\]:")
_NOTE_MARK_PATTERN = re.compile(r"\[\^[^\[\]\s]{1,60}\](?!:)")

_LINK_PATTERN = re.compile(r"\[([^\[\]\n]{0,2000})\]\((<?[^\s()]{1,2000}>?)\)")
_EMPHASIS_PATTERN = re.compile(
    r"(?<!\\)\*{1,3}(?=\S)|(?<=[^\s\\])\*{1,3}|(?<![\w\\])_(?=\w)|(?<=\w)_(?!\w)"
)
_ESCAPE_PATTERN = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~&])")


def render_reference_markdown(markdown: str) -> str:
    """The lines of a markdown text without emphasis and escapes; links keep words and address."""
    text = _LINK_PATTERN.sub(_show_link, markdown)
    text = _EMPHASIS_PATTERN.sub("", text)
    return _ESCAPE_PATTERN.sub(r"\1", text)


def _show_link(match: re.Match[str]) -> str:
    words, address = match[1], match[2].strip("<>")
    known = not address.startswith("http") or address.partition("//")[2] in words
    return words if known else f"{words} {address}"


def drop_references(markdown: str) -> str:
    """The text without reference lists, notes, and the marks that point to them."""
    kept: list[str] = []
    level = 0  # of the heading whose section is being dropped; 0 outside one
    in_note = False
    for line in markdown.split("\n"):
        heading = _HEADING_MARK_PATTERN.match(line)
        if heading and level and len(heading[1]) <= level:
            level = 0
        if heading and not level and is_references_heading(line):
            level = len(heading[1])
        in_note = bool(_NOTE_PATTERN.match(line)) or (
            in_note and (not line or line.startswith("    "))
        )
        if not level and not in_note:
            kept.append(_NOTE_MARK_PATTERN.sub("", line))
    return "\n".join(kept).strip("\n")


# Recognizes the headings of reference lists in many languages, in whatever form they are written.


def is_references_heading(line: str) -> bool:
    """Whether a line is the heading of a list of references, such as "**5. Works cited:**"."""
    return _has_heading_words(line, "references")


def is_list_heading(line: str) -> bool:
    """Whether a line heads a list of references, or of sources or notes, which may also be prose."""
    return is_references_heading(line) or _has_heading_words(line, "sources")


def find_reference_list(text: str, start: int = 0) -> int | None:
    """Where the first heading of a reference list begins; None if there is none after `start`."""
    at = start
    for line in text[start:].split("\n"):
        if is_references_heading(line):
            return at
        at += len(line) + 1
    return None


@cache
def compile_joined_heading() -> re.Pattern[str]:
    """Matches a heading that was joined with the first entry of its list."""
    words = "|".join(map(re.escape, load_table(__package__, "list_headings")["references"]))
    return re.compile(
        rf"[*_#\s]{{0,6}}(?:{_NUMBERING_REGEX})?(?=[^\W\d_a-z])(?i:{words})\s{{0,3}}[:：.]?[*_]{{0,3}}\s{{1,3}}"
        r"(?=\[1\]|1\.\s|\(1\)|［1］|[^\W\d_a-z][\w'’-]{1,30},\s[^\W\d_a-z][^\n]{0,200}\b(?:1[89]|20)\d\d)"
    )


def _has_heading_words(line: str, kind: str) -> bool:
    shown = line.strip()
    if not 1 < len(shown) < _MAX_HEADING_CHARS:
        return False
    if kind == "references" and len(shown) < _MIN_HEADING_CHARS:
        return False
    bare = _EDGE_PATTERN.sub("", _ADDITION_PATTERN.sub("", _TAG_PATTERN.sub("", shown)))
    return _fold_words(_NUMBERING_PATTERN.sub("", bare)) in _load_headings(kind)


@cache
def _load_headings(kind: str) -> frozenset[str]:
    return frozenset(map(_fold_words, load_table(__package__, "list_headings")[kind]))


def _fold_words(written: str) -> str:
    """The letters without case, accents and spaces: a PDF may give "R EFERENCES"."""
    letters = unicodedata.normalize("NFKD", written.casefold())
    return "".join(char for char in letters if not (unicodedata.combining(char) or char.isspace()))
