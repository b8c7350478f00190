"""Decides whether a source bears out a number anywhere: as it is, rounded, converted or reckoned."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

from citewell.text.comparison.approximate_values import find_slack, is_about_equal
from citewell.text.comparison.derived_values import (
    have_like_units,
    is_combined_value,
    is_complement_share,
    is_multiplied_value,
    is_product_of_counts,
    is_reckoned_value,
    is_share_of_value,
    is_sum_of_run,
    list_time_spans,
)
from citewell.text.comparison.deriving_words import (
    has_deriving_words,
    is_told_as_step,
    is_told_as_sum,
    tells_of_others,
)
from citewell.text.comparison.like_values import find_like_value
from citewell.text.comparison.periodic_values import is_periodic_multiple
from citewell.text.comparison.source_value_index import (
    list_all_values,
    list_distinct_values,
    list_value_windows,
    list_valued_sentences,
)
from citewell.text.comparison.source_values import (
    gives_both_ends,
    has_figure,
    is_spelt_near,
    is_whole_near,
    list_counts,
)
from citewell.text.comparison.statement_sums import follows_from_statement
from citewell.text.comparison.statement_twins import list_near_sentences
from citewell.text.comparison.statement_values import (
    TIME_UNITS,
    list_stated_values,
)
from citewell.text.comparison.value_equality import have_equal_figures, have_same_value, is_rounded
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.language import tokens
from citewell.text.quantities.stated_quantities import (
    StatedQuantity,
    is_fixed_unit,
    write_alike,
)
from citewell.text.quantities.units import CURRENCY_CODES, UNIT_FACTORS

_MAX_COMBINED = 14  # of a source, between any two of which a difference is reckoned
_END_SLACK = Decimal("0.02")  # of a value that is an end of a range
_FIGURE_PATTERN = re.compile(r"\d+(?:[.,'’]\d+)*")
_UNIT_WORD_PATTERN = re.compile(r"[^\W\d_]+|%")
_NUMBERED_PATTERN = re.compile(
    r"(?<!\w)(?P<thing>[^\W\d_]{3,20})\s(?P<first>\d{1,3})\s?(?:[-–—]|to|through|bis|à|a)\s?(?P<last>\d{1,3})(?!\w)"
)
_LIST_ITEM_PATTERN = re.compile(r"\s*(?:[-*•–]\s|\d{1,2}[.)]\s|\|)")


@dataclass(frozen=True, kw_only=True)
class ValueSearch:
    """A statement whose values are looked for in a source."""

    asked: SentenceFeatures
    wanted: Sequence[StatedQuantity]
    source: SourceText
    known_years: Collection[int]

    @cached_property
    def held(self) -> Sequence[StatedQuantity]:
        """All values of the source."""
        return self.source.derive(list_all_values)

    @cached_property
    def distinct(self) -> Sequence[StatedQuantity]:
        """The values of the source without repetitions."""
        return [each.value for each in self.source.derive(list_distinct_values)]

    @cached_property
    def windows(self) -> Sequence[Sequence[StatedQuantity]]:
        return self.source.derive(list_value_windows)

    @cached_property
    def valued(self) -> Sequence[SentenceFeatures]:
        """The sentences of the source that give a value."""
        every = self.source.sentence_features
        return [every[at] for at in self.source.derive(list_valued_sentences)]

    def find_combined_values(self, one: StatedQuantity) -> list[StatedQuantity]:
        """The values of its unit, if they are so few that hardly any two fit by chance, else those near."""
        near = [
            value
            for each in list_near_sentences(self.asked, self.source)
            for value in list_stated_values(each)
        ]
        for held in (self.held, near):
            found = {each.low: each for each in held if have_like_units(each, one)}
            if len(found) <= _MAX_COMBINED:
                return list(found.values())
        return []


def is_borne_out(one: StatedQuantity, search: ValueSearch) -> bool:
    source, every = search.source, search.source.sentence_features
    return (
        any(can_mean(one, other, search.asked.text) for other in search.distinct)
        or is_spelt_near(one, every, source.language)
        or is_whole_near(one, every)
        or (one.low < one.high and any(gives_both_ends(one, said) for said in search.valued))
        or _is_written_bare(one, source)
        or (not is_fixed_unit(one.unit) and is_length_of_list(one, source))
        or _is_reckoned(one, search)
    )


def can_mean(one: StatedQuantity, other: StatedQuantity, statement: str) -> bool:
    """Whether a number of the statement can be another one: the same, rounded or converted."""
    if is_about_equal(one, other, statement) or is_rounded(one, other):
        return True
    if have_same_value(one, other):
        return _is_at_end(one, other)
    # "60 millimetres" is not borne out by 60 centimetres, nor "160 mg" by 160 g.
    is_other_measure = is_fixed_unit(one.unit) and is_fixed_unit(other.unit)
    return not is_other_measure and have_equal_figures(one, other)


def _is_at_end(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether a single value is an end or the middle of a range; "160 mg" is not 100 to 200 mg."""
    if one.low < one.high or other.low == other.high or one.unit != other.unit:
        return True
    mine, theirs = write_alike(one, other)
    ends = (theirs.low, theirs.high, (theirs.low + theirs.high) / 2)
    slack = max(mine.precision / 2, abs(mine.low) * _END_SLACK)
    return any(abs(mine.low - end) <= slack for end in ends)


def _is_written_bare(one: StatedQuantity, source: SourceText) -> bool:
    """Whether the source has its figures; those of a measure in cells of a table that names its unit."""
    figures = _FIGURE_PATTERN.findall(one.text)
    if not figures or not all(has_figure(source, each) for each in figures):
        return False
    if not is_fixed_unit(one.unit):
        return True
    is_named = one.unit in source.derive(_list_table_units) or one.unit in CURRENCY_CODES.values()
    return is_named and all(
        re.search(rf"\|[\s~<>≤≥*]*{re.escape(each)}[\s*]*\|", source.text) for each in figures
    )


def _list_table_units(source: SourceText) -> frozenset[str]:
    rows = (line for line in source.text.splitlines() if line.lstrip().startswith("|"))
    words = {word for row in rows for word in _UNIT_WORD_PATTERN.findall(row.lower())}
    return frozenset(UNIT_FACTORS[word][0] for word in words & UNIT_FACTORS.keys())


def _is_reckoned(one: StatedQuantity, search: ValueSearch) -> bool:
    """Whether an author may have reckoned it from what the source gives."""
    valued = search.valued
    if one.unit in TIME_UNITS:
        spans = list_time_spans(search.held, search.known_years)
        if any(can_mean(one, each, search.asked.text) for each in spans):
            return True
    if is_multiplied_value(one, search.wanted, search.distinct):
        return True
    if follows_from_statement(one, search.asked) or is_periodic_multiple(one, search.asked, valued):
        return True
    if any(is_share_of_value(one, list_stated_values(each), each.text) for each in valued):
        return True
    if is_told_as_reckoned(one, search):
        return True
    # Where no word tells so, a number that could also be a slip is rather that.
    return find_like_value(one, search.source) is None and any(
        is_reckoned_value(one, each) or is_product_of_counts(one, each) for each in search.windows
    )


def is_told_as_reckoned(one: StatedQuantity, search: ValueSearch) -> bool:
    """Whether words of the statement say how the number was reckoned, and the source bears that out."""
    statement = search.asked.text
    if has_deriving_words(one, statement):
        slack = find_slack(one, statement)
        if any(
            is_combined_value(one, each) or is_sum_of_run(one, each, slack)
            for each in search.windows
        ):
            return True
        every = search.source.sentence_features
        if any(is_product_of_counts(one, list_counts(each)) for each in every):
            return True
    if is_told_as_step(one, statement) or is_told_as_sum(statement):
        # "Roughly $360" is what $300 and $63 make.
        loose = replace(one, precision=max(one.precision, 2 * max(find_slack(one, statement))))
        if is_combined_value(loose, search.find_combined_values(one)):
            return True
    return tells_of_others(statement) and any(
        is_complement_share(one, each) for each in search.windows
    )


def is_length_of_list(one: StatedQuantity, source: SourceText) -> bool:
    """Whether the source lists or numbers as many things: "chapters 8-13" are six chapters."""
    return one.low in source.derive(_count_list_items) or any(
        unit == one.unit and length == one.low
        for unit, length in source.derive(_list_numbered_things)
    )


def _list_numbered_things(source: SourceText) -> frozenset[tuple[str, int]]:
    """The stems of things that are numbered as a range, each with how many they are."""
    code = (source.language or "en")[:2]
    return frozenset(
        (
            tokens.stem_word(found["thing"].lower(), code),
            int(found["last"]) - int(found["first"]) + 1,
        )
        for found in _NUMBERED_PATTERN.finditer(source.text)
    )


def _count_list_items(source: SourceText) -> set[int]:
    """The lengths of the lists and tables of a source, a table with and without its head."""
    lengths: set[int] = set()
    run = 0
    for line in [*source.text.splitlines(), "end"]:
        if _LIST_ITEM_PATTERN.match(line):
            run += 1
        elif line.strip():
            lengths.update((run, run - 1, run - 2))
            run = 0
    return lengths
