"""Compares the numbers and dates of a statement with those of its source.

A number is stated if a sentence near the statement's words gives an equal value, or if it follows
from two numbers given there. It conflicts if the sentence that says the same as the statement gives
another value of the same kind instead. It is unstated if the source gives it nowhere, in no form.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from citewell.evidence.comparison import compared_values, value_conflicts
from citewell.evidence.comparison.borne_out_values import UnstatedValue, can_mean
from citewell.evidence.comparison.compared_values import DATED_UNITS
from citewell.evidence.comparison.derived_values import (
    is_about_equal,
    is_multiplied_value,
    is_reckoned_value,
)
from citewell.evidence.comparison.source_values import (
    is_spelt_near,
    is_stated_near,
    is_written_anywhere,
)
from citewell.evidence.comparison.statement_twins import find_statement_twins, list_near_sentences
from citewell.evidence.comparison.unstated_values import find_unstated_values
from citewell.evidence.signs.claim_support import SourceText, remove_citation_marks
from citewell.evidence.signs.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.language import detection
from citewell.text.quantities.sentence_values import MIN_TELLING_VALUE
from citewell.text.quantities.stated_quantities import StatedQuantity

_RULE_PATTERN = re.compile(r"[\s|:-]+")
_MIN_TABLE_ROWS = 2  # besides the head

_MIN_HOLDER_SHARE = 0.4  # of the statement's words, where the source gives its number


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueComparison:
    """What becomes of the numbers of one statement in one source."""

    stated: frozenset[str] = frozenset()  # as written in the statement
    conflicts: tuple[value_conflicts.ValueConflict, ...] = ()
    unstated: tuple[UnstatedValue, ...] = ()  # those that no conflict tells of already
    apart: tuple[StatedQuantity, ...] = ()  # given only where the source speaks of something else
    has_stated_number: bool = False  # anywhere: one that is no year, and hardly there by chance


def compare_foreign_values(
    statement: str, source: SourceText, *, known_years: Collection[int] = ()
) -> tuple[UnstatedValue, ...]:
    """The values of a statement in another language for which the source has ones of like digits."""
    language = detection.detect_language(statement)
    asked = build_sentence_features(remove_citation_marks(statement), language=language)
    wanted = compared_values.list_compared_values(asked, source)
    unstated = find_unstated_values(asked, wanted, source, (), known_years=known_years)
    return tuple(value for value in unstated if value.like is not None)


def compare_values(
    statement: str, source: SourceText, *, known_years: Collection[int] = ()
) -> ValueComparison:
    """The comparison; `known_years` are those of the record, which a text need not give itself."""
    asked = build_sentence_features(remove_citation_marks(statement), language=source.language)
    wanted = compared_values.list_compared_values(asked, source)
    near = list_near_sentences(asked, source)
    twins = find_statement_twins(asked, source)
    gone = [value for value in wanted if not is_stated_near(value, asked, near, known_years)]
    conflicts = tuple(
        found
        for value in gone
        if (found := value_conflicts.choose_conflict(value, wanted, asked, source, twins))
    ) or tuple(
        found
        for value in wanted
        if value not in gone
        and (found := value_conflicts.find_placed_conflict(value, wanted, asked, near, twins))
    )
    slips = [
        found
        for value in wanted
        if (
            found := value_conflicts.find_unit_slip(value, asked, source)
            or find_table_conflict(value, asked, source)
        )
    ]
    slipped = {slip.draft for slip in slips}
    conflicts = (*slips, *(conflict for conflict in conflicts if conflict.draft not in slipped))
    given = tuple(value for each in near for value in each.stated_values)
    conflicts = tuple(
        # With more than one other number it is hardly the same statement, and what follows from
        # numbers that are given may have been reckoned.
        replace(conflict, is_strong=False)
        if len(gone) > 1 or is_reckoned_value(conflict.draft, given)
        else conflict
        for conflict in conflicts
        if not is_multiplied_value(conflict.draft, wanted, given)
    )
    reported = {
        conflict.draft for conflict in conflicts if conflict.is_strong or conflict.is_in_place
    }
    unstated = find_unstated_values(asked, wanted, source, twins, known_years=known_years)
    return ValueComparison(
        stated=frozenset(value.text for value in wanted if value not in gone),
        conflicts=conflicts,
        unstated=tuple(value for value in unstated if value.draft not in reported),
        apart=tuple(value for value in wanted if _stands_apart(value, asked, source)),
        has_stated_number=any(
            value not in gone or is_written_anywhere(value, source)
            for value in wanted
            if compared_values.is_telling_value(value)
            and (value.low >= MIN_TELLING_VALUE or value.precision < 1)
        ),
    )


def _stands_apart(value: StatedQuantity, asked: SentenceFeatures, source: SourceText) -> bool:
    """Whether no sentence with the value, or the one before it, has enough of the statement's words."""
    words = asked.word_terms
    if value.unit in DATED_UNITS or not words:
        return False
    every = source.sentence_features
    near = source.count_shared_terms(words)
    valued = source.derive(compared_values.list_valued_sentences)
    for at in sorted({*near, *(at + 1 for at in near)}.intersection(valued)):
        before = every[at - 1].terms if at else frozenset()
        is_near = len(words & (every[at].terms | before)) >= _MIN_HOLDER_SHARE * len(words)
        if is_near and any(can_mean(value, each, asked.text) for each in every[at].stated_values):
            return False
    return any(
        can_mean(value, each.value, asked.text)
        for each in source.derive(compared_values.list_distinct_values)
    )


# Finds a number of a statement that the source's table gives in another row than the one spoken of.


@dataclass(frozen=True, slots=True, kw_only=True)
class _TableRow:
    features: SentenceFeatures
    start: int
    end: int
    key_terms: frozenset[str]  # of its first cell


def find_table_conflict(
    number: StatedQuantity, asked: SentenceFeatures, source: SourceText
) -> value_conflicts.ValueConflict | None:
    """What the row that the statement names gives instead, if another row of the table has the value."""
    if number.unit in DATED_UNITS:
        return None
    words = asked.word_terms
    for rows in source.derive(_collect_tables):
        row = _choose_row(words, rows)
        if row is None or _gives_value(number, asked, row):
            continue
        if not any(_gives_value(number, asked, each) for each in rows if each is not row):
            continue
        rivals = [
            value
            for value in row.features.stated_values
            if value.unit == number.unit or not (value.unit and number.unit)
        ]
        if rivals:
            return value_conflicts.ValueConflict(
                draft=number,
                source=rivals[0],
                start=row.start,
                end=row.end,
                is_strong=False,
                is_in_place=True,
                has_company=True,
            )
    return None


def _choose_row(words: frozenset[str], rows: Sequence[_TableRow]) -> _TableRow | None:
    """The one row whose first cell has words of the statement that no other first cell has."""
    named = [
        row
        for row in rows
        if (words & row.key_terms)
        - frozenset().union(*(each.key_terms for each in rows if each is not row))
    ]
    return named[0] if len(named) == 1 else None


def _gives_value(value: StatedQuantity, asked: SentenceFeatures, row: _TableRow) -> bool:
    return is_spelt_near(value, [row.features], asked.language) or any(
        compared_values.have_same_value(value, other)
        or compared_values.is_rounded(value, other)
        or is_about_equal(value, other, asked.text)
        or compared_values.have_equal_figures(value, other)
        for other in row.features.stated_values
    )


def _collect_tables(source: SourceText) -> tuple[list[_TableRow], ...]:
    """The rows of each table, without its head and its rule."""
    tables: list[list[_TableRow]] = []
    rows: list[_TableRow] = []
    last_end = -1
    for sentence, (start, end) in zip(source.sentence_features, source.sentence_spans, strict=True):
        line = source.text[start:end]
        is_row = line.lstrip().startswith("|")
        if rows and (not is_row or source.text[last_end:start].strip()):
            tables.append(rows)
            rows = []
        if is_row and not _RULE_PATTERN.fullmatch(line):
            key = line.strip().strip("|").split("|")[0].strip()
            words = build_sentence_features(key, language=source.language).word_terms
            rows.append(_TableRow(features=sentence, start=start, end=end, key_terms=words))
        last_end = end if is_row else last_end
    return tuple(rows[1:] for rows in [*tables, rows] if len(rows) > _MIN_TABLE_ROWS)
