"""What kind of source a page is, how much authority it has, and how it is cited."""

from __future__ import annotations

from datetime import UTC, datetime

from citewell.fetch.classify import Standing, classify
from citewell.fetch.doi import detect
from citewell.model.page import Page
from citewell.model.scrape import Citation, CitationFormats, CitationMetadata
from citewell.text import citation, urls
from citewell.text.names import Author


def of(page: Page) -> Standing:
    """By the page's own marks, then by its host."""
    return classify(page.final_url, page.structured)


def of_host(url: str) -> Standing:
    return classify(url)


def doi(page: Page) -> str | None:
    """The DOI that a scholarly page declares as its own."""
    kind = of(page).source_type
    return detect(page.final_url, page.structured, page.content, source_type=kind)


def cited(page: Page, *, doi: str | None = None) -> Citation:
    work = citation.Work(
        url=page.final_url,
        title=page.title,
        authors=_people(page),
        site=page.site or urls.display(page.final_url),
        published=page.published or "",
        doi=doi or "",
    )
    return _written(work, author=page.author or "", accessed=page.fetched_at)


def _people(page: Page) -> tuple[Author, ...]:
    named = tuple(Author(name=by.name, organisation=by.organisation) for by in page.authors)
    return named or citation.people(page.author)


def cited_bare(url: str, *, accessed: datetime) -> Citation:
    """For bytes that nobody has read: the address is all there is to cite."""
    work = citation.Work(url=url, site=urls.display(url))
    return _written(work, author="", accessed=accessed)


def _written(work: citation.Work, *, author: str, accessed: datetime | None) -> Citation:
    day = (accessed or datetime.now(UTC)).date()
    return Citation(
        url=work.url,
        accessed_date=day.isoformat(),
        metadata=CitationMetadata(
            title=work.title, author=author, site=work.site, date=work.published
        ),
        formatted=CitationFormats(
            apa=citation.apa(work, accessed=day),
            mla=citation.mla(work, accessed=day),
            bibtex=citation.bibtex(work, accessed=day),
        ),
    )
