"""Builds the tiers that the settings ask for: document, markdown, stealth, html, browser, Exa."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.config import Settings
from citewell.fetch.documents.document_text import DocumentLimits
from citewell.fetch.page_tasks import PageTasks
from citewell.fetch.tiers.browser_tier import BrowserTier
from citewell.fetch.tiers.document_tier import DocumentTier
from citewell.fetch.tiers.exa_tier import ExaTier
from citewell.fetch.tiers.javascript_sites import choose_quiet_seconds
from citewell.fetch.tiers.plain_tiers import HtmlTier, MarkdownTier, PageFetcher
from citewell.fetch.tiers.stealth_tier import StealthTier
from citewell.fetch.tiers.tier_ladder import FetchTier
from citewell.net.browser.chromium_process import BROWSER_DISABLED, BrowserSettings
from citewell.net.browser.page_browser import PageBrowser
from citewell.net.browser.stealth_client import StealthClient
from citewell.net.http.request_headers import find_operator_contact
from citewell.net.network import Network
from citewell.workers.worker_tasks import TaskRunner

EXA_BASE_URL = "https://api.exa.ai"


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSet:
    """The tiers in their order, and the resources to close after use."""

    tiers: tuple[FetchTier, ...]
    stealth: StealthClient
    browser: PageBrowser

    async def aclose(self) -> None:
        await self.stealth.aclose()
        await self.browser.aclose()


def build_tiers(settings: Settings, network: Network, workers: TaskRunner) -> TierSet:
    """Build the tiers without starting anything; a tier whose library is missing raises when used."""
    size = settings.max_html_bytes
    tasks = PageTasks(workers, choose_document_limits(settings))
    door = PageFetcher(
        network.client,
        tasks,
        max_bytes=size,
        document_bytes=settings.max_document_bytes,
        contact=find_operator_contact(settings.contact, settings.raw),
    )
    markdown = MarkdownTier(door, tasks, timeout=settings.markdown_timeout)
    html = HtmlTier(door, tasks, timeout=settings.page_timeout, with_documents=True)
    document = DocumentTier(door, tasks, timeout=settings.download_timeout)
    stealth = StealthClient(network.guard)
    browser = PageBrowser(
        network.guard, _build_browser_habits(settings), settle_seconds=choose_quiet_seconds
    )
    disguised = StealthTier(stealth, tasks, max_bytes=size, timeout=settings.stealth_timeout)
    rendered = BrowserTier(browser, tasks, max_bytes=size, timeout=settings.browser_timeout)
    # Stealth and browser open their own connections, which would bypass the operator's proxy.
    direct = settings.outbound_proxy is None
    tiers: list[FetchTier] = [document, markdown]
    tiers += [disguised] if direct and settings.stealth else []
    tiers += [html]
    tiers += [rendered] if direct and settings.chrome_path != BROWSER_DISABLED else []
    tiers += _build_exa_tiers(settings, network, tasks)
    return TierSet(tiers=tuple(tiers), stealth=stealth, browser=browser)


def choose_document_limits(settings: Settings) -> DocumentLimits:
    return DocumentLimits(
        max_bytes=settings.max_document_bytes,
        timeout=settings.document_timeout,
        memory=settings.document_memory_mb * 2**20,
    )


def _build_browser_habits(settings: Settings) -> BrowserSettings:
    return BrowserSettings(
        executable=settings.chrome_path,
        max_open_pages=settings.max_browser_pages,
        idle_seconds=settings.browser_idle_timeout,
        user_agent=settings.user_agent,
        environ=settings.raw,
    )


def _build_exa_tiers(
    settings: Settings, network: Network, tasks: PageTasks
) -> tuple[FetchTier, ...]:
    key = settings.raw.get("EXA_API_KEY")
    if not key or not settings.exa_contents:
        return ()
    base_url = settings.raw.get("CITEWELL_EXA_BASE_URL") or EXA_BASE_URL
    # The search provider `exa` uses the same upstream, and so shares its rate limit and breaker.
    upstream = network.open_upstream("exa", base_url=base_url, per_second=5.0, burst=5)
    return (ExaTier(upstream, tasks, key=key, disclosure=network.disclosure),)
