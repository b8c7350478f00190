"""What is added to a bundle of sources from its scores alone: pointers to the best, and things to draw."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.model.scrape import (
    Card,
    Component,
    QualityScore,
    Recommendation,
    SourceResult,
    Table,
)
from citewell.text import summary

GOOD = 0.6
_MOST = 3
_SNIPPET = 200  # characters
_COLUMNS = ("source", "overall", "relevance", "freshness", "authority", "content")
_REASONS = {
    "relevance": "It covers the words of the question",
    "authority": "It comes from a domain of authority",
    "freshness": "It is recent",
    "content": "It is a full and well-formed text",
}


def recommended(sources: Sequence[SourceResult]) -> tuple[Recommendation, ...] | None:
    """The best of what was found, at most three; the order of the sources stays as it is."""
    good = [source for source in sources if source.content and source.scores.overall >= GOOD]
    best = sorted(good, key=lambda source: -source.scores.overall)[:_MOST]
    return tuple(map(_recommendation, best)) or None


def _recommendation(source: SourceResult) -> Recommendation:
    name, value = max(_parts(source.scores).items(), key=lambda part: part[1])
    return Recommendation(
        url=source.url,
        title=source.title,
        score=source.scores.overall,
        reason=f"{_REASONS[name]} ({name} {value:.2f}).",
    )


def _parts(scores: QualityScore) -> dict[str, float]:
    """In the order of their weight, which decides between equals."""
    return {
        "relevance": scores.relevance,
        "authority": scores.authority,
        "freshness": scores.freshness,
        "content": scores.content_quality,
    }


def components(sources: Sequence[SourceResult]) -> tuple[Component, ...] | None:
    """A card for each source and, for two or more, a table that compares them."""
    shown = [source for source in sources if source.content]
    cards = [_card(source) for source in shown]
    return (*cards, *([_table(shown)] if len(shown) > 1 else [])) or None


def _card(source: SourceResult) -> Component:
    card = Card(
        url=source.url,
        title=source.title,
        score=source.scores.overall,
        snippet=summary.summarise(source.content, limit=_SNIPPET) or None,
    )
    return Component(type="card", title=source.title, source_refs=(source.url,), card=card)


def _table(sources: Sequence[SourceResult]) -> Component:
    return Component(
        type="table",
        title="Quality of the sources",
        source_refs=tuple(source.url for source in sources),
        table=Table(columns=_COLUMNS, rows=tuple(map(_row, sources))),
    )


def _row(source: SourceResult) -> tuple[str, ...]:
    scores = source.scores
    numbers = (
        scores.overall,
        scores.relevance,
        scores.freshness,
        scores.authority,
        scores.content_quality,
    )
    return (source.url, *(f"{number:.2f}" for number in numbers))
