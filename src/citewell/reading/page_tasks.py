"""Has pages read in worker processes, and turns what comes back into pages and errors about pages."""

from __future__ import annotations

import logging
from typing import TypeVar

from citewell.core.errors import CitewellError
from citewell.net.http.messages import HttpResponse
from citewell.reading import page_errors
from citewell.reading.documents import document_reader
from citewell.reading.documents.document_text import DocumentLimits
from citewell.reading.extracted_page import (
    ExtractedPage,
    PageReading,
    PageResponse,
    RawText,
    UnsurePage,
)
from citewell.workers.worker_tasks import FailureCause, TaskFailure, TaskRunner, WorkerTask

logger = logging.getLogger(__name__)

_MODULE = "citewell.reading.page_reading"
_READ_PAGE: WorkerTask[PageReading] = WorkerTask(
    f"{_MODULE}:read_page", PageReading, document_reader.DOCUMENT_ERRORS
)
_READ_DOCUMENT: WorkerTask[PageReading | None] = WorkerTask(
    f"{_MODULE}:read_document_page", PageReading | None, document_reader.DOCUMENT_ERRORS
)
_READ_MARKDOWN: WorkerTask[PageReading | None] = WorkerTask(
    f"{_MODULE}:read_markdown_page", PageReading | None
)
_READ_COPY: WorkerTask[PageReading] = WorkerTask(f"{_MODULE}:read_copied_page", PageReading)
_FIND_ERROR_WALL: WorkerTask[str | None] = WorkerTask(f"{_MODULE}:find_error_wall", str | None)
_DECODE_RAW: WorkerTask[RawText] = WorkerTask(
    "citewell.reading.extracted_page:decode_raw_body", RawText
)
_MAX_ERROR_PAGE_BYTES = 256 * 1024

R = TypeVar("R")


class PageTasks:
    """Reads responses apart from the server's own process, because a page may be hostile.

    Every method raises UnsurePage with a doubtful page, and the errors of pages. A page that
    takes too much time or memory, or that crashes its reader, fails for its caller alone.
    """

    def __init__(self, workers: TaskRunner, documents: DocumentLimits | None = None) -> None:
        """`documents` limits what reading a document may take."""
        self._workers = workers
        self._documents = documents or DocumentLimits()

    def prepare_worker(self) -> None:
        """Start a worker while the page is still being fetched."""
        self._workers.prepare_worker()

    async def read_page(
        self,
        url: str,
        response: HttpResponse,
        *,
        with_documents: bool = True,
        is_rendered: bool = False,
    ) -> ExtractedPage:
        """The page, or the document if those are wanted."""
        documents = self._documents if with_documents else None
        reading = await self._run_on_response(
            _READ_PAGE, url, response, documents=documents, is_rendered=is_rendered
        )
        return _require_sure_page(url, reading)

    async def read_document(self, url: str, response: HttpResponse) -> ExtractedPage | None:
        """The document as a page; None if the response is a page."""
        reading = await self._run_on_response(
            _READ_DOCUMENT, url, response, documents=self._documents
        )
        return _require_sure_page(url, reading) if reading is not None else None

    async def read_markdown(self, url: str, response: HttpResponse) -> ExtractedPage | None:
        """The page that was sent as markdown; None if it is HTML nevertheless."""
        reading = await self._run_on_response(_READ_MARKDOWN, url, response)
        return _require_sure_page(url, reading) if reading is not None else None

    async def read_copy(self, url: str, extracted: ExtractedPage) -> ExtractedPage:
        """A page that somebody else read, checked and finished."""
        reading = await self._run_for_page(_READ_COPY, url, extracted=extracted, address=url)
        return _require_sure_page(url, reading)

    async def decode_raw_body(self, url: str, response: HttpResponse, *, length: int) -> RawText:
        """The first `length` bytes of the body as text."""
        return await self._run_for_page(
            _DECODE_RAW,
            url,
            body=response.body,
            content_type=response.headers.get("content-type", ""),
            length=length,
        )

    async def find_error_wall(self, url: str, response: HttpResponse) -> str | None:
        """What gave the bot wall in an error page away; None if there is none, or it cannot be read."""
        try:
            return await self._workers.run_task(
                _FIND_ERROR_WALL,
                body=response.body[:_MAX_ERROR_PAGE_BYTES],
                response=_describe_response(url, response),
            )
        except TaskFailure as failure:
            logger.info("an error page could not be read: %s", failure.message)
            return None

    async def _run_on_response(
        self, task: WorkerTask[R], url: str, response: HttpResponse, **arguments: object
    ) -> R:
        about = _describe_response(url, response)
        return await self._run_for_page(task, url, body=response.body, response=about, **arguments)

    async def _run_for_page(self, task: WorkerTask[R], url: str, **arguments: object) -> R:
        try:
            return await self._workers.run_task(task, limit_seconds=None, **arguments)
        except TaskFailure as failure:
            raise _build_failure_error(url, failure) from None


def _describe_response(url: str, response: HttpResponse) -> PageResponse:
    return PageResponse(
        url=url,
        final_url=response.url,
        status=response.status,
        headers=dict(response.headers),
        redirected=bool(response.hops),
    )


def _require_sure_page(url: str, reading: PageReading) -> ExtractedPage:
    if reading.doubt is None:
        return reading.extracted
    raise UnsurePage(reading.extracted, page_errors.build_empty_error(url, reading.doubt))


def _build_failure_error(url: str, failure: TaskFailure) -> CitewellError:
    if failure.cause is FailureCause.BUG:
        logger.error("reading a page failed: %s", failure.place)
        return page_errors.build_reader_error(url)
    return document_reader.add_address_to_error(document_reader.convert_task_failure(failure), url)
