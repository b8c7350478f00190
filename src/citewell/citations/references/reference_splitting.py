"""Finds reference lists by their headings, and splits one copied from a page, a manuscript or a PDF into references."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from citewell.citations.references.numbered_lists import (
    NumberedLine,
    ReferenceItem,
    join_wrapped_lines,
    split_numbered_list,
)
from citewell.citations.references.wrapped_lists import split_bulleted_list, split_plain_list
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
_PAGE_NUMBER_PATTERN = re.compile(
    r"\s{0,40}(?:(?:page|seite|p\.)\s{0,2})?[-–—|]{0,2}\s?(?:\d{1,4}|[ivxl]{1,6})\s?[-–—|]{0,2}"
    r"(?:\s{0,2}(?:of|/|von|sur|de)\s{0,2}\d{1,4})?\s{0,40}",
    re.IGNORECASE,
)
_NOTICE_PATTERN = re.compile(
    r"\s{0,40}(?:©|\(c\) (?:19|20)\d\d|copyright\b|downloaded (?:from|by|on)\b|this article is (?:protected|licensed)|all rights reserved"
    r"|published by\b|licensed under\b|authorized licensed use|creative commons|author manuscript|accepted manuscript|for peer review"
    r"|electronic copy available|content courtesy of|open access\s{0,3}$|see discussions, stats)",
    re.IGNORECASE,
)
_DIGITS_PATTERN = re.compile(r"\d+")
_REFERENCE_START_SIGN = re.compile(r"\s{0,20}(?:\[\d|\(\d{1,3}\)|\d{1,3}[.)]\s|[•▪*-]\s)")
_SENTENCE_ENDING = re.compile(r"[.;,:?!)\]\"”/-]\s{0,10}$")
_SENTENCE_BREAK = re.compile(r"[.?!:;]\s|[“”\"‘’«»]")
_OPEN_NUMBER_PATTERN = re.compile(
    r"(?:[,:;(–—-]|\b(?:pp?|vol|no|nr|art|s|bd|issue|volume|article|in|of)\.?)\s{0,5}$",
    re.IGNORECASE,
)
_YEAR_PATTERN = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_WIDE_GAP_PATTERN = re.compile(r"(?<=\S)\s{3,}(?=\S)")
_MAX_FURNITURE_CHARS = 120
_MIN_GUTTER_SHARE = 0.7  # of the lines that are long enough to have both columns
_MIN_COLUMN_LINES = 6
_MIN_LISTED_LINES = 6  # in fewer there is no page break
_MIN_PAGE_LINES = 10  # between two heads of pages

_MARKDOWN_HEADING_PATTERN = re.compile(r"#{1,6}\s")

__all__ = ["ReferenceItem", "join_wrapped_lines"]


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


def split_reference_items(text: str) -> list[ReferenceItem]:
    lines = _find_references_section(list(enumerate(text.split("\n"), start=1)))
    lines = drop_page_furniture(split_text_columns(lines))
    return split_numbered_list(lines) or split_bulleted_list(lines) or split_plain_list(lines)


def has_reference_heading(text: str) -> bool:
    """Whether a line of the text is the heading of a list of references."""
    return any(map(is_references_heading, text.split("\n")))


def _find_references_section(lines: list[NumberedLine]) -> list[NumberedLine]:
    """The lines under the last heading for references; all lines if there is none."""
    headings = [place for place, (_, line) in enumerate(lines) if is_references_heading(line)]
    if not headings:
        return lines
    begin = headings[-1] + 1
    ends = (
        place
        for place in range(begin, len(lines))
        if _MARKDOWN_HEADING_PATTERN.match(lines[place][1])
    )
    return lines[begin : next(ends, len(lines))]


# Takes page numbers, running heads and columns out of lines that were copied from printed pages.


def drop_page_furniture(lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """The lines without page numbers, notices and running heads; form feeds become blank lines.

    A line is a running head if it recurs apart from its digits, or stands beside a page number and
    has the look of a heading. The break of a page between two parts of a reference leaves no trace.
    """
    if sum(bool(line.strip()) for _, line in lines) < _MIN_LISTED_LINES:
        return [(number, line.replace("\f", "")) for number, line in lines]
    repeated = _find_repeated_lines(lines)
    marks = [
        _is_page_mark(line, repeated)
        and not (line.strip().isdecimal() and _is_wrapped_number(line, lines[max(place - 1, 0)][1]))
        for place, (_, line) in enumerate(lines)
    ]
    anchors = [mark or "\f" in line for mark, (_, line) in zip(marks, lines, strict=True)]
    if not any(anchors):
        return list(lines)
    lengths = sorted(len(line) for _, line in lines if line.strip())
    width = lengths[len(lengths) // 2]
    dropped = set()
    for place, is_anchor in enumerate(anchors):
        if is_anchor:
            dropped |= _find_furniture_around(lines, marks, place, width)
    kept: list[NumberedLine] = []
    for place, (number, line) in enumerate(lines):
        if place not in dropped:
            kept.append((number, line.replace("\f", "")))
    return kept


def split_text_columns(lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Lines of two columns side by side one after the other: the left ones, then the right ones."""
    cut = _find_gutter([line for _, line in lines])
    if not cut:
        return list(lines)
    left = [(number, line[:cut].rstrip()) for number, line in lines]
    right = [(number, line[cut:].strip()) for number, line in lines if line[cut:].strip()]
    return [*left, *right]


def _find_repeated_lines(lines: Sequence[NumberedLine]) -> frozenset[str]:
    """Short lines beside page breaks that recur, apart from their digits.

    Elsewhere they may be the journal or publisher of several references.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for place, (_, line) in enumerate(lines):
        if 8 < len(line.strip()) < _MAX_FURNITURE_CHARS and not _REFERENCE_START_SIGN.match(line):
            places[_mask_digits(line.replace("\f", ""))].append(place)
    return frozenset(
        mask
        for mask, found in places.items()
        if len(found) > 1 and sum(map(str.isalpha, mask)) > 5 and not _SENTENCE_ENDING.search(mask)
        and min(after - before for before, after in pairwise(found)) >= _MIN_PAGE_LINES
        and sum(_is_beside_break(lines, place) for place in found) * 10 >= len(found) * 6
    )  # fmt: skip


def _is_beside_break(lines: Sequence[NumberedLine], place: int) -> bool:
    """Whether a form feed, a blank line or a page number is on the line or next to it."""
    around = [line for _, line in lines[max(place - 1, 0) : place + 2]]
    return any(
        "\f" in line or not line.strip() or _PAGE_NUMBER_PATTERN.fullmatch(line) for line in around
    )


def _mask_digits(line: str) -> str:
    return _DIGITS_PATTERN.sub("0", " ".join(line.split()))


def _is_page_mark(line: str, repeated: frozenset[str]) -> bool:
    if not line.strip() or len(line) > _MAX_FURNITURE_CHARS:
        return False
    if _PAGE_NUMBER_PATTERN.fullmatch(line.replace("\f", "")) or _NOTICE_PATTERN.match(line):
        return True
    mask = _mask_digits(line.replace("\f", ""))
    return mask in repeated and "http" not in mask and not mask.startswith(("—", "–", "__"))


def _is_wrapped_number(line: str, before: str) -> bool:
    """Whether a number alone on its line belongs to a reference: a year, or the rest of "pp. 12–"."""
    return _YEAR_PATTERN.fullmatch(line.strip()) is not None or bool(
        _OPEN_NUMBER_PATTERN.search(before[-40:])
    )


def _find_furniture_around(
    lines: Sequence[NumberedLine], marks: Sequence[bool], place: int, width: int
) -> set[int]:
    """The places of one page break: the mark, blank lines, and a running head beside it."""
    dropped = {place} if marks[place] else set()
    for step in (-1, 1):
        at = place + step
        blanks = []
        while 0 <= at < len(lines) and not lines[at][1].strip():
            blanks.append(at)
            at += step
        if 0 <= at < len(lines) and (marks[at] or _is_running_head(lines[at][1], width)):
            dropped |= {at, *blanks}
            at += step
            while 0 <= at < len(lines) and not lines[at][1].strip():
                dropped.add(at)
                at += step
        elif marks[place]:
            dropped |= set(blanks)
    if "\f" in lines[place][1] and _is_running_head(lines[place][1], width):
        dropped.add(place)
    return dropped


def _is_running_head(line: str, width: int) -> bool:
    """Whether a line beside a page number reads like a heading rather than a piece of a reference."""
    shown = line.replace("\f", "").strip()
    if not shown or _REFERENCE_START_SIGN.match(line):
        return False
    if " / " in shown and _YEAR_PATTERN.search(shown) and "http" not in shown:
        return len(shown) < _MAX_FURNITURE_CHARS
    if len(shown) > min(80, width * 0.8):
        return False
    words = [word for word in shown.split() if word[0].isalpha()]
    capitals = sum(word[0].isupper() for word in words)
    return (
        len(words) > 2
        and capitals * 10 >= len(words) * 6
        and not _SENTENCE_ENDING.search(shown)
        and not _SENTENCE_BREAK.search(shown)
        and not _YEAR_PATTERN.search(shown)
        and "," not in shown
        and not shown[0].islower()
    )


def _find_gutter(lines: Sequence[str]) -> int:
    """The column at which the right column begins; 0 if the lines have no two columns."""
    gaps: Counter[int] = Counter()
    wide = 0
    for line in lines:
        wide += len(line) > 60
        for match in _WIDE_GAP_PATTERN.finditer(line[:300]):
            if 20 < match.end() < 200:
                gaps[match.end()] += 1
    if wide < _MIN_COLUMN_LINES or not gaps:
        return 0
    cut, count = gaps.most_common(1)[0]
    both = sum(len(line) > cut for line in lines)
    clean = sum(not line[cut - 2 : cut].strip() for line in lines if len(line) > cut)
    if count < _MIN_COLUMN_LINES or clean < both * _MIN_GUTTER_SHARE or count < both * 0.5:
        return 0
    return cut
