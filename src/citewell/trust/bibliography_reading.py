"""Reads bibliographies and manuscripts: text here, XML and documents in a sandboxed process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from citewell.citations import references
from citewell.citations.references.format_detection import decode_bibliography, detect_xml_format
from citewell.citations.references.reference_fields import BibliographyDocument
from citewell.citations.references.reference_splitting import (
    has_reference_heading,
    render_reference_markdown,
)
from citewell.core.config import Settings
from citewell.core.errors import InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.library.local_files import LocalFileReader, extract_file_text
from citewell.reading.content_kinds import detect_document_kind
from citewell.reading.documents.document_reader import DOCUMENT_ERRORS, convert_task_failure
from citewell.reading.documents.document_text import DocumentLimits, UnreadableDocument
from citewell.reading.settings import ReadingSettings
from citewell.workers.settings import WorkersSettings
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, WorkerTask

_XML_START = "<"
_MIN_LIKELY_SHARE = 0.6  # of the paragraphs of a list without a heading
_MIN_STORED_SHARE = 0.8  # of the visible list that stored works have to cover
NO_LIST_MESSAGE = "It has no list of references: no heading such as “References” was found. Use --format prose if the whole text is the list."


@dataclass(frozen=True, slots=True, kw_only=True)
class ManuscriptText:
    """A file as text, and the references that are stored in it in a structured form."""

    text: str
    kind: str
    stored: BibliographyDocument | None = None


_PARSE_XML: WorkerTask[BibliographyDocument] = WorkerTask(
    "citewell.trust.bibliography_reading:parse_xml_bibliography", BibliographyDocument
)
_READ_MANUSCRIPT: WorkerTask[ManuscriptText] = WorkerTask(
    "citewell.trust.bibliography_reading:extract_manuscript",
    ManuscriptText,
    DOCUMENT_ERRORS,
)


class BibliographyReader:
    def __init__(self, settings: Settings, workers: TaskRunner) -> None:
        self._settings = settings
        self._workers = workers

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.settings, kit.workers)

    async def parse_document(self, text: str, *, format: str = "auto") -> BibliographyDocument:  # noqa: A002 - the word callers know
        """The references of a document. Raises InvalidInput for an unknown format."""
        if not text.lstrip("\ufeff \t\r\n").startswith(_XML_START):
            # Parsing megabytes takes time, so it must not block the event loop.
            return await asyncio.to_thread(references.parse_bibliography, text, format=format)
        try:
            return await self._workers.run_task(
                _PARSE_XML,
                limit_seconds=self._settings[WorkersSettings].document_timeout,
                body=text.encode("utf-8", "replace"),
                form=format,
            )
        except TaskFailure as failure:
            raise InvalidInput(str(convert_task_failure(failure))) from None

    async def read_manuscript(self, path: Path) -> ManuscriptText:
        """A file in any document format; raises the errors of the document readers."""
        workers_settings = self._settings[WorkersSettings]
        files = LocalFileReader(self._settings, self._workers)
        body = await files.load_file(path)
        limits = DocumentLimits(
            max_bytes=self._settings[ReadingSettings].max_document_bytes,
            timeout=workers_settings.document_timeout,
            memory=workers_settings.document_memory_mb * 2**20,
        )
        try:
            return await self._workers.run_task(
                _READ_MANUSCRIPT,
                limit_seconds=limits.timeout,
                body=body.data,
                name=path.name.encode("utf-8", "replace").decode(),  # never the path
                limits=limits,
            )
        except TaskFailure as failure:
            raise convert_task_failure(failure) from None


def parse_xml_bibliography(body: bytes, form: str) -> BibliographyDocument:
    """The references of an XML bibliography; a worker does this."""
    return references.parse_bibliography(body, format=form)


def extract_manuscript(body: bytes, name: str, limits: DocumentLimits) -> ManuscriptText:
    """A file's text and stored references; a worker does this. Raises the readers' errors."""
    kind = detect_document_kind(body, url=name)
    if kind in {"xml", "feed", "text", "html"} and (found := _parse_xml_export(body)) is not None:
        return ManuscriptText(text="", kind="xml", stored=found)
    if kind in {"csv", "tsv", "json"}:
        return ManuscriptText(text=decode_bibliography(body), kind=kind)
    stored = _parse_stored_citations(body, kind, limits)
    try:
        text = render_reference_markdown(extract_file_text(body, name, limits).text)
    except UnreadableDocument:
        if stored is None:
            raise
        text = ""
    return ManuscriptText(text=text, kind=kind, stored=stored)


def choose_references(read: ManuscriptText) -> BibliographyDocument:
    """The references of a manuscript: those stored by a citation program, or the visible list.

    Raises InvalidInput if there is neither. Stored works are taken if they cover the visible list.
    """
    if read.stored is not None and read.kind == "xml":
        return read.stored
    has_list = has_reference_heading(read.text)
    visible = references.parse_bibliography(read.text, format="prose") if has_list else None
    if read.stored is not None and read.stored.references:
        count = len(visible.references) if visible is not None else 0
        if len(read.stored.references) >= count * _MIN_STORED_SHARE:
            return read.stored
    if visible is not None:
        return visible
    found = references.parse_bibliography(read.text)
    if found.format == "prose" and not _is_likely_list(found):
        raise InvalidInput(NO_LIST_MESSAGE)
    return found


def _parse_xml_export(body: bytes) -> BibliographyDocument | None:
    text = decode_bibliography(body)
    form = detect_xml_format(text) if text.lstrip().startswith(_XML_START) else ""
    return references.parse_bibliography(text, format=form) if form else None


def _parse_stored_citations(
    body: bytes, kind: str, limits: DocumentLimits
) -> BibliographyDocument | None:
    """The works that citation programs keep in the document; of several programs, the most."""
    from citewell.reading.documents.office import word_citations

    stored = (
        word_citations.read_docx_citations(body, limits) if kind == "docx"
        else word_citations.read_odt_citations(body, limits) if kind == "odt" else ()
    )  # fmt: skip
    best: BibliographyDocument | None = None
    for each in stored:
        found = references.parse_bibliography(each.text, format=each.format)
        if found.references and (best is None or len(found.references) > len(best.references)):
            note = f"The references are those that {each.program} keeps in the document, not the list as it is printed."
            unlined = tuple(replace(reference, line=None) for reference in found.references)
            best = replace(found, references=unlined, malformed=(), notes=(note,))
    return best


def _is_likely_list(found: BibliographyDocument) -> bool:
    """Whether a text without a heading is a list of references: most entries have a date or more."""
    likely = sum(
        bool(reference.ids or (reference.year and (reference.authors or reference.venue)))
        for reference in found.references
    )
    long = sum(len(cited.raw) > 700 for cited in found.references)
    count = len(found.references)
    return bool(count) and likely >= count * _MIN_LIKELY_SHARE and long * 5 <= count
