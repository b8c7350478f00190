"""A draft as it was read: its statements, its citations and its references, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from citewell.model.reference import Reference

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
