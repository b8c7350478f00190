"""Finds the numbers of a statement that its source gives nowhere, in no form that people use.

A paraphrase shares few words with its source, but its numbers come from there: a number that is
not written there, does not round or convert one that is, and does not follow from others was
changed, or comes from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from decimal import Decimal

from citewell.text.comparison.borne_out_values import (
    ValueSearch,
    is_borne_out,
    is_length_of_list,
)
from citewell.text.comparison.derived_values import (
    is_combined_value,
    is_complement_share,
)
from citewell.text.comparison.deriving_words import has_deriving_words
from citewell.text.comparison.like_values import (
    UnstatedValue,
    attach_like_value,
    find_like_value,
    list_placed_sentences,
)
from citewell.text.comparison.numbered_labels import find_other_labels
from citewell.text.comparison.source_values import (
    is_spelt_near,
)
from citewell.text.comparison.statement_twins import StatementTwin
from citewell.text.comparison.statement_values import (
    DATED_UNITS,
    is_telling_value,
    list_stated_values,
)
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.quantities.spelt_counts import find_spelt_counts
from citewell.text.quantities.stated_fractions import MULTIPLE_UNIT
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    YEAR_UNIT,
    StatedQuantity,
    is_fixed_unit,
)

FIRST_RECENT_YEAR = 2000
_MIN_TELLING_COUNT = 6  # of things counted in words; smaller counts are often the author's own
_MIN_RIVAL_SHARE = 0.4  # of the statement's words in the sentence with another share or count
_MAX_KNOWN_COUNT = 3
_KNOWN_PATTERN = re.compile(  # "the two years": those that were spoken of
    r"\b(?:the|these|those|both|die|diese[nr]?|beiden?|les|ces|los|las|estos|estas)\s\Z",
    re.IGNORECASE,
)
_PERCENT_PATTERN = re.compile(r"cent|prozent|ciento", re.IGNORECASE)
_SHARE_SLACK = 4  # percentage points by which "a third" may differ from 30 percent
_CLOCK_PATTERN = re.compile(r"\s?(?:[ap]\.?m\b|o['’]clock|uhr\b)", re.IGNORECASE)  # "11 pm"
_PAIRED_FIGURE_PATTERN = re.compile(r"(?<![\w/.,])(\d{2,3})/(?!\1\b)\d{2,3}(?![\w/]|[.,]\d)")
_NAME_BEFORE_PATTERN = re.compile(r"(?<=[\w,;] )[A-Z][\w’'-]*\s\Z")  # "a Boeing 737"


def find_unstated_values(
    asked: SentenceFeatures,
    wanted: Sequence[StatedQuantity],
    source: SourceText,
    twins: Sequence[StatementTwin],
    *,
    known_years: Collection[int] = (),
) -> tuple[UnstatedValue, ...]:
    """The values of `wanted`, and the counts in words, that the source does not bear out."""
    search = ValueSearch(asked=asked, wanted=wanted, source=source, known_years=known_years)
    return (
        *_find_unstated_measures(search),
        *_find_unstated_dates(search),
        *_find_unstated_years(search),
        *_find_unstated_shares(search, twins),
        *_find_unstated_counts(search, twins),
        *_find_unstated_pairs(search),
        *find_other_labels(asked, source),
    )


def _find_unstated_measures(search: ValueSearch) -> Iterator[UnstatedValue]:
    """Numbers in figures, and lengths, times and amounts in words."""
    for one in search.wanted:
        if _is_accountable(one, search.asked) and not is_borne_out(one, search):
            yield attach_like_value(one, search.source)


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


def _find_unstated_dates(search: ValueSearch) -> Iterator[UnstatedValue]:
    """Days that the source gives with another year, or in another place of the same month."""
    for one in search.wanted:
        if one.unit != DATE_UNIT or one.low in {each.low for each in search.held}:
            continue
        day = date.fromordinal(int(one.low))
        if {str(day.year), str(day.day)} <= search.source.figures:
            continue  # day and year may stand apart
        for said, (start, end) in list_placed_sentences(search.source):
            for other in list_stated_values(said):
                if other.unit == DATE_UNIT and _have_like_days(day, other):
                    yield UnstatedValue(draft=one, like=other, start=start, end=end)
                    break
            else:
                continue
            break


def _find_unstated_years(search: ValueSearch) -> Iterator[UnstatedValue]:
    """Years of the past in the place of others; those of our days may tell when the author looked."""
    for one in search.wanted:
        if one.unit != YEAR_UNIT or one.low >= FIRST_RECENT_YEAR:
            continue
        if str(int(one.low)) in search.source.figures or int(one.low) in search.known_years:
            continue
        found = find_like_value(one, search.source)
        if found is not None:
            yield found


def _have_like_days(day: date, other: StatedQuantity) -> bool:
    said = date.fromordinal(int(other.low))
    return (day.day, day.month) == (said.day, said.month) or (
        (day.month, day.year) == (said.month, said.year)
    )


def _find_unstated_shares(
    search: ValueSearch, twins: Sequence[StatementTwin]
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
    search: ValueSearch, twins: Sequence[StatementTwin]
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
        or is_length_of_list(one, source)
    )


def _find_other_count(
    one: StatedQuantity, search: ValueSearch, twins: Sequence[StatementTwin]
) -> UnstatedValue | None:
    """Another count of the same things in the sentence that says the same, and nowhere this one."""
    if one.low in search.source.derive(_list_counted_numbers):
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


def _list_counted_numbers(source: SourceText) -> frozenset[Decimal]:
    return frozenset(other.low for said in source.sentence_features for other in _list_counts(said))


def _list_counts(said: SentenceFeatures) -> tuple[StatedQuantity, ...]:
    return (*find_spelt_counts(said.text, said.language), *list_stated_values(said))


def _find_unstated_pairs(search: ValueSearch) -> Iterator[UnstatedValue]:
    """Two figures that are one value together, such as a blood pressure of 130/80."""
    for one in _PAIRED_FIGURE_PATTERN.finditer(search.asked.text):
        held = search.source.derive(_list_paired_figures)
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


def _list_paired_figures(source: SourceText) -> frozenset[str]:
    return frozenset(one[0] for one in _PAIRED_FIGURE_PATTERN.finditer(source.text))
