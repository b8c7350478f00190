"""Hits as callers see them: scored, dated, with what is known of their host."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.model.search import Hit
from citewell.model.source import SearchResult
from citewell.services.reputation import Reputations
from citewell.services.web.dating import written
from citewell.services.web.merge import Ranked
from citewell.text import claims, urls


def shown(
    ranked: Sequence[Ranked],
    *,
    reputations: Reputations,
    claim: claims.Claim | None = None,
    own_scores: bool = False,
) -> tuple[SearchResult, ...]:
    """Results in order; `own_scores` when one provider scored them all itself."""
    scores = _scores(ranked, own=own_scores)
    return tuple(
        _result(item.hit, score, reputations, claim)
        for item, score in zip(ranked, scores, strict=True)
    )


def _result(
    hit: Hit, score: float, reputations: Reputations, claim: claims.Claim | None
) -> SearchResult:
    return SearchResult(
        title=hit.title or urls.display(hit.url),
        url=urls.clean(hit.url),
        snippet=hit.snippet,
        display_link=urls.display(hit.url),
        source_reputation=reputations.of(urls.host(hit.url)),
        claim_signal=_signal(claim, hit) if claim else None,
        score=score,
        engine=hit.engine,
        published_at=written(hit.published) if hit.published else None,
        published_basis=hit.published_basis,
        engagement=hit.engagement or None,
        extra_snippets=hit.extra_snippets or None,
    )


def _scores(ranked: Sequence[Ranked], *, own: bool) -> list[float]:
    """Between 0 and 1, never rising with rank."""
    given = [item.hit.score for item in ranked]
    if not own or any(score is None for score in given):
        best = ranked[0].weight if ranked else 1.0
        return [round(item.weight / best, 3) for item in ranked]
    scores, ceiling = [], 1.0
    for score in given:
        ceiling = max(0.0, min(ceiling, score or 0.0))
        scores.append(round(ceiling, 3))
    return scores


def _signal(claim: claims.Claim, hit: Hit) -> str:
    return claims.signal(claim, "\n".join((hit.snippet, *hit.extra_snippets)))
