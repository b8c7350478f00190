"""Reads a brand portal with its pages on colours, typography, logos and voice."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

from citewell.errors import CitewellError
from citewell.model.domains.brand import BrandRecord, StatedColor, StatedFont
from citewell.services.domains.brands.brand_page_facts import GuidelineFacts
from citewell.services.domains.brands.brand_probes import BrandPage
from citewell.services.domains.brands.site_visits import SiteVisitor
from citewell.services.reading.cached_pages import CachedPageReader
from citewell.workers.worker_tasks import TaskFailure

_MAX_SUBPAGES = 4
_MAX_PAGE_CHARS = 100_000
_MAX_PORTAL_CHARS = 400_000
_MIN_PORTAL_CHARS = 200  # less is the shell of a page that a browser would fill


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandPortal:
    """A portal as it was read; the text is empty if it could not be."""

    record: BrandRecord
    text: str


class PortalReader:
    def __init__(self, pages: CachedPageReader, visitor: SiteVisitor) -> None:
        self._pages = pages
        self._visitor = visitor

    async def read_portal(self, page: BrandPage, *, source: str, tenant: str | None) -> BrandPortal:
        """The portal's text and what it states; pages that fail are left out."""
        subpages = [link.url for link in page.facts.subpages[:_MAX_SUBPAGES]]
        main, *others = await asyncio.gather(
            self._read_portal_text(page.url, tenant),
            *(self._read_portal_text(url, tenant) for url in subpages),
        )
        # The whole page has swatches that the reader of articles leaves out; a browser sees more still.
        own = max(main, page.facts.text, key=len)
        texts = {page.url: own} | dict(zip(subpages, others, strict=True))
        kept = {url: text for url, text in texts.items() if text.strip()}
        if sum(map(len, kept.values())) < _MIN_PORTAL_CHARS:
            kept = {}
        stated = [page.facts.guidelines]
        for url, text in texts.items():
            if text and not (url == page.url and text == page.facts.text):
                with contextlib.suppress(TaskFailure):  # the other texts still count
                    stated.append(await self._visitor.read_guidelines(text))
        return BrandPortal(
            record=_build_record(page, stated, source=source),
            text="\n\n---\n\n".join(f"Source: {url}\n\n{text}" for url, text in kept.items())[
                :_MAX_PORTAL_CHARS
            ],
        )

    async def _read_portal_text(self, url: str, tenant: str | None) -> str:
        try:
            page = await self._pages.read_page(url, max_length=_MAX_PAGE_CHARS, tenant=tenant)
        except CitewellError:
            return ""
        return page.content


def _build_record(page: BrandPage, stated: list[GuidelineFacts], *, source: str) -> BrandRecord:
    colors: dict[str, StatedColor] = {}
    fonts: dict[str, StatedFont] = {}
    for facts in stated:
        for color in facts.colors:
            colors.setdefault(color.hex, color)
        for font in facts.fonts:
            fonts.setdefault(font.role, font)
    google = page.facts.google_fonts_url if fonts else None
    return BrandRecord(
        source=source,
        url=page.url,
        colors=tuple(colors.values()),
        fonts=tuple(_add_origin(font, google) for font in fonts.values()),
        google_fonts_url=google,
        tone=next((facts.tone for facts in stated if facts.tone), None),
        logos=page.facts.logo_files,
    )


def _add_origin(font: StatedFont, google: str | None) -> StatedFont:
    """The font with its origin, if the page loads that family from Google."""
    family = font.family.replace(" ", "+")
    if not google or f"family={family}".lower() not in google.lower().replace("%20", "+"):
        return font
    return StatedFont(
        family=font.family,
        role=font.role,
        weights=font.weights,
        origin="google",
        origin_id=font.family,
    )
