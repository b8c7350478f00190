"""Parses OpenAlex's works into our papers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from citewell.citations import dois, record_fields
from citewell.citations import record_fields as publisher_markup
from citewell.core.values.paper import (
    IdentifierScheme,
    IntegrityNotice,
    NoticeKind,
    OpenCopy,
    Paper,
)
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects import csl_works
from citewell.text.calendar_dates import extract_year
from citewell.text.data_tables import load_table
from citewell.text.safety.text_cleaning import clean_markup

_PROVIDER_NAME = "openalex"
_SOURCE_TYPE_KINDS = {
    "conference": "paper-conference",
    "repository": "article",
}  # by the source's type
_MAX_ABSTRACT_WORDS = 20_000  # longer abstracts are cut
_WORK_ID_PATTERN = re.compile(r"W\d{2,12}", re.IGNORECASE)


class _OpenAlexSource(wire.ResponsePart):
    display_name: wire.OptionalField[str] = None
    type: wire.OptionalField[str] = None
    is_in_doaj: wire.OptionalField[bool] = None
    publisher: wire.OptionalField[str] = Field(default=None, alias="host_organization_name")


class _OpenAlexLocation(wire.ResponsePart):
    is_oa: wire.OptionalField[bool] = None
    landing_page_url: wire.OptionalField[wire.HttpLink] = None
    pdf_url: wire.OptionalField[wire.HttpLink] = None
    source: wire.OptionalField[_OpenAlexSource] = None
    raw_source_name: wire.OptionalField[str] = None
    license: wire.OptionalField[str] = None
    version: wire.OptionalField[str] = None


class _OpenAlexAuthorship(wire.ResponsePart):
    display_name: wire.OptionalField[str] = wire.nested_field("author.display_name")
    raw_author_name: wire.OptionalField[str] = None


class OpenAlexWork(wire.JsonResponse):
    """A work in OpenAlex's JSON; everything may be missing but its OpenAlex id or DOI."""

    id: wire.OptionalField[str] = None
    doi: wire.OptionalField[str] = None
    own_id: wire.OptionalField[str] = wire.nested_field("ids.openalex")
    other_doi: wire.OptionalField[str] = wire.nested_field("ids.doi")
    pmid: wire.OptionalField[str] = wire.nested_field("ids.pmid")
    pmcid: wire.OptionalField[str] = wire.nested_field("ids.pmcid")
    title: wire.OptionalField[str] = Field(default=None)
    display_name: wire.OptionalField[str] = None
    publication_year: wire.OptionalField[int] = None
    publication_date: wire.OptionalField[str] = None
    type: wire.OptionalField[str] = None
    type_crossref: wire.OptionalField[str] = None
    language: wire.OptionalField[str] = None
    primary_location: wire.OptionalField[_OpenAlexLocation] = None
    best_oa_location: wire.OptionalField[_OpenAlexLocation] = None
    locations: wire.OptionalField[wire.TolerantItems[_OpenAlexLocation]] = None
    is_oa: wire.OptionalField[bool] = wire.nested_field("open_access.is_oa")
    authorships: wire.TolerantItems[_OpenAlexAuthorship] = ()
    cited_by_count: wire.OptionalField[Annotated[int, Field(ge=0)]] = None
    reference_count: wire.OptionalField[Annotated[int, Field(ge=0)]] = Field(
        default=None, alias="referenced_works_count"
    )
    referenced_works: wire.OptionalField[wire.TolerantItems[str]] = None
    volume: wire.OptionalField[csl_works.TextField] = wire.nested_field("biblio.volume")
    issue: wire.OptionalField[csl_works.TextField] = wire.nested_field("biblio.issue")
    first_page: wire.OptionalField[csl_works.TextField] = wire.nested_field("biblio.first_page")
    last_page: wire.OptionalField[csl_works.TextField] = wire.nested_field("biblio.last_page")
    is_retracted: wire.OptionalField[bool] = None
    abstract_inverted_index: wire.OptionalField[dict[str, Any]] = None

    @model_validator(mode="after")
    def _require_identifier(self) -> Self:
        if not (self.error or self.doi or find_openalex_id(self)):
            raise ValueError("neither an OpenAlex id nor a DOI")
        return self


class _OpenAlexMeta(wire.ResponsePart):
    count: wire.OptionalField[Annotated[int, Field(ge=0)]] = None


class OpenAlexWorkList(wire.JsonResponse):
    results: wire.TolerantItems[OpenAlexWork]
    meta: wire.OptionalField[_OpenAlexMeta] = None


def parse_openalex_works(works: tuple[OpenAlexWork, ...]) -> tuple[Paper, ...]:
    return tuple(paper for paper in map(parse_openalex_work, works) if paper.title)


def parse_openalex_work(work: OpenAlexWork) -> Paper:
    ids = _collect_openalex_ids(work)
    doi, home = ids.get(IdentifierScheme.DOI), work.primary_location or _OpenAlexLocation()
    places = (work.best_oa_location, *(work.locations or ()))
    listed = (_parse_oa_location(place) for place in places if place and place.is_oa)
    copies = tuple({copy.url: copy for copy in listed if copy.url}.values())
    source = home.source or _OpenAlexSource()
    year = record_fields.parse_issued_date(str(work.publication_year))
    date = record_fields.parse_issued_date(work.publication_date)
    # OpenAlex fills in `-01` for an unknown day or month.
    if date and len(date) > len("2001-01"):
        date = date.removesuffix("-01").removesuffix("-01")
    published = date or year
    first, last = clean_markup(work.first_page), clean_markup(work.last_page)
    return Paper(
        title=record_fields.clean_title_field(
            publisher_markup.clean_markup_line(work.title or work.display_name)
        ),
        source=_PROVIDER_NAME,
        url=csl_works.build_doi_url(doi)
        if doi
        else home.landing_page_url or _build_openalex_url(ids),
        ids=ids,
        authors=csl_works.name_authors(
            publisher_markup.clean_markup_line(
                authorship.display_name or authorship.raw_author_name
            )
            for authorship in work.authorships
        ),
        kind=_choose_openalex_kind(work, source),
        year=extract_year(year or published),
        published=published,
        venue=publisher_markup.clean_markup_line(source.display_name or home.raw_source_name)
        or None,
        volume=clean_markup(work.volume) or None,
        issue=clean_markup(work.issue) or None,
        pages=record_fields.expand_page_range(
            f"{first}-{last}" if first and last and last != first else first or last
        ),
        publisher=clean_markup(source.publisher) or None,
        abstract=_join_inverted_abstract(work.abstract_inverted_index),
        language=clean_markup(work.language) or None,
        citation_count=work.cited_by_count,
        reference_count=work.reference_count,
        open_access=work.is_oa,
        in_doaj=source.is_in_doaj,
        pdf_url=next((copy.url for copy in copies if copy.pdf), None),
        copies=copies,
        events=list_openalex_notices(work),
        preprint_doi=_find_preprint_doi(work, ids),
    )


def _find_preprint_doi(work: OpenAlexWork, ids: Mapping[IdentifierScheme, str]) -> str | None:
    """The DOI of an article's preprint, which OpenAlex lists as one of its locations."""
    doi, arxiv = ids.get(IdentifierScheme.DOI), ids.get(IdentifierScheme.ARXIV)
    if doi is None or dois.is_preprint_doi(doi):
        return None
    pages = (place.landing_page_url or "" for place in work.locations or ())
    found = (dois.find_doi(page) for page in pages if dois.is_doi_resolver(page))
    linked = next((doi for doi in found if doi and dois.is_preprint_doi(doi)), None)
    return linked or (f"10.48550/arxiv.{arxiv}" if arxiv else None)


def _collect_openalex_ids(work: OpenAlexWork) -> dict[IdentifierScheme, str]:
    doi = record_fields.normalize_doi_field(work.doi or work.other_doi)
    places = [place.landing_page_url or "" for place in work.locations or ()]
    arxiv = [
        record_fields.normalize_arxiv_field(place) for place in places if "arxiv.org/abs/" in place
    ]
    if doi and doi.startswith("10.48550/arxiv."):
        arxiv.insert(
            0, record_fields.normalize_arxiv_field(f"/{doi.removeprefix('10.48550/arxiv.')}")
        )
    known = csl_works.collect_ids(
        doi=work.doi or work.other_doi,
        openalex=find_openalex_id(work),
        pmid=(work.pmid or "").rpartition("/")[2],
        pmcid=(work.pmcid or "").rpartition("/")[2],
    )
    number = next(filter(None, arxiv), None)
    return known | ({IdentifierScheme.ARXIV: number} if number else {})


def find_openalex_id(work: OpenAlexWork) -> str | None:
    match = _WORK_ID_PATTERN.search(work.id or work.own_id or "")
    return match[0].upper() if match else None


def _build_openalex_url(ids: Mapping[IdentifierScheme, str]) -> str:
    return (
        f"https://openalex.org/{ids[IdentifierScheme.OPENALEX]}"
        if IdentifierScheme.OPENALEX in ids
        else ""
    )


def _choose_openalex_kind(work: OpenAlexWork, source: _OpenAlexSource) -> str | None:
    if work.type_crossref:
        return csl_works.choose_csl_kind(work.type_crossref)
    word = clean_markup(work.type).lower()
    if word == "article":
        return _SOURCE_TYPE_KINDS.get(clean_markup(source.type).lower(), "article-journal")
    kinds: dict[str, str] = load_table(__package__, "openalex_works")["work_kinds"]
    return kinds.get(word)


def _parse_oa_location(place: _OpenAlexLocation) -> OpenCopy:
    kind = clean_markup(place.source.type).lower() if place.source else ""
    return OpenCopy(
        url=place.pdf_url or place.landing_page_url or "",
        pdf=place.pdf_url is not None,
        version=clean_markup(place.version) or None,
        license=clean_markup(place.license) or None,
        host="repository" if kind == "repository" else "publisher",
        source=_PROVIDER_NAME,
    )


def list_openalex_notices(work: OpenAlexWork) -> tuple[IntegrityNotice, ...]:
    if not work.is_retracted:
        return ()
    return (
        IntegrityNotice(kind=NoticeKind.RETRACTION, source=_PROVIDER_NAME, label="is_retracted"),
    )


def _join_inverted_abstract(index: Mapping[str, Any] | None) -> str | None:
    """The abstract, rebuilt from a map of each word to its positions; invalid positions are ignored."""
    placed = [
        (at, word)
        for word, places in (index or {}).items()
        for at in (places if isinstance(places, list) else ())
        if type(at) is int and at >= 0
    ]
    placed.sort(key=lambda pair: pair[0])
    return publisher_markup.clean_abstract(
        " ".join(word for _, word in placed[:_MAX_ABSTRACT_WORDS])
    )


def list_referenced_ids(work: OpenAlexWork) -> list[str]:
    """The OpenAlex ids of the works that this one cites."""
    found = (_WORK_ID_PATTERN.search(address) for address in work.referenced_works or ())
    return [match[0].upper() for match in found if match]
