"""Semantic Scholar: papers in all fields and the citations between them; a key is optional."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from urllib.parse import quote, urlsplit

from pydantic import ValidationError

from citewell.citations import record_fields
from citewell.core import errors
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    OpenCopy,
    Paper,
    PaperHits,
    PaperId,
    PaperQuery,
)
from citewell.core.values.search_queries import shorten_query_text
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.providers.dialects import csl_works
from citewell.routing.ports import KitProvider, Offer, ProviderSpec, accept_key
from citewell.text.calendar_dates import extract_year
from citewell.text.data_tables import load_words
from citewell.text.safety.text_cleaning import clean_markup

PROVIDER_NAME = "semanticscholar"
# The first type in this order decides.
_PUBLICATION_KINDS = {
    "Conference": "paper-conference",
    "BookSection": "chapter",
    "Book": "book",
    "Dataset": "dataset",
    "JournalArticle": "article-journal",
}

_COPY_HOSTS = {"GREEN": "repository", **dict.fromkeys(("GOLD", "HYBRID", "BRONZE"), "publisher")}
_PAPER_PAGES = "https://www.semanticscholar.org/paper"

SPEC = ProviderSpec(
    name=PROVIDER_NAME,
    title="Semantic Scholar",
    homepage="https://www.semanticscholar.org/product/api",
    base_url="https://api.semanticscholar.org/graph/v1",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH, Offer.GRAPH}),
    applied_arguments={Offer.PAPERS: frozenset({"open_access", "year_from", "year_to"})},
    options=(
        accept_key(
            "SEMANTIC_SCHOLAR_API_KEY",
            "Key of Semantic Scholar; without one its limits are shared with everybody.",
            "x-api-key",
        ),
    ),
    max_results=100,
    max_query_chars=300,
    per_second=1 / 1.1,  # a key, too, allows one request a second
    rank=40,
    terms="Data under ODC-BY: name Semantic Scholar where you show it.",
    test_evidence="recorded answers",
)

_PAPER_FIELDS = (
    "title,abstract,year,authors,externalIds,openAccessPdf,citationCount,referenceCount,tldr,"
    "isOpenAccess,venue,journal,publicationDate,publicationTypes,url"
)
# No tldr, journal or abstract: the list is long and must be answered within one time limit.
_EDGE_FIELDS = (
    "intents,isInfluential,title,year,authors,externalIds,citationCount,isOpenAccess,openAccessPdf,"
    "venue,publicationDate,publicationTypes,url"
)
_MAX_BATCH_IDS = 200  # ids in one request; 500 are allowed, but at most ten megabytes
_MAX_EDGES = 1000  # the maximum for one request
_ID_PREFIXES = {IdentifierScheme.DOI: "DOI:", IdentifierScheme.ARXIV: "ARXIV:", IdentifierScheme.PMID: "PMID:", IdentifierScheme.PMCID: "PMCID:", IdentifierScheme.S2: ""}  # fmt: skip


class Provider(KitProvider):
    schemes = frozenset(_ID_PREFIXES)
    max_batch = MappingProxyType(dict.fromkeys(_ID_PREFIXES, _MAX_BATCH_IDS))

    async def search_papers(self, query: PaperQuery) -> PaperHits:
        response = await self._upstream.send_get("/paper/search", params=_build_s2_params(query))
        answer = wire.read_json_response(S2PaperList, response)
        return PaperHits(
            papers=parse_s2_papers(answer)[: query.count],
            total=answer.total,
            applied=csl_works.name_filters(
                year=query.year_from or query.year_to, open_access=query.open_access
            ),
        )

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        response = await self._fetch_known_paper(
            _build_paper_path(paper_id), {"fields": _PAPER_FIELDS}
        )
        if response is None:
            return None
        record = parse_json_response(_S2PaperResponse, response)
        if not record.error and not clean_markup(record.title):
            raise errors.MalformedResponse("The record has no title.", provider=response.provider)
        return _parse_s2_paper(wire.read_json_response(_S2PaperResponse, response))

    async def look_up_papers(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        """Papers by id, matched by position. If all ids are unknown, the index answers 400."""
        asked = [paper_id for paper_id in ids if paper_id.value.strip()]
        response = await self._upstream.send_post(
            "/paper/batch",
            params={"fields": _PAPER_FIELDS},
            json={"ids": [_build_s2_id(paper_id) for paper_id in asked]},
            accept=(400,),
        )
        if response.status != 400:
            found = read_s2_batch(response, count=len(asked))
            return {asked[place]: paper for place, paper in found.items()}
        # Whether the index refused a list because it knows none of its ids.
        if not (
            has_s2_error(response)
            and "no valid paper ids" in str(response.parse_json()["error"]).lower()
        ):
            raise errors.RejectedRequest("The upstream refused this request.", provider=SPEC.name)
        return dict.fromkeys(asked)

    async def match_reference(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        """The closest match by title; without a title, a search for the words of the reference."""
        if not query.title:
            found = await self.search_papers(PaperQuery(text=query.text, count=query.count))
            return found.papers
        params = {
            "query": shorten_query_text(clean_markup(query.title), SPEC.max_query_chars),
            "fields": _PAPER_FIELDS,
        }
        response = await self._fetch_known_paper("/paper/search/match", params)
        return (
            ()
            if response is None
            else parse_s2_papers(wire.read_json_response(S2PaperList, response))[: query.count]
        )

    async def list_citing_papers(
        self, paper_id: PaperId, *, count: int
    ) -> tuple[Paper, ...] | None:
        return await self._list_s2_neighbours(f"{_build_paper_path(paper_id)}/citations", count)

    async def list_cited_papers(self, paper_id: PaperId, *, count: int) -> tuple[Paper, ...] | None:
        return await self._list_s2_neighbours(f"{_build_paper_path(paper_id)}/references", count)

    async def _list_s2_neighbours(self, path: str, count: int) -> tuple[Paper, ...] | None:
        params = {"fields": _EDGE_FIELDS, "limit": str(min(count, _MAX_EDGES))}
        response = await self._fetch_known_paper(path, params)
        if response is None:
            return None
        papers = (
            parse_s2_edge(edge) for edge in wire.read_json_response(S2EdgeList, response).data
        )
        return tuple(paper for paper in papers if paper is not None)[:count]

    async def _fetch_known_paper(self, path: str, params: dict[str, str]) -> HttpResponse | None:
        """The response; None if the index itself says 404. Raises Unavailable for a gateway's 404."""
        response = await self._upstream.send_get(path, params=params, accept=(404,))
        if response.status != 404:
            return response
        if not has_s2_error(response):
            raise errors.UpstreamUnavailable(
                "Semantic Scholar's gateway answered 404.", provider=SPEC.name
            )
        return None


def _build_paper_path(paper_id: PaperId) -> str:
    return f"/paper/{quote(_build_s2_id(paper_id).encode('utf-8', 'replace'), safe='/:;()')}"


def _build_s2_id(paper_id: PaperId) -> str:
    if paper_id.scheme not in _ID_PREFIXES:
        raise errors.InvalidInput(
            f"Semantic Scholar cannot look up {paper_id.scheme}.", provider=SPEC.name
        )
    value = paper_id.value
    if paper_id.scheme is IdentifierScheme.PMCID:
        value = value.upper().removeprefix("PMC")
    return f"{_ID_PREFIXES[paper_id.scheme]}{value}"


def _build_s2_params(query: PaperQuery) -> dict[str, str]:
    params = {
        # Hyphenated words match nothing in this index.
        "query": shorten_query_text(
            re.sub(r"\s+", " ", query.text.replace("-", " ")), SPEC.max_query_chars
        ),
        "limit": str(min(query.count, SPEC.max_results)),
        "fields": _PAPER_FIELDS,
    }
    if query.year_from or query.year_to:
        params["year"] = f"{query.year_from or ''}-{query.year_to or ''}"
    if query.open_access or query.full_text:
        params["openAccessPdf"] = ""
    return params


# Parses Semantic Scholar's responses: papers, and the citations between them.


class _S2Author(wire.CamelCasePart):
    name: wire.OptionalField[str] = None


class _S2Paper(wire.CamelCasePart):
    paper_id: wire.OptionalField[str] = None  # null for a reference it could not identify
    title: wire.OptionalField[str] = None
    abstract: wire.OptionalField[str] = None
    year: wire.OptionalField[int] = None
    publication_date: wire.OptionalField[str] = None
    authors: wire.OptionalField[wire.TolerantItems[_S2Author]] = None
    doi: wire.OptionalField[csl_works.TextField] = wire.nested_field("externalIds.DOI")
    arxiv: wire.OptionalField[csl_works.TextField] = wire.nested_field("externalIds.ArXiv")
    pmid: wire.OptionalField[csl_works.TextField] = wire.nested_field("externalIds.PubMed")
    pmcid: wire.OptionalField[csl_works.TextField] = wire.nested_field("externalIds.PubMedCentral")
    pdf_url: wire.OptionalField[wire.HttpLink] = wire.nested_field(
        "openAccessPdf.url"
    )  # "" if there is none
    pdf_status: wire.OptionalField[str] = wire.nested_field("openAccessPdf.status")
    pdf_license: wire.OptionalField[str] = wire.nested_field("openAccessPdf.license")
    is_open_access: wire.OptionalField[bool] = None
    citation_count: wire.OptionalField[int] = None
    reference_count: wire.OptionalField[int] = None
    tldr: wire.OptionalField[str] = wire.nested_field("tldr.text")
    venue: wire.OptionalField[str] = None
    journal: wire.OptionalField[str] = wire.nested_field("journal.name")
    pages: wire.OptionalField[csl_works.TextField] = wire.nested_field("journal.pages")
    volume: wire.OptionalField[csl_works.TextField] = wire.nested_field("journal.volume")
    publication_types: wire.OptionalField[list[str]] = None
    url: wire.OptionalField[wire.HttpLink] = None


class S2PaperList(wire.CamelCasePart, wire.JsonResponse):
    total: wire.OptionalField[int] = None
    data: wire.TolerantItems[_S2Paper] = ()  # absent when nothing was found


class _S2PaperResponse(_S2Paper, wire.JsonResponse):
    pass


class _S2Edge(wire.CamelCasePart):
    intents: wire.OptionalField[wire.TolerantItems[str]] = None
    is_influential: wire.OptionalField[bool] = None
    citing_paper: wire.OptionalField[_S2Paper] = None
    cited_paper: wire.OptionalField[_S2Paper] = None


class S2EdgeList(wire.CamelCasePart, wire.JsonResponse):
    data: wire.TolerantItems[_S2Edge]  # null if a publisher withholds its references


def has_s2_error(response: HttpResponse) -> bool:
    """Whether the index itself reports an error: {"error": "Paper with id … not found"}."""
    try:
        answer = response.parse_json()
    except errors.MalformedResponse:
        return False
    return isinstance(answer, dict) and isinstance(answer.get("error"), str)


def parse_s2_papers(answer: S2PaperList) -> tuple[Paper, ...]:
    if answer.total and "data" not in answer.model_fields_set:
        raise errors.MalformedResponse(
            "The response counts papers but lists none.", provider=PROVIDER_NAME
        )
    return tuple(_parse_s2_paper(item) for item in answer.data if _is_identifiable(item))


def _is_identifiable(item: _S2Paper) -> bool:
    return bool(clean_markup(item.paper_id) or clean_markup(item.title))


def read_s2_batch(response: HttpResponse, *, count: int) -> dict[int, Paper | None]:
    """Papers by position; None for one the index does not have. Unreadable ones are left out."""
    rows = response.parse_json()
    if not isinstance(rows, list) or len(rows) != count:
        raise errors.MalformedResponse(
            "The response is not a list of the requested papers.", provider=response.provider
        )
    found: dict[int, Paper | None] = {}
    for place, row in enumerate(rows):
        try:
            item = None if row is None else _S2Paper.model_validate(row)
        except ValidationError:
            continue
        if item is None or clean_markup(item.title):
            found[place] = None if item is None else _parse_s2_paper(item)
    return found


def parse_s2_edge(edge: _S2Edge) -> Paper | None:
    item = edge.citing_paper or edge.cited_paper
    if item is None or not _is_identifiable(item):
        return None
    intents = tuple(dict.fromkeys(filter(None, map(clean_markup, edge.intents or ()))))
    return _parse_s2_paper(item).with_changes(influential=edge.is_influential, intents=intents)


def _parse_s2_paper(item: _S2Paper) -> Paper:
    own = clean_markup(item.paper_id)
    ids = csl_works.collect_ids(
        doi=item.doi, arxiv=item.arxiv, pmid=item.pmid, pmcid=item.pmcid, s2=own
    )
    url = item.url or (f"{_PAPER_PAGES}/{quote(own, safe='')}" if own else "")
    doi = ids.get(IdentifierScheme.DOI)
    volume, pdf = clean_markup(item.volume), _build_s2_copy(item)
    published = record_fields.parse_issued_date(
        item.publication_date
    ) or record_fields.parse_issued_date(str(item.year))
    return Paper(
        title=record_fields.clean_title_field(item.title) or url,
        source=PROVIDER_NAME,
        url=csl_works.build_doi_url(doi) if doi else url,
        ids=ids,
        authors=csl_works.name_authors(clean_markup(author.name) for author in item.authors or ()),
        kind=_choose_s2_kind(item),
        year=extract_year(record_fields.parse_issued_date(str(item.year)) or published),
        published=published,
        venue=clean_markup(item.venue) or clean_markup(item.journal) or None,
        volume=volume if volume and not volume.startswith("abs/") else None,  # arXiv has none
        pages=record_fields.expand_page_range(item.pages),
        abstract=clean_markup(item.abstract) or None,
        citation_count=wire.drop_negative_count(item.citation_count),
        reference_count=wire.drop_negative_count(item.reference_count),
        open_access=item.is_open_access,
        pdf_url=pdf.url if pdf and pdf.pdf else None,
        copies=(pdf,) if pdf else (),
        tldr=clean_markup(item.tldr) or None,
    )


def _choose_s2_kind(item: _S2Paper) -> str | None:
    preprint_servers = load_words(__package__, "semanticscholar", "preprint_servers")
    if clean_markup(item.venue).lower() in preprint_servers:
        return "article"
    types = item.publication_types or ()
    return next((kind for word, kind in _PUBLICATION_KINDS.items() if word in types), None)


def _build_s2_copy(item: _S2Paper) -> OpenCopy | None:
    """The open copy. An address at doi.org is a landing page, not a PDF."""
    if item.pdf_url is None:
        return None
    return OpenCopy(
        url=item.pdf_url,
        pdf=not (urlsplit(item.pdf_url).hostname or "").endswith("doi.org"),
        license=clean_markup(item.pdf_license) or None,
        host=_COPY_HOSTS.get(clean_markup(item.pdf_status).upper()),
        source=PROVIDER_NAME,
    )


# Preprint servers, which Semantic Scholar treats as journals.
