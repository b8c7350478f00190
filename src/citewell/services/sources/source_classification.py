"""Classifies pages as sources, with their authority, and formats their citations."""

from __future__ import annotations

from datetime import UTC, datetime

from citewell.fetch.metadata.page_doi import list_own_dois
from citewell.fetch.metadata.source_types import SourceStanding, classify_source
from citewell.model.page import Page
from citewell.model.research_session import SessionSource
from citewell.model.scrape_results import CitationFormats, CitationMetadata, PageCitation
from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.bibliographies import format_style_entry
from citewell.text.citations.bibtex_format import format_bibtex_entry
from citewell.text.citations.citable_works import (
    CitableWork,
    find_literal_names,
    mark_literal_names,
    parse_author_line,
)
from citewell.text.citations.official_records import recognize_official_record
from citewell.text.web import addresses


def classify_page(page: Page) -> SourceStanding:
    """The source type and authority, from the page's structured data, then from its host."""
    return classify_source(page.final_url, page.structured)


def classify_host(url: str) -> SourceStanding:
    return classify_source(url)


def list_claimed_dois(page: Page) -> tuple[str, ...]:
    """The DOIs that the page's metadata or address claim for it, the strongest claim first."""
    return list_own_dois(page.url, page.final_url, page.declared_doi)


def cite_page(page: Page, *, doi: str | None = None) -> PageCitation:
    work = CitableWork(
        url=page.final_url,
        title=page.title,
        authors=list_page_authors(page),
        site=page.site or addresses.format_host_name(page.final_url),
        published=page.published or "",
        doi=doi or "",
    )
    return _format_page_citation(work, author=page.author or "", accessed=page.fetched_at)


def describe_page_source(url: str, page: Page, *, doi: str | None = None) -> SessionSource:
    """The page as a source that was read, with what the page itself states."""
    named = "; ".join(by.name for by in page.authors) or page.author or ""
    literals = find_literal_names(list_page_authors(page))
    return SessionSource(
        url=url,
        title=page.title,
        author=mark_literal_names(named, literals) or None,
        site=page.site,
        date=page.published,
        doi=doi,
        stage="read",
        basis="page",
    )


def list_page_authors(page: Page) -> tuple[AuthorName, ...]:
    named = tuple(AuthorName(name=by.name, organisation=by.organisation) for by in page.authors)
    return named or parse_author_line(page.author)


def cite_address(url: str, *, accessed: datetime) -> PageCitation:
    """The citation of a page that was not parsed: only its address and site are known."""
    work = CitableWork(url=url, site=addresses.format_host_name(url))
    return _format_page_citation(work, author="", accessed=accessed)


def _format_page_citation(
    work: CitableWork, *, author: str, accessed: datetime | None
) -> PageCitation:
    day = (accessed or datetime.now(UTC)).date()
    known = recognize_official_record(work)
    return PageCitation(
        url=work.url,
        accessed_date=day.isoformat(),
        metadata=CitationMetadata(
            title=work.title,
            author=author,
            literal_authors=find_literal_names(work.authors) or None,
            site=work.site,
            date=work.published,
        ),
        formatted=CitationFormats(
            apa=format_style_entry(known, style="apa", accessed=day),
            mla=format_style_entry(known, style="mla", accessed=day),
            bibtex=format_bibtex_entry(known, accessed=day),
        ),
    )
