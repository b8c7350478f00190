"""Exa: search by meaning over its own index of the web, news and papers; needs a key."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from citewell.model.paper import Paper, PaperQuery, PapersFound, Person, Scheme
from citewell.model.search import Filter, Found, Hit, Query
from citewell.net.answer import Answer, Items, Link, Maybe, Part, read
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text import dois, fields
from citewell.text.dates import read_date
from citewell.text.markup import clean
from citewell.text.operators import shorten

SPEC = Spec(
    name="exa",
    title="Exa",
    home="https://exa.ai/docs/reference/search",
    base_url="https://api.exa.ai",
    offers=frozenset({Offer.WEB, Offer.NEWS, Offer.PAPERS}),
    options=(Option(env="EXA_API_KEY", help="Key of Exa.", secret=True, required=True),),
    filters=frozenset({Filter.SITES, Filter.TIME_RANGE, Filter.SAFE, Filter.COUNTRY}),
    max_results=50,
    max_sites=300,
    max_query=2000,
    per_second=5.0,
    burst=5,
    rank=16,
)

_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.0, "year": 365.0}
_PUBLISHERS = {
    "arxiv": ["arxiv.org"],
    "pubmed": ["pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov"],
    "ieee": ["ieeexplore.ieee.org"],
    "nature": ["nature.com"],
    "springer": ["link.springer.com"],
}


class _Result(Part):
    url: Link
    title: Maybe[str] = None
    publishedDate: Maybe[str] = None  # noqa: N815 - the upstream's word
    author: Maybe[str] = None
    highlights: Items[str] = ()
    summary: Maybe[str] = None
    score: Maybe[float] = None


class _Answer(Answer):
    results: Items[_Result]


class Provider:
    def __init__(self, kit: Kit, *, clock: Callable[[], float] = time.time) -> None:
        self._upstream = kit.upstream
        self._key = {"x-api-key": kit.option("EXA_API_KEY") or ""}
        self._clock = clock

    async def web(self, query: Query) -> Found:
        return await self._find(query, category=None)

    async def news(self, query: Query) -> Found:
        return await self._find(query, category="news")

    async def papers(self, query: PaperQuery) -> PapersFound:
        body = _paper_body(query)
        response = await self._upstream.post("/search", json=body, secret_headers=self._key)
        papers = tuple(_paper(result) for result in read(_Answer, response).results)
        years = query.year_from or query.year_to
        chosen = {"year": years, "source": query.source in _PUBLISHERS}
        applied = frozenset(name for name, wanted in chosen.items() if wanted)
        return PapersFound(papers=papers[: query.count], applied=applied)

    async def _find(self, query: Query, *, category: str | None) -> Found:
        now = datetime.fromtimestamp(self._clock(), UTC)
        body = _body(query, category=category, now=now)
        response = await self._upstream.post("/search", json=body, secret_headers=self._key)
        hits = tuple(_hit(result, now=now) for result in read(_Answer, response).results)
        return Found(hits=hits[: query.count], notes=_notes(query))


def _body(query: Query, *, category: str | None, now: datetime) -> dict[str, object]:
    body: dict[str, object] = {
        "query": shorten(query.text, SPEC.max_query),
        "type": "auto",
        "numResults": min(query.count, SPEC.max_results),
        "contents": {"highlights": True},  # refused at the top level
    }
    if category:
        body["category"] = category
    if query.time_range:
        since = now - timedelta(days=_DAYS[query.time_range])
        body["startPublishedDate"] = since.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    if query.sites:
        body["includeDomains"] = list(query.sites)
    if query.country:
        body["userLocation"] = query.country
    if query.safe == "high":
        body["moderation"] = True
    return body


def _paper_body(query: PaperQuery) -> dict[str, object]:
    body: dict[str, object] = {
        "query": shorten(query.text, SPEC.max_query),
        "type": "auto",
        "category": "research paper",
        "numResults": min(query.count, SPEC.max_results),
    }
    if query.year_from:
        body["startPublishedDate"] = f"{query.year_from:04}-01-01T00:00:00.000Z"
    if query.year_to:
        body["endPublishedDate"] = f"{query.year_to:04}-12-31T23:59:59.999Z"
    if query.source in _PUBLISHERS:
        body["includeDomains"] = _PUBLISHERS[query.source]
    return body


def _notes(query: Query) -> tuple[str, ...]:
    if query.count <= SPEC.max_results:
        return ()
    return (f"Exa is asked for at most {SPEC.max_results} results.",)


def _hit(result: _Result, *, now: datetime) -> Hit:
    published = read_date(result.publishedDate, now=now)
    excerpts = [text for text in map(clean, result.highlights) if text]
    return Hit(
        title=clean(result.title) or result.url,
        url=result.url,
        snippet=excerpts[0] if excerpts else clean(result.summary),
        published=published,
        published_basis="provider" if published else None,
        score=_unit(result.score),
        engine=SPEC.name,
        extra_snippets=tuple(excerpts[1:]),
    )


def _unit(score: float | None) -> float | None:
    if score is None or not math.isfinite(score):
        return None
    return min(max(score, 0.0), 1.0)


def _paper(result: _Result) -> Paper:
    """What its page tells of a paper: a title, names, a date and an address."""
    arxiv = fields.arxiv(result.url) if "arxiv.org/" in result.url else None
    found = {Scheme.ARXIV: arxiv, Scheme.DOI: None if arxiv else dois.from_address(result.url)}
    published = fields.issued(result.publishedDate)
    path = result.url.lower().partition("?")[0]
    return Paper(
        title=clean(result.title) or result.url,
        source=SPEC.name,
        url=result.url,
        ids={scheme: value for scheme, value in found.items() if value},
        authors=tuple(Person(name=name) for name in _names(result.author)),
        year=fields.year(published),
        published=published,
        pdf_url=result.url if path.endswith(".pdf") or "/pdf/" in path else None,
    )


def _names(author: str | None) -> list[str]:
    """Its one line of names, taken apart where every part is a whole name."""
    line = clean(author)
    parts = [part.strip() for part in re.split(r";|, and |,| and ", line) if part.strip()]
    return parts if ";" in line or all(" " in part for part in parts) else [line]
