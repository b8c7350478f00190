"""Semantic Scholar: papers in all fields and the citations between them; a key is optional."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar
from urllib.parse import quote

from citewell.dialects.json_responses import read_json_response
from citewell.errors import InvalidInput, RejectedRequest, UpstreamUnavailable
from citewell.model.paper import (
    BibliographicQuery,
    IdentifierScheme,
    Paper,
    PaperHits,
    PaperId,
    PaperQuery,
)
from citewell.net.http.messages import HttpResponse
from citewell.ports import Offer, ProviderKit, ProviderOption, ProviderSpec
from citewell.providers.semanticscholar.paper_records import (
    PROVIDER_NAME,
    S2EdgeList,
    S2PaperList,
    has_no_valid_ids,
    has_s2_error,
    parse_s2_edge,
    parse_s2_papers,
    read_s2_batch,
    read_s2_paper,
)
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.web.search_operators import shorten_query_text

SPEC = ProviderSpec(
    name=PROVIDER_NAME,
    title="Semantic Scholar",
    homepage="https://www.semanticscholar.org/product/api",
    base_url="https://api.semanticscholar.org/graph/v1",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH, Offer.GRAPH}),
    applied_arguments={Offer.PAPERS: frozenset({"open_access", "year_from", "year_to"})},
    options=(
        ProviderOption(
            env="SEMANTIC_SCHOLAR_API_KEY",
            help="Key of Semantic Scholar; without one its limits are shared with everybody.",
            secret=True,
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


class Provider:
    schemes: ClassVar[frozenset[IdentifierScheme]] = frozenset(_ID_PREFIXES)
    max_batch: ClassVar[Mapping[IdentifierScheme, int]] = MappingProxyType(
        dict.fromkeys(_ID_PREFIXES, _MAX_BATCH_IDS)
    )

    def __init__(self, kit: ProviderKit) -> None:
        self._upstream = kit.upstream
        key = kit.find_option("SEMANTIC_SCHOLAR_API_KEY")
        self._key = {"x-api-key": key} if key else {}

    async def search_papers(self, query: PaperQuery) -> PaperHits:
        answer = read_json_response(
            S2PaperList, await self._fetch_s2_json("/paper/search", _build_s2_params(query))
        )
        return PaperHits(
            papers=parse_s2_papers(answer)[: query.count],
            total=answer.total,
            applied=_list_s2_filters(query),
        )

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        response = await self._fetch_known_paper(
            _build_paper_path(paper_id), {"fields": _PAPER_FIELDS}
        )
        return None if response is None else read_s2_paper(response)

    async def look_up_papers(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        """Papers by id, matched by position. If all ids are unknown, the index answers 400."""
        asked = [one for one in ids if one.value.strip()]
        response = await self._upstream.send_post(
            "/paper/batch",
            params={"fields": _PAPER_FIELDS},
            json={"ids": [_build_s2_id(one) for one in asked]},
            secret_headers=self._key,
            accept=(400,),
        )
        if response.status != 400:
            found = read_s2_batch(response, count=len(asked))
            return {asked[place]: paper for place, paper in found.items()}
        if not has_no_valid_ids(response):
            raise RejectedRequest("The upstream refused this request.", provider=SPEC.name)
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
            else parse_s2_papers(read_json_response(S2PaperList, response))[: query.count]
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
        papers = (parse_s2_edge(edge) for edge in read_json_response(S2EdgeList, response).data)
        return tuple(paper for paper in papers if paper is not None)[:count]

    async def _fetch_known_paper(self, path: str, params: dict[str, str]) -> HttpResponse | None:
        """The response; None if the index itself says 404. Raises Unavailable for a gateway's 404."""
        response = await self._fetch_s2_json(path, params, accept=(404,))
        if response.status != 404:
            return response
        if not has_s2_error(response):
            raise UpstreamUnavailable(
                "Semantic Scholar's gateway answered 404.", provider=SPEC.name
            )
        return None

    async def _fetch_s2_json(
        self, path: str, params: dict[str, str], *, accept: tuple[int, ...] = ()
    ) -> HttpResponse:
        return await self._upstream.send_get(
            path, params=params, secret_headers=self._key, accept=accept
        )


def _build_paper_path(paper_id: PaperId) -> str:
    return f"/paper/{quote(_build_s2_id(paper_id).encode('utf-8', 'replace'), safe='/:;()')}"


def _build_s2_id(paper_id: PaperId) -> str:
    if paper_id.scheme not in _ID_PREFIXES:
        raise InvalidInput(
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


def _list_s2_filters(query: PaperQuery) -> frozenset[str]:
    chosen = {"year": query.year_from or query.year_to, "open_access": query.open_access}
    return frozenset(name for name, wanted in chosen.items() if wanted)
