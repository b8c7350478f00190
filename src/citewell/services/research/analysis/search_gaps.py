"""Builds queries for the next round: names that the first pages led to, and sides not searched yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from citewell.services.research.analysis.bridge_names import list_new_names
from citewell.services.research.analysis.page_analysis import (
    FULL_COVERAGE,
    PageAnalysis,
    analyse_pages,
)
from citewell.services.research.collecting import source_kinds
from citewell.services.research.step_values import PageReadings, ResearchPlan
from citewell.text.passages.answer_windows import AnswerWindow
from citewell.text.passages.page_units import list_passage_terms
from citewell.text.passages.passage_index import list_question_words

_MAX_GAP_QUERY_CHARS = 300  # characters of a query
_LEADING_WINDOWS = 3  # of a part, whose names may lead on
_MAX_BRIDGE_NAMES = 2  # of one part
_MAX_ADDED_WORDS = 3  # words added to a query
_MIN_PART_OWNERS = 2  # whose pages answer a part


def find_gap_queries(
    plan: ResearchPlan, readings: PageReadings, *, searched: Iterable[str] = ()
) -> tuple[str, ...]:
    """Queries for what the pages leave open; empty if every part is answered by several owners."""
    found = analyse_pages(plan, readings)
    wanted = [*_build_bridge_queries(found)]
    if any(_count_part_owners(found, part) < _MIN_PART_OWNERS for part in range(len(found.parts))):
        wanted += [side.query for side in plan.sides]
        wanted += [_build_wider_query(found)]
    asked = {query.lower() for query in searched}
    fresh = dict.fromkeys(query for query in wanted if query and query.lower() not in asked)
    return tuple(fresh)[: plan.further]


def _count_part_owners(found: PageAnalysis, part: int) -> int:
    return len(
        {
            source_kinds.identify_source_owner(found.pages[window.page].url)
            for window in found.windows[part][: 2 * _LEADING_WINDOWS]
        }
    )


def _build_bridge_queries(found: PageAnalysis) -> Iterator[str]:
    """A name that the best passages bring, with the words of the question that they lack."""
    for part, windows in enumerate(found.windows):
        if not windows or windows[0].coverage >= FULL_COVERAGE:
            continue
        names = dict.fromkeys(
            name
            for window in windows[:_LEADING_WINDOWS]
            for name in list_new_names(
                found.list_window_units(window), found.plan.query, language=found.plan.language
            )
        )
        lacking = _list_lacking_words(found, part, windows[0])
        for name in list(names)[:_MAX_BRIDGE_NAMES]:
            yield " ".join([name, *lacking])[:_MAX_GAP_QUERY_CHARS]


def _build_wider_query(found: PageAnalysis) -> str:
    """The words of the question with the most telling new words of the best passages."""
    language = found.plan.language
    asked = list_question_words(found.plan.query, language=language)
    counts: Counter[str] = Counter()
    for windows in found.windows:
        for window in windows[:_LEADING_WINDOWS]:
            for unit in found.list_window_units(window):
                counts.update(set(list_question_words(unit.text, language=language)))
    new = {
        word: counts[word] * found.index.weigh_word(word, language=language)
        for word in counts
        if word not in asked and not word[0].isdigit()
    }
    best = sorted(new, key=lambda word: (-round(new[word], 6), word))[:_MAX_ADDED_WORDS]
    return " ".join([*asked, *best])[:_MAX_GAP_QUERY_CHARS] if best else ""


def _list_lacking_words(found: PageAnalysis, part: int, window: AnswerWindow) -> list[str]:
    """The words of this part that neither the window nor its headings hold."""
    page = found.index.pages[window.page]
    units = found.list_window_units(window)
    held = {stem for unit in units for stem in unit.stems}
    for text in (page.title, *units[0].headings):
        held |= set(list_passage_terms(text, language=page.language))
    language = found.plan.language
    return [
        word
        for word in list_question_words(found.parts[part].text, language=language)
        if not held & set(list_passage_terms(word, language=language))
    ]
