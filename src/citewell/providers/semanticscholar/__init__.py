"""Semantic Scholar: papers of every field, what cites what and how; a key only raises its limits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar
from urllib.parse import quote

from citewell.errors import InvalidInput, RejectedRequest, Unavailable
from citewell.model.paper import (
    BibliographicQuery,
    Paper,
    PaperId,
    PaperQuery,
    PapersFound,
    Scheme,
)
from citewell.net.answer import read
from citewell.net.message import Response
from citewell.ports import Kit, Offer, Option, Spec
from citewell.providers.semanticscholar.records import (
    SOURCE,
    Edges,
    Found,
    denied,
    listed,
    neighbour,
    none_valid,
    several,
    whole,
)
from citewell.text.markup import clean
from citewell.text.operators import shorten

SPEC = Spec(
    name=SOURCE,
    title="Semantic Scholar",
    home="https://www.semanticscholar.org/product/api",
    base_url="https://api.semanticscholar.org/graph/v1",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH, Offer.GRAPH}),
    options=(
        Option(
            env="SEMANTIC_SCHOLAR_API_KEY",
            help="Key of Semantic Scholar; without one its limits are shared with everybody.",
            secret=True,
        ),
    ),
    max_results=100,
    max_query=300,
    per_second=1 / 1.1,  # with a key too: one request a second is what a key is given for
    rank=40,
    terms="Data under ODC-BY: name Semantic Scholar where you show it.",
    evidence="recorded answers",
)

_FIELDS = (
    "title,abstract,year,authors,externalIds,openAccessPdf,citationCount,referenceCount,tldr,"
    "isOpenAccess,venue,journal,publicationDate,publicationTypes,url"
)
# No tldr, journal or abstract: a list of citations is long and answered under one time limit.
_EDGE_FIELDS = (
    "intents,isInfluential,title,year,authors,externalIds,citationCount,isOpenAccess,openAccessPdf,"
    "venue,publicationDate,publicationTypes,url"
)
_BUNDLE = 200  # papers of one request: 500 are allowed, and ten megabytes
_EDGES = 1000  # the most that one request returns
_PREFIXES = {Scheme.DOI: "DOI:", Scheme.ARXIV: "ARXIV:", Scheme.PMID: "PMID:", Scheme.PMCID: "PMCID:", Scheme.S2: ""}  # fmt: skip


class Provider:
    schemes: ClassVar[frozenset[Scheme]] = frozenset(_PREFIXES)
    most: ClassVar[Mapping[Scheme, int]] = MappingProxyType(dict.fromkeys(_PREFIXES, _BUNDLE))

    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream
        key = kit.option("SEMANTIC_SCHOLAR_API_KEY")
        self._key = {"x-api-key": key} if key else {}

    async def papers(self, query: PaperQuery) -> PapersFound:
        answer = read(Found, await self._get("/paper/search", _params(query)))
        return PapersFound(
            papers=listed(answer)[: query.count], total=answer.total, applied=_applied(query)
        )

    async def paper(self, paper_id: PaperId) -> Paper | None:
        response = await self._known(_address(paper_id), {"fields": _FIELDS})
        return None if response is None else whole(response)

    async def papers_of(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        """By their places in the list; where it knows none at all it refuses the whole list."""
        asked = [one for one in ids if one.value.strip()]
        response = await self._upstream.post(
            "/paper/batch",
            params={"fields": _FIELDS},
            json={"ids": [_name(one) for one in asked]},
            secret_headers=self._key,
            accept=(400,),
        )
        if response.status != 400:
            found = several(response, count=len(asked))
            return {asked[place]: paper for place, paper in found.items()}
        if not none_valid(response):
            raise RejectedRequest("The upstream refused this request.", provider=SPEC.name)
        return dict.fromkeys(asked)

    async def match(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        """The one closest by title, or for a reference without one what its words find."""
        if not query.title:
            found = await self.papers(PaperQuery(text=query.text, count=query.count))
            return found.papers
        params = {"query": shorten(clean(query.title), SPEC.max_query), "fields": _FIELDS}
        response = await self._known("/paper/search/match", params)
        return () if response is None else listed(read(Found, response))[: query.count]

    async def citing(self, paper_id: PaperId, *, count: int) -> tuple[Paper, ...] | None:
        return await self._edges(f"{_address(paper_id)}/citations", count)

    async def cited(self, paper_id: PaperId, *, count: int) -> tuple[Paper, ...] | None:
        return await self._edges(f"{_address(paper_id)}/references", count)

    async def _edges(self, path: str, count: int) -> tuple[Paper, ...] | None:
        params = {"fields": _EDGE_FIELDS, "limit": str(min(count, _EDGES))}
        response = await self._known(path, params)
        if response is None:
            return None
        papers = (neighbour(edge) for edge in read(Edges, response).data)
        return tuple(paper for paper in papers if paper is not None)[:count]

    async def _known(self, path: str, params: dict[str, str]) -> Response | None:
        """None when the index itself says that it has none; a gateway's 404 says nothing of it."""
        response = await self._get(path, params, accept=(404,))
        if response.status != 404:
            return response
        if not denied(response):
            raise Unavailable("The upstream has no such address.", provider=SPEC.name)
        return None

    async def _get(
        self, path: str, params: dict[str, str], *, accept: tuple[int, ...] = ()
    ) -> Response:
        return await self._upstream.get(
            path, params=params, secret_headers=self._key, accept=accept
        )


def _address(paper_id: PaperId) -> str:
    return f"/paper/{quote(_name(paper_id).encode('utf-8', 'replace'), safe='/:;()')}"


def _name(paper_id: PaperId) -> str:
    if paper_id.scheme not in _PREFIXES:
        raise InvalidInput(f"Semantic Scholar knows no {paper_id.scheme}.", provider=SPEC.name)
    value = paper_id.value
    if paper_id.scheme is Scheme.PMCID:
        value = value.upper().removeprefix("PMC")
    return f"{_PREFIXES[paper_id.scheme]}{value}"


def _params(query: PaperQuery) -> dict[str, str]:
    params = {
        # Hyphenated words match nothing here.
        "query": shorten(re.sub(r"\s+", " ", query.text.replace("-", " ")), SPEC.max_query),
        "limit": str(min(query.count, SPEC.max_results)),
        "fields": _FIELDS,
    }
    if query.year_from or query.year_to:
        params["year"] = f"{query.year_from or ''}-{query.year_to or ''}"
    if query.open_access or query.full_text:
        params["openAccessPdf"] = ""
    return params


def _applied(query: PaperQuery) -> frozenset[str]:
    chosen = {"year": query.year_from or query.year_to, "open_access": query.open_access}
    return frozenset(name for name, wanted in chosen.items() if wanted)
