"""Scores a source for a question: relevance, freshness, authority, content, and their sum; recommends by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial

from citewell.core.values.scrape_results import (
    DisplayComponent,
    QualityScore,
    SourceCard,
    SourceRecommendation,
    SourceResult,
    SourceTable,
)
from citewell.evidence.signs.nearest_sentences import summarise_markdown
from citewell.text.language import sentences, word_forms

RELEVANCE_WEIGHT, FRESHNESS_WEIGHT, AUTHORITY_WEIGHT, CONTENT_WEIGHT = 0.35, 0.20, 0.25, 0.20
TITLE_WEIGHT, TEXT_WEIGHT = 0.4, 0.6  # weights within relevance
UNKNOWN_SCORE = 0.5
_FRESHNESS_BY_AGE_DAYS = ((0, 1.0), (7, 0.9), (30, 0.7), (365, 0.5))  # days, score
_OLD_FRESHNESS_SCORE = 0.3
_CONTENT_SCORE_BY_WORDS = ((500, 0.3), (200, 0.2), (50, 0.1))  # more than this many words, score
_MAX_CONTENT_CHARS = 20_000  # characters searched for paragraphs and sentences
_TermReader = Callable[[str], frozenset[str]]
_AUTHORITY_TIERS = ((0.8, "high"), (0.5, "medium"))
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


def build_quality_score(
    *, relevance: float, freshness: float, authority: float, content: float
) -> QualityScore:
    overall = (
        RELEVANCE_WEIGHT * relevance
        + FRESHNESS_WEIGHT * freshness
        + AUTHORITY_WEIGHT * authority
        + CONTENT_WEIGHT * content
    )
    return QualityScore(
        overall=round(overall, 2),
        relevance=round(relevance, 2),
        freshness=round(freshness, 2),
        authority=round(authority, 2),
        content_quality=round(content, 2),
    )


def score_relevance(query: str, *, title: str, content: str, language: str | None = None) -> float:
    """The share of the query's words that title and content have; longer words count more."""
    read: _TermReader = partial(word_forms.extract_terms, language=language)
    if not read(query):
        read = _collect_all_words  # the query has only stop-words, such as "to be or not to be"
    wanted = read(query)
    if not wanted:
        return UNKNOWN_SCORE
    return TITLE_WEIGHT * _measure_word_share(
        wanted, read(title)
    ) + TEXT_WEIGHT * _measure_word_share(wanted, read(content))


def _collect_all_words(text: str) -> frozenset[str]:
    return frozenset(word_forms.split_words(text))


def _measure_word_share(wanted: frozenset[str], there: frozenset[str]) -> float:
    return sum(map(len, wanted & there)) / sum(map(len, wanted))


def score_freshness(moment: datetime | None, *, now: datetime) -> float:
    """A score by the page's age in calendar days; UNKNOWN_SCORE without a date or for a future one."""
    if moment is None:
        return UNKNOWN_SCORE
    age = (_truncate_to_day(now) - _truncate_to_day(moment)).days
    if age < -1:  # in some time zones it is already tomorrow
        return UNKNOWN_SCORE
    return next(
        (value for days, value in _FRESHNESS_BY_AGE_DAYS if age <= days), _OLD_FRESHNESS_SCORE
    )


def _truncate_to_day(moment: datetime) -> datetime:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def score_content(text: str) -> float:
    """A score for how much this looks like an article: length, paragraphs, sentences, links."""
    lengths = [len(word) for word in word_forms.split_words(text)]
    count = len(lengths)
    start = text[:_MAX_CONTENT_CHARS]
    paragraphs = sum(1 for part in start.split("\n\n") if part.strip())
    marks = (
        next((value for bound, value in _CONTENT_SCORE_BY_WORDS if count > bound), 0.0),
        0.2 if paragraphs > 3 else 0.0,
        0.2 if count and 2 <= sum(lengths) / count <= 10 else 0.0,
        0.1 if "http" in text else 0.0,
        0.2 if len(sentences.split_sentences(start)) > 5 else 0.0,
    )
    return round(sum(marks), 2)


def classify_authority(authority: float) -> str:
    return next((name for bound, name in _AUTHORITY_TIERS if authority >= bound), "low")


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
