"""Searches one provider: plans the queries it is sent, and filters the hits it returns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from citewell.errors import CitewellError, Misconfigured
from citewell.model.counted_words import pluralize
from citewell.model.search_queries import SearchFilter, SearchHit, SearchHits, SearchQuery
from citewell.model.search_results import FilterReport
from citewell.ports import NewsSearch, Offer, ProviderSpec, WebSearch
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.routing.provider_failures import name_provider_error
from citewell.services.web import rank_fusion, result_filters
from citewell.services.web.lenses import SearchLens
from citewell.services.web.result_dates import add_publication_date
from citewell.text.web.search_operators import build_operator_query

T = TypeVar("T")

_NO_LENGTH_LIMIT = 1_000_000
# A provider that takes more sites of this length than fit into a query has a parameter for them.
_SHORT_DOMAIN_CHARS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderReply:
    """A provider's hits after our own filters, with reports and notes on how it was searched."""

    provider: str
    hits: tuple[SearchHit, ...]
    reports: tuple[FilterReport, ...] = ()
    notes: tuple[str, ...] = ()
    dropped_count: int = 0  # hits that our own filters removed
    query_count: int = 1  # queries sent
    max_results: int = 0  # the maximum this provider can return
    total: int | None = None
    engines: tuple[str, ...] = ()
    unresponsive: tuple[tuple[str, str], ...] = ()
    instance: str | None = None
    instances_asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderPlan:
    """The queries for one provider, and the filters left for us to apply."""

    spec: ProviderSpec
    offer: Offer
    full_query: SearchQuery  # with every constraint, to check the hits against
    sent_queries: tuple[SearchQuery, ...]  # several if the sites do not fit into one query
    filter_shares: result_filters.FilterShares
    uses_lens: bool


class ProviderSearch:
    def __init__(self, catalogue: ProviderCatalogue, *, now: Callable[[], datetime]) -> None:
        self._catalogue = catalogue
        self._now = now

    async def search_provider(
        self, name: str, query: SearchQuery, *, lens: SearchLens | None = None
    ) -> ProviderReply:
        """The provider's hits; raises its error if every query failed."""
        plan = plan_provider_search(self._catalogue.find_spec(name), query, lens=lens)
        answers = await asyncio.gather(*(self._send_part(plan, part) for part in plan.sent_queries))
        found = [answer for answer in answers if isinstance(answer, SearchHits)]
        failed = [answer for answer in answers if isinstance(answer, CitewellError)]
        if not found:
            raise failed[0]
        return self._build_provider_reply(plan, found, failed)

    async def _send_part(self, plan: ProviderPlan, part: SearchQuery) -> SearchHits | CitewellError:
        """The hits of one query, or its error as a value, so that the other queries still count."""
        provider = self._catalogue.connect_provider(plan.spec.name)
        try:
            if plan.offer is Offer.NEWS and isinstance(provider, NewsSearch):
                return await provider.search_news(part)
            if isinstance(provider, WebSearch):
                return await provider.search_web(part)
        except CitewellError as error:
            return name_provider_error(error, plan.spec)
        raise TypeError(f"{plan.spec.name} declares {plan.offer} but does not implement it")

    def _build_provider_reply(
        self, plan: ProviderPlan, found: Sequence[SearchHits], failed: Sequence[CitewellError]
    ) -> ProviderReply:
        now = self._now()
        sieve = result_filters.ResultSieve(plan.full_query, plan.filter_shares.afterwards, now=now)
        hits = [self._complete_hit(plan.spec, hit, now) for hit in _interleave_hits(found)]
        kept = tuple(hit for hit in hits if sieve.should_keep_hit(hit))
        rows = result_filters.build_filter_reports(
            plan.filter_shares,
            plan.spec,
            lens=plan.uses_lens,
            undated=sieve.undated_count,
            unplaced=sieve.unplaced_count,
        )
        rows += _report_native_lens(plan)
        return ProviderReply(
            provider=plan.spec.name,
            hits=kept,
            reports=rows,
            notes=(*_collect_provider_notes(found), *_describe_provider_search(plan, failed)),
            dropped_count=len(hits) - len(kept),
            query_count=len(plan.sent_queries),
            max_results=plan.spec.max_results,
            total=_sum_totals(found, complete=not failed),
            engines=_keep_first_of_each(engine for answer in found for engine in answer.engines),
            unresponsive=_keep_first_of_each(
                pair for answer in found for pair in answer.unresponsive
            ),
            instance=next((answer.instance for answer in found if answer.instance), None),
            instances_asked=_keep_first_of_each(
                url for answer in found for url in answer.instances_asked
            ),
        )

    @staticmethod
    def _complete_hit(spec: ProviderSpec, hit: SearchHit, now: datetime) -> SearchHit:
        known = hit if hit.engine else replace(hit, engine=spec.name)
        return add_publication_date(known, now=now)


def plan_provider_search(
    spec: ProviderSpec, query: SearchQuery, *, lens: SearchLens | None
) -> ProviderPlan:
    """How this provider is searched; raises Misconfigured if it cannot apply the lens."""
    whole = _apply_lens(spec, query, lens)
    offer = Offer.NEWS if query.category == "news" and Offer.NEWS in spec.offers else Offer.WEB
    is_news = offer is Offer.NEWS
    shares = result_filters.share_filters(
        whole,
        spec,
        met_by_offer={SearchFilter.CATEGORY} if is_news else (),
        more_checks=result_filters.NEWS_CHECKS if is_news else (),
    )
    if SearchFilter.SITES in shares.native and not _can_fit_query(spec, whole, whole.sites[:1]):
        shares = replace(
            shares,
            native=shares.native - {SearchFilter.SITES},
            afterwards=shares.afterwards | {SearchFilter.SITES},
        )
    sent = result_filters.keep_native_filters(whole, shares.native)
    room = 2 * query.count if shares.afterwards else query.count  # some hits will be dropped
    sent = sent.with_changes(count=min(room, spec.max_results))
    return ProviderPlan(
        spec=spec,
        offer=offer,
        full_query=whole,
        sent_queries=_split_by_sites(spec, sent),
        filter_shares=shares,
        uses_lens=lens is not None,
    )


def _apply_lens(spec: ProviderSpec, query: SearchQuery, lens: SearchLens | None) -> SearchQuery:
    """The query with the lens applied in the way this provider supports."""
    if lens is None:
        return query
    if lens.google_engine_id and spec.name == "google":
        return query.with_changes(engine_id=lens.google_engine_id)
    if lens.goggle and spec.name == "brave":
        return query.with_changes(goggle=lens.goggle)
    if not lens.domains:
        raise Misconfigured(
            f"The lens {lens.name} lists no domains and works with {lens.required_provider} only.",
            provider=spec.name,
            alternatives=[lens.required_provider] if lens.required_provider else (),
            action="try_different_provider",
        )
    return query.with_changes(sites=lens.domains)


def _split_by_sites(spec: ProviderSpec, query: SearchQuery) -> tuple[SearchQuery, ...]:
    """The query split so that each part has only as many sites as fit."""
    parts: list[tuple[str, ...]] = []
    current: tuple[str, ...] = ()
    for site in query.sites:
        if current and not _can_fit_query(spec, query, (*current, site)):
            parts.append(current)
            current = ()
        current = (*current, site)
    parts.append(current)
    return tuple(query.with_changes(sites=sites) for sites in parts)


def _can_fit_query(spec: ProviderSpec, query: SearchQuery, sites: tuple[str, ...]) -> bool:
    if len(sites) > spec.max_sites:
        return False
    if spec.max_sites * _SHORT_DOMAIN_CHARS > spec.max_query_chars:
        return True
    return (
        len(build_operator_query(query.with_changes(sites=sites), max_chars=_NO_LENGTH_LIMIT))
        <= spec.max_query_chars
    )


def _interleave_hits(found: Sequence[SearchHits]) -> tuple[SearchHit, ...]:
    if len(found) == 1:
        return tuple(rank_fusion.keep_unique_pages(found[0].hits))
    ranked = rank_fusion.fuse_rankings(answer.hits for answer in found)
    return tuple(
        replace(item.hit, score=None) for item in ranked
    )  # scores of two lists are not comparable


def _sum_totals(found: Sequence[SearchHits], *, complete: bool) -> int | None:
    totals = [answer.total for answer in found if answer.total is not None]
    return sum(totals) if complete and len(totals) == len(found) else None


def _collect_provider_notes(found: Sequence[SearchHits]) -> tuple[str, ...]:
    return _keep_first_of_each(note for answer in found for note in answer.notes)


def _describe_provider_search(plan: ProviderPlan, failed: Sequence[CitewellError]) -> list[str]:
    """Notes for the caller on how this provider was searched."""
    spec, notes = plan.spec, []
    if plan.uses_lens and len(plan.sent_queries) > 1:
        notes.append(
            f"All {len(plan.full_query.sites)} domains of the lens were searched, in"
            f" {len(plan.sent_queries)} queries to {spec.title}."
        )
    if failed:
        notes.append(
            f"{len(failed)} of {len(plan.sent_queries)} {pluralize(len(plan.sent_queries), 'query', 'queries')} to {spec.title} failed"
            f" ({failed[0].kind}), so some sites were not searched."
        )
    longest = max(
        len(build_operator_query(part.with_changes(sites=()), max_chars=_NO_LENGTH_LIMIT))
        for part in plan.sent_queries
    )
    if longest > spec.max_query_chars:
        notes.append(
            f"{spec.title} accepts {spec.max_query_chars} characters; the query was cut to fit."
        )
    return notes


def _report_native_lens(plan: ProviderPlan) -> tuple[FilterReport, ...]:
    """Reports for a lens applied as the provider's own engine or goggle, which uses no site filter."""
    own = {
        "its own search engine": plan.full_query.engine_id,
        "its own goggle": plan.full_query.goggle,
    }
    return tuple(
        FilterReport(filter="lens", by=plan.spec.name, note=f"Applied by {what}.")
        for what, given in own.items()
        if given
    )


def _keep_first_of_each(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))
