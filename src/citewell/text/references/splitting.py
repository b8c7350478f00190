"""Where one reference ends and the next begins, in a list copied from a page, a manuscript or a PDF."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

_HEADING = re.compile(
    r"\W{0,6}(?:\d{1,2}\.?\s{1,3})?(?:references?|bibliography|works cited|literature(?: cited)?|reference list|sources"
    r"|notes and references|cited literature|literaturverzeichnis|literatur|bibliographie|références|referencias|bibliografía)"
    r"(?: and notes)?\W{0,6}",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(r"#{1,6}\s")
_NUMBER = re.compile(
    r"\s{0,20}(?:\[(\d{1,4})\]|\((\d{1,4})\)|(\d{1,4})[.)](?=\s|[^\W\d_])|(\d{1,3})(?=\s{1,4}[^\W\d_]))\s{0,10}(?=\S)"
)
_BULLET = re.compile(r"\s{0,20}(?:[•◦▪*]|-(?!-)|\+)\s{1,10}(?=\S)")
_FAMILY = r"(?:(?:van|von|de|der|den|di|da|del|della|la|le|du|dos|ter|ten|zu|al|el|bin|ibn)\s|[A-Z]['’])?[^\W\d_a-z][^\W\d_]*(?:[-'’ ][^\W\d_]+){0,3}"
_BEGINS = re.compile(
    rf"(?:[-–—_]{{3,6}}[.,]"  # the same author again
    rf"|(?:(?:van|von|de|der|den|di|da|del|la|le|du)\s){{0,3}}{_FAMILY},\s[^\W\d_a-z][\w.'’-]*"  # Family, G. or Family, Given
    rf"|{_FAMILY}\s[A-Z]{{1,4}}(?:\s(?:Jr|Sr|II|III|IV))?(?:,|\.|\s\()"  # Family GI
    rf"|(?:[^\W\d_a-z]\.[\s-]?){{1,4}}(?:[a-z]{{2,4}}\s){{0,2}}{_FAMILY}(?:\s(?:Jr|Sr|I{{1,3}}|IV)\.?)?(?:,|\sand\s|\set al)"  # G. Family,
    rf"|[^\W\d_a-z][^.]{{2,120}}\.?\s\((?:\d{{4}}|n\.d\.|no date)"  # An Organisation. (2019
    rf"|[^\W\d_a-z][^.]{{2,80}}\.\s(?:\d{{4}}|n\.d\.)\.\s"  # An Organisation. 2019.
    rf"|[“\"][^\W\d_a-z])"  # a title in quotation marks
)
_DATED = re.compile(
    r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|\bn\.d\.|\bin press\b|\bno date\b", re.IGNORECASE
)
_ENDED = re.compile(r"(?:[.\])\"”?!]|\d|https?://\S+|10\.\d{4,9}/\S+)\s*$")
_HYPHEN = re.compile(r"[^\W\d_]-$")
_IN_ADDRESS = re.compile(
    r"(?:https?://|10\.\d{4,9}/|www\.)\S*[-/_=?&%]$|https?://$|doi\.org/$", re.IGNORECASE
)


_BARE = 4  # the group of numbers that nothing marks as such
_FEWEST_BARE = 3
_WIDEST = 140  # characters; text that is wrapped at all is wrapped before
_HIGHEST_FIRST = 300
Line = tuple[int, str]


@dataclass(slots=True)
class Item:
    """The lines of one reference, and the number it had in the list."""

    line: int
    lines: list[str] = field(default_factory=list)
    number: str = ""

    @property
    def text(self) -> str:
        return joined(self.lines)


def items(text: str) -> list[Item]:
    lines = _section(list(enumerate(text.split("\n"), start=1)))
    return _numbered(lines) or _bulleted(lines) or _paragraphs(lines)


def _section(lines: list[Line]) -> list[Line]:
    """What stands under the last heading that announces references, else all of it."""
    headings = [place for place, (_, line) in enumerate(lines) if _heads(line)]
    if not headings:
        return lines
    begin = headings[-1] + 1
    ends = (place for place in range(begin, len(lines)) if _MARKDOWN.match(lines[place][1]))
    return lines[begin : next(ends, len(lines))]


def _heads(line: str) -> bool:
    return 5 < len(line) < _WIDEST and _HEADING.fullmatch(line.strip()) is not None


def joined(lines: Iterable[str]) -> str:
    """One line of text: words and addresses that a line end cut in two are whole again."""
    pieces: list[str] = []
    last = ""
    for line in map(str.strip, lines):
        if last and _HYPHEN.search(last) and line[:1].islower() and not _IN_ADDRESS.search(last):
            pieces[-1] = pieces[-1][:-1]
        elif last and not _IN_ADDRESS.search(last):
            pieces.append(" ")
        pieces.append(line)
        last = line[-200:]
    return "".join(pieces)


def _numbered(lines: Sequence[Line]) -> list[Item]:
    """A list whose numbers count up; a year that happens to begin a line does not."""
    found: list[Item] = []
    style, expected = 0, 0
    for number, line in lines:
        match = _NUMBER.match(line)
        if match is not None and _next(match, style, expected):
            style = match.lastindex or 0
            expected = int(match[style]) + 1
            found.append(Item(line=number, lines=[line[match.end() :]], number=match[style]))
        elif line.strip():
            if not found:
                return []
            found[-1].lines.append(line)
    fewest = _FEWEST_BARE if style == _BARE else 1
    return found if len(found) >= fewest else []


def _next(match: re.Match[str], style: int, expected: int) -> bool:
    """Whether this number carries the list on, one or two left out at most."""
    kind = match.lastindex or 0
    number = int(match[kind])
    if not style:
        return number < (_HIGHEST_FIRST if kind != 1 else 10_000)
    return kind == style and expected <= number <= expected + 2


def _bulleted(lines: Sequence[Line]) -> list[Item]:
    found: list[Item] = []
    for number, line in lines:
        match = _BULLET.match(line)
        if match is not None:
            found.append(Item(line=number, lines=[line[match.end() :]]))
        elif line.strip():
            if not found:
                return []
            found[-1].lines.append(line)
    return found


def _paragraphs(lines: Sequence[Line]) -> list[Item]:
    """Blank lines part references; within a paragraph, indents do, or each line's own look."""
    found: list[Item] = []
    for block in _blocks(lines):
        goes_on = block[0][1].lstrip()[:1].islower() and not _BEGINS.match(block[0][1].lstrip())
        if found and goes_on and not _ENDED.search(found[-1].lines[-1][-200:]):
            found[-1].lines.extend(line for _, line in block)
        else:
            found.extend(_hanging(block) or _look(block))
    return found


def _blocks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    block: list[Line] = []
    for pair in lines:
        if pair[1].strip():
            block.append(pair)
        elif block:
            yield block
            block = []
    if block:
        yield block


def _hanging(block: Sequence[Line]) -> list[Item]:
    indents = [len(line) - len(line.lstrip()) for _, line in block]
    if len(set(indents)) < 2 or indents[0] != min(indents):
        return []
    found: list[Item] = []
    for (number, line), indent in zip(block, indents, strict=True):
        if indent == indents[0]:
            found.append(Item(line=number))
        found[-1].lines.append(line)
    return found


def _look(block: Sequence[Line]) -> list[Item]:
    """A line begins a reference when it looks so and the one before is complete."""
    found: list[Item] = []
    dated = False
    unwrapped = any(len(line) > _WIDEST for _, line in block)
    for number, line in block:
        shown = line.strip()
        before = found[-1].lines[-1][-200:] if found else ""
        begins = _BEGINS.match(shown) or (unwrapped and not shown[:1].islower())
        if not found or (dated and begins and _ENDED.search(before)):
            found.append(Item(line=number))
            dated = False
        found[-1].lines.append(line)
        dated = dated or bool(_DATED.search(line))
    return found
