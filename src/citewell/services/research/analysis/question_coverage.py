"""What of a question the pages do not hold: names they never mention, and its most telling word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from citewell.services.research.analysis.page_analysis import PageAnalysis
from citewell.text.language.scripts import UNSPACED_CHARACTER_PATTERN
from citewell.text.passages.page_units import list_passage_terms
from citewell.text.passages.passage_index import AskedTerm, TermMatcher

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
    best = max((one.coverage for windows in found.windows for one in windows), default=0.0)
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
            if not windows or max(one.coverage for one in windows) < _LEAST_PART_COVERAGE
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
