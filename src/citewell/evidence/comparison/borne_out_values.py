"""Decides whether a source bears out a number anywhere: as it is, rounded, converted or reckoned."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

from citewell.evidence.comparison import compared_values, derived_values, source_values
from citewell.evidence.comparison.compared_values import DATED_UNITS, TIME_UNITS
from citewell.evidence.comparison.statement_twins import list_near_sentences
from citewell.evidence.comparison.value_conflicts import is_unit_slip
from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.sentence_features import SentenceFeatures
from citewell.text.language import word_forms
from citewell.text.quantities.stated_quantities import (
    CURRENCY_CODES,
    UNIT_FACTORS,
    StatedQuantity,
    is_fixed_unit,
    write_alike,
)

_MIN_LIKE_DIGITS = 2  # of numbers that are mistaken for each other by their digits
_MIN_SLIP_DIGITS = 3
_MAGNITUDE_SLIPS = frozenset({Decimal(10), Decimal(100), Decimal(1000)})

_MAX_COMBINED = 14  # of a source, between any two of which a difference is reckoned
_END_SLACK = Decimal("0.02")  # of a value that is an end of a range
# Words for what two or more amounts make.
_SUM_PATTERN = re.compile(
    r"\b(?:together|combined|altogether|in total|in all|all told|sums? up|sum of|adds? up|added up|totals?|totalled|totaling|zusammen|insgesamt|ensemble|au total|en tout|juntos|en total)\b",
    re.IGNORECASE,
)
# A share of those for whom something does not hold.
_DENYING_PATTERN = re.compile(
    r"\b(?:not|no|never|none|without|neither|fail(?:s|ed|ing)?|lacks?|lacked|los(?:t|es?|ing)|miss(?:es|ed|ing)?|nicht|kein\w{0,2}|ohne|nie"
    r"|pas|sans|jamais|aucune?|sin|nunca|ning[uú]n\w{0,2})\b|n['’]t\b",
    re.IGNORECASE,
)
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
        return self.source.derive(compared_values.list_all_values)

    @cached_property
    def distinct(self) -> Sequence[StatedQuantity]:
        """The values of the source without repetitions."""
        return [each.value for each in self.source.derive(compared_values.list_distinct_values)]

    @cached_property
    def windows(self) -> Sequence[Sequence[StatedQuantity]]:
        return self.source.derive(compared_values.list_value_windows)

    @cached_property
    def valued(self) -> Sequence[SentenceFeatures]:
        """The sentences of the source that give a value."""
        every = self.source.sentence_features
        return [every[at] for at in self.source.derive(compared_values.list_valued_sentences)]

    def find_combined_values(self, number: StatedQuantity) -> list[StatedQuantity]:
        """The values of its unit, if they are so few that hardly any two fit by chance, else those near."""
        near = [
            value
            for each in list_near_sentences(self.asked, self.source)
            for value in each.stated_values
        ]
        for held in (self.held, near):
            found = {
                each.low: each for each in held if derived_values.have_like_units(each, number)
            }
            if len(found) <= _MAX_COMBINED:
                return list(found.values())
        return []


def is_borne_out(value: StatedQuantity, search: ValueSearch) -> bool:
    source, every = search.source, search.source.sentence_features
    return (
        any(can_mean(value, other, search.asked.text) for other in search.distinct)
        or source_values.is_spelt_near(value, every, source.language)
        or source_values.is_whole_near(value, every)
        or (
            value.low < value.high
            and any(source_values.gives_both_ends(value, sentence) for sentence in search.valued)
        )
        or _is_written_bare(value, source)
        or (not is_fixed_unit(value.unit) and is_length_of_list(value, source))
        or _is_reckoned(value, search)
    )


def can_mean(value: StatedQuantity, other: StatedQuantity, statement: str) -> bool:
    """Whether a number of the statement can be another one: the same, rounded or converted."""
    if derived_values.is_about_equal(value, other, statement) or compared_values.is_rounded(
        value, other
    ):
        return True
    if compared_values.have_same_value(value, other):
        return _is_at_end(value, other)
    # "60 millimetres" is not borne out by 60 centimetres, nor "160 mg" by 160 g.
    is_other_measure = is_fixed_unit(value.unit) and is_fixed_unit(other.unit)
    return not is_other_measure and compared_values.have_equal_figures(value, other)


def _is_at_end(value: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether a single value is an end or the middle of a range; "160 mg" is not 100 to 200 mg."""
    if value.low < value.high or other.low == other.high or value.unit != other.unit:
        return True
    mine, theirs = write_alike(value, other)
    ends = (theirs.low, theirs.high, (theirs.low + theirs.high) / 2)
    slack = max(mine.precision / 2, abs(mine.low) * _END_SLACK)
    return any(abs(mine.low - end) <= slack for end in ends)


def _is_written_bare(value: StatedQuantity, source: SourceText) -> bool:
    """Whether the source has its figures; those of a measure in cells of a table that names its unit."""
    figures = _FIGURE_PATTERN.findall(value.text)
    if not figures or not all(source_values.has_figure(source, each) for each in figures):
        return False
    if not is_fixed_unit(value.unit):
        return True
    is_named = (
        value.unit in source.derive(_list_table_units) or value.unit in CURRENCY_CODES.values()
    )
    return is_named and all(
        re.search(rf"\|[\s~<>≤≥*]*{re.escape(each)}[\s*]*\|", source.text) for each in figures
    )


def _list_table_units(source: SourceText) -> frozenset[str]:
    rows = (line for line in source.text.splitlines() if line.lstrip().startswith("|"))
    words = {word for row in rows for word in _UNIT_WORD_PATTERN.findall(row.lower())}
    return frozenset(UNIT_FACTORS[word][0] for word in words & UNIT_FACTORS.keys())


def _is_reckoned(value: StatedQuantity, search: ValueSearch) -> bool:
    """Whether an author may have reckoned it from what the source gives."""
    valued = search.valued
    if value.unit in TIME_UNITS:
        spans = derived_values.list_time_spans(search.held, search.known_years)
        if any(can_mean(value, each, search.asked.text) for each in spans):
            return True
    if derived_values.is_multiplied_value(value, search.wanted, search.distinct):
        return True
    if derived_values.follows_from_statement(
        value, search.asked
    ) or source_values.is_periodic_multiple(value, search.asked, valued):
        return True
    if any(
        derived_values.is_share_of_value(value, each.stated_values, each.text) for each in valued
    ):
        return True
    if is_told_as_reckoned(value, search):
        return True
    # Where no word tells so, a number that could also be a slip is rather that.
    return find_like_value(value, search.source) is None and any(
        derived_values.is_reckoned_value(value, each)
        or derived_values.is_product_of_counts(value, each)
        for each in search.windows
    )


def is_told_as_reckoned(value: StatedQuantity, search: ValueSearch) -> bool:
    """Whether words of the statement say how the number was reckoned, and the source bears that out."""
    statement = search.asked.text
    if source_values.has_deriving_words(value, statement):
        slack = derived_values.find_slack(value, statement)
        if any(
            derived_values.is_combined_value(value, each)
            or derived_values.is_sum_of_run(value, each, slack)
            for each in search.windows
        ):
            return True
        every = search.source.sentence_features
        if any(
            derived_values.is_product_of_counts(value, source_values.list_counts(each))
            for each in every
        ):
            return True
    if source_values.is_told_as_step(value, statement) or _SUM_PATTERN.search(statement):
        # "Roughly $360" is what $300 and $63 make.
        loose = replace(
            value,
            precision=max(value.precision, 2 * max(derived_values.find_slack(value, statement))),
        )
        if derived_values.is_combined_value(loose, search.find_combined_values(value)):
            return True
    # It may be the share of the rest, or of those for whom something does not hold.
    is_rest = source_values.tells_of_rest(statement) or _DENYING_PATTERN.search(statement)
    return bool(is_rest) and any(
        derived_values.is_complement_share(value, each) for each in search.windows
    )


def is_length_of_list(value: StatedQuantity, source: SourceText) -> bool:
    """Whether the source lists or numbers as many things: "chapters 8-13" are six chapters."""
    return value.low in source.derive(_count_list_items) or any(
        unit == value.unit and length == value.low
        for unit, length in source.derive(_list_numbered_things)
    )


def _list_numbered_things(source: SourceText) -> frozenset[tuple[str, int]]:
    """The stems of things that are numbered as a range, each with how many they are."""
    code = (source.language or "en")[:2]
    return frozenset(
        (
            word_forms.stem_word(found["thing"].lower(), code),
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


# Finds the number of a source that a number of a statement may have been written for by mistake.


@dataclass(frozen=True, slots=True, kw_only=True)
class UnstatedValue:
    """A value of the statement, and a value of the source that it may have been written for."""

    draft: StatedQuantity
    like: StatedQuantity | None = None
    start: int = -1  # of the sentence with `like`, in the source
    end: int = -1

    @property
    def kind(self) -> str:
        return "date" if self.draft.unit in DATED_UNITS else "number"

    @property
    def is_slip(self) -> bool:
        """Whether both differ as no two measurements would: not in the last of three digits or more."""
        if self.like is None:
            return False
        mine, theirs = (_list_digits(each).rstrip("0") for each in (self.draft, self.like))
        is_long = len(mine) == len(theirs) >= _MIN_SLIP_DIGITS
        return is_long and (mine[-1] == theirs[-1] or sorted(mine) == sorted(theirs))


def find_like_value(value: StatedQuantity, source: SourceText) -> UnstatedValue | None:
    """The value with one of nearly the same digits, or of the same figure in another unit."""
    for held in source.derive(compared_values.list_distinct_values):
        other = held.value
        # In a table the unit of a figure stands above it.
        is_bare = held.is_in_row and not other.unit and not is_fixed_unit(value.unit)
        if have_like_figures(value, other) or (is_bare and _have_like_digits(value, other)):
            start, end = source.sentence_spans[held.index]
            return UnstatedValue(draft=value, like=other, start=start, end=end)
    return None


def have_like_figures(value: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether one was easily written for the other: nearly the same digits, or another unit."""
    return (other.unit == value.unit and _have_like_digits(value, other)) or is_unit_slip(
        value, other
    )


def list_placed_sentences(source: SourceText) -> Iterator[tuple[SentenceFeatures, tuple[int, int]]]:
    return zip(source.sentence_features, source.sentence_spans, strict=True)


def _have_like_digits(value: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether one digit was exchanged, the same digits stand in another order, or a nought more."""
    if value.low == value.high and other.low == other.high and value.low and other.low:
        factor = value.low / other.low
        if factor in _MAGNITUDE_SLIPS or 1 / factor in _MAGNITUDE_SLIPS:
            return True
    mine, theirs = _list_digits(value), _list_digits(other)
    if len(mine) != len(theirs) or len(mine) < _MIN_LIKE_DIGITS:
        return False
    changed = sum(first != second for first, second in zip(mine, theirs, strict=True))
    return changed == 1 or (changed > 0 and sorted(mine) == sorted(theirs))


def _list_digits(value: StatedQuantity) -> str:
    return re.sub(r"\D", "", value.text)
