"""Searches one provider: plans the queries it is sent, and filters the hits it returns."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from citewell.core.errors import CitewellError, Misconfigured
from citewell.core.values.counted_words import pluralize
from citewell.core.values.search_queries import (
    SearchFilter,
    SearchHit,
    SearchHits,
    SearchQuery,
    build_operator_query,
)
from citewell.core.values.search_results import FilterReport
from citewell.routing.ports import NewsSearch, Offer, ProviderSpec, WebSearch
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.routing.provider_failures import name_provider_error
from citewell.search import result_filters
from citewell.search.lenses import SearchLens
from citewell.search.ranked_results import add_publication_date, fuse_rankings, keep_unique_pages
from citewell.text.language import detection, word_forms

T = TypeVar("T")

_NO_LENGTH_LIMIT = 1_000_000
# A provider that takes more sites of this length than fit into a query has a parameter for them.
_SHORT_DOMAIN_CHARS = 10
_WORD_PATTERN = re.compile(r"[^\W\d_]{4,}|\b[A-Z]{2,3}\b|\d{4,}")  # short ones if they are names
_ROOT_CHARS = 5  # words that begin alike are taken for forms of one: Batterie, battery
_MIN_SHARE = 0.5  # of the query's telling words, which a result that found the subject has


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


async def search_provider(
    catalogue: ProviderCatalogue,
    name: str,
    query: SearchQuery,
    *,
    lens: SearchLens | None = None,
    now: Callable[[], datetime],
) -> ProviderReply:
    """The provider's hits; raises its error if every query failed."""
    plan = plan_provider_search(catalogue.find_spec(name), query, lens=lens)
    answers = await asyncio.gather(
        *(_send_part(catalogue, plan, part) for part in plan.sent_queries)
    )
    found = [answer for answer in answers if isinstance(answer, SearchHits)]
    failed = [answer for answer in answers if isinstance(answer, CitewellError)]
    if not found:
        raise failed[0]
    return _build_provider_reply(plan, found, failed, now())


async def _send_part(
    catalogue: ProviderCatalogue, plan: ProviderPlan, part: SearchQuery
) -> SearchHits | CitewellError:
    """The hits of one query, or its error as a value, so that the other queries still count."""
    provider = catalogue.connect_provider(plan.spec.name)
    try:
        if plan.offer is Offer.NEWS and isinstance(provider, NewsSearch):
            return await provider.search_news(part)
        if isinstance(provider, WebSearch):
            return await provider.search_web(part)
    except CitewellError as error:
        return name_provider_error(error, plan.spec)
    raise TypeError(f"{plan.spec.name} declares {plan.offer} but does not implement it")


def _build_provider_reply(
    plan: ProviderPlan,
    found: Sequence[SearchHits],
    failed: Sequence[CitewellError],
    now: datetime,
) -> ProviderReply:
    sieve = result_filters.ResultSieve(plan.full_query, plan.filter_shares.afterwards, now=now)
    hits = [_complete_hit(plan.spec, hit, now) for hit in _interleave_hits(found)]
    kept = tuple(filter(sieve.should_keep_hit, hits))
    related = drop_foreign_coincidences(kept, plan.full_query)
    rows = result_filters.build_filter_reports(
        plan.filter_shares,
        plan.spec,
        lens=plan.uses_lens,
        undated=sieve.undated_count,
        unplaced=sieve.unplaced_count,
    )
    notes = [note for answer in found for note in answer.notes]
    notes = [*dict.fromkeys(notes), *_describe_provider_search(plan, failed)]
    if len(related) < len(kept):
        notes.append(
            f"{plan.spec.name}: results in another language that have no word of the query were left out."
        )
    return ProviderReply(
        provider=plan.spec.name,
        hits=related,
        reports=rows + _report_native_lens(plan),
        notes=tuple(notes),
        dropped_count=len(hits) - len(kept),
        query_count=len(plan.sent_queries),
        max_results=plan.spec.max_results,
        total=_sum_totals(found, complete=not failed),
        engines=_keep_first_of_each(engine for answer in found for engine in answer.engines),
        unresponsive=_keep_first_of_each(pair for answer in found for pair in answer.unresponsive),
        instance=next((answer.instance for answer in found if answer.instance), None),
        instances_asked=_keep_first_of_each(
            url for answer in found for url in answer.instances_asked
        ),
    )


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
        return tuple(keep_unique_pages(found[0].hits))
    ranked = fuse_rankings(answer.hits for answer in found)
    return tuple(
        replace(item.hit, score=None) for item in ranked
    )  # scores of two lists are not comparable


def _sum_totals(found: Sequence[SearchHits], *, complete: bool) -> int | None:
    totals = [answer.total for answer in found if answer.total is not None]
    return sum(totals) if complete and len(totals) == len(found) else None


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
    without_sites = plan.sent_queries[0].with_changes(sites=())  # alike in every part
    text = build_operator_query(without_sites, max_chars=_NO_LENGTH_LIMIT)
    if len(text) > spec.max_query_chars:
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


def drop_foreign_coincidences(
    hits: Sequence[SearchHit], query: SearchQuery
) -> tuple[SearchHit, ...]:
    """The hits without pages in another language, if none of all hits is about the query.

    Such pages are found only because function words coincide: "Warum war der Apfelwickler so früh"
    finds English pages by "war" and "so". They stay if one result shows that the search found its
    subject, or if they share a telling word themselves.
    """
    spoken = detection.detect_language(query.text)
    if spoken is None or spoken == "en" or not word_forms.list_stopwords(spoken):
        return tuple(hits)
    if (query.language or spoken)[:2].lower() != spoken:
        return tuple(hits)  # the caller wants pages in another language than the query's
    wanted = _list_roots(query.text, spoken)
    shared = [len(wanted & _list_roots(_join_text(hit), spoken)) for hit in hits]
    if not wanted or any(count >= _MIN_SHARE * len(wanted) for count in shared):
        return tuple(hits)
    return tuple(
        hit
        for hit, count in zip(hits, shared, strict=True)
        if count or detection.detect_language(_join_text(hit)) in {None, spoken}
    )


def _join_text(hit: SearchHit) -> str:
    return f"{hit.title}. {hit.snippet}"


def _list_roots(text: str, language: str) -> frozenset[str]:
    """The beginnings of the telling words, without accents."""
    plain = word_forms.list_stopwords(language) | word_forms.list_stopwords("en")
    words = map(str.lower, _WORD_PATTERN.findall(text))
    folded = unicodedata.normalize("NFKD", " ".join(word for word in words if word not in plain))
    kept = "".join(char for char in folded if not unicodedata.combining(char))
    return frozenset(word[:_ROOT_CHARS] for word in kept.split())
