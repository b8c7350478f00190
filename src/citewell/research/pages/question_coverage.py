"""What of a question the pages do not hold, and the queries of the next round that search for it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import ValueRow, ValueTable
from citewell.jobs.step_values import PageReadings, ResearchPlan
from citewell.research.claims import source_kinds
from citewell.research.pages import page_analysis
from citewell.research.pages.page_analysis import FULL_COVERAGE, PageAnalysis
from citewell.text.language.scripts import UNSPACED_CHARACTER_PATTERN
from citewell.text.passages.answer_windows import AnswerWindow
from citewell.text.passages.page_units import list_passage_terms
from citewell.text.passages.passage_index import AskedTerm, TermMatcher, list_question_words
from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    ORDINAL_UNIT,
    YEAR_UNIT,
    StatedQuantity,
)

_MAX_GAP_QUERY_CHARS = 300  # characters of a query
_LEADING_WINDOWS = 3  # of a part, whose names may lead on
_MAX_BRIDGE_NAMES = 2  # of one part
_MAX_ADDED_WORDS = 3  # words added to a query
_MIN_PART_OWNERS = 2  # whose pages answer a part

# A capital inside the question; the first word of a sentence is always written with one.
_NAME_PATTERN = re.compile(
    r"(?<![.?!:]\s)(?<!\A)\b[A-Z][\w’']{0,60}+(?:\s{1,9}+(?:[A-Z][\w’']{0,60}+|\d\w{0,60}+)){0,8}+(?![\w-])"
)
_MIN_FOUND_FACTOR = 0.35  # of a word or a related one, to count as found
_TELLING_SHARE = 0.45  # of the question's weight in one word: without it, the subject is missing
_TOLD_SHARE = 0.12  # of a missing word that the report names
_MIN_TOLD_LETTERS = 5  # of one in another language, whose little words are not all known
_MISSING_SHARE = 0.75  # of the question's weight in all words that no page has
# Adjectives of countries and peoples: written with a capital, but no names.
_PEOPLE_ENDING_PATTERN = re.compile(r"(?:ish|ese|ian|ean|ican|ench|utch|eek|wiss)s?\Z")
_TRAILING_NUMBER_PATTERN = re.compile(r"(?<!\s)\s++\d++\Z")
_GERMAN_CODES = frozenset(("de", "lb"))  # write every noun with a capital
_LEAST_PART_COVERAGE = 0.25
_LEAST_COVERAGE = 0.1  # of the question in the best window: less is another subject


class AnswerState(StrEnum):
    ANSWERED = "answered"
    NOTHING_FOUND = "nothing found"
    SUBJECT_MISSING = "subject missing"  # pages were found, but none names what is asked about


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCoverage:
    state: AnswerState
    missing_names: tuple[str, ...] = ()  # of the question, on no page
    missing_words: tuple[str, ...] = ()
    missing_parts: tuple[int, ...] = ()  # indexes of parts without a fitting passage


def judge_coverage(found: PageAnalysis) -> QuestionCoverage:
    """Whether the pages speak of what is asked, and which words of the question they lack."""
    best = max((window.coverage for windows in found.windows for window in windows), default=0.0)
    if best < _LEAST_COVERAGE:
        return QuestionCoverage(
            state=AnswerState.NOTHING_FOUND, missing_parts=tuple(range(len(found.parts)))
        )
    plan = found.plan
    terms = found.index.weigh_words(plan.query, language=plan.language)
    if (plan.language or "en")[:2] != "en":
        # No table tells how rare their words are; in few pages, a missing word would weigh most.
        terms = tuple(replace(term, weight=1.0) for term in terms)
    matcher = TermMatcher(found.index, terms)
    held = _find_best_factors(matcher)
    missing = [term for at, term in enumerate(terms) if held.get(at, 0.0) < _MIN_FOUND_FACTOR]
    names = _list_missing_names(found)
    lost = names or _list_telling_words(missing, matcher.total, language=plan.language)
    return QuestionCoverage(
        state=AnswerState.SUBJECT_MISSING if lost else AnswerState.ANSWERED,
        missing_names=lost,
        missing_words=tuple(
            term.word
            for term in missing
            if term.weight / matcher.total >= _TOLD_SHARE
            and (len(term.word) >= _MIN_TOLD_LETTERS or (plan.language or "en")[:2] == "en")
        ),
        missing_parts=tuple(
            at
            for at, windows in enumerate(found.windows)
            if not windows or max(window.coverage for window in windows) < _LEAST_PART_COVERAGE
        ),
    )


def _find_best_factors(matcher: TermMatcher) -> dict[int, float]:
    """For each word of the question, how well the best place of all pages matches it."""
    best: dict[int, float] = {}
    for hits in (hits for page in matcher.unit_hits for hits in page):
        for at, factor in hits:
            best[at] = max(best.get(at, 0.0), factor)
    above = (
        matcher.match_headings(texts, page.language)
        for page in matcher.index.pages
        for texts in {texts for unit in page.units for texts in (unit.headings, unit.table_header)}
    )
    for hits_above in (*matcher.title_hits, *above):
        for at, factor in hits_above.items():
            best[at] = max(best.get(at, 0.0), factor)
    return best


def _list_telling_words(
    missing: Sequence[AskedTerm], total: float, *, language: str | None
) -> tuple[str, ...]:
    """The missing words without which the subject is gone: a heavy one, or many together.

    Pairs of characters, which stand for words in scripts without spaces, tell too little by themselves.
    """
    if any(UNSPACED_CHARACTER_PATTERN.match(term.word) for term in missing):
        return ()
    if sum(term.weight for term in missing) / total >= _MISSING_SHARE:
        return tuple(term.word for term in missing)
    # Only of English it is known how telling a word is that the pages do not have.
    least = _TELLING_SHARE if (language or "en")[:2] == "en" else _MISSING_SHARE
    return tuple(term.word for term in missing if term.weight / total >= least)


def _list_missing_names(found: PageAnalysis) -> tuple[str, ...]:
    """Names of the question that no page mentions; the words of one name must stand together."""
    plan = found.plan
    if (plan.language or "en")[:2] in _GERMAN_CODES:
        return ()
    named = (match[0] for match in _NAME_PATTERN.finditer(plan.query))
    names = dict.fromkeys(_TRAILING_NUMBER_PATTERN.sub("", name) for name in named)
    return tuple(
        name
        for name in names
        if not _PEOPLE_ENDING_PATTERN.search(name) and not _is_name_found(name, found)
    )


def _is_name_found(name: str, found: PageAnalysis) -> bool:
    """Whether a page has the name; of a long one, two neighbouring words are enough."""
    words = list_passage_terms(name, language=found.plan.language)
    if len(words) == 1 and found.index.has_word(name):
        return True
    pairs = [set(words)] if len(words) < 3 else [set(pair) for pair in pairwise(words)]
    return not words or any(_has_words_together(pair, found) for pair in pairs)


def _has_words_together(wanted: set[str], found: PageAnalysis) -> bool:
    for page in found.index.pages:
        above = {heading for unit in page.units for heading in unit.headings}
        for text in (page.title, *above):
            if wanted <= set(list_passage_terms(text, language=page.language)):
                return True
        if any(wanted <= set(unit.stems) for unit in page.units):
            return True
    return False


# Builds queries for the next round: names that the first pages led to, and sides not searched yet.


def find_gap_queries(
    plan: ResearchPlan, readings: PageReadings, *, searched: Iterable[str] = ()
) -> tuple[str, ...]:
    """Queries for what the pages leave open; empty if every part is answered by several owners."""
    found = page_analysis.analyse_pages(plan, readings)
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
            for name in page_analysis.list_new_names(
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


# For a question that wants a number: the figures that the sources give, side by side.


_MAX_COMPARED_WINDOWS = 12
_MAX_FIGURE_ROWS = 6
_MIN_UNIT_COVERAGE = 0.35  # of the question's words, in the sentence that gives the figure
_MIN_FIGURE_SOURCES = 2
_UNMEASURED_UNITS = frozenset((YEAR_UNIT, DATE_UNIT, ORDINAL_UNIT, ""))


def compare_figures(found: PageAnalysis, *, refs: Sequence[str]) -> tuple[ValueTable, ...]:
    """One table with a figure of each source in one unit, if at least two of them differ."""
    plan = found.plan
    if not page_analysis.wants_number(plan.query):
        return ()
    by_unit: dict[str, dict[str, tuple[StatedQuantity, ValueRow]]] = defaultdict(dict)
    sources: dict[str, str] = {}  # by whom a sentence was said first
    copying: set[str] = set()
    for quantity, row in _list_figures(found, refs):
        if sources.setdefault(row.snippet, row.source) != row.source:
            copying.add(row.source)
        elif row.source not in copying:
            by_unit[quantity.unit].setdefault(row.source, (quantity, row))
    best = max(by_unit, key=lambda unit: (len(by_unit[unit]), unit), default=None)
    rows = list(by_unit[best].values())[:_MAX_FIGURE_ROWS] if best is not None else []
    differ = any(
        not item.can_equal(other)
        for at, (item, _) in enumerate(rows)
        for other, _ in rows[at + 1 :]
    )
    if len(rows) < _MIN_FIGURE_SOURCES or not differ or best is None:
        return ()
    subject = f"{plan.query.rstrip(' ?')}: {_describe_agreement(rows)}"
    return (ValueTable(subject=subject, unit=best, rows=tuple(row for _, row in rows)),)


def _describe_agreement(rows: Sequence[tuple[StatedQuantity, ValueRow]]) -> str:
    """How many of the sources give the same figure, if any two do."""
    agreeing = [
        sum(1 for other, _ in rows if row.can_equal(other) and other.can_equal(row))
        for row, _ in rows
    ]
    most = max(agreeing)
    if most < _MIN_FIGURE_SOURCES:
        return f"{len(rows)} {pluralize(len(rows), 'source')}, {len(rows)} {pluralize(len(rows), 'figure')}"
    return f"{most} of {len(rows)} {pluralize(len(rows), 'source')} {pluralize(most, 'says', 'say')} {rows[agreeing.index(most)][1].value}"


def _list_figures(
    found: PageAnalysis, refs: Sequence[str]
) -> Iterator[tuple[StatedQuantity, ValueRow]]:
    plan = found.plan
    terms = found.index.weigh_words(plan.query, language=plan.language)
    matcher = TermMatcher(found.index, terms)
    best = (window for windows in found.windows for window in windows[:_MAX_COMPARED_WINDOWS])
    for window in best:
        page = found.pages[window.page]
        for place in range(window.first, window.last + 1):
            unit = found.index.pages[window.page].units[place]
            if matcher.measure_unit(window.page, place) < _MIN_UNIT_COVERAGE:
                continue
            for quantity in extract_quantities(unit.text, language=page.language):
                row = ValueRow(
                    value=quantity.text,
                    source=refs[window.page],
                    date=page.published,
                    snippet=page_analysis.format_unit_text(unit),
                )
                if quantity.unit not in _UNMEASURED_UNITS:
                    yield quantity, row
