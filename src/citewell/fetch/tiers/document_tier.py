"""The tier for documents: PDFs, office files, feeds and email, recognized by their content."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from citewell.config import Settings
from citewell.fetch import page_errors
from citewell.fetch.decoding.content_kinds import PAGE_KINDS, detect_document_kind
from citewell.fetch.documents.document_reader import read_document
from citewell.fetch.documents.document_text import DocumentLimits, DocumentText
from citewell.fetch.metadata.page_metadata import ExtractedMetadata
from citewell.fetch.tiers.plain_tiers import PageFetcher
from citewell.fetch.tiers.tier_ladder import FetchAttempt, PageDraft
from citewell.net.http.messages import HttpResponse
from citewell.workers.worker_pool import WorkerLimits, WorkerPool

_DOCUMENT_SUFFIX = re.compile(
    r"\.(?:pdf|docx?|pptx?|xlsx?|od[tsp]|epub|rtf|csv|tsv|eml|rss|atom)$", re.IGNORECASE
)
_ACCEPT_DOCUMENTS = "application/pdf, application/*;q=0.9, text/*;q=0.8, */*;q=0.5"


class WorkerDocumentReader:
    """Reads documents in sandboxed worker processes, because a file may be hostile."""

    def __init__(self, settings: Settings) -> None:
        self._limits = DocumentLimits(
            max_bytes=settings.max_document_bytes,
            timeout=settings.document_timeout,
            memory=settings.document_memory_mb * 2**20,
        )
        self._workers: WorkerPool | None = None

    def is_document(self, url: str, response: HttpResponse) -> bool:
        """Whether the body is a document, readable or not, which the other tiers cannot read."""
        kind = detect_document_kind(
            response.body, content_type=response.headers.get("content-type", ""), url=url
        )
        return kind not in PAGE_KINDS

    async def read_draft(self, url: str, response: HttpResponse) -> PageDraft:
        self._workers = self._workers or WorkerPool(WorkerLimits(memory_bytes=self._limits.memory))
        found = await read_document(
            response.body,
            url=url,
            content_type=response.headers.get("content-type", ""),
            limits=self._limits,
            workers=self._workers,
        )
        return _build_document_draft(found, response)

    async def aclose(self) -> None:
        if self._workers is not None:
            await self._workers.aclose()


class DocumentTier:
    """Fetches addresses that name a document, with the time and size limits of documents."""

    name = "document"

    def __init__(
        self, door: PageFetcher, documents: WorkerDocumentReader, *, timeout: float
    ) -> None:
        self._door = door
        self._documents = documents
        self._timeout = timeout

    async def fetch_draft(self, climb: FetchAttempt) -> PageDraft:
        response = await self._door.fetch_response(
            climb.url, accept=_ACCEPT_DOCUMENTS, timeout=self._timeout
        )
        if self._documents.is_document(climb.url, response):
            return await self._documents.read_draft(climb.url, response)
        climb.response = response
        raise page_errors.build_empty_error(climb.url, "not a document")


def is_named_document(url: str) -> bool:
    """Whether the address ends in a document suffix, or is an arXiv PDF, which has none."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    return bool(_DOCUMENT_SUFFIX.search(path)) or (
        (parts.hostname or "").removeprefix("www.") == "arxiv.org" and path.startswith("/pdf/")
    )


def _build_document_draft(found: DocumentText, response: HttpResponse) -> PageDraft:
    about = ExtractedMetadata(
        title=found.title or "",
        author=found.author,
        language=found.language,
        published=found.created,
        published_basis="document" if found.created else None,
    )
    return PageDraft(
        final_url=response.url,
        content=found.markdown,
        content_type=found.kind,
        metadata=about,
        page_count=found.page_count,
        file_size=len(response.body),
        notes=found.notes,
    )
