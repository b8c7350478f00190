"""Reads drafts in document formats: Word with its citation fields, OpenDocument, PDF; for a worker."""

from __future__ import annotations

from pathlib import PurePath

from citewell.citations import references
from citewell.citations.references.reference_fields import Reference
from citewell.core.errors import InvalidInput
from citewell.drafts import draft
from citewell.drafts.draft_reading import DraftSource, read_draft_source
from citewell.library.local_files import extract_file_text
from citewell.reading.content_kinds import detect_document_kind
from citewell.reading.documents.document_text import DocumentLimits, UnsupportedDocument
from citewell.reading.documents.office.word_citations import StoredCitations
from citewell.reading.documents.office.word_documents import WordDraft, read_docx_draft

_DOCUMENT_ENDINGS = frozenset({".docx", ".odt", ".doc", ".rtf", ".pdf"})
_FORMATS_BY_KIND = {"docx": "docx", "pdf": "pdf", "odt": "odt", "rtf": "odt", "doc": "odt"}


def read_document_draft(
    body: bytes, name: str, limits: DocumentLimits, bibliography: str = ""
) -> draft.Draft:
    """The draft in a document; raises the errors of the document readers, and InvalidInput."""
    kind = detect_document_kind(body, url=name)
    if kind == "docx":
        return read_draft_source(_build_word_source(read_docx_draft(body, limits), bibliography))
    try:
        found = extract_file_text(body, name, limits)
    except UnsupportedDocument:
        raise _build_kind_error(name) from None
    if not found.text.strip():
        raise InvalidInput("The document contains no text.")
    return read_draft_source(
        DraftSource(
            text=found.text,
            format=_FORMATS_BY_KIND.get(kind, "odt"),
            name=name,
            bibliography=bibliography,
        )
    )


def _build_kind_error(name: str) -> InvalidInput:
    ending = PurePath(name).suffix.lower()
    if ending in _DOCUMENT_ENDINGS:
        return InvalidInput(
            f"The file is named {ending} but is no such document. It may be damaged or not whole:"
            " open it in its own program, and save it again."
        )
    return InvalidInput(
        "The file is no draft that can be read. Give it as markdown, LaTeX, HTML, plain text, Word,"
        " OpenDocument or PDF."
    )


def _build_word_source(read: WordDraft, bibliography: str) -> DraftSource:
    sources = {
        reference.key.casefold(): reference
        for stored in read.sources
        for reference in _parse_stored(stored)
    }
    marks: list[draft.CitationMark] = []
    for field in read.fields:
        works = [work for stored in field.works for work in _parse_stored(stored)]
        works += [sources[tag.casefold()] for tag in field.tags if tag.casefold() in sources]
        if works and field.end > field.start:
            targets = [
                draft.CitationTarget(kind=draft.TargetKind.WORK, value=work.raw, work=work)
                for work in works
            ]
            marks.append(
                draft.build_mark((field.start, field.end), draft.CitationForm.FIELD, targets)
            )
    return DraftSource(
        text=read.text,
        format="docx",
        bibliography=bibliography,
        marks=tuple(marks),
        notes=read.notes,
    )


def _parse_stored(stored: StoredCitations) -> tuple[Reference, ...]:
    return references.parse_bibliography(stored.text, format=stored.format).references
