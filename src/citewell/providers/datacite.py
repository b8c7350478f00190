"""DataCite: the DOI registry of arXiv, Zenodo and most data archives; no key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from citewell.citations import record_fields
from citewell.citations import record_fields as publisher_markup
from citewell.core.errors import InvalidInput, NotFound
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    OpenCopy,
    Paper,
    PaperHits,
    PaperId,
    PaperQuery,
    WorkAuthor,
)
from citewell.core.values.search_queries import shorten_query_text
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects import csl_works
from citewell.routing.ports import KitProvider, Offer, ProviderOption, ProviderSpec
from citewell.text.calendar_dates import extract_year
from citewell.text.data_tables import load_table
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="datacite",
    title="DataCite",
    homepage="https://support.datacite.org/docs/api",
    base_url="https://api.datacite.org",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH}),
    applied_arguments={Offer.PAPERS: frozenset({"sort_by", "source", "year_from", "year_to"})},
    options=(
        ProviderOption(
            env="DATACITE_EMAIL", help="Your address; DataCite then answers twice as often."
        ),
    ),
    max_results=100,
    per_second=1.5,
    burst=50,
    rank=70,
    terms="500 requests in five minutes, 1,000 with an address.",
)

_ARXIV_DOI_PREFIX = "10.48550/arxiv."
_MAX_BATCH_DOIS = 50  # DOIs in one request
_DATE_TYPES = ("Issued", "Available", "Submitted", "Created")
_QUERY_OPERATOR_PATTERN = re.compile(r"[+\-=&|><!(){}\[\]^\"“”~*?:\\/]+|\b(?:AND|OR|NOT|TO)\b")


# The publisher's name, which is a string or, in newer responses, an object with a name.
_PublisherName = Annotated[
    str, BeforeValidator(lambda value: value.get("name") if isinstance(value, dict) else value)
]


def _validate_doi(value: str) -> str:
    doi = record_fields.normalize_doi_field(value)
    if doi is None:
        raise ValueError("not a DOI")
    return doi


class _DataCiteTitle(wire.ResponsePart):
    title: wire.OptionalField[str] = None
    kind: wire.OptionalField[str] = Field(default=None, alias="titleType")


class _DataCiteCreator(wire.ResponsePart):
    name: wire.OptionalField[str] = None
    kind: wire.OptionalField[str] = Field(default=None, alias="nameType")
    given: wire.OptionalField[str] = Field(default=None, alias="givenName")
    family: wire.OptionalField[str] = Field(default=None, alias="familyName")


class _DataCiteDate(wire.ResponsePart):
    date: wire.OptionalField[csl_works.TextField] = None
    kind: wire.OptionalField[str] = Field(default=None, alias="dateType")


class _DataCiteDescription(wire.ResponsePart):
    text: wire.OptionalField[str] = Field(default=None, alias="description")
    kind: wire.OptionalField[str] = Field(default=None, alias="descriptionType")


class _DataCiteRelation(wire.ResponsePart):
    value: wire.OptionalField[str] = Field(default=None, alias="relatedIdentifier")
    kind: wire.OptionalField[str] = Field(default=None, alias="relatedIdentifierType")
    relation: wire.OptionalField[str] = Field(default=None, alias="relationType")


class _DataCiteRights(wire.ResponsePart):
    uri: wire.OptionalField[str] = Field(default=None, alias="rightsUri")


class _DataCiteWork(wire.ResponsePart):
    doi: Annotated[str, AfterValidator(_validate_doi)]
    titles: wire.TolerantItems[_DataCiteTitle] = ()
    creators: wire.TolerantItems[_DataCiteCreator] = ()
    publisher: wire.OptionalField[_PublisherName] = None
    year: wire.OptionalField[csl_works.NumberField] = Field(default=None, alias="publicationYear")
    dates: wire.OptionalField[wire.TolerantItems[_DataCiteDate]] = None
    descriptions: wire.OptionalField[wire.TolerantItems[_DataCiteDescription]] = None
    general_type: wire.OptionalField[str] = wire.nested_field("types.resourceTypeGeneral")
    citeproc_type: wire.OptionalField[str] = wire.nested_field("types.citeproc")
    container: wire.OptionalField[str] = wire.nested_field("container.title")
    volume: wire.OptionalField[csl_works.TextField] = wire.nested_field("container.volume")
    issue: wire.OptionalField[csl_works.TextField] = wire.nested_field("container.issue")
    first_page: wire.OptionalField[csl_works.TextField] = wire.nested_field("container.firstPage")
    last_page: wire.OptionalField[csl_works.TextField] = wire.nested_field("container.lastPage")
    language: wire.OptionalField[str] = None
    related: wire.OptionalField[wire.TolerantItems[_DataCiteRelation]] = Field(
        default=None, alias="relatedIdentifiers"
    )
    rights: wire.OptionalField[wire.TolerantItems[_DataCiteRights]] = Field(
        default=None, alias="rightsList"
    )
    citation_count: wire.OptionalField[Annotated[int, Field(ge=0)]] = Field(
        default=None, alias="citationCount"
    )
    reference_count: wire.OptionalField[Annotated[int, Field(ge=0)]] = Field(
        default=None, alias="referenceCount"
    )


class _DataCiteRecord(wire.ResponsePart):
    attributes: _DataCiteWork


class _DataCiteWorkResponse(wire.JsonResponse):
    data: _DataCiteRecord


class _DataCiteMeta(wire.ResponsePart):
    total: wire.OptionalField[Annotated[int, Field(ge=0)]] = None


class _DataCiteListResponse(wire.JsonResponse):
    data: wire.TolerantItems[_DataCiteRecord]
    meta: wire.OptionalField[_DataCiteMeta] = None


class Provider(KitProvider):
    schemes = frozenset({IdentifierScheme.DOI, IdentifierScheme.ARXIV})
    max_batch = MappingProxyType({IdentifierScheme.DOI: _MAX_BATCH_DOIS})

    def _set_up(self) -> None:
        email = self._kit.find_option("DATACITE_EMAIL")
        self._contact = {"mailto": email} if email else {}

    async def search_papers(self, query: PaperQuery) -> PaperHits:
        years = query.year_from is not None or query.year_to is not None
        terms = _strip_query_operators(query.text)
        if years:
            terms += f" AND publicationYear:[{query.year_from or '*'} TO {query.year_to or '*'}]"
        params = {"query": terms, "sort": "-published" if query.sort == "date" else "relevance"}
        if query.source == "arxiv":
            params["client-id"] = "arxiv.content"
        answer = await self._list_datacite_works(params, count=query.count)
        return PaperHits(
            papers=_parse_datacite_works(answer)[: query.count],
            total=answer.meta.total if answer.meta else None,
            applied=csl_works.name_filters(
                year=years, source=query.source == "arxiv", sort=query.sort == "date"
            ),
        )

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        path = f"/dois/{csl_works.encode_doi_segment(_require_datacite_doi(paper_id))}"
        try:
            response = await self._upstream.send_get(path, params=self._contact)
        except NotFound:
            return None
        return _parse_datacite_work(
            wire.read_json_response(_DataCiteWorkResponse, response).data.attributes
        )

    async def look_up_papers(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        asked = csl_works.keep_plain_dois(ids)
        if not asked:
            return {}
        listed = {"ids": ",".join(paper_id.value for paper_id in asked)}
        answer = await self._list_datacite_works(listed, count=SPEC.max_results)
        papers = [_parse_datacite_work(record.attributes) for record in answer.data]
        whole = answer.meta is not None and answer.meta.total == len(papers)
        return csl_works.assign_papers(asked, papers, is_complete=whole)

    async def match_reference(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        words = _strip_query_operators(query.title or query.text)
        terms = f"titles.title:({words})" if query.title else words
        answer = await self._list_datacite_works(
            {"query": terms, "sort": "relevance"}, count=query.count
        )
        return _parse_datacite_works(answer)[: query.count]

    async def _list_datacite_works(
        self, params: dict[str, str], *, count: int
    ) -> _DataCiteListResponse:
        paging = {
            "page[size]": str(min(count, SPEC.max_results)),
            "page[number]": "1",  # a cursor would sort by age, ignoring `sort`
            "disable-facets": "true",
        }
        response = await self._upstream.send_get("/dois", params=params | paging | self._contact)
        return wire.read_json_response(_DataCiteListResponse, response)


def _require_datacite_doi(paper_id: PaperId) -> str:
    if paper_id.scheme is IdentifierScheme.DOI:
        return paper_id.value
    if paper_id.scheme is IdentifierScheme.ARXIV:
        return f"{_ARXIV_DOI_PREFIX}{paper_id.value.lower()}"
    raise InvalidInput("DataCite can look up works by DOI or arXiv id only.", provider=SPEC.name)


def _strip_query_operators(text: str) -> str:
    """The text without the many characters that are operators in DataCite's query language."""
    words = " ".join(_QUERY_OPERATOR_PATTERN.sub(" ", clean_markup(text)).split())
    return shorten_query_text(words, SPEC.max_query_chars) or "*"


def _parse_datacite_works(answer: _DataCiteListResponse) -> tuple[Paper, ...]:
    papers = (_parse_datacite_work(record.attributes) for record in answer.data)
    return tuple(paper for paper in papers if paper.title)


def _parse_datacite_work(work: _DataCiteWork) -> Paper:
    doi = work.doi
    arxiv = (
        record_fields.normalize_arxiv_field(f"/{doi.removeprefix(_ARXIV_DOI_PREFIX)}")
        if doi.startswith(_ARXIV_DOI_PREFIX)
        else None
    )
    copy = _build_arxiv_copy(arxiv)
    published = _choose_datacite_date(work)
    publisher = publisher_markup.clean_markup_line(work.publisher) or None
    first, last = clean_markup(work.first_page), clean_markup(work.last_page)
    return Paper(
        title=_join_datacite_title(work),
        source=SPEC.name,
        url=csl_works.build_doi_url(doi),
        ids={IdentifierScheme.DOI: doi} | ({IdentifierScheme.ARXIV: arxiv} if arxiv else {}),
        authors=tuple(filter(None, map(_parse_datacite_creator, work.creators))),
        kind=_find_datacite_kind(work),
        year=extract_year(published),
        published=published,
        venue=publisher_markup.clean_markup_line(work.container) or publisher,
        volume=clean_markup(work.volume) or None,
        issue=clean_markup(work.issue) or None,
        pages=record_fields.expand_page_range(
            f"{first}-{last}" if first and last and first != last else first
        ),
        publisher=publisher,
        abstract=_find_datacite_abstract(work),
        language=clean_markup(work.language) or None,
        citation_count=work.citation_count,
        reference_count=work.reference_count,
        open_access=bool(arxiv)
        or csl_works.has_open_license(rights.uri for rights in work.rights or ()),
        pdf_url=copy.url if copy else None,
        copies=(copy,) if copy else (),
        preprint_of=_find_later_version(work, doi),
    )


def _join_datacite_title(work: _DataCiteWork) -> str:
    """The main title, which has no type, followed by the subtitle if there is one."""
    titles = [
        (title.kind, publisher_markup.clean_markup_line(title.title)) for title in work.titles
    ]
    main = next((text for kind, text in titles if not kind), "")
    main = main or next((text for _, text in titles if text), "")
    under = next((text for kind, text in titles if kind == "Subtitle"), "")
    if not under or under.casefold() in main.casefold():
        return record_fields.clean_title_field(main)
    return record_fields.clean_title_field(f"{main}: {under}")


def _parse_datacite_creator(creator: _DataCiteCreator) -> WorkAuthor | None:
    name, family, given = map(
        publisher_markup.clean_markup_line, (creator.name, creator.family, creator.given)
    )
    if creator.kind == "Organizational":
        return WorkAuthor(name=name, organisation=True) if name else None
    if not family and name.count(", ") == 1:  # DataCite writes `Family, Given`
        family, given = name.split(", ")
    spoken = f"{given} {family}".strip() or name
    return WorkAuthor(name=spoken, family=family, given=given) if spoken else None


def _choose_datacite_date(work: _DataCiteWork) -> str | None:
    """The first date, in the order of `_DATE_TYPES`, that lies in the publication year; else the year."""
    stated = record_fields.parse_issued_date(str(work.year))
    for kind in _DATE_TYPES:
        for date in work.dates or ():
            found = record_fields.parse_issued_date(date.date) if date.kind == kind else None
            if found and (stated is None or found.startswith(stated)):
                return found
    return stated


def _find_datacite_kind(work: _DataCiteWork) -> str | None:
    kinds: Mapping[str, str] = load_table(__package__, "datacite_kinds")
    general = kinds.get(clean_markup(work.general_type).lower())
    return general or csl_works.choose_csl_kind(work.citeproc_type)


def _find_datacite_abstract(work: _DataCiteWork) -> str | None:
    texts = (
        publisher_markup.clean_abstract(description.text)
        for description in work.descriptions or ()
        if description.kind == "Abstract"
    )
    return next(filter(None, texts), None)


def _build_arxiv_copy(arxiv: str | None) -> OpenCopy | None:
    if arxiv is None:
        return None
    url = f"https://arxiv.org/pdf/{arxiv}"
    return OpenCopy(
        url=url, pdf=True, version="submittedVersion", host="repository", source=SPEC.name
    )


def _find_later_version(work: _DataCiteWork, doi: str) -> str | None:
    """The DOI of the published version of a preprint.

    None for other kinds, because data sets use the same relation for their versions.
    """
    if _find_datacite_kind(work) != "article":
        return None
    related = (
        record_fields.normalize_doi_field(other.value)
        for other in work.related or ()
        if other.kind == "DOI" and other.relation in {"IsVersionOf", "IsPreviousVersionOf"}
    )
    return next((found for found in related if found and found != doi), None)
