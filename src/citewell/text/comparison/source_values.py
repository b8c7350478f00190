"""Decides whether a source gives a number of a statement: as it is, in words, rounded, or by two others."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from citewell.text.comparison.approximate_values import find_slack, is_about_equal
from citewell.text.comparison.derived_values import (
    is_combined_value,
    is_complement_share,
    is_product_of_counts,
    is_ratio_of_values,
    is_share_of_value,
    is_sum_of_run,
)
from citewell.text.comparison.deriving_words import (
    has_deriving_words,
    is_told_as_step,
    may_be_derived,
    tells_of_rest,
)
from citewell.text.comparison.periodic_values import is_periodic_multiple
from citewell.text.comparison.source_value_index import list_distinct_values
from citewell.text.comparison.statement_sums import follows_from_statement
from citewell.text.comparison.statement_values import (
    DATED_UNITS,
    list_stated_values,
)
from citewell.text.comparison.value_equality import have_equal_figures, have_same_value
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.language import tokens
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.number_words import find_number_word
from citewell.text.quantities.spelt_counts import find_spelt_counts
from citewell.text.quantities.stated_fractions import MULTIPLE_UNIT
from citewell.text.quantities.stated_quantities import YEAR_UNIT, StatedQuantity

_WHOLE_PERCENT = Decimal(100)
_WHOLE_WORDS = frozenset(
    ("all", "every", "alle", "jede", "jeder", "tous", "toutes", "todos", "todas")
)
_FIGURE_PATTERN = re.compile(r"\d+")
_WRITTEN_FIGURE_PATTERN = re.compile(r"\d+(?:[.,'’]\d+)*")


def is_stated_near(
    one: StatedQuantity,
    asked: SentenceFeatures,
    near: Sequence[SentenceFeatures],
    known_years: Collection[int],
) -> bool:
    if one.unit in DATED_UNITS:
        return _is_date_near(one, near, known_years)
    held = tuple(value for each in near for value in list_stated_values(each))
    if any(have_same_value(one, other) for other in held):
        return True
    if any(is_about_equal(one, other, asked.text) for other in held):
        return True
    if one.low < one.high and any(gives_both_ends(one, each) for each in near):
        return True
    if is_whole_near(one, near) or is_spelt_near(one, near, asked.language):
        return True
    if follows_from_statement(one, asked) or is_periodic_multiple(one, asked, near):
        return True
    if any(is_share_of_value(one, list_stated_values(each), each.text) for each in near):
        return True
    return may_be_derived(one, asked.text) and _is_derived(one, near, asked.text)


def is_written_anywhere(one: StatedQuantity, source: SourceText) -> bool:
    held = [each.value for each in source.derive(list_distinct_values)]
    if one.unit == "%" and not has_table_cells(source):
        # Neither "18 studies" nor "vol. 18" is 18 percent.
        shares = (value for value in held if value.unit in {"%", "pp"})
        return any(have_same_value(one, other) for other in shares)
    if any(have_same_value(one, other) or have_equal_figures(one, other) for other in held):
        return True
    if is_spelt_near(one, source.sentence_features, source.language):
        return True
    figures = _WRITTEN_FIGURE_PATTERN.findall(one.text)
    return bool(figures) and all(has_figure(source, each) for each in figures)


def count_stated(wanted: Iterable[StatedQuantity], said: SentenceFeatures) -> int:
    held = list_stated_values(said)
    return sum(any(have_same_value(one, other) for other in held) for one in wanted)


def gives_both_ends(one: StatedQuantity, said: SentenceFeatures) -> bool:
    """Whether a sentence gives the ends of a range one by one: "at least 300 and at most 400"."""
    held = list_stated_values(said)
    ends = (replace(one, high=one.low), replace(one, low=one.high))
    return all(any(have_same_value(end, other) for other in held) for end in ends)


def _is_derived(one: StatedQuantity, near: Sequence[SentenceFeatures], statement: str) -> bool:
    """Whether the value is a sum, a difference or a share of values of one sentence."""
    if one.unit == MULTIPLE_UNIT:
        return any(is_ratio_of_values(one, list_stated_values(each)) for each in near)
    if tells_of_rest(statement) and any(
        is_complement_share(one, list_stated_values(each)) for each in near
    ):
        return True
    if is_told_as_step(one, statement) and is_combined_value(one, _list_amounts(one.unit, near)):
        return True
    if has_deriving_words(one, statement) and any(
        _is_made_by_several(one, each, statement) for each in near
    ):
        return True
    return any(is_combined_value(one, list_stated_values(each)) for each in near)


def _is_made_by_several(one: StatedQuantity, said: SentenceFeatures, statement: str) -> bool:
    """Whether the values of a sentence add up to it, or two of its counts multiply."""
    held = list_stated_values(said)
    return is_sum_of_run(one, held, find_slack(one, statement)) or is_product_of_counts(
        one, list_counts(said)
    )


def list_counts(said: SentenceFeatures) -> tuple[StatedQuantity, ...]:
    """The numbers of a sentence, with the things that it counts in words."""
    held = list_stated_values(said)
    return (
        *(
            one
            for one in find_spelt_counts(said.text, said.language)
            if not any(each.start <= one.start < each.end for each in held)
        ),
        *held,
    )


def _list_amounts(unit: str, near: Sequence[SentenceFeatures]) -> list[StatedQuantity]:
    return [one for each in near for one in list_stated_values(each) if one.unit == unit]


def _is_date_near(
    one: StatedQuantity, near: Sequence[SentenceFeatures], known_years: Collection[int]
) -> bool:
    digits = _FIGURE_PATTERN.findall(one.text)
    if one.unit == YEAR_UNIT and int(one.low) in known_years:
        return True
    held = (value for each in near for value in list_stated_values(each))
    if not stated_quantities.find_missing_quantities([one], held):
        return True
    if one.unit == YEAR_UNIT:
        return any(digits[0] in _FIGURE_PATTERN.findall(each.text) for each in near)
    return False


def is_whole_near(one: StatedQuantity, near: Sequence[SentenceFeatures]) -> bool:
    """Whether 100 percent is told as "all" there."""
    return (
        one.unit == "%"
        and one.low == _WHOLE_PERCENT
        and any(not _WHOLE_WORDS.isdisjoint(tokens.split_words(each.text)) for each in near)
    )


def is_spelt_near(
    one: StatedQuantity, near: Sequence[SentenceFeatures], language: str | None
) -> bool:
    """Whether a small number is written in words there, and not as a measure of another kind."""
    if one.low != one.high:
        return False
    word = find_number_word(one.low / one.scale, language)
    if not word:
        return False
    pattern = re.compile(rf"(?<!\w){re.sub(r'[- ]', '[- ]', word)}(?!\w)", re.IGNORECASE)
    return any(_spells_number(one, pattern, each) for each in near)


def _spells_number(one: StatedQuantity, pattern: re.Pattern[str], said: SentenceFeatures) -> bool:
    if not pattern.search(said.text):
        return False
    mine = (one.unit, one.scale)
    measures = {
        each.start: (each.unit, each.scale)
        for each in said.quantities
        if stated_quantities.is_fixed_unit(each.unit)
    }
    is_measure = stated_quantities.is_fixed_unit(one.unit)
    return any(
        not is_measure or measures.get(found.start(), mine) == mine
        for found in pattern.finditer(said.text)
    )


def has_table_cells(source: SourceText) -> bool:
    """Whether the source has a table, in which percentages may stand without their sign."""
    return "|" in source.text


def has_figure(source: SourceText, figure: str) -> bool:
    """Whether the source has the figure, with a comma or a point for the other."""
    digits = _FIGURE_PATTERN.findall(figure)
    if not all(each in source.figures for each in digits):
        return False
    written = r"[.,'’\s]?".join(digits)
    pattern = re.compile(rf"(?<![\d.,]){written}(?![\d]|[.,]\d)")
    rarest = max(digits, key=len)
    ahead = sum(map(len, digits)) + len(digits)
    at = source.text.find(rarest)
    while at >= 0:
        if any(pattern.match(source.text, start) for start in range(max(0, at - ahead), at + 1)):
            return True
        at = source.text.find(rarest, at + 1)
    return False
