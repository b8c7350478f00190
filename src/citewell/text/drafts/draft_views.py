"""A draft as its format shows it: what is said, in which blocks, and where its notes are."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from citewell.model.draft import CitationForm
from citewell.model.reference import Reference

TextSpan = tuple[int, int]  # start and end of a part of the draft's text
_VISIBLE_PATTERN = re.compile(r"[^\n]")
# Stands for a mark that is the subject of its sentence, as in "[3] shows".
SUBJECT_MARK = "\ufffc"
CELL_MARK = "|"
ABBREVIATION_DOT = "\u2024"  # a dot that ends no sentence


class DraftBlockKind(StrEnum):
    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"
    QUOTE = "quote"
    HEADING = "heading"
    CAPTION = "caption"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftBlock:
    """A paragraph, an item, a row of a table, …; for an item the start is after its bullet."""

    kind: DraftBlockKind
    start: int
    end: int
    heading: str = ""  # the nearest heading above
    number: str = ""  # of an item of a list, if it has one


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftHeading:
    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteEntry:
    """The text of a footnote or an endnote."""

    label: str
    start: int
    end: int


ANY_YEAR = "*"


class TargetKind(StrEnum):
    """What a mark points to its reference by."""

    NUMBER = "number"
    NOTE = "note"
    KEY = "key"
    NAMES = "names"
    ADDRESS = "address"
    IDENTIFIER = "identifier"
    LEGAL = "legal"
    ENTRY = "entry"  # the entry of a list at an offset of the text
    WORK = "work"  # the mark holds the work itself, as the field of a reference manager does


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationTarget:
    kind: TargetKind
    value: str  # the number, key, address, …; for names, what is shown if there is no reference
    names: tuple[str, ...] = ()
    year: str = ""  # with its letter, as in 2021a; ANY_YEAR where a page stands in its place
    has_others: bool = False  # the names end in "et al."
    work: Reference | None = None
    place: TextSpan | None = None  # of the work, if the draft itself describes it
    is_optional: bool = False  # only a citation if there is a reference for it


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationMark:
    """A citation where it stands, before its references are looked up."""

    start: int
    end: int
    form: CitationForm
    targets: tuple[CitationTarget, ...]
    hidden: tuple[TextSpan, ...]  # the parts that are no words of the sentence
    is_textual: bool = (
        False  # part of the sentence: what it says follows, as in "Smith (2019) says"
    )
    shows_authors: bool = False  # printed as the names of authors, as \citet and @key are


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftView:
    """`spoken` is as long as `text`, with spaces in place of everything that is not said."""

    text: str
    spoken: str
    blocks: tuple[DraftBlock, ...]
    headings: tuple[DraftHeading, ...] = ()
    note_entries: tuple[NoteEntry, ...] = ()
    definitions: tuple[tuple[str, str, TextSpan], ...] = ()  # label, address, place
    marks: tuple[CitationMark, ...] = ()  # those that only the format can tell
    listed_keys: tuple[str, ...] = ()  # keys that are printed in the list without a citation
    list_spans: tuple[TextSpan, ...] = ()  # lists of references that the format shows
    works: tuple[
        tuple[TextSpan, Reference], ...
    ] = ()  # that the format describes, and their places
    unprinted: tuple[TextSpan, ...] = ()  # marks that take no room between the words beside them


def select_blocks(view: DraftView, start: int, end: int) -> tuple[DraftBlock, ...]:
    """The blocks that begin in a part of the text."""
    first = bisect_left(view.blocks, start, key=lambda block: block.start)
    last = bisect_left(view.blocks, end, lo=first, key=lambda block: block.start)
    return view.blocks[first:last]


def blank_spans(text: str, spans: Iterable[TextSpan]) -> str:
    """The text with spaces in place of these parts; ends of lines stay."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if end <= done:
            continue
        begin = max(start, done)
        pieces.append(text[done:begin])
        pieces.append(_VISIBLE_PATTERN.sub(" ", text[begin:end]))
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def cut_spans(text: str, start: int, end: int, spans: Sequence[TextSpan]) -> str:
    """The part `text[start:end]` without these parts; `spans` are in order."""
    pieces: list[str] = []
    done = start
    for first, last in spans[max(0, bisect_left(spans, (start, 0)) - 1) :]:
        if first >= end:
            break
        pieces.append(text[done : max(done, first)])
        done = max(done, last)
    pieces.append(text[done:end])
    return "".join(pieces)


def mark_cells(spoken: str, cells: Iterable[int]) -> str:
    """The text with | at the places where cells of a table meet."""
    pieces: list[str] = []
    done = 0
    for place in cells:
        pieces += [spoken[done:place], CELL_MARK]
        done = place + 1
    pieces.append(spoken[done:])
    return "".join(pieces)
