"""The tiers that fetch a page by plain requests: as a document, as markdown, as HTML; and their ladder."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol
from urllib.parse import urlsplit

from citewell.core import errors
from citewell.net.http.file_downloads import build_contact_headers
from citewell.net.http.messages import HttpRequest, HttpResponse, RequestSender
from citewell.net.http.rate_limit_headers import read_retry_delay
from citewell.net.robots_rules import RobotsPolicy
from citewell.net.url_grammar import parse_url
from citewell.reading import bot_walls, page_errors
from citewell.reading.documents.document_text import UnreadableDocument
from citewell.reading.extracted_page import ExtractedPage, UnsurePage
from citewell.reading.page_errors import merge_tier_errors
from citewell.reading.page_tasks import PageTasks
from citewell.text.addresses import extract_host

# Another tier would get the same outcome, and asking again would only burden the server.
DEFINITIVE_ERRORS = (
    errors.InvalidInput,
    errors.NotFound,
    errors.AuthRequired,
    errors.RateLimited,
    errors.TooLarge,
    UnreadableDocument,
)

TierNote = Callable[[str], Awaitable[None]]

MARKDOWN_TIMEOUT_SECONDS = 5.0
_ACCEPT_MARKDOWN = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5"
_ACCEPT_HTML = "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8"

_DOCUMENT_SUFFIX = re.compile(
    r"\.(?:pdf|docx?|pptx?|xls[xbm]?|od[tsp]|epub|rtf|csv|tsv|eml|msg|rss|atom)$", re.IGNORECASE
)
_ACCEPT_DOCUMENTS = "application/pdf, application/*;q=0.9, text/*;q=0.8, */*;q=0.5"


class DocumentTier:
    """Fetches addresses that name a document, with the time and size limits of documents."""

    name = "document"

    def __init__(self, fetcher: PageFetcher, tasks: PageTasks, *, timeout: float) -> None:
        self._fetcher = fetcher
        self._tasks = tasks
        self._timeout = timeout

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        response = await self._fetcher.fetch_response(
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


async def check_page_allowed(url: str, robots: RobotsPolicy | None) -> None:
    """Raise the error for an address that is refused, or that robots.txt disallows.

    `robots` is None if the operator turned the check off.
    """
    try:
        parse_url(url)
        if robots is not None:
            await robots.check_robots(url)
    except errors.RefusedByPolicy as error:
        raise page_errors.build_refusal(url, error) from None
    except errors.NetworkFailed as error:
        raise page_errors.build_network_error(url, error.message, reason=error.reason) from None


# The two plain tiers: ask for markdown, or fetch HTML and extract its main content.


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
        except errors.RefusedByPolicy as error:
            raise page_errors.build_refusal(url, error) from None
        except errors.TooLarge:
            raise page_errors.build_size_error(url, self._max_bytes) from None
        except errors.NetworkFailed as error:
            raise page_errors.build_network_error(url, error.message, reason=error.reason) from None
        except errors.UpstreamUnavailable as error:
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
        head = bot_walls.InspectedPage(status=status, headers=response.headers, html="", text="")
        found = bot_walls.find_bot_wall(head)
        wall = found.detected_by if found is not None else None
        if wall is None and not 200 <= status < 300:
            wall = await self._tasks.find_error_wall(url, response)
        if wall is not None:
            raise page_errors.build_wall_error(url, wall)
        if not 200 <= status < 300:
            delay = read_retry_delay(response.headers, now=self._now)
            raise page_errors.build_status_error(url, status, delay=delay)


def _build_page_headers(accept: str, *, packed: bool) -> dict[str, str]:
    headers = {"accept": accept, "accept-language": "en;q=0.8, *;q=0.5"}
    return headers if packed else headers | {"accept-encoding": "identity"}


class MarkdownTier:
    """Asks for markdown, which some servers offer; HTML that comes instead is left to the next tier."""

    name = "markdown"

    def __init__(
        self, fetcher: PageFetcher, tasks: PageTasks, *, timeout: float = MARKDOWN_TIMEOUT_SECONDS
    ) -> None:
        self._fetcher = fetcher
        self._tasks = tasks
        self._timeout = timeout

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        response = await self._fetcher.fetch_response(
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
        fetcher: PageFetcher,
        tasks: PageTasks,
        *,
        timeout: float,
        with_documents: bool = False,
        is_rendered: bool = False,
    ) -> None:
        """`with_documents` reads documents as well; `is_rendered` says that scripts have been run."""
        self._fetcher = fetcher
        self._tasks = tasks
        self._timeout = timeout
        self._with_documents = with_documents
        self._is_rendered = is_rendered

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        response = climb.response or await self._fetcher.fetch_response(
            climb.url, accept=_ACCEPT_HTML, timeout=self._timeout
        )
        return await self._tasks.read_page(
            climb.url,
            response,
            with_documents=self._with_documents,
            is_rendered=self._is_rendered,
        )


# Tries the tiers from the cheapest to the most expensive, and stops at a definitive outcome.


@dataclass(slots=True, kw_only=True)
class FetchAttempt:
    """The state of fetching one page, passed from tier to tier."""

    url: str
    response: HttpResponse | None = (
        None  # an earlier tier's response, reused instead of a second request
    )
    outcomes: list[tuple[str, errors.CitewellError]] = field(default_factory=list)
    candidate: ExtractedPage | None = None


class FetchTier(Protocol):
    """One way of fetching a page: document, markdown, stealth, HTML, browser or Exa."""

    name: str

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        """The page. Raises UnsurePage with a doubtful one, or an error that says why there is none."""
        ...


TierOrder = Callable[[Sequence[FetchTier], str], Sequence[FetchTier]]


def keep_given_order(tiers: Sequence[FetchTier], _url: str) -> Sequence[FetchTier]:
    return tiers


class TierLadder:
    """Tries its tiers on an address, in the order that `order` chooses for it."""

    def __init__(self, tiers: Sequence[FetchTier], *, order: TierOrder = keep_given_order) -> None:
        self._tiers = tuple(tiers)
        self._order = order

    async def climb_tiers(self, url: str, *, note: TierNote | None = None) -> ExtractedPage:
        """The first page that a tier trusts, else the longest doubtful one with quality `partial`.

        Raises at once for a definitive error, else one error with the outcome of every tier.
        `note` is called with the name of each tier before it is tried.
        """
        climb = FetchAttempt(url=url)
        for tier in self._order(self._tiers, url):
            if note is not None:
                await note(tier.name)
            try:
                return await tier.fetch_page(climb)
            except UnsurePage as unsure:
                # Of the doubtful pages the longest is kept.
                kept = climb.candidate
                if kept is None or len(unsure.extracted.content) > len(kept.content):
                    climb.candidate = unsure.extracted
                climb.outcomes.append((tier.name, unsure.error))
            except DEFINITIVE_ERRORS:
                raise
            except errors.CitewellError as error:
                climb.outcomes.append((tier.name, error))
        if climb.candidate is not None:
            return replace(climb.candidate, quality="partial")
        raise merge_tier_errors(climb.outcomes)
