"""Finds texts that copy each other, and drops paragraphs that an earlier text already has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from zlib import crc32

from citewell.text.language import word_forms

_SHINGLE_WORDS = 5
_MIN_COPIED_SHARE = 0.6  # of the shorter text's runs must be in the other
_NO_DATE = "~"  # sorts after every date
_MIN_SHINGLES = 20  # runs; a shorter text must equal the other
_MAX_SHINGLED_CHARS = 60_000  # characters
_KEPT_TEXTS = 32  # the pages of a job or two, which are compared more than once
_MIN_LENGTH_RATIO = 0.3  # of the longer text's length: a quotation is not a copy

_CODE_FENCE_PATTERN = re.compile(r"\s*(?:[-*+>]\s+|\d+[.)]\s+)*(`{3,}|~{3,})")
_HEADING_BLOCK_PATTERN = re.compile(r"(#{1,6}) \S[^\n]*\Z")
_HORIZONTAL_RULE_PATTERN = re.compile(r"(?:[-*_] ?){3,}\Z")
_WHITESPACE_PATTERN = re.compile(r"\s+")
_DIGITS_PATTERN = re.compile(r"\d+")
_MIN_SHARED_PHRASE_RATIO = 0.85  # of all phrases of both paragraphs must be shared
_PHRASE_WORDS = 3  # words
_MIN_PARAGRAPH_WORDS = 12  # words; shorter paragraphs are similar by accident
_MAX_PARAGRAPHS_PER_PHRASE = 64  # paragraphs; a phrase found in more of them is ignored


@dataclass(frozen=True, slots=True, kw_only=True)
class DeduplicatedText:
    text: str
    kept_spans: tuple[tuple[int, int], ...]  # offsets in the text as it was
    dropped_paragraphs: int = 0  # paragraphs
    # Index of the text that has most of the dropped paragraphs.
    main_owner: int | None = None


@dataclass(slots=True)
class _MarkdownSection:
    heading: str = ""
    level: int = 0
    blocks: list[str] = field(default_factory=list)
    kept_blocks: list[str] = field(default_factory=list)


def drop_repeated_paragraphs(
    texts: Sequence[str], *, drop_similar: bool = False
) -> tuple[DeduplicatedText, ...]:
    """Each text without the paragraphs that it or an earlier text already has.

    With `drop_similar`, nearly identical paragraphs are dropped too. A heading is dropped only if
    nothing of its section is left.
    """
    seen = _SeenParagraphs(near=drop_similar)
    return tuple(_drop_seen_paragraphs(text, place, seen) for place, text in enumerate(texts))


def _drop_seen_paragraphs(text: str, place: int, seen: _SeenParagraphs) -> DeduplicatedText:
    owners: Counter[int] = Counter()
    sections = list(_group_into_sections(split_markdown_blocks(text)))
    for section in sections:
        for block in section.blocks:
            owner = (
                None
                if _HORIZONTAL_RULE_PATTERN.match(block)
                else seen.find_exact_owner(block, place)
            )
            if owner is None:
                section.kept_blocks.append(block)
            else:
                owners[owner] += 1
    if not owners:
        return DeduplicatedText(text=text, kept_spans=((0, len(text)),))
    kept = [
        part
        for section in _drop_emptied_sections(sections)
        for part in (section.heading, *section.kept_blocks)
        if part
    ]
    return DeduplicatedText(
        text="\n\n".join(kept),
        kept_spans=_locate_parts(text, kept),
        dropped_paragraphs=owners.total(),
        main_owner=owners.most_common(1)[0][0],
    )


def _locate_parts(text: str, parts: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Where in the text these parts stand, which come in its order; neighbours are one span."""
    spans: list[tuple[int, int]] = []
    for part in parts:
        end = spans[-1][1] if spans else 0
        start = text.index(part, end)
        if spans and not text[end:start].strip():
            spans[-1] = (spans[-1][0], start + len(part))
        else:
            spans.append((start, start + len(part)))
    return tuple(spans)


def split_markdown_blocks(markdown: str) -> Iterator[str]:
    """The blocks between blank lines; a fenced code block stays one block."""
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        if not line.strip() and not fence:
            yield from _join_block_lines(lines)
            lines = []
            continue
        lines.append(line)
        fence = _track_code_fence(line, fence)
    yield from _join_block_lines(lines)


def _join_block_lines(lines: list[str]) -> Iterator[str]:
    if lines:
        yield "\n".join(lines)


def _track_code_fence(line: str, fence: str) -> str:
    """The fence of the code block that is open after this line; empty if none is open."""
    match = _CODE_FENCE_PATTERN.match(line)
    if match is None:
        return fence
    if not fence:
        return match[1]
    closes = match[1].startswith(fence) and line.strip() == match[1]
    return "" if closes else fence


def _group_into_sections(parts: Iterable[str]) -> Iterator[_MarkdownSection]:
    section = _MarkdownSection()
    for part in parts:
        if match := _HEADING_BLOCK_PATTERN.match(part):
            yield section
            section = _MarkdownSection(heading=part, level=len(match[1]))
        else:
            section.blocks.append(part)
    yield section


def _drop_emptied_sections(sections: list[_MarkdownSection]) -> list[_MarkdownSection]:
    """The sections without those that lost all their blocks and all their subsections."""
    kept: list[_MarkdownSection] = []
    below, emptied = 0, False
    for section in reversed(sections):
        hollow = not section.kept_blocks and (bool(section.blocks) or emptied)
        emptied = hollow and below <= section.level
        if not emptied:
            kept.append(section)
            below = section.level
    return kept[::-1]


class _SeenParagraphs:
    """Every paragraph seen so far, with the index of its text."""

    def __init__(self, *, near: bool) -> None:
        self._exact: dict[str, int] = {}
        self._near = _SimilarParagraphs() if near else None

    def find_exact_owner(self, block: str, place: int) -> int | None:
        """The index of the text that already has this paragraph; None for a new one, which is added."""
        plain = _WHITESPACE_PATTERN.sub(" ", block).strip()
        if plain in self._exact:
            return self._exact[plain]
        self._exact[plain] = place
        return self._near.find_similar_owner(plain, place) if self._near else None


@dataclass(frozen=True, slots=True)
class _ParagraphPhrases:
    text_index: int
    phrase_count: int
    numbers: frozenset[str]


class _SimilarParagraphs:
    """An index of paragraphs by their phrases, to find nearly identical ones."""

    def __init__(self) -> None:
        self._paragraphs: list[_ParagraphPhrases] = []
        self._holding: dict[tuple[str, ...], list[int]] = {}

    def find_similar_owner(self, plain: str, place: int) -> int | None:
        words = list(word_forms.split_words(plain))
        if len(words) < _MIN_PARAGRAPH_WORDS:
            return None
        phrases = {
            tuple(words[at : at + _PHRASE_WORDS]) for at in range(len(words) - _PHRASE_WORDS + 1)
        }
        # The same sentence with another number is another fact.
        numbers = frozenset(_DIGITS_PATTERN.findall(plain))
        found = self._find_resembling_paragraph(phrases, numbers)
        if found is not None:
            return found
        for phrase in phrases:
            self._holding.setdefault(phrase, []).append(len(self._paragraphs))
        self._paragraphs.append(_ParagraphPhrases(place, len(phrases), numbers))
        return None

    def _find_resembling_paragraph(
        self, phrases: set[tuple[str, ...]], numbers: frozenset[str]
    ) -> int | None:
        shared: Counter[int] = Counter()
        for phrase in phrases:
            holders = self._holding.get(phrase, ())
            if len(holders) <= _MAX_PARAGRAPHS_PER_PHRASE:
                shared.update(holders)
        for number, common in shared.most_common(3):
            other = self._paragraphs[number]
            together = len(phrases) + other.phrase_count - common
            if common >= _MIN_SHARED_PHRASE_RATIO * together and numbers == other.numbers:
                return other.text_index
        return None


# Finds texts that are copies of each other, by the five-word runs they share.


@lru_cache(maxsize=_KEPT_TEXTS)
def hash_shingles(text: str) -> frozenset[int]:
    """Hashes of all five-word runs; the same in every process."""
    words = [
        word.encode("utf-8", "surrogatepass")
        for word in word_forms.split_words(text[:_MAX_SHINGLED_CHARS])
    ]
    return frozenset(
        crc32(b" ".join(words[at : at + _SHINGLE_WORDS]))
        for at in range(max(1, len(words) - _SHINGLE_WORDS + 1))
    )


def find_copied_originals(
    texts: Sequence[str], dates: Sequence[str | None] = ()
) -> tuple[int, ...]:
    """For each text the index of the text it copies; its own index if it copies none.

    Of texts with a date the earliest is the original; otherwise the first in the order given is.
    """
    runs = [hash_shingles(text) for text in texts]
    first: dict[int, int] = {}
    known = [date or _NO_DATE for date in dates] or [_NO_DATE] * len(texts)
    for place in sorted(range(len(texts)), key=known.__getitem__):
        originals = (other for other, origin in first.items() if other == origin)
        found = (other for other in originals if is_copied_text(runs[other], runs[place]))
        first[place] = next(found, place)
    return tuple(first[place] for place in range(len(texts)))


def is_copied_text(first: frozenset[int], other: frozenset[int]) -> bool:
    """Whether one of two texts, given as hashes of their runs, repeats most of the other."""
    short, long = sorted((first, other), key=len)
    if len(short) < _MIN_SHINGLES:
        return first == other
    if len(short) < _MIN_LENGTH_RATIO * len(long):
        return False
    return len(short & long) >= _MIN_COPIED_SHARE * len(short)
