"""Reads a Word document as a draft: its text, where its citation fields stand, and what was left out."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import DocumentLimits
from citewell.fetch.documents.office.package_relations import read_package_relations
from citewell.fetch.documents.office.word.word_blocks import WordBlocks, WordParts
from citewell.fetch.documents.office.word.word_citations import (
    StoredCitations,
    collect_csl_items,
    iterate_endnote_records,
    iterate_word_sources,
    wrap_csl_items,
    wrap_endnote_records,
)
from citewell.fetch.documents.office.word.word_documents import expect_body, find_main_part
from citewell.fetch.documents.office.word.word_fields import CITATION_MARK_PATTERN, CitationFields
from citewell.fetch.documents.zip_archive import ZipDocument
from citewell.text.references.list_headings import is_references_heading

_SOURCE_TAG_PATTERN = re.compile(r"(?:CITATION|\\m)\s{1,5}([^\s\\]{1,100})")
_SHORT_PARAGRAPH_PATTERN = re.compile(
    r"(?:(?<=\n\n)|\A)[*_]{0,3}([^\n#*_|>`\d][^\n*_|`]{2,60})[*_]{0,3}(?=\n\n)"
)
_INSERTED, _DELETED = frozenset({"ins", "moveTo"}), frozenset({"del", "moveFrom"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WordField:
    """A citation in the text, with the works that its program keeps in it."""

    start: int
    end: int
    works: tuple[StoredCitations, ...] = ()
    tags: tuple[str, ...] = ()  # of Word's own list of sources


@dataclass(frozen=True, slots=True, kw_only=True)
class WordDraft:
    text: str
    fields: tuple[WordField, ...] = ()
    sources: tuple[StoredCitations, ...] = ()
    notes: tuple[str, ...] = ()


def read_docx_draft(body: bytes, limits: DocumentLimits) -> WordDraft:
    """The document with all changes accepted; raises the errors of the document readers."""
    archive = ZipDocument(body, limits)
    main = find_main_part(archive)
    parts = WordParts(archive, main, read_package_relations(archive, main))
    root = xml_tree.parse_xml_bytes(archive.read_member(main))
    fields = CitationFields()
    blocks = WordBlocks(parts, citations=fields)
    marked = _mark_list_headings(blocks.render_body(expect_body(root)))
    text, spans = _take_out_marks(marked)
    notes = (*_describe_changes(root), *_describe_comments(parts), *blocks.describe_omissions())
    return WordDraft(
        text=text,
        fields=tuple(
            _build_field(fields.codes[number], start, end) for number, start, end in spans
        ),
        sources=tuple(iterate_word_sources(archive)),
        notes=notes,
    )


def _mark_list_headings(marked: str) -> str:
    """The text with "References" and the like as headings, also where Word's style is not one.

    Many authors only type the word, in bold at best, above their list.
    """
    return _SHORT_PARAGRAPH_PATTERN.sub(
        lambda match: f"## {match[1]}" if is_references_heading(match[1]) else match[0], marked
    )


def _take_out_marks(marked: str) -> tuple[str, list[tuple[int, int, int]]]:
    """The text without marks, and for each field its number and where its text stands."""
    pieces: list[str] = []
    spans: list[tuple[int, int, int]] = []
    opened: list[tuple[int, int]] = []
    done = length = 0
    for match in CITATION_MARK_PATTERN.finditer(marked):
        pieces.append(marked[done : match.start()])
        length += match.start() - done
        done = match.end()
        if match[1] is not None:
            opened.append((int(match[1]), length))
        elif opened:
            number, start = opened.pop()
            spans.append((number, start, length))
    pieces.append(marked[done:])
    return "".join(pieces), sorted(spans, key=lambda span: span[1])


def _build_field(codes: tuple[str, ...], start: int, end: int) -> WordField:
    items: dict[str, Any] = {}
    records: dict[str, None] = {}
    tags: dict[str, None] = {}
    for code in codes:
        collect_csl_items(code, items)
        records.update(dict.fromkeys(iterate_endnote_records(code)))
        if code.lstrip().startswith("CITATION"):
            tags.update(dict.fromkeys(_SOURCE_TAG_PATTERN.findall(code)))
    works = (*wrap_csl_items(items), *wrap_endnote_records(list(records)))
    return WordField(start=start, end=end, works=works, tags=tuple(tags))


def _describe_changes(root: Element) -> tuple[str, ...]:
    counts = Counter(map(xml_tree.strip_namespace, root.iter()))
    inserted = sum(counts[name] for name in _INSERTED)
    deleted = sum(counts[name] for name in _DELETED)
    if not inserted and not deleted:
        return ()
    note = (
        "The document has tracked changes; it was read as if all were accepted:"
        f" {_count_changes(inserted, 'insertion')} part of the text,"
        f" {_count_changes(deleted, 'deletion')} not."
    )
    return (note,)


def _count_changes(count: int, word: str) -> str:
    return f"1 {word} is" if count == 1 else f"{count} {word}s are"


def _describe_comments(parts: WordParts) -> tuple[str, ...]:
    root = parts.find_related_root("comments")
    count = len(root) if root is not None else 0
    return (f"Comments ({count}) are not part of the text and were not read.",) if count else ()
