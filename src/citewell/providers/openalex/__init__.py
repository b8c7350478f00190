"""OpenAlex: an open index of the world's scholarly works, with abstracts and citations."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from citewell.errors import BadShape, InvalidInput, NotFound, RateLimited
from citewell.model.paper import (
    BibliographicQuery,
    Event,
    Paper,
    PaperId,
    PaperQuery,
    PapersFound,
    Scheme,
)
from citewell.net import bundle, csl
from citewell.net.answer import read
from citewell.net.limits import read_delay
from citewell.net.message import Response
from citewell.ports import Kit, Offer, Option, Spec
from citewell.providers.openalex import works
from citewell.providers.openalex.works import Work, Works
from citewell.text.markup import clean
from citewell.text.operators import shorten

SPEC = Spec(
    name="openalex",
    title="OpenAlex",
    home="https://developers.openalex.org/api-reference/authentication",
    base_url="https://api.openalex.org",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH, Offer.GRAPH, Offer.INTEGRITY}),
    options=(
        Option(env="OPENALEX_EMAIL", help="Your address, so that OpenAlex can reach you."),
        Option(
            env="OPENALEX_API_KEY",
            help="A free key of OpenAlex; without it a day's searches are few.",
            secret=True,
        ),
    ),
    max_results=100,
    per_second=30.0,
    burst=30,
    rank=10,
    terms="Free within a daily allowance, ten times as large with a free key.",
    evidence="recorded answers",
)

_SOURCES = {
    "arxiv": "S4306400194",
    "pubmed": "S4306525036",
    "ieee": "S202467917",
    "nature": "S137773608",
    "springer": "S70931966",
}
_SPECIAL = re.compile(r"[\"“”„«»*?~|!()\[\]{}^\\]+")  # operators of its query language
_SEPARATORS = re.compile(r"[,:|!&]+")  # and of its filters
_BATCH = 50  # ids in one filter; twice as many are the most
_REFERENCES = 200  # of one work, that are looked at


class Provider:
    schemes: ClassVar[frozenset[Scheme]] = frozenset(
        {Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.OPENALEX, Scheme.ARXIV}
    )
    most: ClassVar[Mapping[Scheme, int]] = MappingProxyType(
        {Scheme.DOI: _BATCH, Scheme.ARXIV: _BATCH}
    )

    def __init__(self, kit: Kit, *, clock: Callable[[], float] = time.time) -> None:
        self._upstream = kit.upstream
        self._clock = clock
        given = {
            "mailto": kit.option("OPENALEX_EMAIL"),
            "api_key": kit.option("OPENALEX_API_KEY"),  # it takes no header for it
        }
        self._own = {name: value for name, value in given.items() if value}

    async def papers(self, query: PaperQuery) -> PapersFound:
        params = _params(query)
        if not params["search"]:
            return PapersFound(papers=())
        answer = await self._list(params, count=query.count)
        years = query.year_from is not None or query.year_to is not None
        applied = {
            "year": years,
            "source": query.source in _SOURCES,
            "sort": query.sort == "date",
            "open_access": query.open_access,
        }
        return PapersFound(
            papers=works.titled(answer.results)[: query.count],
            total=answer.meta.count if answer.meta else None,
            applied=frozenset(name for name, done in applied.items() if done),
        )

    async def paper(self, paper_id: PaperId) -> Paper | None:
        work = await self._work(paper_id)
        return None if work is None else works.paper(work)

    async def papers_of(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        asked = {one: PaperId(scheme=Scheme.DOI, value=_doi(one)) for one in ids}
        dois = bundle.plain(asked.values())
        if not dois:
            return {}
        values = "|".join(one.value for one in dois)
        answer = await self._list({"filter": f"doi:{values}"}, count=SPEC.max_results)
        whole = answer.meta is not None and answer.meta.count == len(answer.results)
        found = bundle.placed(dois, map(works.paper, answer.results), whole=whole)
        return {one: found[doi] for one, doi in asked.items() if doi in found}

    async def match(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        words = _plain(query.title or query.text)
        if query.title:
            words = " ".join(_SEPARATORS.sub(" ", words).split())
        if not words:
            return ()
        params = {"filter": f"title.search:{words}"} if query.title else {"search": words}
        answer = await self._list(params, count=query.count)
        return works.titled(answer.results)[: query.count]

    async def citing(self, paper_id: PaperId, *, count: int) -> tuple[Paper, ...] | None:
        work = await self._work(paper_id, select="id,doi")
        if work is None or (number := works.number(work)) is None:
            return None
        params = {"filter": f"cites:{number}", "sort": "cited_by_count:desc"}
        return works.titled((await self._list(params, count=count)).results)[:count]

    async def cited(self, paper_id: PaperId, *, count: int) -> tuple[Paper, ...] | None:
        """What it cites, the most cited first."""
        work = await self._work(paper_id, select="id,doi,referenced_works")
        if work is None:
            return None
        numbers = works.references(work)[:_REFERENCES]
        papers: list[Paper] = []
        for start in range(0, len(numbers), _BATCH):
            batch = "|".join(numbers[start : start + _BATCH])
            answer = await self._list({"filter": f"openalex_id:{batch}"}, count=_BATCH)
            papers += works.titled(answer.results)
        papers.sort(key=lambda paper: -(paper.citation_count or 0))
        return tuple(papers[:count])

    async def events(self, paper_id: PaperId) -> tuple[Event, ...] | None:
        work = await self._work(paper_id, select="id,doi,is_retracted")
        if work is None:
            return None
        if work.is_retracted is None:
            raise BadShape(
                "The answer does not say whether the work is retracted.", provider=SPEC.name
            )
        return works.events(work)

    async def _work(self, paper_id: PaperId, *, select: str = "") -> Work | None:
        params = {"select": select} if select else {}
        try:
            response = await self._get(f"/works/{_segment(paper_id)}", params)
        except NotFound:
            return None
        work = read(Work, response)
        # It merges versions: a preprint's DOI may bring the article, which is another work.
        return work if _same(work, paper_id) else None

    async def _list(self, params: Mapping[str, str], *, count: int) -> Works:
        size = {"per_page": str(min(count, SPEC.max_results))}
        return read(Works, await self._get("/works", {**params, **size}))

    async def _get(self, path: str, params: Mapping[str, str]) -> Response:
        response = await self._upstream.get(path, params={**params, **self._own}, accept=(403,))
        if response.status == 403:  # its word for too many requests in a second
            raise RateLimited(
                "OpenAlex asks us to slow down.",
                provider=SPEC.name,
                retry_after=read_delay(response.headers, now=self._clock),
            )
        return response


def _segment(paper_id: PaperId) -> str:
    value = paper_id.value
    match paper_id.scheme:
        case Scheme.DOI:
            return f"doi:{csl.segment(value)}"
        case Scheme.ARXIV:
            return f"doi:{csl.segment(_doi(paper_id))}"
        case Scheme.PMID | Scheme.PMCID:
            return f"{paper_id.scheme}:{csl.segment(value)}"
        case Scheme.OPENALEX:
            return csl.segment(value)
        case _:
            message = f"OpenAlex cannot be asked by {paper_id.scheme}."
            raise InvalidInput(message, provider=SPEC.name)


def _doi(paper_id: PaperId) -> str:
    """An arXiv paper goes by the DOI that arXiv gives it."""
    arxiv = paper_id.scheme is Scheme.ARXIV
    return f"10.48550/arxiv.{paper_id.value}".lower() if arxiv else paper_id.value


def _same(work: Work, paper_id: PaperId) -> bool:
    return paper_id.scheme is not Scheme.DOI or csl.bare_doi(work.doi) in {
        "",
        paper_id.value.lower(),
    }


def _params(query: PaperQuery) -> dict[str, str]:
    chosen = (
        f"from_publication_date:{query.year_from}-01-01" if query.year_from is not None else "",
        f"to_publication_date:{query.year_to}-12-31" if query.year_to is not None else "",
        "open_access.is_oa:true" if query.open_access or query.full_text else "",
        f"primary_location.source.id:{_SOURCES[query.source]}" if query.source in _SOURCES else "",
    )
    filters = ",".join(filter(None, chosen))
    params = {"search": _plain(query.text)}
    if filters:
        params["filter"] = filters
    if query.sort == "date":
        params["sort"] = "publication_date:desc"
    return params


def _plain(text: str) -> str:
    """Without quotes, which would leave next to nothing found, and without other operators."""
    return shorten(" ".join(_SPECIAL.sub(" ", clean(text)).split()), SPEC.max_query)
