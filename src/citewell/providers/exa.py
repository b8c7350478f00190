"""Exa: semantic search over its own index of the web, news and papers; needs a key."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from citewell.citations import dois, record_fields
from citewell.core.values.field_schema import parse_field_schema
from citewell.core.values.paper import Paper, PaperHits, PaperQuery, WorkAuthor
from citewell.core.values.research import ProviderReport
from citewell.core.values.search_queries import (
    SearchFilter,
    SearchHit,
    SearchHits,
    SearchQuery,
    shorten_query_text,
)
from citewell.core.values.search_results import (
    AnswerQuery,
    StructuredHits,
    StructuredQuery,
    StructuredResult,
)
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects import csl_works
from citewell.providers.dialects.result_paging import note_result_limit
from citewell.routing import answer_reports
from citewell.routing.model_billing import TICKS_PER_DOLLAR, convert_dollars
from citewell.routing.ports import KitProvider, Offer, ProviderSpec, require_key
from citewell.text.calendar_dates import extract_year, parse_provider_date
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="exa",
    title="Exa",
    homepage="https://exa.ai/docs/reference/search",
    base_url="https://api.exa.ai",
    offers=frozenset({Offer.WEB, Offer.NEWS, Offer.PAPERS, Offer.ANSWERS, Offer.STRUCTURED}),
    applied_arguments={
        Offer.PAPERS: frozenset({"source", "year_from", "year_to"}),
        Offer.STRUCTURED: frozenset({"category", "schema"}),
    },
    options=(require_key("EXA_API_KEY", "Key of Exa.", "x-api-key"),),
    filters=frozenset(
        {SearchFilter.SITES, SearchFilter.TIME_RANGE, SearchFilter.SAFE, SearchFilter.COUNTRY}
    ),
    max_results=50,
    max_sites=300,
    max_query_chars=2000,
    per_second=5.0,
    burst=5,
    rank=16,
)

# Prices of November 2026, in ticks, for responses that do not state their cost.
_ANSWER_TICKS = TICKS_PER_DOLLAR * 5 // 1000
_SEARCH_TICKS = TICKS_PER_DOLLAR * 7 // 1000
_SUMMARY_TICKS = TICKS_PER_DOLLAR // 1000  # of one page
_TIME_RANGE_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.0, "year": 365.0}
_PUBLISHER_DOMAINS = {
    "arxiv": ["arxiv.org"],
    "pubmed": ["pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov"],
    "ieee": ["ieeexplore.ieee.org"],
    "nature": ["nature.com"],
    "springer": ["link.springer.com"],
}


class _ExaResult(wire.ResponsePart):
    url: wire.HttpLink
    title: wire.OptionalField[str] = None
    publishedDate: wire.OptionalField[str] = None  # noqa: N815 - the upstream's word
    author: wire.OptionalField[str] = None
    highlights: wire.TolerantItems[str] = ()
    summary: wire.OptionalField[str] = None
    score: wire.OptionalField[float] = None


class _ExaResponse(wire.JsonResponse):
    results: wire.TolerantItems[_ExaResult]


class _ExaAnswer(wire.JsonResponse):
    answer: wire.OptionalField[str] = None
    citations: wire.TolerantItems[_ExaResult] = ()
    cost: wire.OptionalField[float] = wire.nested_field("costDollars.total")


class _ExaStructuredResult(_ExaResult):
    entities: Any = None


class _ExaStructured(wire.JsonResponse):
    results: wire.TolerantItems[_ExaStructuredResult]
    cost: wire.OptionalField[float] = wire.nested_field("costDollars.total")


class Provider(KitProvider):
    structured_categories = (
        "company", "people", "research paper", "news", "pdf", "github", "financial report",
        "personal site",
    )  # fmt: skip

    async def search_web(self, query: SearchQuery) -> SearchHits:
        return await self._search_exa(query, category=None)

    async def search_news(self, query: SearchQuery) -> SearchHits:
        return await self._search_exa(query, category="news")

    async def search_papers(self, query: PaperQuery) -> PaperHits:
        body = _build_exa_paper_body(query)
        response = await self._upstream.send_post("/search", json=body)
        papers = tuple(
            _parse_exa_paper(result)
            for result in wire.read_json_response(_ExaResponse, response).results
        )
        applied = csl_works.name_filters(
            year=query.year_from or query.year_to, source=query.source in _PUBLISHER_DOMAINS
        )
        return PaperHits(papers=papers[: query.count], applied=applied)

    def estimate_answer_cost(self, _query: AnswerQuery) -> int:
        return _ANSWER_TICKS

    async def answer_question(self, query: AnswerQuery) -> ProviderReport:
        response = await self._upstream.send_post(
            "/answer",
            json={"query": shorten_query_text(query.text, SPEC.max_query_chars), "text": False},
            idempotent=False,
            timeout=query.timeout_seconds,
        )
        answer = wire.read_json_response(_ExaAnswer, response)
        pages = (
            answer_reports.CitedPage(
                url=page.url, title=page.title, published=self._parse_exa_day(page)
            )
            for page in answer.citations
        )
        return answer_reports.build_answer_report(
            SPEC.name,
            answer_reports.clean_answer_text(answer.answer),
            pages,
            count=query.count,
            cost=_read_exa_cost(answer.cost, otherwise=_ANSWER_TICKS),
        )

    def estimate_structured_cost(self, query: StructuredQuery) -> int:
        return _SEARCH_TICKS + query.count * _SUMMARY_TICKS

    async def search_structured(self, query: StructuredQuery) -> StructuredHits:
        response = await self._upstream.send_post(
            "/search",
            json=_build_exa_structured_body(query),
            idempotent=False,
            timeout=query.timeout_seconds,
        )
        answer = wire.read_json_response(_ExaStructured, response)
        estimate = self.estimate_structured_cost(query)
        return StructuredHits(
            results=tuple(
                _parse_exa_fields(result, query, published=self._parse_exa_day(result))
                for result in answer.results[: query.count]
            ),
            cost_ticks=_read_exa_cost(answer.cost, otherwise=estimate).ticks,
        )

    def _parse_exa_day(self, result: _ExaResult) -> str | None:
        now = self._read_now()
        published = parse_provider_date(result.publishedDate, now=now)
        return published.date().isoformat() if published else None

    async def _search_exa(self, query: SearchQuery, *, category: str | None) -> SearchHits:
        now = self._read_now()
        body = _build_exa_body(query, category=category, now=now)
        response = await self._upstream.send_post("/search", json=body)
        hits = tuple(
            _parse_exa_result(result, now=now)
            for result in wire.read_json_response(_ExaResponse, response).results
        )
        return SearchHits(
            hits=hits[: query.count],
            notes=note_result_limit(query, SPEC.max_results, "Exa is asked for at most"),
        )


def _build_exa_body(
    query: SearchQuery, *, category: str | None, now: datetime
) -> dict[str, object]:
    body: dict[str, object] = {
        "query": shorten_query_text(query.text, SPEC.max_query_chars),
        "type": "auto",
        "numResults": min(query.count, SPEC.max_results),
        "contents": {"highlights": True},  # Exa refuses `highlights` at the top level
    }
    if category:
        body["category"] = category
    if query.time_range:
        since = now - timedelta(days=_TIME_RANGE_DAYS[query.time_range])
        body["startPublishedDate"] = since.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    if query.sites:
        body["includeDomains"] = list(query.sites)
    if query.country:
        body["userLocation"] = query.country
    if query.safe == "high":
        body["moderation"] = True
    return body


def _build_exa_paper_body(query: PaperQuery) -> dict[str, object]:
    body: dict[str, object] = {
        "query": shorten_query_text(query.text, SPEC.max_query_chars),
        "type": "auto",
        "category": "research paper",
        "numResults": min(query.count, SPEC.max_results),
    }
    if query.year_from:
        body["startPublishedDate"] = f"{query.year_from:04}-01-01T00:00:00.000Z"
    if query.year_to:
        body["endPublishedDate"] = f"{query.year_to:04}-12-31T23:59:59.999Z"
    if query.source in _PUBLISHER_DOMAINS:
        body["includeDomains"] = _PUBLISHER_DOMAINS[query.source]
    return body


def _build_exa_structured_body(query: StructuredQuery) -> dict[str, object]:
    summary: dict[str, object] = {"query": query.text}
    if query.schema is not None:
        summary["schema"] = dict(query.schema)
    body: dict[str, object] = {
        "query": shorten_query_text(query.text, SPEC.max_query_chars),
        "type": "auto",
        "numResults": query.count,
        "contents": {"highlights": True, "summary": summary},
    }
    if query.category:
        body["category"] = query.category
    return body


def _parse_exa_fields(
    result: _ExaStructuredResult, query: StructuredQuery, *, published: str | None
) -> StructuredResult:
    summary: Any = clean_markup(result.summary) or None
    if query.schema is not None and summary is not None:
        fields = parse_field_schema(query.schema)
        summary = wire.fit_schema_value(wire.parse_json_text(result.summary or ""), fields)
    return StructuredResult(
        url=result.url,
        title=clean_markup(result.title) or None,
        published_date=published,
        author=clean_markup(result.author) or None,
        summary=summary,
        highlights=tuple(filter(None, map(clean_markup, result.highlights))) or None,
        entities=wire.clean_json_texts(result.entities) or None,
    )


def _read_exa_cost(stated: float | None, *, otherwise: int) -> answer_reports.AnswerCost:
    ticks = convert_dollars(stated)
    if ticks is None:
        return answer_reports.AnswerCost(ticks=otherwise, basis="table")
    return answer_reports.AnswerCost(ticks=ticks, basis="provider")


def _parse_exa_result(result: _ExaResult, *, now: datetime) -> SearchHit:
    published = parse_provider_date(result.publishedDate, now=now)
    excerpts = [text for text in map(clean_markup, result.highlights) if text]
    return SearchHit(
        title=clean_markup(result.title) or result.url,
        url=result.url,
        snippet=excerpts[0] if excerpts else clean_markup(result.summary),
        published=published,
        published_basis="provider" if published else None,
        score=wire.clamp_score(result.score),
        engine=SPEC.name,
        extra_snippets=tuple(excerpts[1:]),
    )


def _parse_exa_paper(result: _ExaResult) -> Paper:
    """A paper from what Exa knows of its page: title, authors, date and address."""
    arxiv = record_fields.normalize_arxiv_field(result.url) if "arxiv.org/" in result.url else None
    doi = None if arxiv else dois.find_doi_in_address(result.url)
    published = record_fields.parse_issued_date(result.publishedDate)
    path = result.url.lower().partition("?")[0]
    return Paper(
        title=clean_markup(result.title) or result.url,
        source=SPEC.name,
        url=result.url,
        ids=csl_works.collect_ids(arxiv=arxiv, doi=doi),
        authors=tuple(WorkAuthor(name=name) for name in _split_author_line(result.author)),
        year=extract_year(published),
        published=published,
        pdf_url=result.url if path.endswith(".pdf") or "/pdf/" in path else None,
    )


def _split_author_line(author: str | None) -> list[str]:
    """The names in Exa's author line, split only if each part looks like a full name."""
    line = clean_markup(author)
    parts = [part.strip() for part in re.split(r";|, and |,| and ", line) if part.strip()]
    return parts if ";" in line or all(" " in part for part in parts) else [line]
