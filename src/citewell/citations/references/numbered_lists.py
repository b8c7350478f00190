"""Finds the numbers of a numbered list: at the start of lines, alone on a line, or within lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from citewell.core.lazy_patterns import compile_on_use

NumberedLine = tuple[int, str]  # the line's number in the document, counted from 1, and its text
_END_HYPHEN_PATTERN = compile_on_use(r"[^\W\d_]-$")
_BROKEN_ADDRESS_PATTERN = compile_on_use(
    r"(?:https?://|10\.\d{4,9}/|www\.)\S{0,300}[-/_=?&%]$|https?://$|doi\.org/$", re.IGNORECASE
)

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SUPERSCRIPT_START_PATTERN = compile_on_use(r"\s{0,20}[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}\s?")
# How a number may be written at the start of a line; the list uses one of these throughout.
_START_PATTERNS = {
    "brackets": re.compile(r"\s{0,20}\\?\[(\d{1,4})\\?\][.:]?\s{0,10}"),
    "note": re.compile(r"\s{0,20}\[\^(\d{1,4})\]:?\s{0,10}"),
    "parentheses": re.compile(r"\s{0,20}\((\d{1,3})\)\s{0,10}"),
    "stop": re.compile(r"\s{0,20}(\d{1,4})\\?\.(?:\s{1,10}|\s{0,10}$|(?=[^\W\d_]|[“\"]))"),
    "half": re.compile(r"\s{0,20}(\d{1,4})\)\s{0,10}"),
    "raised": re.compile(r"\s{0,20}(?:<sup>(\d{1,4})</sup>|\^(\d{1,4})\^)\s{0,5}"),
    "bare": re.compile(r"\s{0,20}(\d{1,3})\s{1,10}(?=[^\W\d_]|[“\"‘])"),
    "glued": re.compile(r"\s{0,20}(\d{1,3})(?=[^\W\d_a-z]|[“\"‘])"),
}
# The same within a line, where more has to speak for a number of the list.
_INNER_PATTERNS = {
    "brackets": re.compile(r"(?<=[\s.,;)\]])\\?\[(\d{1,4})\\?\]\s{0,5}"),
    "parentheses": re.compile(r"(?<=[.;)\]\d/] )\((\d{1,3})\)\s{1,5}(?=[^\W\d_a-z]|[“\"‘])"),
    "stop": re.compile(r"(?<=[.;)\]”\"\d\w/?!] )(\d{1,3})\.\s{1,5}(?=[^\W\d_]|[“\"‘])"),
    "half": re.compile(r"(?<=[.;)\]”\"\d\w/?!] )(\d{1,3})\)\s{1,5}(?=[^\W\d_a-z]|[“\"‘])"),
}
_LIKELY_START_PATTERN = compile_on_use(
    r"\\?[^\W\d_a-z]|[“\"‘]|(?:van|von|de|der|di|da|la|le|al|el)[ -]"
)
_COMPLETE_END_PATTERN = compile_on_use(r"(?:[.\])\"”?!>]|\d|/|https?://\S{1,300})\s{0,10}$")
_MAX_GAP = 3  # the next number may be up to this much higher, if those between are lost
_MAX_FIRST_NUMBER = 300
_MIN_ITEMS = {"bare": 2, "glued": 3, "raised": 2, "half": 2}
_MIN_RESTARTED_ITEMS = 2
_MIN_JOINED_WEIGHT = 1.2  # of a number within the line of the only other one
_RESTART_COST, _GAP_COST = 0.8, 0.7


@dataclass(frozen=True, slots=True)
class _NumberPlace:
    """A number that may begin an item: where it stands, and how much speaks for it."""

    row: int
    start: int
    end: int
    number: int
    weight: float


@dataclass(slots=True)
class _NumberChain:
    weight: float
    place: _NumberPlace
    before: _NumberChain | None
    length: int


def split_numbered_list(lines: Sequence[NumberedLine]) -> list[ReferenceItem]:
    """The items of a list with ascending numbers; empty if the lines are no such list."""
    rows = [line for _, line in lines]
    if not any(char.isdigit() for row in rows for char in row[:25]):
        return []
    best: list[_NumberPlace] = []
    for style in _START_PATTERNS:
        outer = _find_best_chain(list(_iterate_line_starts(rows, style)))
        chain = outer
        if style in _INNER_PATTERNS:
            inner = _find_best_chain(list(_iterate_all_places(rows, style)))
            chain = inner if _is_fuller_chain(inner, outer) else outer
        if len(chain) > len(best) and _is_trusted_chain(chain, style, rows):
            best = chain
    return _cut_at_places(lines, best) if best else []


def _iterate_line_starts(rows: Sequence[str], style: str) -> Iterator[_NumberPlace]:
    pattern = _START_PATTERNS[style]
    before = ""
    for place, row in enumerate(rows):
        shown = _lower_superscripts(row, style)
        match = pattern.match(shown)
        if match is not None:
            number = int(next(filter(None, match.groups())))
            rest = shown[match.end() :] or next(
                (line for line in rows[place + 1 : place + 3] if line.strip()), ""
            )
            raised = _SUPERSCRIPT_START_PATTERN.match(row)
            text_start = (
                raised.end() if raised and match.re is _START_PATTERNS["raised"] else match.end()
            )
            yield _NumberPlace(place, 0, text_start, number, _weigh_place(rest, before) + 1.0)  # fmt: skip
        before = row if row.strip() else before


def _lower_superscripts(row: str, style: str) -> str:
    """A line that begins with superscript digits, with an ordinary raised number instead."""
    match = _SUPERSCRIPT_START_PATTERN.match(row) if style == "raised" else None
    if match is None:
        return row
    digits = match[0].strip().translate(_SUPERSCRIPTS)
    return f"^{digits}^{row[match.end() :]}"


def _iterate_all_places(rows: Sequence[str], style: str) -> Iterator[_NumberPlace]:
    starts = {place.row: place for place in _iterate_line_starts(rows, style)}
    for row_number, row in enumerate(rows):
        if row_number in starts:
            yield starts[row_number]
        for match in _INNER_PATTERNS[style].finditer(row):
            if row_number in starts and match.start() < starts[row_number].end:
                continue
            weight = _weigh_place(
                row[match.end() : match.end() + 40],
                row[max(0, match.start() - 320) : match.start()],
            )
            yield _NumberPlace(row_number, match.start(), match.end(), int(match[1]), weight)


def _weigh_place(rest: str, before: str) -> float:
    looks = 0.5 if _LIKELY_START_PATTERN.match(rest.lstrip()) else -0.3
    ended = 0.4 if not before.strip() or _COMPLETE_END_PATTERN.search(before[-320:]) else -0.2
    return 0.4 + looks + ended


def _find_best_chain(places: Sequence[_NumberPlace]) -> list[_NumberPlace]:
    """The places whose numbers ascend by one, with small gaps and restarts, that weigh the most."""
    ending: dict[int, _NumberChain] = {}  # the best chain that ends in each number
    heaviest: _NumberChain | None = None
    for place in places:
        options = list(_iterate_chains(place, ending, heaviest))
        if not options:
            continue
        found = max(options, key=lambda chain: chain.weight)
        known = ending.get(place.number)
        if known is None or found.weight >= known.weight:
            ending[place.number] = found
        if heaviest is None or found.weight > heaviest.weight:
            heaviest = found
    chain: list[_NumberPlace] = []
    while heaviest is not None:
        chain.append(heaviest.place)
        heaviest = heaviest.before
    return chain[::-1]


def _iterate_chains(
    place: _NumberPlace, ending: dict[int, _NumberChain], heaviest: _NumberChain | None
) -> Iterator[_NumberChain]:
    """The chains that may end in this place: a new one, one that goes on, one that starts again."""
    if place.number <= _MAX_FIRST_NUMBER:
        yield _NumberChain(place.weight, place, None, 1)
    for gap in range(1, _MAX_GAP + 1):
        before = ending.get(place.number - gap)
        if before is not None:
            weight = before.weight + place.weight - (gap - 1) * _GAP_COST
            yield _NumberChain(weight, place, before, before.length + 1)
    if place.number == 1 and heaviest is not None and heaviest.length >= _MIN_RESTARTED_ITEMS:
        weight = heaviest.weight + place.weight - _RESTART_COST
        yield _NumberChain(weight, place, heaviest, heaviest.length + 1)


def _is_fuller_chain(inner: Sequence[_NumberPlace], outer: Sequence[_NumberPlace]) -> bool:
    """Whether numbers within lines belong to the list: they fill its gaps, or make most of it."""
    if len(inner) <= len(outer):
        return False
    gaps = sum(after.number - before.number > 1 for before, after in pairwise(outer))
    begins_later = not outer or outer[0].number > inner[0].number
    joined = len(outer) == 1 and min(place.weight for place in inner) >= _MIN_JOINED_WEIGHT
    return gaps > 0 or begins_later or joined or len(inner) > len(outer) * 1.2 + 1


def _is_trusted_chain(chain: Sequence[_NumberPlace], style: str, rows: Sequence[str]) -> bool:
    """Whether there are enough numbers for this way of writing them, and the list begins with one."""
    first = next((place for place, row in enumerate(rows) if row.strip()), 0)
    if chain[0].row == first and chain[0].start == 0:
        is_counted = style != "bare" or chain[0].number == 1
        return is_counted and len(chain) >= _MIN_ITEMS.get(style, 1)
    # Something stands before the first number: it has to be a list all the same.
    leading = sum(bool(row.strip()) for row in rows[: chain[0].row])
    return len(chain) >= max(3, 2 * leading) and chain[0].number <= 2


def _cut_at_places(
    lines: Sequence[NumberedLine], places: Sequence[_NumberPlace]
) -> list[ReferenceItem]:
    items: list[ReferenceItem] = []
    leading = [(number, line) for number, line in lines[: places[0].row] if line.strip()]
    if leading:
        items.append(ReferenceItem(line=leading[0][0], lines=[line for _, line in leading]))
    ends = [(place.row, place.start) for place in places[1:]] + [(len(lines), 0)]
    for place, (end_row, end_start) in zip(places, ends, strict=True):
        pieces = [line for _, line in lines[place.row : end_row + 1]] if end_row < len(lines) else [
            line for _, line in lines[place.row :]
        ]  # fmt: skip
        if end_row < len(lines):
            pieces[-1] = pieces[-1][:end_start]
        pieces[0] = pieces[0][place.end :]
        if end_start:  # a semicolon before the next number on the same line
            pieces[-1] = pieces[-1].rstrip(" ;")
        items.append(
            ReferenceItem(
                line=lines[place.row][0],
                lines=[piece for piece in pieces if piece.strip()],
                number=str(place.number),
            )
        )
    return items


# One reference of a list: its lines, and how they become one text.


@dataclass(slots=True)
class ReferenceItem:
    """The lines of one reference, its first line number, and its number in the list."""

    line: int
    lines: list[str] = field(default_factory=list)
    number: str = ""

    @property
    def text(self) -> str:
        return join_wrapped_lines(self.lines)


def join_wrapped_lines(lines: Iterable[str]) -> str:
    """The lines as one; words and addresses that were broken at a line end are joined."""
    pieces: list[str] = []
    last = ""
    for line in filter(None, map(str.strip, lines)):
        if last and has_end_hyphen(last) and line[:1].islower():
            pieces[-1] = pieces[-1][:-1]
        elif last and not _BROKEN_ADDRESS_PATTERN.search(last):
            pieces.append(" ")
        pieces.append(line)
        last = line[-200:]
    return "".join(pieces)


def has_end_hyphen(line: str) -> bool:
    """Whether a word, and no address, is broken at the end of the line."""
    return (
        _END_HYPHEN_PATTERN.search(line[-200:]) is not None
        and _BROKEN_ADDRESS_PATTERN.search(line[-200:]) is None
    )
