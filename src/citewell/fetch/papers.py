"""Documents on the ladder: PDFs, office files, feeds and mail, by what they are and not by their name."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from citewell.config import Settings
from citewell.fetch import complaints
from citewell.fetch.documents.document import DocumentText, Limits
from citewell.fetch.documents.pool import Workers
from citewell.fetch.documents.read import read_document
from citewell.fetch.documents.sniff import sniff
from citewell.fetch.ladder import Climb, Draft
from citewell.fetch.metadata import About
from citewell.fetch.tiers import Door
from citewell.net.message import Response

# What the plain tiers read themselves, without a process of its own.
_PLAIN = frozenset({"html", "json", "markdown", "text", "xml"})
_SUFFIX = re.compile(
    r"\.(?:pdf|docx?|pptx?|xlsx?|od[tsp]|epub|rtf|csv|tsv|eml|rss|atom)$", re.IGNORECASE
)
_ANYTHING = "application/pdf, application/*;q=0.9, text/*;q=0.8, */*;q=0.5"


class Documents:
    """Reads what is no page, in processes that a hostile file cannot leave."""

    def __init__(self, settings: Settings) -> None:
        self._limits = Limits(
            max_bytes=settings.max_document_bytes,
            timeout=settings.document_timeout,
            memory=settings.document_memory_mb * 2**20,
        )
        self._workers: Workers | None = None

    def takes(self, url: str, response: Response) -> bool:
        """Whether the body is a document, readable or not, and so nothing for the plain tiers."""
        kind = sniff(response.body, content_type=response.headers.get("content-type", ""), url=url)
        return kind not in _PLAIN

    async def draft(self, url: str, response: Response) -> Draft:
        self._workers = self._workers or Workers(self._limits)
        found = await read_document(
            response.body,
            url=url,
            content_type=response.headers.get("content-type", ""),
            limits=self._limits,
            workers=self._workers,
        )
        return _draft(found, response)

    async def aclose(self) -> None:
        if self._workers is not None:
            await self._workers.close()


class DocumentTier:
    """Addresses that name a document are asked for as one, with a document's patience and size."""

    name = "document"

    def __init__(self, door: Door, documents: Documents, *, timeout: float) -> None:
        self._door = door
        self._documents = documents
        self._timeout = timeout

    async def read(self, climb: Climb) -> Draft:
        response = await self._door.get(climb.url, accept=_ANYTHING, timeout=self._timeout)
        if self._documents.takes(climb.url, response):
            return await self._documents.draft(climb.url, response)
        climb.answer = response
        raise complaints.empty(climb.url, "not a document")


def is_named_document(url: str) -> bool:
    """By its suffix, or because arXiv serves PDFs without one."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    return bool(_SUFFIX.search(path)) or (
        (parts.hostname or "").removeprefix("www.") == "arxiv.org" and path.startswith("/pdf/")
    )


def _draft(found: DocumentText, response: Response) -> Draft:
    about = About(
        title=found.title or "",
        author=found.author,
        language=found.language,
        published=found.created,
        published_basis="document" if found.created else None,
    )
    return Draft(
        final_url=response.url,
        content=found.markdown,
        content_type=found.kind,
        about=about,
        page_count=found.page_count,
        file_size=len(response.body),
        notes=found.notes,
    )
