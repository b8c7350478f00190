"""What kind of source a page is, how much authority it has, and how it is cited."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from citewell.model.page import Page
from citewell.model.scrape import Citation, CitationFormats, CitationMetadata
from citewell.text import quality, urls


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    source_type: str
    authority_tier: str
    domain_category: str
    authority: float


def of(page: Page) -> Standing:
    return of_host(page.final_url)


def of_host(url: str) -> Standing:
    return Standing(
        source_type="unknown",
        authority_tier=quality.tier(0.5),
        domain_category="general",
        authority=0.5,
    )


def cited(page: Page) -> Citation:
    accessed = page.fetched_at or datetime.now(UTC)
    return _citation(page.final_url, accessed, page)


def cited_bare(url: str, *, accessed: datetime) -> Citation:
    return _citation(url, accessed, None)


def doi(page: Page, stands: Standing) -> str | None:
    return None


def _citation(url: str, accessed: datetime, page: Page | None) -> Citation:
    return Citation(
        url=url,
        accessed_date=accessed.date().isoformat(),
        metadata=CitationMetadata(
            title=page.title if page else "",
            author=(page.author or "") if page else "",
            site=(page.site if page else None) or urls.display(url),
            date=(page.published or "") if page else "",
        ),
        formatted=CitationFormats(apa="", mla="", bibtex=""),
    )
