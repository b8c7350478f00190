"""The two plain tiers: ask for markdown, or fetch HTML and extract its main content."""

from __future__ import annotations

import time
from collections.abc import Callable

from citewell.errors import (
    CitewellError,
    NetworkFailed,
    RefusedByPolicy,
    TooLarge,
    UpstreamUnavailable,
)
from citewell.fetch import bot_walls, page_errors
from citewell.fetch.extracted_page import ExtractedPage
from citewell.fetch.page_tasks import PageTasks
from citewell.fetch.tiers.tier_ladder import FetchAttempt
from citewell.net.http.messages import HttpRequest, HttpResponse, RequestSender
from citewell.net.http.rate_limit_headers import read_retry_delay
from citewell.net.http.request_headers import build_contact_headers
from citewell.text.web.addresses import extract_host

MARKDOWN_TIMEOUT_SECONDS = 5.0
_ACCEPT_MARKDOWN = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5"
_ACCEPT_HTML = "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8"


class PageFetcher:
    """Fetches pages, and turns network errors and HTTP statuses into page errors."""

    def __init__(
        self,
        sender: RequestSender,
        tasks: PageTasks,
        *,
        max_bytes: int,
        document_bytes: int | None = None,
        max_prefix_bytes: int | None = None,
        contact: str | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`tasks` looks for bot walls in error pages; `contact` is told to sites that want one."""
        self._sender = sender
        self._tasks = tasks
        self._max_bytes = max_bytes
        self._document_bytes = document_bytes
        self._beginning = max_prefix_bytes  # bytes kept of a longer body; None refuses those
        self._contact = contact
        self._now = now

    async def fetch_response(self, url: str, *, accept: str, timeout: float) -> HttpResponse:  # noqa: ASYNC109 - passed on to the request
        request = HttpRequest(
            url=url,
            headers={
                **_build_page_headers(accept, packed=self._beginning is None),
                **build_contact_headers(extract_host(url), self._contact),
            },
            timeout=timeout,
            max_bytes=self._max_bytes,
            max_document_bytes=self._document_bytes,
            first_bytes=self._beginning,
            page=True,
        )
        self._tasks.prepare_worker()
        try:
            response = await self._sender.send_request(request)
        except RefusedByPolicy as error:
            raise page_errors.build_refusal(url, error) from None
        except TooLarge:
            raise page_errors.build_size_error(url, self._max_bytes) from None
        except NetworkFailed as error:
            raise page_errors.build_network_error(url, error.message, reason=error.reason) from None
        except UpstreamUnavailable as error:
            raise page_errors.build_bad_response_error(
                url, error.message, reason=error.reason
            ) from None
        await self._check_response(url, response)
        return response

    async def _check_response(self, url: str, response: HttpResponse) -> None:
        """Raise the error for any response but a 2xx without the header of a bot wall."""
        status = response.status
        if status in {404, 410}:
            raise page_errors.build_not_found_error(url, f"HTTP {status}")
        wall = _find_header_wall(response)
        if wall is None and not 200 <= status < 300:
            wall = await self._tasks.find_error_wall(url, response)
        if wall is not None:
            raise page_errors.build_wall_error(url, wall)
        if not 200 <= status < 300:
            raise _build_status_error(url, response, now=self._now)


def _build_page_headers(accept: str, *, packed: bool) -> dict[str, str]:
    headers = {"accept": accept, "accept-language": "en;q=0.8, *;q=0.5"}
    return headers if packed else headers | {"accept-encoding": "identity"}


def _build_status_error(
    url: str, response: HttpResponse, *, now: Callable[[], float]
) -> CitewellError:
    status = response.status
    if status in {401, 402, 407}:
        return page_errors.build_login_error(url, f"HTTP {status}")
    if status == 403:
        return page_errors.build_wall_error(url, f"HTTP {status}")
    if status == 451:
        return page_errors.build_legal_error(url)
    if status == 429:
        return page_errors.build_rate_limit_error(url, read_retry_delay(response.headers, now=now))
    if 400 <= status < 500:
        return page_errors.build_status_error(url, status)
    return page_errors.build_server_error(url, status)


def _find_header_wall(response: HttpResponse) -> str | None:
    wall = bot_walls.find_bot_wall(
        bot_walls.InspectedPage(status=response.status, headers=response.headers, html="", text="")
    )
    return wall.detected_by if wall is not None else None


class MarkdownTier:
    """Asks for markdown, which some servers offer; HTML that comes instead is left to the next tier."""

    name = "markdown"

    def __init__(
        self, door: PageFetcher, tasks: PageTasks, *, timeout: float = MARKDOWN_TIMEOUT_SECONDS
    ) -> None:
        self._door = door
        self._tasks = tasks
        self._timeout = timeout

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        response = await self._door.fetch_response(
            climb.url, accept=_ACCEPT_MARKDOWN, timeout=self._timeout
        )
        if response.content_type not in {"text/markdown", "text/x-markdown"}:
            climb.response = response
            raise page_errors.build_empty_error(climb.url, "not offered")
        extracted = await self._tasks.read_markdown(climb.url, response)
        if extracted is None:
            climb.response = response
            raise page_errors.build_empty_error(climb.url, "HTML labelled as markdown")
        return extracted


class HtmlTier:
    """Fetches the HTML of a page and has its main content extracted."""

    name = "html"

    def __init__(
        self,
        door: PageFetcher,
        tasks: PageTasks,
        *,
        timeout: float,
        with_documents: bool = False,
        is_rendered: bool = False,
    ) -> None:
        """`with_documents` reads documents as well; `is_rendered` says that scripts have been run."""
        self._door = door
        self._tasks = tasks
        self._timeout = timeout
        self._with_documents = with_documents
        self._is_rendered = is_rendered

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        response = climb.response or await self._door.fetch_response(
            climb.url, accept=_ACCEPT_HTML, timeout=self._timeout
        )
        return await self._tasks.read_page(
            climb.url,
            response,
            with_documents=self._with_documents,
            is_rendered=self._is_rendered,
        )
