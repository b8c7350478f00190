"""Compares the numbers and dates of a statement with those of its source.

A number is stated if a sentence near the statement's words gives an equal value, or if it follows
from two numbers given there. It conflicts if the sentence that says the same as the statement gives
another value of the same kind instead. It is unstated if the source gives it nowhere, in no form.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from citewell.text.comparison.borne_out_values import can_mean
from citewell.text.comparison.derived_values import is_multiplied_value, is_reckoned_value
from citewell.text.comparison.like_values import UnstatedValue
from citewell.text.comparison.source_value_index import list_distinct_values, list_valued_sentences
from citewell.text.comparison.source_values import is_stated_near, is_written_anywhere
from citewell.text.comparison.statement_twins import (
    find_statement_twins,
    list_near_sentences,
    list_word_terms,
)
from citewell.text.comparison.statement_values import (
    DATED_UNITS,
    is_telling_value,
    list_compared_values,
    list_stated_values,
)
from citewell.text.comparison.table_conflicts import find_table_conflict
from citewell.text.comparison.unstated_values import find_unstated_values
from citewell.text.comparison.value_conflicts import (
    ValueConflict,
    choose_conflict,
    find_placed_conflict,
    find_unit_slip,
    weaken_conflict,
)
from citewell.text.evidence.claim_support import SourceText, remove_citation_marks
from citewell.text.evidence.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.language import detection
from citewell.text.quantities.sentence_values import MIN_TELLING_VALUE
from citewell.text.quantities.stated_quantities import StatedQuantity

_MIN_HOLDER_SHARE = 0.4  # of the statement's words, where the source gives its number


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueComparison:
    """What becomes of the numbers of one statement in one source."""

    stated: frozenset[str] = frozenset()  # as written in the statement
    conflicts: tuple[ValueConflict, ...] = ()
    unstated: tuple[UnstatedValue, ...] = ()  # those that no conflict tells of already
    apart: tuple[StatedQuantity, ...] = ()  # given only where the source speaks of something else
    has_stated_number: bool = False  # anywhere: one that is no year, and hardly there by chance


def compare_foreign_values(
    statement: str, source: SourceText, *, known_years: Collection[int] = ()
) -> tuple[UnstatedValue, ...]:
    """The values of a statement in another language for which the source has ones of like digits."""
    language = detection.detect_language(statement)
    asked = build_sentence_features(remove_citation_marks(statement), language=language)
    wanted = list_compared_values(asked, source)
    unstated = find_unstated_values(asked, wanted, source, (), known_years=known_years)
    return tuple(one for one in unstated if one.like is not None)


def compare_values(
    statement: str, source: SourceText, *, known_years: Collection[int] = ()
) -> ValueComparison:
    """The comparison; `known_years` are those of the record, which a text need not give itself."""
    asked = build_sentence_features(remove_citation_marks(statement), language=source.language)
    wanted = list_compared_values(asked, source)
    near = list_near_sentences(asked, source)
    twins = find_statement_twins(asked, source)
    gone = [one for one in wanted if not is_stated_near(one, asked, near, known_years)]
    conflicts = tuple(
        found for one in gone if (found := choose_conflict(one, wanted, asked, source, twins))
    ) or tuple(
        found
        for one in wanted
        if one not in gone and (found := find_placed_conflict(one, wanted, asked, near, twins))
    )
    slips = [
        found
        for one in wanted
        if (found := find_unit_slip(one, asked, source) or find_table_conflict(one, asked, source))
    ]
    slipped = {one.draft for one in slips}
    conflicts = (*slips, *(one for one in conflicts if one.draft not in slipped))
    given = tuple(value for each in near for value in list_stated_values(each))
    conflicts = tuple(
        # With more than one other number it is hardly the same statement, and what follows from
        # numbers that are given may have been reckoned.
        weaken_conflict(one) if len(gone) > 1 or is_reckoned_value(one.draft, given) else one
        for one in conflicts
        if not is_multiplied_value(one.draft, wanted, given)
    )
    told = {one.draft for one in conflicts if one.is_strong or one.is_in_place}
    unstated = find_unstated_values(asked, wanted, source, twins, known_years=known_years)
    return ValueComparison(
        stated=frozenset(one.text for one in wanted if one not in gone),
        conflicts=conflicts,
        unstated=tuple(one for one in unstated if one.draft not in told),
        apart=tuple(one for one in wanted if _stands_apart(one, asked, source)),
        has_stated_number=any(
            one not in gone or is_written_anywhere(one, source)
            for one in wanted
            if is_telling_value(one) and (one.low >= MIN_TELLING_VALUE or one.precision < 1)
        ),
    )


def _stands_apart(one: StatedQuantity, asked: SentenceFeatures, source: SourceText) -> bool:
    """Whether no sentence with the value, or the one before it, has enough of the statement's words."""
    words = list_word_terms(asked)
    if one.unit in DATED_UNITS or not words:
        return False
    every = source.sentence_features
    near = source.count_shared_terms(words)
    for at in sorted({*near, *(at + 1 for at in near)} & source.derive(_find_valued_places)):
        before = every[at - 1].terms if at else frozenset()
        is_near = len(words & (every[at].terms | before)) >= _MIN_HOLDER_SHARE * len(words)
        if is_near and any(can_mean(one, each, asked.text) for each in every[at].stated_values):
            return False
    return any(
        can_mean(one, each.value, asked.text) for each in source.derive(list_distinct_values)
    )


def _find_valued_places(source: SourceText) -> frozenset[int]:
    return frozenset(source.derive(list_valued_sentences))
