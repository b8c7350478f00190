"""Splits lists without numbers: by bullets, indents, blank lines, the ends of lines, and their look."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citewell.citations.references.numbered_lists import NumberedLine, ReferenceItem, has_end_hyphen
from citewell.core.lazy_patterns import compile_on_use

_LIST_BULLET_PATTERN = compile_on_use(
    r"\s{0,20}(?:[•◦▪●■‣·*]|-(?!-)|–(?!–)|\+|\uf0b7)\s{1,10}(?=\S)"
)
_FAMILY_START_REGEX = r"(?:(?:van|von|de|der|den|di|da|del|della|la|le|du|dos|ter|ten|zu|al|el|bin|ibn)[\s-]?|[A-Za-z]['’])?[^\W\d_a-z][^\W\d_]*(?:[-'’ ][^\W\d_]+){0,3}"
_REFERENCE_START_PATTERN = compile_on_use(
    rf"(?:[-–—_]{{3,6}}[.,]"  # the same author again
    rf"|(?:(?:van|von|de|der|den|di|da|del|la|le|du)\s){{0,3}}{_FAMILY_START_REGEX},\s[^\W\d_a-z][\w.'’-]*"  # Family, G. or Family, Given
    rf"|{_FAMILY_START_REGEX}\s[A-Z]{{1,4}}(?:\s(?:Jr|Sr|II|III|IV))?(?:,|\.|:|;|\s\()"  # Family GI
    rf"|(?:[^\W\d_a-z]\.[\s-]?){{1,4}}(?:[a-z]{{2,4}}\s){{0,2}}{_FAMILY_START_REGEX}(?:\s(?:Jr|Sr|I{{1,3}}|IV)\.?)?(?:[,;:]|\sand\s|\set al|\s&)"  # G. Family,
    rf"|[^\W\d_a-z][^.]{{2,120}}\.?\s\((?:\d{{4}}|n\.d\.|no date)"  # An Organisation. (2019
    rf"|[^\W\d_a-z][^.]{{2,80}}\.\s(?:\d{{4}}|n\.d\.)\.\s"  # An Organisation. 2019.
    rf"|[“\"][^\W\d_a-z])"  # a title in quotation marks
)
_INITIALS_REGEX = r"(?:[^\W\d_a-z]\.?[ -]?){1,4}"
_SURE_START_PATTERN = compile_on_use(
    rf"{_FAMILY_START_REGEX},?\s{_INITIALS_REGEX}(?:[,;&]|\s?and|\s?;)\s{{0,2}}(?:and\s|&\s)?{_FAMILY_START_REGEX},?\s{_INITIALS_REGEX}(?:[,;.\s(]|$)"
    rf"|{_FAMILY_START_REGEX},?\s{_INITIALS_REGEX}(?:,?\set\sal\.?,?)?[.,]?\s\(?(?:1[5-9]|20)\d\d[a-z]?[).,:]"
    rf"|{_INITIALS_REGEX}{_FAMILY_START_REGEX},\s(?:and\s)?{_INITIALS_REGEX}{_FAMILY_START_REGEX}[,.:\s]"
)  # two people in a row, or one and a year
_REFERENCE_YEAR_PATTERN = compile_on_use(
    r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|\bn\.d\.|\bin press\b|\bno date\b", re.IGNORECASE
)
_REFERENCE_END_PATTERN = compile_on_use(r"(?:[.\])\"”?!]|\d|https?://\S+|10\.\d{4,9}/\S+)\s*$")
_OPEN_END_PATTERN = compile_on_use(
    r"(?:[,:;&(\[“‘]|(?:^|\s)[^\W\d_]\.|\b(?:and|und|et|y|of|the|in|for|from|at|by|with|vol\.|no\.|pp\.|eds?\.|https?://|doi:?|doi\.org/))\s{0,5}$",
    re.IGNORECASE,
)
_ADDRESS_LINE_PATTERN = compile_on_use(r"(?:https?://|www\.)\S{3,2000}\s{0,5}")
_ADDRESS_INTRODUCTION_PATTERN = compile_on_use(
    r"(?:from|at|online|available|url|link)\s?:?\s{0,3}$", re.IGNORECASE
)
_IDENTIFIER_END_PATTERN = compile_on_use(
    r"(?:https?://|www\.|doi:?\s?10\.|\b10\.\d{4,9}/)\S{3,300}\s{0,5}$", re.IGNORECASE
)
_AFTERWORD_PATTERN = compile_on_use(
    r"\(|\[|(?:PMC?ID|PMC|PubMed|Accessed|Available|Retrieved|Epub|Published|ISBN|ISSN|Erratum|arXiv|DOI|URL)\b"
)
_SEMICOLON_PATTERN = compile_on_use(r"; (?=[^\W\d_]|[“\"‘—–])")
_MAX_WRAPPED_LINE_CHARS = 140  # characters; wrapped lines are shorter
_QUOTATION_MARKS = frozenset("“\"„«‘'")
_MAX_SINGLE_LINES = 6  # of a block that is one reference, if blocks are
_BOUNDARY_WEIGHT, _INNER_BOUNDARY_WEIGHT = 2.0, 4.0
_MIN_SEPARATED_CHARS = 40  # characters of a reference that a semicolon may end


@dataclass(frozen=True, slots=True, kw_only=True)
class _BlockStyle:
    """What the lines of a block have in common."""

    width: int  # characters of a full line
    is_unwrapped: bool
    opens_quoted: bool
    needed: float  # weight of a boundary
    ends_in_identifier: bool = False


def split_bulleted_list(lines: Sequence[NumberedLine]) -> list[ReferenceItem]:
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


def split_plain_list(lines: Sequence[NumberedLine]) -> list[ReferenceItem]:
    """References separated by blank lines and, within a block, by indents or the look of lines."""
    found: list[ReferenceItem] = []
    blocks = list(_group_nonblank_lines(_drop_blank_wrapping(lines)))
    for block in blocks:
        goes_on = block[0][1].lstrip()[:1].islower() and not _REFERENCE_START_PATTERN.match(
            block[0][1].lstrip()
        )
        if found and goes_on and not _REFERENCE_END_PATTERN.search(found[-1].lines[-1][-200:]):
            found[-1].lines.extend(line for _, line in block)
        else:
            # Between blank lines there is one reference, if the blocks are small.
            is_single = len(blocks) > 2 and len(block) <= _MAX_SINGLE_LINES
            needed = _INNER_BOUNDARY_WEIGHT if is_single else _BOUNDARY_WEIGHT
            found.extend(_split_hanging_indents(block) or _split_by_appearance(block, needed))
    return [part for item in found for part in _split_at_semicolons(item)]


def _drop_blank_wrapping(lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """The lines without blanks, if there is one after every line, in the middle of references too."""
    blocks = list(_group_nonblank_lines(lines))
    texts = [block[0][1] for block in blocks if len(block) == 1]
    if len(texts) < 4 or len(texts) * 10 < len(blocks) * 9:
        return list(lines)
    width = max(map(len, texts))
    full = sum(len(text) > width * 0.75 for text in texts)
    broken = sum(
        text.lstrip()[:1].islower()
        or not _REFERENCE_END_PATTERN.search(text[-200:])
        or not _REFERENCE_YEAR_PATTERN.search(text)
        for text in texts
    )
    if width > _MAX_WRAPPED_LINE_CHARS or full * 2 < len(texts) or broken * 3 < len(texts):
        return list(lines)
    return [pair for pair in lines if pair[1].strip()]


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


def _split_by_appearance(block: Sequence[NumberedLine], needed: float) -> list[ReferenceItem]:
    """References of a block of lines: where one ends is weighed from several signs.

    If most then end in an address or DOI, the others are taken for pieces unless more speaks for them.
    """
    lengths = sorted(len(line.rstrip()) for _, line in block)
    style = _BlockStyle(
        width=lengths[-1],
        is_unwrapped=lengths[-1] > _MAX_WRAPPED_LINE_CHARS,
        opens_quoted=block[0][1].lstrip()[:1] in _QUOTATION_MARKS,
        needed=needed,
    )
    found = _cut_at_boundaries(block, style)
    ended = sum(bool(_IDENTIFIER_END_PATTERN.search(item.lines[-1][-320:])) for item in found)
    if style.is_unwrapped or len(found) < 3 or ended * 2 < len(found) or ended == len(found):
        return found
    return _cut_at_boundaries(block, replace(style, ends_in_identifier=True))


def _cut_at_boundaries(block: Sequence[NumberedLine], style: _BlockStyle) -> list[ReferenceItem]:
    found: list[ReferenceItem] = []
    dated = False
    before = ""
    for number, line in block:
        shown = line.strip()
        begins = (
            _begins_unwrapped(before, shown)
            if style.is_unwrapped
            else _weigh_boundary(before, shown, style, dated=dated) >= style.needed
        )
        if not found or begins:
            found.append(ReferenceItem(line=number))
            dated = False
        found[-1].lines.append(line)
        dated = dated or bool(_REFERENCE_YEAR_PATTERN.search(line))
        before = line.rstrip()
    return found


def _begins_unwrapped(before: str, line: str) -> bool:
    """Whether a line of a list with one reference per line begins one, and is no piece of the last."""
    if _OPEN_END_PATTERN.search(before[-40:]) or has_end_hyphen(before):
        return False
    if _ADDRESS_LINE_PATTERN.fullmatch(line):
        return _ADDRESS_INTRODUCTION_PATTERN.search(before[-40:]) is None
    return not line[:1].islower() or bool(_REFERENCE_START_PATTERN.match(line))


def _weigh_boundary(before: str, line: str, style: _BlockStyle, *, dated: bool) -> float:
    """How much speaks for a reference that ends before this line."""
    if has_end_hyphen(before) or _OPEN_END_PATTERN.search(before[-40:]):
        return -1.0
    # In wrapped text a line ends early only at the end of a paragraph.
    word = len(line.partition(" ")[0])
    slack = (style.width - len(before) - 1 - word) / max(style.width, 1)
    weight = 2.0 if slack > 0.15 else 1.0 if slack > 0.02 else 0.0
    weight += _weigh_line_start(line, style)
    if _IDENTIFIER_END_PATTERN.search(before[-320:]):
        return weight + (3.5 if line[:1] in _QUOTATION_MARKS else 2.0)
    if style.ends_in_identifier:
        weight -= 1.5
    weight += 0.75 if _REFERENCE_END_PATTERN.search(before[-200:]) else -1.5
    return weight + (0.75 if dated else -0.75)


def _weigh_line_start(line: str, style: _BlockStyle) -> float:
    if _AFTERWORD_PATTERN.match(line):
        return -3.0
    if line[:1] in _QUOTATION_MARKS and not style.opens_quoted:
        return -1.5  # a title after its authors
    if _SURE_START_PATTERN.match(line):
        return 2.75
    if _REFERENCE_START_PATTERN.match(line):
        return 1.5
    if line[:1].islower():
        return -3.0
    return 0.0 if line[:1].isalpha() else -1.5


def _split_at_semicolons(item: ReferenceItem) -> Iterator[ReferenceItem]:
    """The references of one paragraph that are separated by semicolons."""
    text = item.text if any(";" in line for line in item.lines) else ""
    pieces: list[str] = []
    start, looked = 0, 0
    dated = False
    for match in _SEMICOLON_PATTERN.finditer(text):
        at = match.start()
        dated = dated or bool(_REFERENCE_YEAR_PATTERN.search(text, looked, at))
        looked = at
        ending, rest = text[max(start, at - 320) : at], text[match.end() : match.end() + 200]
        if at - start > _MIN_SEPARATED_CHARS and _is_separated(ending, rest, dated=dated):
            pieces.append(text[start:at])
            start, looked, dated = match.end(), match.end(), False
    if not pieces or len(text) - start < _MIN_SEPARATED_CHARS:
        yield item
        return
    for piece in (*pieces, text[start:]):
        yield ReferenceItem(line=item.line, lines=[piece])


def _is_separated(ending: str, rest: str, *, dated: bool) -> bool:
    """Whether one reference ends and the next begins at a semicolon."""
    if _IDENTIFIER_END_PATTERN.search(ending):
        return rest[:1].isupper() and not _AFTERWORD_PATTERN.match(rest)
    return dated and _REFERENCE_START_PATTERN.match(rest) is not None
