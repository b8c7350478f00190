"""How good a source is for a question: four scores between 0 and 1, and their weighted sum."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from citewell.model.scrape import QualityScore
from citewell.text import sentences, tokens

RELEVANCE, FRESHNESS, AUTHORITY, CONTENT = 0.35, 0.20, 0.25, 0.20
TITLE, TEXT = 0.4, 0.6  # what each counts in relevance
UNKNOWN = 0.5
_AGES = ((0, 1.0), (7, 0.9), (30, 0.7), (365, 0.5))  # days, score
_OLD = 0.3
_WORDS = ((500, 0.3), (200, 0.2), (50, 0.1))  # more than so many words
_LOOKED_AT = 20_000  # characters in which paragraphs and sentences are counted
_Read = Callable[[str], frozenset[str]]
_TIERS = ((0.8, "high"), (0.5, "medium"))


def score(*, relevance: float, freshness: float, authority: float, content: float) -> QualityScore:
    overall = (
        RELEVANCE * relevance + FRESHNESS * freshness + AUTHORITY * authority + CONTENT * content
    )
    return QualityScore(
        overall=round(overall, 2),
        relevance=round(relevance, 2),
        freshness=round(freshness, 2),
        authority=round(authority, 2),
        content_quality=round(content, 2),
    )


def relevance(query: str, *, title: str, content: str, language: str | None = None) -> float:
    """How much of the query's words, the longer counting more, title and content share."""
    read: _Read = partial(tokens.terms, language=language)
    if not read(query):
        read = _words  # a query of stop-words, such as "to be or not to be"
    wanted = read(query)
    if not wanted:
        return UNKNOWN
    return TITLE * _share(wanted, read(title)) + TEXT * _share(wanted, read(content))


def _words(text: str) -> frozenset[str]:
    return frozenset(tokens.words(text))


def _share(wanted: frozenset[str], there: frozenset[str]) -> float:
    return sum(map(len, wanted & there)) / sum(map(len, wanted))


def freshness(moment: datetime | None, *, now: datetime) -> float:
    """By the calendar days since the page's own date; a date to come is no date."""
    if moment is None:
        return UNKNOWN
    age = (_day(now) - _day(moment)).days
    if age < -1:  # somewhere on Earth it may be tomorrow already
        return UNKNOWN
    return next((value for days, value in _AGES if age <= days), _OLD)


def _day(moment: datetime) -> datetime:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def content(text: str) -> float:
    """Whether it reads like a written text: long, in paragraphs and sentences, with links."""
    lengths = [len(word) for word in tokens.words(text)]
    count = len(lengths)
    start = text[:_LOOKED_AT]
    paragraphs = sum(1 for part in start.split("\n\n") if part.strip())
    marks = (
        next((value for bound, value in _WORDS if count > bound), 0.0),
        0.2 if paragraphs > 3 else 0.0,
        0.2 if count and 2 <= sum(lengths) / count <= 10 else 0.0,
        0.1 if "http" in text else 0.0,
        0.2 if len(sentences.split(start)) > 5 else 0.0,
    )
    return round(sum(marks), 2)


def tier(authority: float) -> str:
    return next((name for bound, name in _TIERS if authority >= bound), "low")
