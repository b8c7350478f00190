"""Builds the tiers that the settings ask for: document, markdown, stealth, html, browser, Exa."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

from citewell.core.config import Settings
from citewell.core.errors import Blocked, BrowserUnavailable, CitewellError, NetworkFailed
from citewell.net.address_guard import DisclosureRule
from citewell.net.browser.chromium_process import BROWSER_DISABLED, BrowserSettings
from citewell.net.browser.page_browser import PageBrowser
from citewell.net.browser.stealth_client import StealthClient
from citewell.net.http.file_downloads import find_operator_contact
from citewell.net.http.messages import RequestSender
from citewell.net.network import Network
from citewell.net.settings import NetSettings
from citewell.net.upstream import json_responses
from citewell.net.upstream.upstream_client import Upstream
from citewell.reading import fetch_tiers, page_errors
from citewell.reading.documents.document_text import DocumentLimits
from citewell.reading.extracted_page import ExtractedPage, UnsurePage
from citewell.reading.metadata.page_metadata import ExtractedMetadata
from citewell.reading.page_tasks import PageTasks
from citewell.reading.settings import ReadingSettings
from citewell.text.calendar_dates import parse_provider_date
from citewell.workers.settings import WorkersSettings
from citewell.workers.worker_tasks import TaskRunner

QUIET_SECONDS = 0.5  # seconds without a change in the page before it is read
JAVASCRIPT_QUIET_SECONDS = 2.0

# Subdomains of these hosts count too.
JAVASCRIPT_HOSTS = frozenset({
    "bsky.app", "dev.to", "facebook.com", "frontify.com", "go.dev", "instagram.com", "linkedin.com",
    "medium.com", "news.google.com", "patents.google.com", "scholar.google.com", "threads.com",
    "threads.net", "tiktok.com", "trends.google.com", "youtube.com",
})  # fmt: skip

EXA_TIMEOUT_SECONDS = 30.0

_DOWNLOAD_TIMEOUT_SECONDS = 30.0
STEALTH_TIMEOUT_SECONDS = 20.0

BROWSER_TIMEOUT_SECONDS = 30.0

EXA_BASE_URL = "https://api.exa.ai"


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSet:
    """The tiers in their order, and the resources to close after use."""

    tiers: tuple[fetch_tiers.FetchTier, ...]
    stealth: StealthClient
    browser: PageBrowser

    async def aclose(self) -> None:
        await self.stealth.aclose()
        await self.browser.aclose()


def build_tiers(settings: Settings, network: Network, workers: TaskRunner) -> TierSet:
    """Build the tiers without starting anything; a tier whose library is missing raises when used."""
    net_settings = settings[NetSettings]
    reading_settings = settings[ReadingSettings]
    size = reading_settings.max_html_bytes
    tasks = PageTasks(workers, choose_document_limits(settings))
    fetcher = fetch_tiers.PageFetcher(
        network.client,
        tasks,
        max_bytes=size,
        document_bytes=reading_settings.max_document_bytes,
        contact=find_operator_contact(net_settings.contact, settings.raw),
    )
    patience = reading_settings.page_timeout
    markdown = fetch_tiers.MarkdownTier(
        fetcher, tasks, timeout=min(patience, fetch_tiers.MARKDOWN_TIMEOUT_SECONDS)
    )
    html = fetch_tiers.HtmlTier(fetcher, tasks, timeout=patience, with_documents=True)
    document = fetch_tiers.DocumentTier(fetcher, tasks, timeout=_DOWNLOAD_TIMEOUT_SECONDS)
    stealth = StealthClient(network.guard)
    browser = PageBrowser(
        network.guard, _build_browser_habits(settings), settle_seconds=choose_quiet_seconds
    )
    disguised = StealthTier(stealth, tasks, max_bytes=size)
    rendered = BrowserTier(browser, tasks, max_bytes=size)
    # Stealth and browser open their own connections, which would bypass the operator's proxy.
    direct = net_settings.outbound_proxy is None
    tiers: list[fetch_tiers.FetchTier] = [document, markdown]
    tiers += [disguised] if direct and reading_settings.stealth else []
    tiers += [html]
    tiers += [rendered] if direct and reading_settings.chrome_path != BROWSER_DISABLED else []
    tiers += _build_exa_tiers(settings, network, tasks)
    return TierSet(tiers=tuple(tiers), stealth=stealth, browser=browser)


def choose_document_limits(settings: Settings) -> DocumentLimits:
    workers_settings = settings[WorkersSettings]
    return DocumentLimits(
        max_bytes=settings[ReadingSettings].max_document_bytes,
        timeout=workers_settings.document_timeout,
        memory=workers_settings.document_memory_mb * 2**20,
    )


def _build_browser_habits(settings: Settings) -> BrowserSettings:
    reading_settings = settings[ReadingSettings]
    return BrowserSettings(
        executable=reading_settings.chrome_path,
        max_open_pages=reading_settings.max_browser_pages,
        user_agent=settings[NetSettings].user_agent,
        environ=settings.raw,
    )


def _build_exa_tiers(
    settings: Settings, network: Network, tasks: PageTasks
) -> tuple[fetch_tiers.FetchTier, ...]:
    key = settings.raw.get("EXA_API_KEY")
    if not key or not settings[ReadingSettings].exa_contents:
        return ()
    base_url = settings.raw.get("CITEWELL_EXA_BASE_URL") or EXA_BASE_URL
    # The search provider `exa` uses the same upstream, and so shares its rate limit and breaker.
    upstream = network.open_upstream(
        "exa", base_url=base_url, secret_headers={"x-api-key": key}, per_second=5.0, burst=5
    )
    return (ExaTier(upstream, tasks, disclosure=network.disclosure),)


# The tier that renders a page in Chromium and reads the rendered HTML.


class BrowserTier:
    """Reads a page as a browser renders it; the sender is a `net.browser.Browser`, or a fake in tests."""

    name = "browser"

    def __init__(
        self,
        sender: RequestSender,
        tasks: PageTasks,
        *,
        max_bytes: int,
        timeout: float = BROWSER_TIMEOUT_SECONDS,
    ) -> None:
        self._fetcher = fetch_tiers.PageFetcher(sender, tasks, max_bytes=max_bytes)
        self._html = fetch_tiers.HtmlTier(self._fetcher, tasks, timeout=timeout, is_rendered=True)
        self._timeout = timeout

    async def fetch_page(self, climb: fetch_tiers.FetchAttempt) -> ExtractedPage:
        try:
            response = await self._fetcher.fetch_response(
                climb.url, accept="", timeout=self._timeout
            )
        except BrowserUnavailable as error:
            if climb.outcomes and all(
                isinstance(seen, NetworkFailed) for _, seen in climb.outcomes
            ):
                # Earlier tiers could not reach the host, and a browser could not either.
                raise page_errors.build_network_error(
                    climb.url, error.detail or "no browser", reason=climb.outcomes[-1][1].reason
                ) from None
            raise
        return await read_as_tier(self._html, replace(climb, response=response), self.name)


# The tier that repeats the request in Chrome's form, if a site blocked our own user agent.


class StealthTier:
    """Reads the HTML that an earlier tier received, if it is not blocked; else fetches it as Chrome."""

    name = "stealth"

    def __init__(
        self,
        sender: RequestSender,
        tasks: PageTasks,
        *,
        max_bytes: int,
        timeout: float = STEALTH_TIMEOUT_SECONDS,
    ) -> None:
        self._fetcher = fetch_tiers.PageFetcher(sender, tasks, max_bytes=max_bytes)
        self._html = fetch_tiers.HtmlTier(self._fetcher, tasks, timeout=timeout)
        self._timeout = timeout

    async def fetch_page(self, climb: fetch_tiers.FetchAttempt) -> ExtractedPage:
        if climb.response is not None and (extracted := await self._read_earlier_response(climb)):
            return extracted
        response = await self._fetcher.fetch_response(climb.url, accept="", timeout=self._timeout)
        return await read_as_tier(self._html, replace(climb, response=response), self.name)

    async def _read_earlier_response(self, climb: fetch_tiers.FetchAttempt) -> ExtractedPage | None:
        """The page in the response that an earlier tier received; None if that was a bot wall.

        An empty shell or a short text would be the same for every client, so the page is not
        requested again: raises ContentEmpty.
        """
        try:
            return await self._html.fetch_page(climb)
        except Blocked:
            return None
        except (UnsurePage, CitewellError) as error:
            if isinstance(error, fetch_tiers.DEFINITIVE_ERRORS):
                raise
            raise page_errors.build_empty_error(climb.url, "not needed") from None


async def read_as_tier(
    html: fetch_tiers.HtmlTier, climb: fetch_tiers.FetchAttempt, name: str
) -> ExtractedPage:
    """The page that the HTML tier reads in the attempt's response, under the name of the tier that fetched it."""
    try:
        return replace(await html.fetch_page(climb), extracted_by=name)
    except UnsurePage as unsure:
        raise UnsurePage(replace(unsure.extracted, extracted_by=name), unsure.error) from None


# The last tier: Exa's copy of a page.


class _ExaPage(json_responses.ResponsePart):
    title: json_responses.OptionalField[str] = None
    author: json_responses.OptionalField[str] = None
    publishedDate: json_responses.OptionalField[str] = None  # noqa: N815 - the upstream's spelling
    text: json_responses.OptionalField[str] = None


class _ExaFault(json_responses.ResponsePart):
    tag: json_responses.OptionalField[str] = None


class _ExaStatus(json_responses.ResponsePart):
    source: json_responses.OptionalField[str] = None  # cached or crawled
    error: json_responses.OptionalField[_ExaFault] = None


class _ExaContents(json_responses.JsonResponse):
    results: json_responses.TolerantItems[_ExaPage] = ()
    statuses: json_responses.TolerantItems[_ExaStatus] = ()


class ExaTier:
    """Sends the address to Exa, if its host is public and our own policy has not refused it."""

    name = "exa"

    def __init__(
        self,
        upstream: Upstream,
        tasks: PageTasks,
        *,
        disclosure: DisclosureRule,
        timeout: float = EXA_TIMEOUT_SECONDS,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._upstream = upstream
        self._tasks = tasks
        self._disclosure = disclosure
        self._timeout = timeout
        self._now = now

    async def fetch_page(self, climb: fetch_tiers.FetchAttempt) -> ExtractedPage:
        await self._check_public_host(climb.url)
        contents = await self._request_contents(climb.url)
        status = next(iter(contents.statuses), _ExaStatus())
        page = next((page for page in contents.results if (page.text or "").strip()), None)
        if page is None:
            tag = (status.error.tag if status.error else None) or "no text"
            if tag == "CRAWL_NOT_FOUND":
                raise page_errors.build_not_found_error(climb.url, tag)
            raise page_errors.build_empty_error(climb.url, tag)
        extracted = self._build_exa_page(climb.url, page, source=status.source)
        return await self._tasks.read_copy(climb.url, extracted)

    async def _check_public_host(self, url: str) -> None:
        try:
            await self._disclosure.check_disclosable(url)
        except CitewellError:
            raise page_errors.build_empty_error(
                url, "not sent, because its host is not public"
            ) from None

    async def _request_contents(self, url: str) -> _ExaContents:
        """Send one paid request without retry. Every failure, also of the account, becomes ContentEmpty."""
        try:
            response = await self._upstream.send_post(
                "/contents",
                json={"urls": [url], "text": True},
                idempotent=False,
                timeout=self._timeout,
            )
            return json_responses.read_json_response(_ExaContents, response)
        except CitewellError as error:
            raise page_errors.build_empty_error(
                url, error.detail or error.message.rstrip(".")
            ) from None

    def _build_exa_page(self, url: str, page: _ExaPage, *, source: str | None) -> ExtractedPage:
        """What Exa sent, not cleaned yet."""
        published = parse_provider_date(page.publishedDate, now=self._now())
        about = ExtractedMetadata(
            title=page.title or "",
            author=page.author,
            published=published.isoformat() if published else None,
            published_basis=self.name if published else None,
        )
        return ExtractedPage(
            final_url=url,
            content=(page.text or "").strip(),
            content_type="text",
            metadata=about,
            extracted_by="exa:crawled" if source == "crawled" else "exa:cached",
        )


# Sites that show nothing without JavaScript: the browser tier is tried first, and waits longer.


def is_javascript_site(url: str) -> bool:
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    parts = host.split(".")
    return any(".".join(parts[start:]) in JAVASCRIPT_HOSTS for start in range(len(parts)))


def choose_quiet_seconds(url: str) -> float:
    """How many seconds a page must stay unchanged in the browser before it is read."""
    return JAVASCRIPT_QUIET_SECONDS if is_javascript_site(url) else QUIET_SECONDS


def order_tiers(
    tiers: Iterable[fetch_tiers.FetchTier], url: str
) -> tuple[fetch_tiers.FetchTier, ...]:
    """The tiers in the order to try for `url`: the browser first on a JavaScript site.

    The document tier is left out unless the address names a document; documents behind other
    addresses are recognized when the response arrives.
    """
    named = fetch_tiers.is_named_document(url)
    given = tuple(tier for tier in tiers if named or tier.name != "document")
    if named or not is_javascript_site(url):
        return given
    return tuple(sorted(given, key=lambda tier: tier.name != "browser"))
