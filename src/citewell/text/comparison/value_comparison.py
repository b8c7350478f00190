"""Compares the numbers and dates of a statement with those of its source.

A number is stated if a sentence near the statement's words gives an equal value, or if it follows
from two numbers given there. It conflicts if the sentence that says the same as the statement gives
another value of the same kind instead. What is merely absent is told apart from what conflicts.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from citewell.text.comparison.derived_values import is_reckoned_value
from citewell.text.comparison.source_values import (
    count_stated,
    is_stated_near,
    is_written_anywhere,
)
from citewell.text.comparison.statement_twins import find_statement_twins, list_near_sentences
from citewell.text.comparison.statement_values import (
    DATED_UNITS,
    MIN_TELLING_VALUE,
    is_list_number,
    is_telling_value,
    list_stated_values,
    read_counted_year,
)
from citewell.text.comparison.value_conflicts import (
    ValueConflict,
    choose_conflict,
    find_placed_conflict,
    gives_other_rate,
    list_rival_values,
    weaken_conflict,
)
from citewell.text.evidence.claim_support import SourceText, remove_citation_marks
from citewell.text.evidence.sentence_features import build_sentence_features
from citewell.text.quantities.stated_quantities import ORDINAL_UNIT, StatedQuantity


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueComparison:
    """What becomes of the numbers of one statement in one source."""

    stated: frozenset[str] = frozenset()  # as written in the statement
    conflicts: tuple[ValueConflict, ...] = ()
    absent: tuple[StatedQuantity, ...] = ()  # nowhere in the source
    unstated: tuple[StatedQuantity, ...] = ()  # these, and shares in words that are nowhere in it
    stated_together: int = 0  # values of the statement that one sentence gives
    has_rival: bool = False  # the nearest sentence gives another value of the kind of an absent one
    has_stated_number: bool = False  # anywhere: one that is no year, and hardly there by chance


def compare_values(
    statement: str, source: SourceText, *, known_years: Collection[int] = ()
) -> ValueComparison:
    """The comparison; `known_years` are those of the record, which a text need not give itself."""
    asked = build_sentence_features(remove_citation_marks(statement), language=source.language)
    wanted = [
        read_counted_year(one, asked, source)
        for one in list_stated_values(asked)
        if one.unit != ORDINAL_UNIT and not is_list_number(one, asked.text)
    ]
    if not wanted:
        return ValueComparison()
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
    given = tuple(value for each in near for value in list_stated_values(each))
    conflicts = tuple(
        # With more than one other number it is hardly the same statement, and what follows from
        # numbers that are given may have been reckoned.
        weaken_conflict(one) if len(gone) > 1 or is_reckoned_value(one.draft, given) else one
        for one in conflicts
    )
    told = {one.draft for one in conflicts if one.is_strong or one.is_in_place}
    absent = tuple(
        one
        for one in gone
        if one not in told and is_telling_value(one) and not is_written_anywhere(one, source)
    )
    stated = [one for one in wanted if one not in gone]
    return ValueComparison(
        stated=frozenset(one.text for one in stated),
        conflicts=conflicts,
        absent=absent,
        unstated=tuple(
            one
            for one in gone
            if one.unit not in DATED_UNITS
            and (one in absent or not is_written_anywhere(one, source))
        ),
        stated_together=max((count_stated(stated, each) for each in near), default=0),
        has_rival=bool(twins)
        and not gives_other_rate(asked, twins[0].features)
        and any(
            list_rival_values(one, wanted, list_stated_values(twins[0].features)) for one in absent
        ),
        has_stated_number=any(
            one in stated or is_written_anywhere(one, source)
            for one in wanted
            if is_telling_value(one) and (one.low >= MIN_TELLING_VALUE or one.precision < 1)
        ),
    )
