"""Reads drafts from files: text with the files that it names, documents in a sandboxed process."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from citewell.config import Settings
from citewell.errors import InvalidInput
from citewell.fetch.documents.document_reader import DOCUMENT_ERRORS, convert_task_failure
from citewell.fetch.documents.document_text import DocumentLimits, UnreadableDocument
from citewell.model.counted_words import pluralize
from citewell.model.draft import Draft
from citewell.services.drafts.draft_inclusions import (
    join_latex_files,
    load_named_bibliographies,
)
from citewell.services.drafts.text_decoding import decode_draft_bytes
from citewell.services.library.local_files import LocalFileReader
from citewell.text.drafts.draft_formats import detect_draft_format
from citewell.text.drafts.draft_reading import MAX_DRAFT_CHARS, DraftSource
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, WorkerTask

_DOCUMENT_STARTS = (b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"{\\rtf")
_READ_SOURCE: WorkerTask[Draft] = WorkerTask(
    "citewell.text.drafts.draft_reading:read_draft_source", Draft, DOCUMENT_ERRORS
)
_READ_DOCUMENT: WorkerTask[Draft] = WorkerTask(
    "citewell.services.drafts.document_drafts:read_document_draft", Draft, DOCUMENT_ERRORS
)
_READING_SECONDS = 120.0  # of processor time for the longest draft
_MAX_BYTES_PER_CHAR = 4


class DraftFileReader:
    """Reads drafts apart from the server's own process, so that a long one holds up nobody."""

    def __init__(self, settings: Settings, workers: TaskRunner) -> None:
        self._settings = settings
        self._workers = workers
        self._limits = DocumentLimits(
            max_bytes=settings.max_document_bytes,
            timeout=settings.document_timeout,
            memory=settings.document_memory_mb * 2**20,
        )

    async def read_draft_file(
        self,
        path: Path,
        *,
        bibliography: str = "",
        format: str = "auto",  # noqa: A002 - the word callers know
    ) -> Draft:
        """The draft in a file: markdown, text, HTML, LaTeX, Word, OpenDocument or PDF.

        Without `bibliography`, the .bib files that a LaTeX or markdown text names are read, from
        its own folder only. Raises InvalidInput, or the errors of the document readers, none of
        which names the file: the caller does.
        """
        body = await LocalFileReader(self._settings, self._workers).load_file(path)
        if _is_draft_document(body.data):
            return await self._read_document(body.data, path.name, bibliography)
        _check_text_size(body.data)
        source = await asyncio.to_thread(
            build_file_source, path, body.data, bibliography=bibliography, draft_format=format
        )
        return await self.read_source(source)

    async def read_draft_text(
        self,
        text: str,
        *,
        format: str = "auto",  # noqa: A002 - the word callers know
        bibliography: str = "",
        name: str = "",
    ) -> Draft:
        """The draft in a text; raises InvalidInput as `read_draft_source` does."""
        return await self.read_source(
            DraftSource(
                text=text.replace("\r\n", "\n").replace("\r", "\n"),
                format=format,
                bibliography=bibliography,
                name=name,
            )
        )

    async def read_source(self, source: DraftSource) -> Draft:
        if len(source.text) > MAX_DRAFT_CHARS:
            raise InvalidInput(describe_long_draft(len(source.text)))
        try:
            return await self._workers.run_task(
                _READ_SOURCE, limit_seconds=_READING_SECONDS, source=source
            )
        except TaskFailure as failure:
            raise InvalidInput(str(convert_task_failure(failure))) from None

    async def _read_document(self, data: bytes, name: str, bibliography: str) -> Draft:
        try:
            return await self._workers.run_task(
                _READ_DOCUMENT,
                limit_seconds=self._limits.timeout + _READING_SECONDS,
                body=data,
                name=name.encode("utf-8", "replace").decode(),
                limits=self._limits,
                bibliography=bibliography,
            )
        except TaskFailure as failure:
            raise convert_task_failure(failure) from None
        except UnreadableDocument as error:
            raise InvalidInput(error.message) from None


def build_file_source(
    path: Path, data: bytes, *, bibliography: str = "", draft_format: str = "auto"
) -> DraftSource:
    """The text of a file with what it includes; reads files, so that it belongs into a thread."""
    decoded = decode_draft_bytes(data)
    notes = decoded.notes
    chosen = draft_format
    if chosen == "auto":
        chosen = detect_draft_format(decoded.text, path.name)
    source = DraftSource(text=decoded.text, format=chosen, name=path.name, notes=notes)
    if chosen == "latex":
        source = join_latex_files(path, source)
    if not bibliography and chosen in {"latex", "markdown"}:
        found = load_named_bibliographies(path, source.text, chosen)
        return replace(source, bibliography=found.text, notes=(*source.notes, *found.notes))
    return replace(source, bibliography=bibliography)


def describe_long_draft(chars: int) -> str:
    return f"The draft has {chars:,} {pluralize(chars, 'character')}, and at most {MAX_DRAFT_CHARS:,} are read. Check it in parts, such as one chapter at a time, each with its list of references."


def _is_draft_document(data: bytes) -> bool:
    """Whether a file is no text, by its first bytes; which kind it is, the worker finds out."""
    return data.startswith(_DOCUMENT_STARTS)


def _check_text_size(data: bytes) -> None:
    if len(data) > MAX_DRAFT_CHARS * _MAX_BYTES_PER_CHAR:
        raise InvalidInput(describe_long_draft(len(data)))
