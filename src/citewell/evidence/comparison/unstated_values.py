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

from citewell.evidence.comparison import borne_out_values
from citewell.evidence.comparison.borne_out_values import UnstatedValue, ValueSearch
from citewell.evidence.comparison.compared_values import DATED_UNITS, is_telling_value
from citewell.evidence.comparison.derived_values import is_combined_value, is_complement_share
from citewell.evidence.comparison.source_values import has_deriving_words, is_spelt_near
from citewell.evidence.comparison.statement_twins import StatementTwin
from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.sentence_features import SentenceFeatures
from citewell.text.quantities.spelt_numbers import MULTIPLE_UNIT, find_spelt_counts
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    YEAR_UNIT,
    StatedQuantity,
    build_exact_quantity,
    is_fixed_unit,
)

_LABEL_PATTERN = re.compile(
    r"(?<!\w)(?P<word>chapter|part|week|step|lesson|module|phase|level|stage|form|season|episode|kapitel|teil|woche|schritt|chapitre|partie|étape|capítulo|parte|paso)s?"
    r"\s(?P<first>\d{1,4})(?:\s?(?:[-–—]|to|through|bis|à|a)\s?(?P<last>\d{1,4}))?(?P<open>\+)?(?![\w%]|[.,]\d)",
    re.IGNORECASE,
)
_VERSION_PATTERN = re.compile(
    r"(?<![\w.])(?:[vV])?(?P<number>\d{1,4}(?:\.\d{1,4}){2,3})(?!\w|\.\d)"
)
_MIN_PLACED_TERMS = 3  # of the statement's words at another label
_MAX_OPEN_LABELS = 1000  # of "chapters 14+"

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
        # Numbers in figures, and lengths, times and amounts in words.
        *(
            borne_out_values.find_like_value(value, source) or UnstatedValue(draft=value)
            for value in wanted
            if _is_accountable(value, asked) and not borne_out_values.is_borne_out(value, search)
        ),
        *_find_unstated_dates(search),
        *_find_unstated_years(search),
        *_find_unstated_shares(search, twins),
        *_find_unstated_counts(search, twins),
        *_find_unstated_pairs(search),
        *find_other_labels(asked, source),
    )


def _is_accountable(value: StatedQuantity, asked: SentenceFeatures) -> bool:
    """Whether a source must give it: no year, no multiple, no share in words, and no part of a name."""
    if value.unit in {*DATED_UNITS, MULTIPLE_UNIT} or _CLOCK_PATTERN.match(asked.text, value.end):
        return False
    if not any(map(str.isdigit, value.text)):
        is_known = value.low / value.scale <= _MAX_KNOWN_COUNT and _KNOWN_PATTERN.search(
            asked.text[: value.start]
        )
        is_share = value.unit == "%" and not _PERCENT_PATTERN.search(value.text)
        return is_fixed_unit(value.unit) and not is_known and not is_share
    is_name = not is_fixed_unit(value.unit) and (asked.language or "en")[:2] != "de"
    if is_name and _NAME_BEFORE_PATTERN.search(asked.text[: value.start]):
        return False
    return is_telling_value(value)


def _find_unstated_dates(search: ValueSearch) -> Iterator[UnstatedValue]:
    """Days that the source gives with another year, or in another place of the same month."""
    for value in search.wanted:
        if value.unit != DATE_UNIT or value.low in {each.low for each in search.held}:
            continue
        day = date.fromordinal(int(value.low))
        if {str(day.year), str(day.day)} <= search.source.figures:
            continue  # day and year may stand apart
        for sentence, (start, end) in borne_out_values.list_placed_sentences(search.source):
            for other in sentence.stated_values:
                if other.unit != DATE_UNIT:
                    continue
                given = date.fromordinal(int(other.low))
                if day.month == given.month and (day.day == given.day or day.year == given.year):
                    yield UnstatedValue(draft=value, like=other, start=start, end=end)
                    break
            else:
                continue
            break


def _find_unstated_years(search: ValueSearch) -> Iterator[UnstatedValue]:
    """Years of the past in the place of others; those of our days may tell when the author looked."""
    for value in search.wanted:
        if value.unit != YEAR_UNIT or value.low >= FIRST_RECENT_YEAR:
            continue
        if str(int(value.low)) in search.source.figures or int(value.low) in search.known_years:
            continue
        found = borne_out_values.find_like_value(value, search.source)
        if found is not None:
            yield found


def _find_unstated_shares(
    search: ValueSearch, twins: Sequence[StatementTwin]
) -> Iterator[UnstatedValue]:
    """Shares in words, where the sentence that says the same has another share."""
    near = [each for each in twins if each.share >= _MIN_RIVAL_SHARE]
    for value in search.wanted:
        is_share = value.unit == "%" and not re.search(r"\d", value.text)
        if not near or not is_share or _PERCENT_PATTERN.search(value.text):
            continue
        shares = [each for each in search.held if each.unit == "%"]
        if any(abs(value.low - each.low) <= _SHARE_SLACK for each in shares):
            continue
        if has_deriving_words(value, search.asked.text) and any(
            is_combined_value(value, each) or is_complement_share(value, each)
            for each in search.windows
        ):
            continue
        for twin in near:
            rivals = [each for each in twin.features.stated_values if each.unit == "%"]
            if rivals:
                yield UnstatedValue(draft=value, like=rivals[0], start=twin.start, end=twin.end)
                break


def _find_unstated_counts(
    search: ValueSearch, twins: Sequence[StatementTwin]
) -> Iterator[UnstatedValue]:
    """Things counted in words: "nineteen games"."""
    counted = find_spelt_counts(search.asked.text, search.asked.language)
    for count in counted:
        if any(each.start < count.end and count.start < each.end for each in search.wanted):
            continue
        if count.low >= _MIN_TELLING_COUNT and not _is_counted(count, search.source):
            yield UnstatedValue(draft=count)
        elif count.unit and count.low > 1:
            found = _find_other_count(count, search, twins)
            if found is not None:
                yield found


def _is_counted(value: StatedQuantity, source: SourceText) -> bool:
    """Whether the source has the number, in digits or words, or a list with as many items."""
    return (
        is_spelt_near(value, source.sentence_features, source.language)
        or str(int(value.low)) in source.figures
        or borne_out_values.is_length_of_list(value, source)
    )


def _find_other_count(
    value: StatedQuantity, search: ValueSearch, twins: Sequence[StatementTwin]
) -> UnstatedValue | None:
    """Another count of the same things in the sentence that says the same, and nowhere this one."""
    if value.low in search.source.derive(_list_counted_numbers):
        return None
    for twin in twins:
        rivals = [
            other
            for other in _list_counts(twin.features)
            if other.unit == value.unit and other.low != value.low
        ]
        if twin.share >= _MIN_RIVAL_SHARE and rivals:
            return UnstatedValue(draft=value, like=rivals[0], start=twin.start, end=twin.end)
    return None


def _list_counted_numbers(source: SourceText) -> frozenset[Decimal]:
    return frozenset(
        other.low for sentence in source.sentence_features for other in _list_counts(sentence)
    )


def _list_counts(sentence: SentenceFeatures) -> tuple[StatedQuantity, ...]:
    return (*find_spelt_counts(sentence.text, sentence.language), *sentence.stated_values)


def _find_unstated_pairs(search: ValueSearch) -> Iterator[UnstatedValue]:
    """Two figures that are one value together, such as a blood pressure of 130/80."""
    for match in _PAIRED_FIGURE_PATTERN.finditer(search.asked.text):
        held = search.source.derive(_list_paired_figures)
        if held and match[0] not in held:
            yield UnstatedValue(
                draft=StatedQuantity(
                    low=Decimal(match[1]),
                    high=Decimal(match[1]),
                    unit="",
                    text=match[0],
                    start=match.start(),
                    end=match.end(),
                    precision=Decimal(1),
                )
            )


def _list_paired_figures(source: SourceText) -> frozenset[str]:
    return frozenset(match[0] for match in _PAIRED_FIGURE_PATTERN.finditer(source.text))


# Finds numbers that name a part of a text, or a version, where the source has another one in their place.


@dataclass(frozen=True, slots=True, kw_only=True)
class _HeldLabel:
    """A label of the source, with the words of its sentence and of the next one."""

    word: str
    numbers: range
    value: StatedQuantity
    terms: frozenset[str]
    start: int
    end: int


def find_other_labels(asked: SentenceFeatures, source: SourceText) -> Iterator[UnstatedValue]:
    """Labels of the statement whose words stand at another label of the source, or that it has nowhere."""
    if _LABEL_PATTERN.search(asked.text):
        held = source.derive(_collect_labels)
        for match in _LABEL_PATTERN.finditer(asked.text):
            rivals = [value for value in held if value.word == match["word"].lower()]
            found = _find_rival(match, rivals, asked, source)
            if found is not None:
                mine = build_exact_quantity(Decimal(match["first"]), "", asked.text, match.span())
                yield UnstatedValue(draft=mine, like=found.value, start=found.start, end=found.end)
    yield from _find_other_versions(asked, source)


def _collect_labels(source: SourceText) -> tuple[_HeldLabel, ...]:
    labels = []
    every = source.sentence_features
    for at, (sentence, (start, end)) in enumerate(borne_out_values.list_placed_sentences(source)):
        for match in _LABEL_PATTERN.finditer(sentence.text):
            first = int(match["first"])
            last = first + _MAX_OPEN_LABELS if match["open"] else int(match["last"] or first)
            behind = every[at + 1].terms if at + 1 < len(every) else frozenset()
            is_next_labelled = at + 1 < len(every) and _LABEL_PATTERN.search(every[at + 1].text)
            label = _HeldLabel(
                word=match["word"].lower(),
                numbers=range(first, last + 1),
                value=build_exact_quantity(Decimal(first), "", sentence.text, match.span()),
                terms=sentence.terms if is_next_labelled else sentence.terms | behind,
                start=start,
                end=end,
            )
            labels.append(label)
    return tuple(labels)


def _find_rival(
    match: re.Match[str], held: list[_HeldLabel], asked: SentenceFeatures, source: SourceText
) -> _HeldLabel | None:
    """The label at which the statement's words stand, if they hardly stand at its own."""
    number = int(match["first"])
    others = [value for value in held if number not in value.numbers]
    if not others:
        return None
    words = asked.word_terms - {match["word"].lower()}
    best = max(others, key=lambda label: len(words & label.terms))
    if len(others) == len(held) and match["first"] not in source.figures:
        return best
    own = max((len(words & value.terms) for value in held if number in value.numbers), default=0)
    shared = len(words & best.terms)
    return best if shared >= _MIN_PLACED_TERMS and shared > 2 * own else None


def _find_other_versions(asked: SentenceFeatures, source: SourceText) -> Iterator[UnstatedValue]:
    """Numbers of versions, "20.0.2", in a source that names others only."""
    for match in _VERSION_PATTERN.finditer(asked.text):
        known = {version["number"] for version in _VERSION_PATTERN.finditer(source.text)}
        if not known or match["number"] in known:
            continue
        for sentence, (start, end) in borne_out_values.list_placed_sentences(source):
            other = _VERSION_PATTERN.search(sentence.text)
            if other is not None and _have_like_parts(match["number"], other["number"]):
                mine, theirs = (
                    build_exact_quantity(Decimal(each["number"].partition(".")[0]), "", text, each.span())
                    for each, text in ((match, asked.text), (other, sentence.text))
                )  # fmt: skip
                yield UnstatedValue(draft=mine, like=theirs, start=start, end=end)
                break


def _have_like_parts(word: str, other: str) -> bool:
    """Whether two versions have most parts in common, or the same digits in another order."""
    mine, theirs = word.split("."), other.split(".")
    differing = sum(first != second for first, second in zip(mine, theirs, strict=False))
    return len(mine) == len(theirs) and (differing == 1 or sorted(mine) == sorted(theirs))
