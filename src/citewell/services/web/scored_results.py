"""Turns hits into results with scores, dates and the reputation of their hosts."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.model.search_queries import SearchHit
from citewell.model.search_results import SearchResult
from citewell.services.sources.host_reputation import find_host_reputation
from citewell.services.web.rank_fusion import RankedHit
from citewell.services.web.result_dates import format_publication_date
from citewell.text.evidence import nearest_sentences, summaries
from citewell.text.web import addresses


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
            claim, [_join_snippets(one.hit) for one in ranked]
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
    text = summaries.extract_running_text(result.content.markdown)
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
        claim_signal=_signal_claim_support(claim, hit) if claim else None,
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


def _signal_claim_support(claim: nearest_sentences.ClaimTerms, hit: SearchHit) -> str:
    return nearest_sentences.find_nearest_sentence(claim, _join_snippets(hit))


def _join_snippets(hit: SearchHit) -> str:
    return "\n".join((hit.snippet, *hit.extra_snippets))
