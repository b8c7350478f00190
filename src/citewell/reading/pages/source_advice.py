"""Recommendations and display components for a bundle of sources, derived from their scores alone."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.core.values.scrape_results import (
    DisplayComponent,
    QualityScore,
    SourceCard,
    SourceRecommendation,
    SourceResult,
    SourceTable,
)
from citewell.evidence.signs.nearest_sentences import summarise_markdown

RECOMMENDED_SCORE = 0.6
_MAX_RECOMMENDATIONS = 3
_SNIPPET_CHARS = 200  # characters
_SCORE_COLUMNS = ("source", "overall", "relevance", "freshness", "authority", "content")
_SCORE_REASONS = {
    "relevance": "It covers the words of the query",
    "authority": "It comes from an authoritative domain",
    "freshness": "It is recent",
    "content": "It is a complete, well-formed text",
}


def recommend_sources(sources: Sequence[SourceResult]) -> tuple[SourceRecommendation, ...] | None:
    """Up to three sources with the highest overall scores, best first; None if no source scores high enough."""
    good = [
        source
        for source in sources
        if source.content and source.scores.overall >= RECOMMENDED_SCORE
    ]
    best = sorted(good, key=lambda source: -source.scores.overall)[:_MAX_RECOMMENDATIONS]
    return tuple(map(_build_recommendation, best)) or None


def _build_recommendation(source: SourceResult) -> SourceRecommendation:
    name, value = max(_list_score_parts(source.scores).items(), key=lambda part: part[1])
    return SourceRecommendation(
        url=source.url,
        title=source.title,
        score=source.scores.overall,
        reason=f"{_SCORE_REASONS[name]} ({name} {value:.2f}).",
    )


def _list_score_parts(scores: QualityScore) -> dict[str, float]:
    """The partial scores by name, in order of weight; on a tie the first one is named as the reason."""
    return {
        "relevance": scores.relevance,
        "authority": scores.authority,
        "freshness": scores.freshness,
        "content": scores.content_quality,
    }


def build_components(sources: Sequence[SourceResult]) -> tuple[DisplayComponent, ...] | None:
    """A card for each source that has content and, for two or more, a table that compares them."""
    shown = [source for source in sources if source.content]
    cards = [_build_source_card(source) for source in shown]
    return (*cards, *([_build_score_table(shown)] if len(shown) > 1 else [])) or None


def _build_source_card(source: SourceResult) -> DisplayComponent:
    card = SourceCard(
        url=source.url,
        title=source.title,
        score=source.scores.overall,
        snippet=summarise_markdown(source.content, max_chars=_SNIPPET_CHARS) or None,
    )
    return DisplayComponent(type="card", title=source.title, source_refs=(source.url,), card=card)


def _build_score_table(sources: Sequence[SourceResult]) -> DisplayComponent:
    return DisplayComponent(
        type="table",
        title="Quality of the sources",
        source_refs=tuple(source.url for source in sources),
        table=SourceTable(columns=_SCORE_COLUMNS, rows=tuple(map(_build_score_row, sources))),
    )


def _build_score_row(source: SourceResult) -> tuple[str, ...]:
    scores = source.scores
    numbers = (
        scores.overall,
        scores.relevance,
        scores.freshness,
        scores.authority,
        scores.content_quality,
    )
    return (source.url, *(f"{number:.2f}" for number in numbers))
