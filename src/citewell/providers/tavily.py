"""Tavily: web and news search for assistants; works without a key, at a lower rate."""

from __future__ import annotations

from datetime import datetime

from citewell.core.errors import OutOfCredit
from citewell.core.values.research import ProviderReport
from citewell.core.values.search_queries import (
    SearchFilter,
    SearchHit,
    SearchHits,
    SearchQuery,
    shorten_query_text,
)
from citewell.core.values.search_results import AnswerQuery
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects.result_paging import note_result_limit
from citewell.routing import answer_reports
from citewell.routing.model_billing import TICKS_PER_DOLLAR
from citewell.routing.ports import KitProvider, Offer, ProviderSpec, accept_key
from citewell.text.calendar_dates import parse_provider_date
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="tavily",
    title="Tavily",
    homepage="https://docs.tavily.com/documentation/keyless",
    base_url="https://api.tavily.com",
    offers=frozenset({Offer.WEB, Offer.NEWS, Offer.ANSWERS}),
    options=(
        accept_key(
            "TAVILY_API_KEY",
            "Key of Tavily; without one its free, slower access.",
            "Authorization: Bearer {}",
        ),
    ),
    filters=frozenset({SearchFilter.SITES, SearchFilter.TIME_RANGE}),
    max_results=20,
    max_sites=100,
    max_query_chars=400,
    per_second=1.0,
    burst=3,
    rank=30,
    terms="Access without a key is for trying it out and is limited in rate.",
)

_TIME_RANGE_NAMES = {"hour": "day", "day": "day", "week": "week", "month": "month", "year": "year"}
_CREDIT_TICKS = TICKS_PER_DOLLAR * 8 // 1000  # price of one credit, November 2026
_MAX_CREDITS = 1000  # of one call; more is nonsense
_ANSWER_SOURCES = 5  # results from which an answer is written
_OUT_OF_CREDIT_STATUSES = (432, 433)  # the plan's limit, the pay-as-you-go limit


class _TavilyResult(wire.ResponsePart):
    url: wire.HttpLink
    title: wire.OptionalField[str] = None
    content: wire.OptionalField[str] = None
    score: wire.OptionalField[float] = None
    published_date: wire.OptionalField[str] = None


class _TavilyResponse(wire.JsonResponse):
    results: wire.TolerantItems[_TavilyResult]


class _TavilyUsage(wire.ResponsePart):
    credits: wire.OptionalField[float] = None


class _TavilyAnswer(_TavilyResponse):
    answer: wire.OptionalField[str] = None
    usage: wire.OptionalField[_TavilyUsage] = None


class Provider(KitProvider):
    def _set_up(self) -> None:
        self._has_key = bool(self._kit.find_option("TAVILY_API_KEY"))
        self._open = {} if self._has_key else {"X-Tavily-Access-Mode": "keyless"}

    async def search_web(self, query: SearchQuery) -> SearchHits:
        return await self._search_tavily(query, topic="general")

    async def search_news(self, query: SearchQuery) -> SearchHits:
        return await self._search_tavily(query, topic="news")

    def estimate_answer_cost(self, _query: AnswerQuery) -> int:
        return _CREDIT_TICKS if self._has_key else 0

    async def answer_question(self, query: AnswerQuery) -> ProviderReport:
        """The answer, which has no marks: its sources are all results of the search."""
        body: dict[str, object] = {
            "query": shorten_query_text(query.text, SPEC.max_query_chars),
            "max_results": min(query.count, _ANSWER_SOURCES),
            "search_depth": "basic",
            "include_answer": "basic",
        }
        if self._has_key:
            body["include_usage"] = True
        response = await self._post_tavily_search(body, is_paid=True, timeout=query.timeout_seconds)
        answer = wire.read_json_response(_TavilyAnswer, response)
        now = self._read_now()
        hits = [_parse_tavily_result(result, now=now) for result in answer.results]
        pages = (
            answer_reports.CitedPage(
                url=hit.url,
                title=hit.title,
                published=hit.published.date().isoformat() if hit.published else None,
            )
            for hit in hits
        )
        return answer_reports.build_answer_report(
            SPEC.name,
            answer_reports.clean_answer_text(answer.answer),
            pages,
            count=query.count,
            cost=self._compute_tavily_cost(answer.usage),
        )

    def _compute_tavily_cost(self, usage: _TavilyUsage | None) -> answer_reports.AnswerCost:
        if not self._has_key:
            return answer_reports.AnswerCost()
        used = usage.credits if usage is not None else None
        if used is None or not 0 <= used < _MAX_CREDITS:
            return answer_reports.AnswerCost(ticks=_CREDIT_TICKS, basis="table")
        return answer_reports.AnswerCost(ticks=int(used * _CREDIT_TICKS), basis="prices")

    async def _post_tavily_search(
        self,
        body: dict[str, object],
        *,
        is_paid: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - one deadline, handed to the exchange
    ) -> HttpResponse:
        response = await self._upstream.send_post(
            "/search",
            json=body,
            idempotent=not is_paid,
            headers=self._open,
            timeout=timeout,
            accept=_OUT_OF_CREDIT_STATUSES,
        )
        if response.status in _OUT_OF_CREDIT_STATUSES:
            raise OutOfCredit("The Tavily plan has reached its limit.", provider=SPEC.name)
        return response

    async def _search_tavily(self, query: SearchQuery, *, topic: str) -> SearchHits:
        response = await self._post_tavily_search(_build_tavily_body(query, topic=topic))
        now = self._read_now()
        hits = tuple(
            _parse_tavily_result(result, now=now)
            for result in wire.read_json_response(_TavilyResponse, response).results
        )
        notes = [*note_result_limit(query, SPEC.max_results, "Tavily returns at most")]
        if query.time_range == "hour":
            notes.append("Tavily's shortest time range is a day.")
        return SearchHits(hits=hits[: query.count], notes=tuple(notes))


def _build_tavily_body(query: SearchQuery, *, topic: str) -> dict[str, object]:
    body: dict[str, object] = {
        "query": shorten_query_text(query.text, SPEC.max_query_chars),
        "max_results": min(query.count, SPEC.max_results),
        "search_depth": "basic",
        "topic": topic,
    }
    if query.time_range:
        body["time_range"] = _TIME_RANGE_NAMES[query.time_range]
    if query.sites:
        body["include_domains"] = list(query.sites)
    return body


def _parse_tavily_result(result: _TavilyResult, *, now: datetime) -> SearchHit:
    published = parse_provider_date(result.published_date, now=now)
    return SearchHit(
        title=clean_markup(result.title) or result.url,
        url=result.url,
        snippet=clean_markup(result.content),
        published=published,
        published_basis="provider" if published else None,
        score=wire.clamp_score(result.score),
        engine=SPEC.name,
    )
