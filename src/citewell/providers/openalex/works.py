"""A work as OpenAlex has it, read into ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from citewell.model.paper import Copy, Event, Notice, Paper, Person, Scheme
from citewell.net import csl
from citewell.net.answer import Answer, Items, Link, Maybe, Part
from citewell.text import fields, jats
from citewell.text.markup import clean

_SOURCE = "openalex"
_KINDS = {
    "article": "article-journal",
    "book": "book",
    "book-chapter": "chapter",
    "dataset": "dataset",
    "dissertation": "thesis",
    "editorial": "article-journal",
    "erratum": "article-journal",
    "letter": "article-journal",
    "peer-review": "review",
    "preprint": "article",
    "reference-entry": "entry-encyclopedia",
    "report": "report",
    "retraction": "article-journal",
    "review": "article-journal",
    "software": "software",
    "standard": "standard",
}
_VENUES = {"conference": "paper-conference", "repository": "article"}  # an article's, by its source
_WORDS = 20_000  # of an abstract
_NUMBER = re.compile(r"W\d{2,12}", re.IGNORECASE)


class _Source(Part):
    display_name: Maybe[str] = None
    type: Maybe[str] = None
    is_in_doaj: Maybe[bool] = None
    publisher: Maybe[str] = Field(default=None, alias="host_organization_name")


class _Location(Part):
    is_oa: Maybe[bool] = None
    landing_page_url: Maybe[Link] = None
    pdf_url: Maybe[Link] = None
    source: Maybe[_Source] = None
    raw_source_name: Maybe[str] = None
    license: Maybe[str] = None
    version: Maybe[str] = None


class _Named(Part):
    display_name: Maybe[str] = None


class _Authorship(Part):
    author: Maybe[_Named] = None
    raw_author_name: Maybe[str] = None


class _Access(Part):
    is_oa: Maybe[bool] = None


class _Biblio(Part):
    volume: Maybe[csl.Text] = None
    issue: Maybe[csl.Text] = None
    first_page: Maybe[csl.Text] = None
    last_page: Maybe[csl.Text] = None


class _Ids(Part):
    openalex: Maybe[str] = None
    doi: Maybe[str] = None
    pmid: Maybe[str] = None
    pmcid: Maybe[str] = None


class Work(Answer):
    """A work, which may lack anything but its number or DOI."""

    id: Maybe[str] = None
    doi: Maybe[str] = None
    ids: Maybe[_Ids] = None
    title: Maybe[str] = Field(default=None)
    display_name: Maybe[str] = None
    publication_year: Maybe[int] = None
    publication_date: Maybe[str] = None
    type: Maybe[str] = None
    type_crossref: Maybe[str] = None
    language: Maybe[str] = None
    primary_location: Maybe[_Location] = None
    best_oa_location: Maybe[_Location] = None
    locations: Maybe[Items[_Location]] = None
    open_access: Maybe[_Access] = None
    authorships: Items[_Authorship] = ()
    cited_by_count: Maybe[Annotated[int, Field(ge=0)]] = None
    references: Maybe[Annotated[int, Field(ge=0)]] = Field(
        default=None, alias="referenced_works_count"
    )
    referenced_works: Maybe[Items[str]] = None
    biblio: Maybe[_Biblio] = None
    is_retracted: Maybe[bool] = None
    abstract_inverted_index: Maybe[dict[str, Any]] = None

    @model_validator(mode="after")
    def _identified(self) -> Self:
        if not (self.error or self.doi or number(self)):
            raise ValueError("no work's identifier")
        return self


class _Meta(Part):
    count: Maybe[Annotated[int, Field(ge=0)]] = None


class Works(Answer):
    results: Items[Work]
    meta: Maybe[_Meta] = None


def titled(works: tuple[Work, ...]) -> tuple[Paper, ...]:
    return tuple(paper for paper in map(paper, works) if paper.title)


def paper(work: Work) -> Paper:
    ids = _ids(work)
    doi, home = ids.get(Scheme.DOI), work.primary_location or _Location()
    copies, source = _copies(work), home.source or _Source()
    biblio = work.biblio or _Biblio()
    year = fields.issued(str(work.publication_year))
    published = _published(work) or year
    return Paper(
        title=fields.title(jats.line(work.title or work.display_name)),
        source=_SOURCE,
        url=csl.address(doi) if doi else home.landing_page_url or _page(ids),
        ids=ids,
        authors=_authors(work),
        kind=_kind(work, source),
        year=fields.year(year or published),
        published=published,
        venue=jats.line(source.display_name or home.raw_source_name) or None,
        volume=clean(biblio.volume) or None,
        issue=clean(biblio.issue) or None,
        pages=_pages(biblio),
        publisher=clean(source.publisher) or None,
        abstract=_abstract(work.abstract_inverted_index),
        language=clean(work.language) or None,
        citation_count=work.cited_by_count,
        reference_count=work.references,
        open_access=work.open_access.is_oa if work.open_access else None,
        in_doaj=source.is_in_doaj,
        pdf_url=next((copy.url for copy in copies if copy.pdf), None),
        copies=copies,
        events=events(work),
    )


def _ids(work: Work) -> dict[Scheme, str]:
    given = work.ids or _Ids()
    doi = fields.doi(work.doi or given.doi)
    places = [place.landing_page_url or "" for place in work.locations or ()]
    arxiv = [fields.arxiv(place) for place in places if "arxiv.org/abs/" in place]
    if doi and doi.startswith("10.48550/arxiv."):
        arxiv.insert(0, fields.arxiv(f"/{doi.removeprefix('10.48550/arxiv.')}"))
    found = {
        Scheme.DOI: doi,
        Scheme.OPENALEX: number(work),
        Scheme.PMID: fields.pmid((given.pmid or "").rpartition("/")[2]),
        Scheme.PMCID: fields.pmcid((given.pmcid or "").rpartition("/")[2]),
        Scheme.ARXIV: next(filter(None, arxiv), None),
    }
    return {scheme: value for scheme, value in found.items() if value}


def number(work: Work) -> str | None:
    match = _NUMBER.search(work.id or (work.ids.openalex if work.ids else None) or "")
    return match[0].upper() if match else None


def _page(ids: Mapping[Scheme, str]) -> str:
    return f"https://openalex.org/{ids[Scheme.OPENALEX]}" if Scheme.OPENALEX in ids else ""


def _authors(work: Work) -> tuple[Person, ...]:
    names = (
        jats.line((one.author.display_name if one.author else None) or one.raw_author_name)
        for one in work.authorships
    )
    return tuple(Person(name=name) for name in names if name)


def _kind(work: Work, source: _Source) -> str | None:
    if work.type_crossref:
        return csl.kind(work.type_crossref)
    word = clean(work.type).lower()
    if word == "article":
        return _VENUES.get(clean(source.type).lower(), "article-journal")
    return _KINDS.get(word)


def _published(work: Work) -> str | None:
    """It fills in the first of the month or the year where it knows no day."""
    date = fields.issued(work.publication_date)
    return date.removesuffix("-01").removesuffix("-01") if date and len(date) > 7 else date


def _pages(biblio: _Biblio) -> str | None:
    first, last = clean(biblio.first_page), clean(biblio.last_page)
    return fields.pages(f"{first}-{last}" if first and last and last != first else first or last)


def _copies(work: Work) -> tuple[Copy, ...]:
    places = (work.best_oa_location, *(work.locations or ()))
    copies = (_copy(place) for place in places if place and place.is_oa)
    return tuple({copy.url: copy for copy in copies if copy.url}.values())


def _copy(place: _Location) -> Copy:
    kind = clean(place.source.type).lower() if place.source else ""
    return Copy(
        url=place.pdf_url or place.landing_page_url or "",
        pdf=place.pdf_url is not None,
        version=clean(place.version) or None,
        license=clean(place.license) or None,
        host="repository" if kind == "repository" else "publisher",
        source=_SOURCE,
    )


def events(work: Work) -> tuple[Event, ...]:
    if not work.is_retracted:
        return ()
    return (Event(kind=Notice.RETRACTION, source=_SOURCE, label="is_retracted"),)


def _abstract(index: Mapping[str, Any] | None) -> str | None:
    """The words in order of their positions; what is no position is left out."""
    placed = [
        (at, word)
        for word, places in (index or {}).items()
        for at in (places if isinstance(places, list) else ())
        if type(at) is int and at >= 0
    ]
    placed.sort(key=lambda pair: pair[0])
    return jats.abstract(" ".join(word for _, word in placed[:_WORDS]))


def references(work: Work) -> list[str]:
    """The OpenAlex numbers of what it cites."""
    found = (_NUMBER.search(address) for address in work.referenced_works or ())
    return [match[0].upper() for match in found if match]
