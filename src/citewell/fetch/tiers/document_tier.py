"""The tier for documents: PDFs, office files, feeds and email, recognized by their content."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from citewell.fetch import page_errors
from citewell.fetch.extracted_page import ExtractedPage
from citewell.fetch.page_tasks import PageTasks
from citewell.fetch.tiers.plain_tiers import PageFetcher
from citewell.fetch.tiers.tier_ladder import FetchAttempt

_DOCUMENT_SUFFIX = re.compile(
    r"\.(?:pdf|docx?|pptx?|xls[xbm]?|od[tsp]|epub|rtf|csv|tsv|eml|msg|rss|atom)$", re.IGNORECASE
)
_ACCEPT_DOCUMENTS = "application/pdf, application/*;q=0.9, text/*;q=0.8, */*;q=0.5"


class DocumentTier:
    """Fetches addresses that name a document, with the time and size limits of documents."""

    name = "document"

    def __init__(self, door: PageFetcher, tasks: PageTasks, *, timeout: float) -> None:
        self._door = door
        self._tasks = tasks
        self._timeout = timeout

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        response = await self._door.fetch_response(
            climb.url, accept=_ACCEPT_DOCUMENTS, timeout=self._timeout
        )
        extracted = await self._tasks.read_document(climb.url, response)
        if extracted is not None:
            return extracted
        climb.response = response
        raise page_errors.build_empty_error(climb.url, "not a document")


def is_named_document(url: str) -> bool:
    """Whether the address ends in a document suffix, or is an arXiv PDF, which has none."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    return bool(_DOCUMENT_SUFFIX.search(path)) or (
        (parts.hostname or "").removeprefix("www.") == "arxiv.org" and path.startswith("/pdf/")
    )
