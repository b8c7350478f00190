"""Splits a reference list copied from a page, a manuscript or a PDF into single references."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

_REFERENCES_HEADING_PATTERN = re.compile(
    r"\W{0,6}(?:\d{1,2}\.?\s{1,3})?(?:references?|bibliography|works cited|literature(?: cited)?|reference list|sources"
    r"|notes and references|cited literature|literaturverzeichnis|literatur|bibliographie|références|referencias|bibliografía)"
    r"(?: and notes)?\W{0,6}",
    re.IGNORECASE,
)
_MARKDOWN_HEADING_PATTERN = re.compile(r"#{1,6}\s")
_LIST_NUMBER_PATTERN = re.compile(
    r"\s{0,20}(?:\[(\d{1,4})\]|\((\d{1,4})\)|(\d{1,4})[.)](?=\s|[^\W\d_])|(\d{1,3})(?=\s{1,4}[^\W\d_]))\s{0,10}(?=\S)"
)
_LIST_BULLET_PATTERN = re.compile(r"\s{0,20}(?:[•◦▪*]|-(?!-)|\+)\s{1,10}(?=\S)")
_FAMILY_START_REGEX = r"(?:(?:van|von|de|der|den|di|da|del|della|la|le|du|dos|ter|ten|zu|al|el|bin|ibn)\s|[A-Z]['’])?[^\W\d_a-z][^\W\d_]*(?:[-'’ ][^\W\d_]+){0,3}"
_REFERENCE_START_PATTERN = re.compile(
    rf"(?:[-–—_]{{3,6}}[.,]"  # the same author again
    rf"|(?:(?:van|von|de|der|den|di|da|del|la|le|du)\s){{0,3}}{_FAMILY_START_REGEX},\s[^\W\d_a-z][\w.'’-]*"  # Family, G. or Family, Given
    rf"|{_FAMILY_START_REGEX}\s[A-Z]{{1,4}}(?:\s(?:Jr|Sr|II|III|IV))?(?:,|\.|\s\()"  # Family GI
    rf"|(?:[^\W\d_a-z]\.[\s-]?){{1,4}}(?:[a-z]{{2,4}}\s){{0,2}}{_FAMILY_START_REGEX}(?:\s(?:Jr|Sr|I{{1,3}}|IV)\.?)?(?:,|\sand\s|\set al)"  # G. Family,
    rf"|[^\W\d_a-z][^.]{{2,120}}\.?\s\((?:\d{{4}}|n\.d\.|no date)"  # An Organisation. (2019
    rf"|[^\W\d_a-z][^.]{{2,80}}\.\s(?:\d{{4}}|n\.d\.)\.\s"  # An Organisation. 2019.
    rf"|[“\"][^\W\d_a-z])"  # a title in quotation marks
)
_REFERENCE_YEAR_PATTERN = re.compile(
    r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|\bn\.d\.|\bin press\b|\bno date\b", re.IGNORECASE
)
_REFERENCE_END_PATTERN = re.compile(r"(?:[.\])\"”?!]|\d|https?://\S+|10\.\d{4,9}/\S+)\s*$")
_END_HYPHEN_PATTERN = re.compile(r"[^\W\d_]-$")
_BROKEN_ADDRESS_PATTERN = re.compile(
    r"(?:https?://|10\.\d{4,9}/|www\.)\S{0,300}[-/_=?&%]$|https?://$|doi\.org/$", re.IGNORECASE
)


_BARE_NUMBER_GROUP = 4  # the regex group of numbers without brackets or stop
_MIN_BARE_NUMBERED_ITEMS = 3
_MAX_WRAPPED_LINE_CHARS = 140  # characters; wrapped lines are shorter
_MAX_FIRST_LIST_NUMBER = 300
NumberedLine = tuple[int, str]


@dataclass(slots=True)
class ReferenceItem:
    """The lines of one reference, its first line number, and its number in the list."""

    line: int
    lines: list[str] = field(default_factory=list)
    number: str = ""

    @property
    def text(self) -> str:
        return join_wrapped_lines(self.lines)


def split_reference_items(text: str) -> list[ReferenceItem]:
    lines = _find_references_section(list(enumerate(text.split("\n"), start=1)))
    return (
        _split_numbered_list(lines)
        or _split_bulleted_list(lines)
        or _split_reference_paragraphs(lines)
    )


def _find_references_section(lines: list[NumberedLine]) -> list[NumberedLine]:
    """The lines under the last heading for references; all lines if there is none."""
    headings = [place for place, (_, line) in enumerate(lines) if _is_references_heading(line)]
    if not headings:
        return lines
    begin = headings[-1] + 1
    ends = (
        place
        for place in range(begin, len(lines))
        if _MARKDOWN_HEADING_PATTERN.match(lines[place][1])
    )
    return lines[begin : next(ends, len(lines))]


def _is_references_heading(line: str) -> bool:
    return (
        5 < len(line) < _MAX_WRAPPED_LINE_CHARS
        and _REFERENCES_HEADING_PATTERN.fullmatch(line.strip()) is not None
    )


def join_wrapped_lines(lines: Iterable[str]) -> str:
    """The lines as one; words and addresses that were broken at a line end are joined."""
    pieces: list[str] = []
    last = ""
    for line in map(str.strip, lines):
        if (
            last
            and _END_HYPHEN_PATTERN.search(last)
            and line[:1].islower()
            and not _BROKEN_ADDRESS_PATTERN.search(last)
        ):
            pieces[-1] = pieces[-1][:-1]
        elif last and not _BROKEN_ADDRESS_PATTERN.search(last):
            pieces.append(" ")
        pieces.append(line)
        last = line[-200:]
    return "".join(pieces)


def _split_numbered_list(lines: Sequence[NumberedLine]) -> list[ReferenceItem]:
    """The items of a list with ascending numbers; empty if the lines are no such list."""
    found: list[ReferenceItem] = []
    style, expected = 0, 0
    for number, line in lines:
        match = _LIST_NUMBER_PATTERN.match(line)
        if match is not None and _is_next_number(match, style, expected):
            style = match.lastindex or 0
            expected = int(match[style]) + 1
            found.append(
                ReferenceItem(line=number, lines=[line[match.end() :]], number=match[style])
            )
        elif line.strip():
            if not found:
                return []
            found[-1].lines.append(line)
    fewest = _MIN_BARE_NUMBERED_ITEMS if style == _BARE_NUMBER_GROUP else 1
    return found if len(found) >= fewest else []


def _is_next_number(match: re.Match[str], style: int, expected: int) -> bool:
    """Whether this number continues the list, with at most two numbers missing."""
    kind = match.lastindex or 0
    number = int(match[kind])
    if not style:
        return number < (_MAX_FIRST_LIST_NUMBER if kind != 1 else 10_000)
    return kind == style and expected <= number <= expected + 2


def _split_bulleted_list(lines: Sequence[NumberedLine]) -> list[ReferenceItem]:
    found: list[ReferenceItem] = []
    for number, line in lines:
        match = _LIST_BULLET_PATTERN.match(line)
        if match is not None:
            found.append(ReferenceItem(line=number, lines=[line[match.end() :]]))
        elif line.strip():
            if not found:
                return []
            found[-1].lines.append(line)
    return found


def _split_reference_paragraphs(lines: Sequence[NumberedLine]) -> list[ReferenceItem]:
    """References separated by blank lines and, within a block, by indents or the look of lines."""
    found: list[ReferenceItem] = []
    for block in _group_nonblank_lines(lines):
        goes_on = block[0][1].lstrip()[:1].islower() and not _REFERENCE_START_PATTERN.match(
            block[0][1].lstrip()
        )
        if found and goes_on and not _REFERENCE_END_PATTERN.search(found[-1].lines[-1][-200:]):
            found[-1].lines.extend(line for _, line in block)
        else:
            found.extend(_split_hanging_indents(block) or _split_by_appearance(block))
    return found


def _group_nonblank_lines(lines: Sequence[NumberedLine]) -> Iterator[list[NumberedLine]]:
    block: list[NumberedLine] = []
    for pair in lines:
        if pair[1].strip():
            block.append(pair)
        elif block:
            yield block
            block = []
    if block:
        yield block


def _split_hanging_indents(block: Sequence[NumberedLine]) -> list[ReferenceItem]:
    indents = [len(line) - len(line.lstrip()) for _, line in block]
    if len(set(indents)) < 2 or indents[0] != min(indents):
        return []
    found: list[ReferenceItem] = []
    for (number, line), indent in zip(block, indents, strict=True):
        if indent == indents[0]:
            found.append(ReferenceItem(line=number))
        found[-1].lines.append(line)
    return found


def _split_by_appearance(block: Sequence[NumberedLine]) -> list[ReferenceItem]:
    """References of a block: a line starts one if it looks so and the one before is complete."""
    found: list[ReferenceItem] = []
    dated = False
    unwrapped = any(len(line) > _MAX_WRAPPED_LINE_CHARS for _, line in block)
    for number, line in block:
        shown = line.strip()
        before = found[-1].lines[-1][-200:] if found else ""
        begins = _REFERENCE_START_PATTERN.match(shown) or (unwrapped and not shown[:1].islower())
        if not found or (dated and begins and _REFERENCE_END_PATTERN.search(before)):
            found.append(ReferenceItem(line=number))
            dated = False
        found[-1].lines.append(line)
        dated = dated or bool(_REFERENCE_YEAR_PATTERN.search(line))
    return found
