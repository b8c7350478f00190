"""What of a question the pages do not hold: names they never mention, and its most telling word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from citewell.services.research.analysis.page_analysis import PageAnalysis
from citewell.text.passages.page_units import list_passage_terms
from citewell.text.passages.passage_index import AskedTerm, TermMatcher

# A capital inside the question; the first word of a sentence is always written with one.
_NAME_PATTERN = re.compile(
    r"(?<![.?!:]\s)(?<!\A)\b[A-Z][\w’']{0,60}+(?:\s{1,9}+(?:[A-Z][\w’']{0,60}+|\d\w{0,60}+)){0,8}+(?![\w-])"
)
_MIN_FOUND_FACTOR = 0.35  # of a word or a related one, to count as found
_TELLING_SHARE = 0.45  # of the question's weight in one word: without it, the subject is missing
_GERMAN_CODES = frozenset(("de", "lb"))  # write every noun with a capital
_LEAST_PART_COVERAGE = 0.25


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
    if not any(found.windows):
        return QuestionCoverage(
            state=AnswerState.NOTHING_FOUND, missing_parts=tuple(range(len(found.parts)))
        )
    plan = found.plan
    terms = found.index.weigh_words(plan.query, language=plan.language)
    matcher = TermMatcher(found.index, terms)
    held = _find_best_factors(matcher)
    missing = [term for at, term in enumerate(terms) if held.get(at, 0.0) < _MIN_FOUND_FACTOR]
    names = _list_missing_names(found)
    telling = _find_telling_word(missing, matcher.total)
    return QuestionCoverage(
        state=AnswerState.SUBJECT_MISSING if names or telling else AnswerState.ANSWERED,
        missing_names=names or ((telling,) if telling else ()),
        missing_words=tuple(term.word for term in missing),
        missing_parts=tuple(
            at
            for at, windows in enumerate(found.windows)
            if not windows or max(one.coverage for one in windows) < _LEAST_PART_COVERAGE
        ),
    )


def _find_best_factors(matcher: TermMatcher) -> dict[int, float]:
    """For each word of the question, how well the best place of all pages matches it."""
    best: dict[int, float] = {}
    for hits in (hit for page in matcher.unit_hits for hit in page):
        for at, factor in hits:
            best[at] = max(best.get(at, 0.0), factor)
    for titles in matcher.title_hits:
        for at, factor in titles.items():
            best[at] = max(best.get(at, 0.0), factor)
    return best


def _find_telling_word(missing: list[AskedTerm], total: float) -> str:
    """The missing word that carries about half of the question, if there is one."""
    return next((term.word for term in missing if term.weight / total >= _TELLING_SHARE), "")


def _list_missing_names(found: PageAnalysis) -> tuple[str, ...]:
    """Names of the question that no page mentions; the words of one name must stand together."""
    plan = found.plan
    if (plan.language or "en")[:2] in _GERMAN_CODES:
        return ()
    names = dict.fromkeys(match[0] for match in _NAME_PATTERN.finditer(plan.query))
    return tuple(name for name in names if not _is_name_found(name, found))


def _is_name_found(name: str, found: PageAnalysis) -> bool:
    """Whether a page has the name; of a long one, two neighbouring words are enough."""
    words = list_passage_terms(name, language=found.plan.language)
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
