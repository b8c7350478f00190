"""A draft as its format shows it (blocks, notes, marks) and as it was read (statements, citations)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from citewell.citations.references.reference_fields import Reference

# Formats whose text a document reader wrote, as markdown; their programs show paragraphs, no lines.
DOCUMENT_FORMATS = frozenset({"docx", "odt", "pdf"})


class CitationForm(StrEnum):
    """How a citation is written."""

    LINK = "link"  # a markdown or HTML link
    ADDRESS = "address"  # a bare web address
    IDENTIFIER = "identifier"  # a DOI, an arXiv number, …
    NUMBER = "number"  # [1], (1), a superscript
    NOTE = "note"  # a footnote or an endnote
    AUTHOR_YEAR = "author_year"
    KEY = "key"  # \cite{key}, [@key]
    FIELD = "field"  # a field of a reference manager in a Word document
    LEGAL = "legal"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPlace:
    """A span of the draft's text; `line` and `column` are those of its start, from 1."""

    start: int  # offset of characters in `Draft.text`
    end: int
    line: int
    column: int
    file: str = ""  # set if the draft has several files, such as an included chapter


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftReference:
    """A work that the draft cites: an entry of its list, or what a citation itself names."""

    id: str  # unique in the draft: "r1", "r2", …
    reference: Reference
    place: DraftPlace | None = None  # None if it stands in another file, such as a .bib
    is_listed: bool = True  # False if it was made of a link or an identifier in the text


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCitation:
    """A mark in the text that points to references; `[1, 3-5]` is one citation of four."""

    id: str  # "c1", "c2", …
    form: CitationForm
    text: str  # as written; of a document as its readers see it
    place: DraftPlace
    reference_ids: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # numbers, keys or names without a reference


class StatementSign(StrEnum):
    """What makes an uncited statement one that a reader would want a source for."""

    NUMBER = "number"
    DATE = "date"
    QUOTATION = "quotation"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftStatement:
    """A clause, a sentence or a paragraph, with the citations that stand for it."""

    id: str  # "s1", "s2", …
    text: str  # without marks of citations and markup
    place: DraftPlace
    citation_ids: tuple[str, ...] = ()
    # Citations at the end of the run of sentences or of the paragraph that it belongs to.
    shared_citation_ids: tuple[str, ...] = ()
    signs: tuple[StatementSign, ...] = ()
    heading: str = ""  # the heading above it


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """All that was read of a draft; every place is one of `text`."""

    text: str
    format: str  # markdown, plain, html, latex, docx, pdf
    language: str = ""
    statements: tuple[DraftStatement, ...] = ()
    citations: tuple[DraftCitation, ...] = ()
    references: tuple[DraftReference, ...] = ()
    uncited_reference_ids: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what a reader should know of how it was read


DRAFT_FORMATS = ("markdown", "plain", "html", "latex", "docx", "odt", "pdf")
_FORMATS_BY_SUFFIX = {
    ".md": "markdown", ".markdown": "markdown", ".mdown": "markdown", ".qmd": "markdown",
    ".rmd": "markdown", ".mkd": "markdown", ".mdx": "markdown", ".txt": "", ".text": "",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".tex": "latex", ".ltx": "latex",
    ".latex": "latex", ".docx": "docx", ".odt": "odt", ".pdf": "pdf",
}  # fmt: skip
_HTML_START_PATTERN = re.compile(
    r"\s{0,200}(?:<!--|<!doctype html|<html|<head|<body|<article|<section|<div|<h[1-6]|<p)\b",
    re.IGNORECASE,
)
_HTML_TAG_PATTERN = re.compile(r"</(?:p|h[1-6]|li|a|sup|div)>", re.IGNORECASE)
_LATEX_PATTERN = re.compile(
    r"\\(?:documentclass|begin\s?\{(?:document|thebibliography|abstract)\}|(?:sub)*section\*?\s?\{"
    r"|chapter\*?\s?\{|(?:auto|paren|text|foot)?cite[a-z]{0,6}\*?\s?[\[{]|bibliography\s?\{)"
)
_MARKDOWN_PATTERN = re.compile(
    r"^#{1,6} \S|\]\(https?://|\*\*\S|^\[\^[^\]\s]{1,60}\]:|\[-?@[\w:]|^> \S|^\|[^\n]{1,2000}\|$|^```",
    re.MULTILINE,
)
_LOOK_CHARS = 200_000
_MIN_TAGS = 3

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


def build_note_block(note: NoteEntry) -> DraftBlock:
    return DraftBlock(kind=DraftBlockKind.NOTE, start=note.start, end=note.end)


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


def list_targets(
    kind: TargetKind, values: Iterable[str], *, is_optional: bool = False
) -> list[CitationTarget]:
    """A target for each distinct value."""
    return [
        CitationTarget(kind=kind, value=value, is_optional=is_optional)
        for value in dict.fromkeys(values)
    ]


def build_mark(
    span: TextSpan,
    form: CitationForm,
    targets: Iterable[CitationTarget],
    *,
    hidden: TextSpan | None = None,
    is_textual: bool = False,
    shows_authors: bool = False,
) -> CitationMark:
    """A mark that is no words of its sentence, unless another part of it is `hidden`."""
    return CitationMark(
        start=span[0],
        end=span[1],
        form=form,
        targets=tuple(targets),
        hidden=(hidden or span,),
        is_textual=is_textual,
        shows_authors=shows_authors,
    )


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


# Tells the format of a draft by its name and its text.


def detect_draft_format(text: str, name: str = "") -> str:
    """Which of DRAFT_FORMATS a text is in; "plain" if it has no sign of another."""
    named = _FORMATS_BY_SUFFIX.get(PurePath(name).suffix.lower(), "")
    if named:
        return named
    head = text[:_LOOK_CHARS]
    tags = len(_HTML_TAG_PATTERN.findall(head))
    if _HTML_START_PATTERN.match(head) and tags >= 1:
        return "html"
    if _LATEX_PATTERN.search(head):
        return "latex"
    if _MARKDOWN_PATTERN.search(head):
        return "markdown"
    return "html" if tags >= _MIN_TAGS else "plain"


# The markdown that document readers write of Word, OpenDocument and PDF files, as a page shows it. They escape
# every character of the document that markdown would take for a mark, so each mark that is not escaped is theirs.


_MARK_PATTERN = re.compile(
    r"(?P<formula>\$\$[^$]{1,2000}\$\$|\$(?=[^$\n]{0,300}[\\^_])[^\s$][^$\n]{0,300}\$)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?<!`)(?P<tick>`{1,9}+)(?!`)(?P<code>[^\n]{1,500}?)(?<!`)(?P=tick)(?!`)"
    r"|(?P<stars>\*{1,3}+(?=\S)|(?<=\S)\*{1,3}+)"
    r"|(?P<struck>~~)"
    r"|\[\^(?P<note>\d{1,6})\]"
    r"|(?P<link>!?\[(?=(?:\\.|[^\[\]\\\n]|\[[^\[\]\n]{0,200}+\]){0,1000}+\]\([^\s()]{0,2000}\))|\]\([^\s()]{0,2000}\))"
    r"|(?P<quote>(?<=\n)[ \t]{0,3}(?:>[ \t]?)+)"
    r"|\^(?P<power>[+\-−]?\d+(?:[.,]\d+)*|\([^()\s]{1,40}\))"
)
# Of the groups above those that are words, with the HTML element of their style.
_WORD_STYLES = {"formula": "", "escaped": "", "code": "code", "note": "sup", "power": "sup"}
_TOGGLED_STYLES = {"*": {"em"}, "**": {"strong"}, "***": {"em", "strong"}, "~~": {"s"}}
_RAISED_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedPiece:
    """A part of the text: words with their styles, or a mark that a page does not show."""

    start: int
    end: int
    styles: frozenset[str] = frozenset()  # names of HTML elements: strong, em, s, code, sup
    is_mark: bool = False


def iterate_printed_pieces(text: str, start: int, end: int) -> Iterator[PrintedPiece]:
    """The parts of `text[start:end]`, a block; together they are all of it."""
    styles: frozenset[str] = frozenset()
    done = start
    for match in _MARK_PATTERN.finditer(text, start, end):
        kind = match.lastgroup or ""
        first, last = match.span(kind) if kind in _WORD_STYLES else (match.end(), match.end())
        own = {_WORD_STYLES[kind]} - {""} if kind in _WORD_STYLES else set()
        pieces = (
            PrintedPiece(start=done, end=match.start(), styles=styles),
            PrintedPiece(start=match.start(), end=first, is_mark=True),
            PrintedPiece(start=first, end=last, styles=styles | own),
            PrintedPiece(start=last, end=match.end(), is_mark=True),
        )
        yield from (piece for piece in pieces if piece.end > piece.start)
        styles ^= _TOGGLED_STYLES.get(match[0], set())
        done = match.end()
    if end > done:
        yield PrintedPiece(start=done, end=end, styles=styles)


def list_mark_spans(text: str) -> tuple[TextSpan, ...]:
    """The marks of the whole text; the sign of a power stays, because 10^6 is not 106."""
    return tuple(
        (piece.start, piece.end)
        for piece in iterate_printed_pieces(text, 0, len(text))
        if piece.is_mark and text[piece.start : piece.end] != "^"
    )


def print_document_text(text: str) -> str:
    """The text as a reader of the document sees it, on one line."""
    words = (
        text[piece.start : piece.end].translate(_RAISED_DIGITS)
        if "sup" in piece.styles
        else text[piece.start : piece.end]
        for piece in iterate_printed_pieces(text, 0, len(text))
        if not piece.is_mark
    )
    return " ".join("".join(words).split())
