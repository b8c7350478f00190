"""Paragraphs that several texts share, kept once: in the first text that has them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from citewell.text import tokens

_FENCE = re.compile(r"\s*(?:[-*+>]\s+|\d+[.)]\s+)*(`{3,}|~{3,})")
_HEADING = re.compile(r"(#{1,6}) \S[^\n]*\Z")
_RULE = re.compile(r"(?:[-*_] ?){3,}\Z")
_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"\d+")
_SIMILAR = 0.85  # of the phrases two paragraphs hold between them
_PHRASE = 3  # words
_LEAST = 12  # words; shorter paragraphs resemble each other by accident
_COMMON = 64  # paragraphs; a phrase in more of them tells nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Deduped:
    text: str
    dropped: int = 0  # paragraphs
    owner: int | None = None  # whose text holds most of what was dropped


@dataclass(slots=True)
class _Section:
    heading: str = ""
    level: int = 0
    blocks: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def deduplicate(texts: Sequence[str], *, near: bool = False) -> tuple[Deduped, ...]:
    """Each text less the paragraphs seen before; with `near`, less those that say nearly the same.

    Headings are no paragraphs: one goes only when nothing of its section is left.
    """
    seen = _Seen(near=near)
    return tuple(_thinned(text, place, seen) for place, text in enumerate(texts))


def _thinned(text: str, place: int, seen: _Seen) -> Deduped:
    owners: Counter[int] = Counter()
    sections = list(_sections(blocks(text)))
    for section in sections:
        for block in section.blocks:
            owner = None if _RULE.match(block) else seen.owner(block, place)
            if owner is None:
                section.kept.append(block)
            else:
                owners[owner] += 1
    if not owners:
        return Deduped(text=text)
    kept = [part for section in _inhabited(sections) for part in (section.heading, *section.kept)]
    left = "\n\n".join(part for part in kept if part)
    return Deduped(text=left, dropped=owners.total(), owner=owners.most_common(1)[0][0])


def blocks(markdown: str) -> Iterator[str]:
    """What blank lines part; a code block is one piece whatever is in it."""
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        if not line.strip() and not fence:
            yield from _block(lines)
            lines = []
            continue
        lines.append(line)
        fence = _fenced(line, fence)
    yield from _block(lines)


def _block(lines: list[str]) -> Iterator[str]:
    if lines:
        yield "\n".join(lines)


def _fenced(line: str, fence: str) -> str:
    """The mark of the code block that is open after this line; empty when none is."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    if not fence:
        return match[1]
    closes = match[1].startswith(fence) and line.strip() == match[1]
    return "" if closes else fence


def _sections(parts: Iterable[str]) -> Iterator[_Section]:
    section = _Section()
    for part in parts:
        if match := _HEADING.match(part):
            yield section
            section = _Section(heading=part, level=len(match[1]))
        else:
            section.blocks.append(part)
    yield section


def _inhabited(sections: list[_Section]) -> list[_Section]:
    """The sections without those that lost all they had, their own or that of sections below."""
    kept: list[_Section] = []
    below, emptied = 0, False
    for section in reversed(sections):
        hollow = not section.kept and (bool(section.blocks) or emptied)
        emptied = hollow and below <= section.level
        if not emptied:
            kept.append(section)
            below = section.level
    return kept[::-1]


class _Seen:
    """Every paragraph so far and the text it stood in."""

    def __init__(self, *, near: bool) -> None:
        self._exact: dict[str, int] = {}
        self._near = _Near() if near else None

    def owner(self, block: str, place: int) -> int | None:
        """The text that has this paragraph already; None for a new one, which is remembered."""
        plain = _SPACE.sub(" ", block).strip()
        if plain in self._exact:
            return self._exact[plain]
        self._exact[plain] = place
        return self._near.owner(plain, place) if self._near else None


@dataclass(frozen=True, slots=True)
class _Paragraph:
    place: int
    phrases: int
    numbers: frozenset[str]


class _Near:
    """Finds paragraphs that share most phrases, by the phrases themselves."""

    def __init__(self) -> None:
        self._paragraphs: list[_Paragraph] = []
        self._holding: dict[tuple[str, ...], list[int]] = {}

    def owner(self, plain: str, place: int) -> int | None:
        words = list(tokens.words(plain))
        if len(words) < _LEAST:
            return None
        phrases = {tuple(words[at : at + _PHRASE]) for at in range(len(words) - _PHRASE + 1)}
        # The same sentence with another figure is another fact.
        numbers = frozenset(_NUMBER.findall(plain))
        found = self._resembled(phrases, numbers)
        if found is not None:
            return found
        for phrase in phrases:
            self._holding.setdefault(phrase, []).append(len(self._paragraphs))
        self._paragraphs.append(_Paragraph(place, len(phrases), numbers))
        return None

    def _resembled(self, phrases: set[tuple[str, ...]], numbers: frozenset[str]) -> int | None:
        shared: Counter[int] = Counter()
        for phrase in phrases:
            holders = self._holding.get(phrase, ())
            if len(holders) <= _COMMON:
                shared.update(holders)
        for number, common in shared.most_common(3):
            other = self._paragraphs[number]
            together = len(phrases) + other.phrases - common
            if common >= _SIMILAR * together and numbers == other.numbers:
                return other.place
        return None
