"""Puts the whole ladder together as the settings ask: markdown, stealth, html, browser, Exa."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.config import Settings
from citewell.fetch.apps import quiet
from citewell.fetch.browser import BrowserTier
from citewell.fetch.exa import ExaTier
from citewell.fetch.ladder import Tier
from citewell.fetch.papers import Documents, DocumentTier
from citewell.fetch.stealth import StealthTier
from citewell.fetch.tiers import Door, HtmlTier, MarkdownTier
from citewell.net.browser import Browser
from citewell.net.chromium import DISABLED, Habits
from citewell.net.guard import Guard, Resolver, Rules
from citewell.net.network import Network
from citewell.net.stealth import Stealth

EXA = "https://api.exa.ai"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rungs:
    """The tiers in their order, and what has to be closed after them."""

    tiers: tuple[Tier, ...]
    stealth: Stealth
    browser: Browser
    documents: Documents

    async def aclose(self) -> None:
        await self.documents.aclose()
        await self.stealth.aclose()
        await self.browser.aclose()


def build(settings: Settings, network: Network, *, resolver: Resolver | None = None) -> Rungs:
    """Every tier there is; one that is not installed says so when it is asked. Nothing starts yet."""
    size = settings.max_html_bytes
    documents = Documents(settings)
    door = Door(network.client, max_bytes=size, document_bytes=settings.max_document_bytes)
    markdown = MarkdownTier(door, timeout=settings.markdown_timeout)
    html = HtmlTier(door, timeout=settings.page_timeout, papers=documents)
    document = DocumentTier(door, documents, timeout=settings.download_timeout)
    stealth = Stealth(network.guard)
    browser = Browser(network.guard, _habits(settings), quiet=quiet)
    disguised = StealthTier(stealth, max_bytes=size, timeout=settings.stealth_timeout)
    rendered = BrowserTier(browser, max_bytes=size, timeout=settings.browser_timeout)
    # These two connect for themselves, and would go around a proxy of the operator's.
    direct = settings.outbound_proxy is None
    tiers: list[Tier] = [document, markdown]
    tiers += [disguised] if direct and settings.stealth else []
    tiers += [html]
    tiers += [rendered] if direct and settings.chrome_path != DISABLED else []
    tiers += _exa(settings, network, resolver)
    return Rungs(tiers=tuple(tiers), stealth=stealth, browser=browser, documents=documents)


def _habits(settings: Settings) -> Habits:
    return Habits(
        executable=settings.chrome_path,
        pages=settings.max_browser_pages,
        idle_seconds=settings.browser_idle_timeout,
        user_agent=settings.user_agent,
        environ=settings.raw,
    )


def _exa(settings: Settings, network: Network, resolver: Resolver | None) -> tuple[Tier, ...]:
    key = settings.raw.get("EXA_API_KEY")
    if not key or not settings.exa_contents:
        return ()
    base_url = settings.raw.get("CITEWELL_EXA_BASE_URL") or EXA
    # The search provider of the same name shares this door, and so its pace and breaker.
    upstream = network.upstream("exa", base_url=base_url, per_second=5.0, burst=5)
    return (ExaTier(upstream, key=key, public=Guard(Rules(), resolver=resolver)),)
