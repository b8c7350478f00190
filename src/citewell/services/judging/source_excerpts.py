"""Chooses what a model is shown of a long source: the passages nearest to the claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citewell.services.judging.source_quotes import QuotableSource
from citewell.text.passages.page_units import PageUnit
from citewell.text.passages.passage_index import IndexedPage, PassageIndex, TermMatcher
from citewell.text.safety import answer_orders, injection_signals

MAX_SOURCE_CHARS = 6000  # of one source in one call
_GAP_MARK = " […] "


def choose_excerpts(
    source: QuotableSource,
    claims: Sequence[str],
    *,
    language: str | None,
    max_chars: int = MAX_SOURCE_CHARS,
) -> str:
    """The source without markup and without orders to its reader, or its best passages for each claim."""
    units = tuple(unit for unit in source.units if not is_reader_order(unit.text))
    if sum(len(unit.text) + 1 for unit in units) <= max_chars:
        return _join_passage_places(units, range(len(units)))
    taken: set[int] = set()
    used = 0
    for first, last in _rank_passages(units, claims, language):
        fresh = [place for place in range(first, last + 1) if place not in taken]
        size = sum(len(units[place].text) + 1 for place in fresh)
        if used + size > max_chars:
            continue
        taken.update(fresh)
        used += size
    return _join_passage_places(units, sorted(taken))


def is_reader_order(text: str) -> bool:
    """Whether a sentence gives orders to whatever model reads it, or says what it is to answer."""
    return injection_signals.has_injection_signal(text) or answer_orders.has_answer_order(text)


def _rank_passages(
    units: Sequence[PageUnit], claims: Sequence[str], language: str | None
) -> Iterator[tuple[int, int]]:
    """The best passage for each claim in turn, then the second of each, and so on."""
    page = IndexedPage(title="", language=language, units=tuple(units))
    index = PassageIndex([page])
    ranked = [
        TermMatcher(index, index.weigh_words(claim, language=language)).score_passages()
        for claim in claims
    ]
    for scores in zip(*ranked, strict=True):
        for one in scores:
            passage = index.passages[one.passage]
            yield passage.first, passage.last


def _join_passage_places(units: Sequence[PageUnit], places: Sequence[int]) -> str:
    text = ""
    for number, place in enumerate(places):
        if number:
            text += " " if places[number - 1] == place - 1 else _GAP_MARK
        text += units[place].text
    return text
