"""Reads Word documents (DOCX), also as drafts with the citation fields in them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any
from xml.etree.ElementTree import Element

from citewell.citations.references.reference_splitting import is_references_heading
from citewell.reading.documents import document_packages, document_text, xml_tree
from citewell.reading.documents.office import word_citations
from citewell.reading.documents.office.word_blocks import WordBlocks, WordParts

_MAIN_PART = "word/document.xml"

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
    works: tuple[word_citations.StoredCitations, ...] = ()
    tags: tuple[str, ...] = ()  # of Word's own list of sources


@dataclass(frozen=True, slots=True, kw_only=True)
class WordDraft:
    text: str
    fields: tuple[WordField, ...] = ()
    sources: tuple[word_citations.StoredCitations, ...] = ()
    notes: tuple[str, ...] = ()


def read_docx_draft(body: bytes, limits: document_text.DocumentLimits) -> WordDraft:
    """The document with all changes accepted; raises the errors of the document readers."""
    archive = document_packages.ZipDocument(body, limits)
    parts, root = _open_main_part(archive)
    fields = word_citations.CitationFields()
    blocks = WordBlocks(parts, citations=fields)
    # "References" and the like become headings also where Word's style is not one: many authors
    # only type the word, in bold at best, above their list.
    marked = _SHORT_PARAGRAPH_PATTERN.sub(
        lambda match: f"## {match[1]}" if is_references_heading(match[1]) else match[0],
        blocks.render_body(_expect_body(root)),
    )
    text, spans = _take_out_marks(marked)
    comments = parts.find_related_root("comments")
    count = len(comments) if comments is not None else 0
    unread = (f"Comments ({count}) are not part of the text and were not read.",) if count else ()
    notes = (*_describe_changes(root), *unread, *blocks.describe_omissions())
    return WordDraft(
        text=text,
        fields=tuple(
            _build_field(fields.codes[number], start, end) for number, start, end in spans
        ),
        sources=tuple(word_citations.iterate_word_sources(archive)),
        notes=notes,
    )


def _take_out_marks(marked: str) -> tuple[str, list[tuple[int, int, int]]]:
    """The text without marks, and for each field its number and where its text stands."""
    pieces: list[str] = []
    spans: list[tuple[int, int, int]] = []
    opened: list[tuple[int, int]] = []
    done = length = 0
    for match in word_citations.CITATION_MARK_PATTERN.finditer(marked):
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
        word_citations.collect_csl_items(code, items)
        records.update(dict.fromkeys(word_citations.iterate_endnote_records(code)))
        if code.lstrip().startswith("CITATION"):
            tags.update(dict.fromkeys(_SOURCE_TAG_PATTERN.findall(code)))
    works = (
        *word_citations.wrap_csl_items(items),
        *word_citations.wrap_endnote_records(list(records)),
    )
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


# Reads word processor documents as markdown.


def read_docx(job: document_text.DocumentRequest) -> document_text.DocumentText:
    archive = document_packages.ZipDocument(job.body, job.limits)
    parts, root = _open_main_part(archive)
    blocks = WordBlocks(parts)
    markdown = blocks.render_body(_expect_body(root))
    notes = blocks.describe_omissions()
    if not markdown.strip():
        markdown = _render_page_margins(parts)
    return replace(
        document_packages.read_office_properties(archive), markdown=markdown, notes=notes
    )


def _open_main_part(archive: document_packages.ZipDocument) -> tuple[WordParts, Element]:
    name = _find_main_part(archive)
    return WordParts(archive, name), xml_tree.parse_xml_bytes(archive.read_member(name))


def _find_main_part(archive: document_packages.ZipDocument) -> str:
    """The name of the part with the text, which the package's own relations name."""
    for relation in document_packages.read_package_relations(archive, "").values():
        if relation.kind == "officeDocument" and relation.target in archive:
            return relation.target
    if _MAIN_PART in archive:
        return _MAIN_PART
    raise document_text.Broken("The Word document has no text part.")


def _expect_body(root: Element) -> Element:
    body = xml_tree.find_child_element(root, "body")
    if body is None:
        raise document_text.Broken("The Word document's text part has no body.")
    return body


def _render_page_margins(parts: WordParts) -> str:
    """Headers and footers, read only where a document has no other text."""
    made: list[str] = []
    for relation in parts.relations.values():
        if relation.kind in {"header", "footer"} and relation.target in parts.archive:
            root = xml_tree.parse_xml_bytes(parts.archive.read_member(relation.target))
            text = WordBlocks(WordParts(parts.archive, relation.target)).render_body(root)
            if text and text not in made:
                made.append(text)
    return "\n\n".join(made)
