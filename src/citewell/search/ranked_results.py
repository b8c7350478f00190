"""From the hits of providers to results: ranked lists are merged, dates found, scores and reputations added."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time

from citewell.core.values.search_queries import LIBRARY_ID_PREFIX, SearchHit
from citewell.core.values.search_results import SearchResult
from citewell.evidence.signs import nearest_sentences
from citewell.reading.metadata.host_standing import find_host_reputation
from citewell.text import addresses
from citewell.text.calendar_dates import parse_provider_date

_RANK_CONSTANT = 60  # the usual constant; a page in two lists beats the first of one
# Engines put the date at the start of the snippet: "Mar 14, 2026 — …", "3 days ago · …".
_LEADING_DATE_PATTERN = re.compile(
    r"(?P<date>[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4}|\d{1,2}\.? (?:de )?[^\W\d_]{3,12}\.?(?: de)? \d{4}|\d{4}-\d\d-\d\d"
    r"|\d{1,2} (?:minute|hour|day|week|month|year)s? ago)\s*(?:[—–·|:-]|\.\.\.|…)"
)
_HOURLY_AGE_PATTERN = re.compile(r"minute|hour")


@dataclass(frozen=True, slots=True)
class RankedHit:
    hit: SearchHit
    weight: float


@dataclass(slots=True)
class _FusedPage:
    hit: SearchHit
    rank: int
    weight: float


def fuse_rankings(lists: Iterable[Sequence[SearchHit]]) -> tuple[RankedHit, ...]:
    """The pages, best first, each as the list that ranked it highest describes it."""
    pages: dict[str, _FusedPage] = {}
    for hits in lists:
        for rank, hit in enumerate(keep_unique_pages(hits), start=1):
            _add_ranked_hit(pages, hit, rank)
    ordered = sorted(pages.values(), key=lambda page: -page.weight)
    return tuple(RankedHit(page.hit, page.weight) for page in ordered)


def keep_unique_pages(hits: Iterable[SearchHit]) -> Iterable[SearchHit]:
    """The first hit of each page, without those that are neither web addresses nor library documents."""
    seen: set[str] = set()
    for hit in hits:
        key = addresses.build_page_key(hit.url)
        if key not in seen and _is_citable_address(hit.url):
            seen.add(key)
            yield hit


def _is_citable_address(url: str) -> bool:
    return addresses.is_web_address(url) or url.startswith(LIBRARY_ID_PREFIX)


def _add_ranked_hit(pages: dict[str, _FusedPage], hit: SearchHit, rank: int) -> None:
    key = addresses.build_page_key(hit.url)
    weight = 1 / (_RANK_CONSTANT + rank)
    page = pages.get(key)
    if page is None:
        pages[key] = _FusedPage(hit=hit, rank=rank, weight=weight)
        return
    page.weight += weight
    if rank < page.rank:
        page.hit, page.rank = _fill_missing_facts(hit, page.hit), rank
    else:
        page.hit = _fill_missing_facts(page.hit, hit)


def _fill_missing_facts(hit: SearchHit, other: SearchHit) -> SearchHit:
    """The hit with missing snippet and date taken from the other one."""
    dated = hit.published is not None or other.published is None
    if dated and (hit.snippet or not other.snippet):
        return hit
    return replace(
        hit,
        snippet=hit.snippet or other.snippet,
        published=hit.published or other.published,
        published_basis=hit.published_basis if hit.published else other.published_basis,
    )


def add_publication_date(hit: SearchHit, *, now: datetime) -> SearchHit:
    """The hit with a date from its snippet or address, if the provider gave none."""
    if hit.published is not None:
        return hit if hit.published_basis else replace(hit, published_basis="provider")
    found, basis = _find_date_in_snippet(hit.snippet, now), "snippet"
    if found is None:
        day = addresses.find_path_date(hit.url, today=now.date())
        found, basis = datetime.combine(day, time.min, tzinfo=UTC) if day else None, "url"
    return hit if found is None else replace(hit, published=found, published_basis=basis)


def format_publication_date(moment: datetime) -> str:
    """ISO 8601 in UTC; exact midnight means that only the day is known, and is written as a date."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    utc = aware.astimezone(UTC)
    if utc.time() == time.min:
        return utc.date().isoformat()
    return utc.replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def _find_date_in_snippet(snippet: str, now: datetime) -> datetime | None:
    match = _LEADING_DATE_PATTERN.match(snippet)
    found = parse_provider_date(match["date"].replace(".", ""), now=now) if match else None
    if found is None or _HOURLY_AGE_PATTERN.search(snippet, 0, match.end() if match else 0):
        return found
    return datetime.combine(found.date(), time.min, tzinfo=UTC)  # "3 days ago" gives no hour


def build_search_results(
    ranked: Sequence[RankedHit],
    *,
    claim: nearest_sentences.ClaimTerms | None = None,
    own_scores: bool = False,
) -> tuple[SearchResult, ...]:
    """The results in order; `own_scores` if all scores come from one provider and can be used."""
    scores = _normalize_scores(ranked, own=own_scores)
    if claim is not None:
        claim = nearest_sentences.weigh_claim_terms(
            claim, [_join_snippets(item.hit) for item in ranked]
        )
    return tuple(
        _build_search_result(item.hit, score, claim)
        for item, score in zip(ranked, scores, strict=True)
    )


def read_claim_signals(
    results: Sequence[SearchResult], claim: nearest_sentences.ClaimTerms
) -> tuple[SearchResult, ...]:
    """The results with signals from the pages that were read; a page without one keeps the snippet's."""
    return tuple(_read_claim_signal(result, claim) for result in results)


def _read_claim_signal(result: SearchResult, claim: nearest_sentences.ClaimTerms) -> SearchResult:
    if result.content is None:
        return result
    text = nearest_sentences.extract_running_text(result.content.markdown)
    signal, _ = nearest_sentences.find_nearest_sentences(claim, text)
    return result.model_copy(update={"claim_signal": signal}) if signal else result


def _build_search_result(
    hit: SearchHit,
    score: float,
    claim: nearest_sentences.ClaimTerms | None,
) -> SearchResult:
    return SearchResult(
        title=hit.title or addresses.format_host_name(hit.url),
        url=addresses.strip_tracking(hit.url),
        snippet=hit.snippet,
        display_link=addresses.format_host_name(hit.url),
        source_reputation=find_host_reputation(addresses.extract_host(hit.url)),
        claim_signal=nearest_sentences.find_nearest_sentence(claim, _join_snippets(hit))
        if claim
        else None,
        score=score,
        engine=hit.engine,
        published_at=format_publication_date(hit.published) if hit.published else None,
        published_basis=hit.published_basis,
        engagement=hit.engagement or None,
        extra_snippets=hit.extra_snippets or None,
    )


def _normalize_scores(ranked: Sequence[RankedHit], *, own: bool) -> list[float]:
    """Scores between 0 and 1 that never increase down the list."""
    given = [item.hit.score for item in ranked]
    if not own or any(score is None for score in given):
        best = ranked[0].weight if ranked else 1.0
        return [round(item.weight / best, 3) for item in ranked]
    scores, ceiling = [], 1.0
    for score in given:
        ceiling = max(0.0, min(ceiling, score or 0.0))
        scores.append(round(ceiling, 3))
    return scores


def _join_snippets(hit: SearchHit) -> str:
    return "\n".join((hit.snippet, *hit.extra_snippets))
