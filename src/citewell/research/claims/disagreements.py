"""Finds statements on one subject that disagree: one denies the other, or their values differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.core.values.research import ValueRow, ValueTable
from citewell.evidence.signs import claim_support, sentence_clusters, sentence_features
from citewell.evidence.signs.sentence_clusters import SentenceCorpus
from citewell.evidence.signs.sentence_features import SentenceFeatures
from citewell.text.language import word_forms
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    ORDINAL_UNIT,
    VALUE_UNITS,
    YEAR_UNIT,
    StatedQuantity,
)

_UNMEASURED_UNITS = frozenset(
    (YEAR_UNIT, DATE_UNIT, ORDINAL_UNIT, "")
)  # not measures: they may differ for many reasons
_REPORTED_BELIEF_PATTERN = re.compile(
    r"\b(?:myths?|misconceptions?|contrary to|mistaken(?:ly)?|urban legend|popular belief"
    r"|(?:often|sometimes|widely|commonly) (?:said|claimed|believed|thought)|Mythos|Irrtum|mythe|mito)\b",
    re.IGNORECASE,
)
_MIN_WORD_OVERLAP = 0.5  # share of common words, without numbers
_MIN_BARE_NUMBER_OVERLAP = 0.65  # the same, if only a year or a bare number differs
_MIN_SHARED_TERMS = 2  # words in common at least
_SIMILARITY_SLACK = 0.8  # statements with different numbers share fewer words
_MIN_STATEMENTS_FOR_COMMON, _COMMON_TERM_SHARE = (
    20,
    0.2,
)  # statements needed; share of them that makes a word common
_MAX_SUBJECT_WORDS = 6  # of a subject
_MAX_TABLE_ROWS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementConflict:
    """Two statements, by index; `unit` is the unit in which they differ, None for a denial."""

    first: int
    second: int
    unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuedStatement:
    """A statement with its source, for a table of values."""

    bag: SentenceFeatures
    source: str
    published: str | None
    snippet: str


def find_conflicts(
    statements: Sequence[SentenceFeatures], origins: Sequence[str]
) -> tuple[StatementConflict, ...]:
    """All pairs of statements of different origin on one subject that cannot both be true."""
    corpus = SentenceCorpus(statements)
    common = _find_common_terms(corpus)
    pairs = sorted(set(sentence_clusters.find_candidate_pairs(corpus)))
    found = (
        _find_conflict(first, second, statements, common)
        for first, second in pairs
        if origins[first] != origins[second]
    )
    return tuple(match for match in found if match is not None)


def _find_common_terms(corpus: SentenceCorpus) -> frozenset[str]:
    """Words that many of the statements contain; they do not show a common subject."""
    count = len(corpus.sentences)
    if count < _MIN_STATEMENTS_FOR_COMMON:
        return frozenset()
    terms = {term for sentence in corpus.sentences for term in sentence.terms}
    return frozenset(
        term for term in terms if corpus.count_sentences_with(term) > _COMMON_TERM_SHARE * count
    )


def _find_conflict(
    first: int, second: int, statements: Sequence[SentenceFeatures], common: frozenset[str]
) -> StatementConflict | None:
    mine, other = statements[first], statements[second]
    if (
        sentence_features.measure_mutual_coverage(mine, other)
        < claim_support.MIN_MUTUAL_COVERAGE * _SIMILARITY_SLACK
    ):
        return None
    near = _measure_word_overlap(mine, other, common)
    if near < _MIN_WORD_OVERLAP:
        return None
    if mine.is_negated != other.is_negated:
        if any(_REPORTED_BELIEF_PATTERN.search(each.text) for each in (mine, other)):
            return None  # what is told there is a belief that others hold
        alike = (
            sentence_features.measure_mutual_coverage(mine, other)
            >= claim_support.MIN_MUTUAL_COVERAGE
        )
        return StatementConflict(first=first, second=second) if alike else None
    unit = _find_differing_unit(mine, other, near)
    return None if unit is None else StatementConflict(first=first, second=second, unit=unit)


def _measure_word_overlap(
    features: SentenceFeatures, other: SentenceFeatures, common: frozenset[str]
) -> float:
    """The share of words that two statements have in common, without numbers and common words."""
    mine, theirs = _collect_word_terms(features) - common, _collect_word_terms(other) - common
    shared = len(mine & theirs)
    if shared < min(_MIN_SHARED_TERMS, len(mine), len(theirs)) or not shared:
        return 0.0
    return shared / max(len(mine), len(theirs))


def _collect_word_terms(features: SentenceFeatures) -> frozenset[str]:
    return frozenset(term for term in features.terms if not term[0].isdigit())


def _find_differing_unit(
    features: SentenceFeatures, other: SentenceFeatures, near: float
) -> str | None:
    """The unit in which the two differ; None if they are about different years."""
    mine, theirs = _group_by_unit(features.quantities), _group_by_unit(other.quantities)
    apart = [
        unit
        for unit in sorted(mine.keys() & theirs.keys())
        if stated_quantities.has_conflicting_values(mine[unit], theirs[unit])
    ]
    measured = [unit for unit in apart if unit not in _UNMEASURED_UNITS]
    if measured:
        return None if YEAR_UNIT in apart else measured[0]
    return apart[0] if apart and near >= _MIN_BARE_NUMBER_OVERLAP and len(apart) == 1 else None


def _group_by_unit(quantities: Sequence[StatedQuantity]) -> dict[str, list[StatedQuantity]]:
    units: dict[str, list[StatedQuantity]] = {}
    for quantity in quantities:
        units.setdefault(quantity.unit, []).append(quantity)
    return units


def build_value_tables(
    statements: Sequence[ValuedStatement], differing: Sequence[StatementConflict]
) -> tuple[ValueTable, ...]:
    """One table for each set of statements that give different values for the same thing."""
    sets: list[tuple[str, list[int]]] = []
    for conflict in differing:
        unit = conflict.unit or ""
        joined = [
            held
            for name, held in sets
            if name == unit and (conflict.first in held or conflict.second in held)
        ]
        merged = sorted(
            {conflict.first, conflict.second, *(place for held in joined for place in held)}
        )
        sets = [(name, held) for name, held in sets if held not in joined or name != unit]
        sets.append((unit, merged))
    made = (
        _build_value_table(unit, [statements[place] for place in places]) for unit, places in sets
    )
    return tuple(table for table in made if len(table.rows) > 1)


def _build_value_table(unit: str, statements: Sequence[ValuedStatement]) -> ValueTable:
    rows = [
        ValueRow(
            value=value.text.strip(),
            source=statement.source,
            date=_find_single_year(statement.bag) or statement.published,
            snippet=statement.snippet,
        )
        for statement in statements
        for value in _group_by_unit(statement.bag.quantities).get(unit, ())[:1]
    ]
    kept = tuple(dict.fromkeys(rows))[:_MAX_TABLE_ROWS]
    return ValueTable(
        subject=", ".join(
            extract_shared_subject(
                [statement.bag for statement in statements], without=unit
            ).split()
        ),
        unit=_format_unit_name(unit, kept[0].value if kept else ""),
        rows=kept,
    )


def _format_unit_name(unit: str, value: str) -> str:
    """The unit as people write it; for counted things, the word of the first source."""
    if unit in {YEAR_UNIT, DATE_UNIT}:
        return "year" if unit == YEAR_UNIT else "date"
    return unit if unit in VALUE_UNITS else value.rpartition(" ")[2] if unit else ""


def _find_single_year(features: SentenceFeatures) -> str | None:
    years = [quantity.text for quantity in features.quantities if quantity.unit == YEAR_UNIT]
    return years[0] if len(years) == 1 else None


def extract_shared_subject(statements: Sequence[SentenceFeatures], *, without: str = "") -> str:
    """The words that all statements share, as the first one spells them, without the unit."""
    shared = frozenset.intersection(
        *(_collect_word_terms(statement) for statement in statements)
    ) - {without}
    code = (statements[0].language or "en")[:2]
    kept: dict[str, str] = {}
    for word in statements[0].text.split():
        bare = word.strip(".,;:!?()[]\"'“”‘’«»")
        stems = [word_forms.stem_word(part, code) for part in word_forms.split_words(bare)]
        if stems and all(stem in shared for stem in stems) and stems[0] not in kept:
            kept[stems[0]] = bare
    return " ".join(list(kept.values())[:_MAX_SUBJECT_WORDS])
