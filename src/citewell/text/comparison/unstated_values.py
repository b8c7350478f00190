"""Finds the numbers of a statement that its source gives nowhere, in no form that people use.

A paraphrase shares few words with its source, but its numbers come from there: a number that is
not written there, does not round or convert one that is, and does not follow from others was
changed, or comes from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from citewell.text.comparison.approximate_values import is_about_equal
from citewell.text.comparison.derived_values import (
    is_combined_value,
    is_complement_share,
    is_multiplied_value,
    is_product_of_counts,
    is_reckoned_value,
    is_sum_of_run,
    list_time_spans,
)
from citewell.text.comparison.deriving_words import has_deriving_words, tells_of_others
from citewell.text.comparison.source_values import (
    gives_both_ends,
    has_figure,
    is_spelt_near,
    is_whole_near,
)
from citewell.text.comparison.statement_twins import StatementTwin
from citewell.text.comparison.statement_values import (
    DATED_UNITS,
    TIME_UNITS,
    is_telling_value,
    list_stated_values,
)
from citewell.text.comparison.value_conflicts import is_unit_slip
from citewell.text.comparison.value_equality import have_equal_figures, have_same_value, is_rounded
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.quantities.spelt_counts import find_spelt_counts
from citewell.text.quantities.stated_fractions import MULTIPLE_UNIT
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    YEAR_UNIT,
    StatedQuantity,
    is_fixed_unit,
    write_alike,
)
from citewell.text.quantities.units import CURRENCY_CODES, UNIT_FACTORS

_WINDOW_SENTENCES = 3
_MIN_LIKE_DIGITS = 2  # of numbers that are mistaken for each other by their digits
_MIN_SLIP_DIGITS = 3
_FIRST_RECENT_YEAR = 2000
_MAGNITUDE_SLIPS = frozenset({Decimal(10), Decimal(100), Decimal(1000)})
_MIN_TELLING_COUNT = 6  # of things counted in words; smaller counts are often the author's own
_MIN_RIVAL_SHARE = 0.4  # of the statement's words in the sentence with another share or count
_END_SLACK = Decimal("0.02")  # of a value that is an end of a range
_MAX_KNOWN_COUNT = 3
_KNOWN_PATTERN = re.compile(  # "the two years": those that were spoken of
    r"\b(?:the|these|those|both|die|diese[nr]?|beiden?|les|ces|los|las|estos|estas)\s\Z",
    re.IGNORECASE,
)
_PERCENT_PATTERN = re.compile(r"cent|prozent|ciento", re.IGNORECASE)
_SHARE_SLACK = 4  # percentage points by which "a third" may differ from 30 percent
_CLOCK_PATTERN = re.compile(r"\s?(?:[ap]\.?m\b|o['’]clock|uhr\b)", re.IGNORECASE)  # "11 pm"
_FIGURE_PATTERN = re.compile(r"\d+(?:[.,'’]\d+)*")
_PAIRED_FIGURE_PATTERN = re.compile(r"(?<![\w/.,])(\d{2,3})/(?!\1\b)\d{2,3}(?![\w/]|[.,]\d)")
_NAME_BEFORE_PATTERN = re.compile(r"(?<=[\w,;] )[A-Z][\w’'-]*\s\Z")  # "a Boeing 737"
_LIST_ITEM_PATTERN = re.compile(r"\s*(?:[-*•–]\s|\d{1,2}[.)]\s|\|)")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """A statement whose values are looked for in a source."""

    asked: SentenceFeatures
    wanted: Sequence[StatedQuantity]
    source: SourceText
    known_years: Collection[int]
    held: Sequence[StatedQuantity]
    windows: Sequence[Sequence[StatedQuantity]]  # of consecutive sentences


def find_unstated_values(
    asked: SentenceFeatures,
    wanted: Sequence[StatedQuantity],
    source: SourceText,
    twins: Sequence[StatementTwin],
    *,
    known_years: Collection[int] = (),
) -> tuple[UnstatedValue, ...]:
    """The values of `wanted`, and the counts in words, that the source does not bear out."""
    every = source.sentence_features
    search = _Search(
        asked=asked,
        wanted=wanted,
        source=source,
        known_years=known_years,
        held=[value for each in every for value in list_stated_values(each)],
        windows=list(_list_value_windows(every)),
    )
    return (
        *_find_unstated_measures(search),
        *_find_unstated_dates(search),
        *_find_unstated_years(search),
        *_find_unstated_shares(search, twins),
        *_find_unstated_counts(search, twins),
        *_find_unstated_pairs(search),
    )


def _list_value_windows(every: Sequence[SentenceFeatures]) -> Iterator[tuple[StatedQuantity, ...]]:
    for at in range(max(1, len(every) - _WINDOW_SENTENCES + 1)):
        near = every[at : at + _WINDOW_SENTENCES]
        yield tuple(value for each in near for value in list_stated_values(each))


def _find_unstated_measures(search: _Search) -> Iterator[UnstatedValue]:
    """Numbers in figures, and lengths, times and amounts in words."""
    for one in search.wanted:
        if _is_accountable(one, search.asked) and not _is_borne_out(one, search):
            yield _attach_like_value(one, search.source)


def _is_accountable(one: StatedQuantity, asked: SentenceFeatures) -> bool:
    """Whether a source must give it: no year, no multiple, no share in words, and no part of a name."""
    if one.unit in {*DATED_UNITS, MULTIPLE_UNIT} or _CLOCK_PATTERN.match(asked.text, one.end):
        return False
    if not any(map(str.isdigit, one.text)):
        is_known = one.low / one.scale <= _MAX_KNOWN_COUNT and _KNOWN_PATTERN.search(
            asked.text[: one.start]
        )
        is_share = one.unit == "%" and not _PERCENT_PATTERN.search(one.text)
        return is_fixed_unit(one.unit) and not is_known and not is_share
    is_name = not is_fixed_unit(one.unit) and (asked.language or "en")[:2] != "de"
    if is_name and _NAME_BEFORE_PATTERN.search(asked.text[: one.start]):
        return False
    return is_telling_value(one)


def _is_borne_out(one: StatedQuantity, search: _Search) -> bool:
    source, every = search.source, search.source.sentence_features
    return (
        any(_can_mean(one, other, search.asked.text) for other in search.held)
        or is_spelt_near(one, every, source.language)
        or is_whole_near(one, every)
        or (one.low < one.high and any(gives_both_ends(one, said) for said in every))
        or _is_written_bare(one, source)
        or (not is_fixed_unit(one.unit) and one.low in _count_list_items(source.text))
        or _is_reckoned(one, search)
    )


def _can_mean(one: StatedQuantity, other: StatedQuantity, statement: str) -> bool:
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
    units = {
        UNIT_FACTORS[word][0]
        for row in re.findall(r"(?m)^\s*\|.*", source.text)
        for word in re.findall(r"[^\W\d_]+|%", row.lower())
        if word in UNIT_FACTORS
    }
    is_named = one.unit in units or one.unit in CURRENCY_CODES.values()
    return is_named and all(
        re.search(rf"\|[\s~<>≤≥*]*{re.escape(each)}[\s*]*\|", source.text) for each in figures
    )


def _is_reckoned(one: StatedQuantity, search: _Search) -> bool:
    """Whether an author may have reckoned it from what the source gives."""
    if one.unit in TIME_UNITS:
        spans = list_time_spans(search.held, search.known_years)
        if any(_can_mean(one, each, search.asked.text) for each in spans):
            return True
    if is_multiplied_value(one, search.wanted, search.held):
        return True
    if has_deriving_words(one, search.asked.text) and any(
        is_combined_value(one, each) or is_sum_of_run(one, each) for each in search.windows
    ):
        return True
    if tells_of_others(search.asked.text) and any(
        is_complement_share(one, each) for each in search.windows
    ):
        return True
    # Where no word tells so, a number that could also be a slip is rather that.
    return _find_like_value(one, search.source) is None and any(
        is_reckoned_value(one, each) or is_product_of_counts(one, each) for each in search.windows
    )


def _find_unstated_dates(search: _Search) -> Iterator[UnstatedValue]:
    """Days that the source gives with another year, or in another place of the same month."""
    for one in search.wanted:
        if one.unit != DATE_UNIT or one.low in {each.low for each in search.held}:
            continue
        day = date.fromordinal(int(one.low))
        if {str(day.year), str(day.day)} <= search.source.figures:
            continue  # day and year may stand apart
        for said, (start, end) in _list_placed_sentences(search.source):
            for other in list_stated_values(said):
                if other.unit == DATE_UNIT and _have_like_days(day, other):
                    yield UnstatedValue(draft=one, like=other, start=start, end=end)
                    break
            else:
                continue
            break


def _find_unstated_years(search: _Search) -> Iterator[UnstatedValue]:
    """Years of the past in the place of others; those of our days may tell when the author looked."""
    for one in search.wanted:
        if one.unit != YEAR_UNIT or one.low >= _FIRST_RECENT_YEAR:
            continue
        if str(int(one.low)) in search.source.figures or int(one.low) in search.known_years:
            continue
        found = _find_like_value(one, search.source)
        if found is not None:
            yield found


def _have_like_days(day: date, other: StatedQuantity) -> bool:
    said = date.fromordinal(int(other.low))
    return (day.day, day.month) == (said.day, said.month) or (
        (day.month, day.year) == (said.month, said.year)
    )


def _find_unstated_shares(
    search: _Search, twins: Sequence[StatementTwin]
) -> Iterator[UnstatedValue]:
    """Shares in words, where the sentence that says the same has another share."""
    near = [each for each in twins if each.share >= _MIN_RIVAL_SHARE]
    for one in search.wanted:
        is_share = one.unit == "%" and not re.search(r"\d", one.text)
        if not near or not is_share or _PERCENT_PATTERN.search(one.text):
            continue
        shares = [each for each in search.held if each.unit == "%"]
        if any(abs(one.low - each.low) <= _SHARE_SLACK for each in shares):
            continue
        if has_deriving_words(one, search.asked.text) and any(
            is_combined_value(one, each) or is_complement_share(one, each)
            for each in search.windows
        ):
            continue
        for twin in near:
            rivals = [each for each in list_stated_values(twin.features) if each.unit == "%"]
            if rivals:
                yield UnstatedValue(draft=one, like=rivals[0], start=twin.start, end=twin.end)
                break


def _find_unstated_counts(
    search: _Search, twins: Sequence[StatementTwin]
) -> Iterator[UnstatedValue]:
    """Things counted in words: "nineteen games"."""
    counted = find_spelt_counts(search.asked.text, search.asked.language)
    for one in counted:
        if any(each.start < one.end and one.start < each.end for each in search.wanted):
            continue
        if one.low >= _MIN_TELLING_COUNT and not _is_counted(one, search.source):
            yield UnstatedValue(draft=one)
        elif one.unit and one.low > 1:
            found = _find_other_count(one, search, twins)
            if found is not None:
                yield found


def _is_counted(one: StatedQuantity, source: SourceText) -> bool:
    """Whether the source has the number, in digits or words, or a list with as many items."""
    return (
        is_spelt_near(one, source.sentence_features, source.language)
        or str(int(one.low)) in source.figures
        or one.low in _count_list_items(source.text)
    )


def _find_other_count(
    one: StatedQuantity, search: _Search, twins: Sequence[StatementTwin]
) -> UnstatedValue | None:
    """Another count of the same things in the sentence that says the same, and nowhere this one."""
    if any(_counts_alike(one, said) for said in search.source.sentence_features):
        return None
    for twin in twins:
        rivals = [
            other
            for other in _list_counts(twin.features)
            if other.unit == one.unit and other.low != one.low
        ]
        if twin.share >= _MIN_RIVAL_SHARE and rivals:
            return UnstatedValue(draft=one, like=rivals[0], start=twin.start, end=twin.end)
    return None


def _counts_alike(one: StatedQuantity, said: SentenceFeatures) -> bool:
    return any(other.low == one.low for other in _list_counts(said))


def _list_counts(said: SentenceFeatures) -> tuple[StatedQuantity, ...]:
    return (*find_spelt_counts(said.text, said.language), *list_stated_values(said))


def _count_list_items(text: str) -> set[int]:
    """The lengths of the lists and tables of a text, a table with and without its head."""
    lengths: set[int] = set()
    run = 0
    for line in [*text.splitlines(), "end"]:
        if _LIST_ITEM_PATTERN.match(line):
            run += 1
        elif line.strip():
            lengths.update((run, run - 1, run - 2))
            run = 0
    return lengths


def _find_unstated_pairs(search: _Search) -> Iterator[UnstatedValue]:
    """Two figures that are one value together, such as a blood pressure of 130/80."""
    held = [one[0] for one in _PAIRED_FIGURE_PATTERN.finditer(search.source.text)]
    for one in _PAIRED_FIGURE_PATTERN.finditer(search.asked.text):
        if held and one[0] not in held:
            yield UnstatedValue(
                draft=StatedQuantity(
                    low=Decimal(one[1]),
                    high=Decimal(one[1]),
                    unit="",
                    text=one[0],
                    start=one.start(),
                    end=one.end(),
                    precision=Decimal(1),
                )
            )


def _attach_like_value(one: StatedQuantity, source: SourceText) -> UnstatedValue:
    return _find_like_value(one, source) or UnstatedValue(draft=one)


def _find_like_value(one: StatedQuantity, source: SourceText) -> UnstatedValue | None:
    """The value with one of nearly the same digits, or of the same figure in another unit."""
    for said, (start, end) in _list_placed_sentences(source):
        for other in list_stated_values(said):
            # In a table the unit of a figure stands above it.
            is_bare = (
                not other.unit
                and not is_fixed_unit(one.unit)
                and said.text.lstrip().startswith("|")
            )
            is_like = (other.unit == one.unit or is_bare) and _have_like_digits(one, other)
            if is_like or is_unit_slip(one, other):
                return UnstatedValue(draft=one, like=other, start=start, end=end)
    return None


def _list_placed_sentences(
    source: SourceText,
) -> Iterator[tuple[SentenceFeatures, tuple[int, int]]]:
    return zip(source.sentence_features, source.sentence_spans, strict=True)


def _have_like_digits(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether one digit was exchanged, the same digits stand in another order, or a nought more."""
    if one.low == one.high and other.low == other.high and one.low and other.low:
        factor = one.low / other.low
        if factor in _MAGNITUDE_SLIPS or 1 / factor in _MAGNITUDE_SLIPS:
            return True
    mine, theirs = _list_digits(one), _list_digits(other)
    if len(mine) != len(theirs) or len(mine) < _MIN_LIKE_DIGITS:
        return False
    changed = sum(first != second for first, second in zip(mine, theirs, strict=True))
    return changed == 1 or (changed > 0 and sorted(mine) == sorted(theirs))


def _list_digits(one: StatedQuantity) -> str:
    return re.sub(r"\D", "", one.text)
