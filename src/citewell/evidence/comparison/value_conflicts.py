"""Finds the value that a source gives in the place of another one of the statement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.evidence.comparison.compared_values import (
    DATED_UNITS,
    TIME_UNITS,
    have_same_value,
    list_valued_sentences,
)
from citewell.evidence.comparison.derived_values import find_slack, is_complement_share
from citewell.evidence.comparison.source_values import count_stated, is_written_anywhere
from citewell.evidence.comparison.statement_twins import StatementTwin
from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.sentence_values import DAY_UNIT, MONTH_UNIT
from citewell.text.quantities.spelt_numbers import MULTIPLE_UNIT
from citewell.text.quantities.stated_quantities import ORDINAL_UNIT, YEAR_UNIT, StatedQuantity

_MIN_STRONG_SHARE = 0.75  # of the statement's words in the sentence that has another value
_MIN_STRONG_BACK = 0.4  # of that sentence's words in the statement
_CONTEXT_CHARS = (40, 60)  # before and after a number, whose words say what it counts
# A sentence that tells years by their distance from the day it was written.
_RELATIVE_YEAR_PATTERN = re.compile(
    r"\b(?:this|last|next) year\b|\b(?:dieses|letztes|nächstes|vergangenes) Jahr\b"
    r"|\bcette année\b|\bl['’]an(?:née)? (?:dernier|prochain)e?\b|\b(?:este|el próximo) año\b|\baño pasado\b",
    re.IGNORECASE,
)
# A rate, from which a statement may reckon what several of its units make.
_RATE_PATTERN = re.compile(
    r"\b(?:each|every|per|apiece|jede[rnms]?|je|pro|chaque|par|cada|por)\b", re.IGNORECASE
)
_MIN_SAME_CONTEXT = 0.6  # of the words around or after a number, at another one in its place
_MIN_JOINT_CONTEXT = 0.5  # the same, if the sentence gives other values of the statement
_MIN_CONTEXT_TERMS = 2
_MIN_PLACED_SHARE, _MIN_PLACED_BACK = 0.75, 0.5  # of a sentence with one other value of the kind
_MAX_ELSEWHERE_SHARE = 0.4  # of the statement's words in any sentence that has its value
_MIN_SLIP_TERMS = 2  # words of the statement in the sentence with another unit
_MIN_SLIP_SHARE = 0.25  # of them; more if the source has the value elsewhere
_MIN_NEARER_SLIP_SHARE = 0.4
_MAX_RIVAL_FACTOR = 20
_STRICT_UNITS = DATED_UNITS | {MULTIPLE_UNIT, MONTH_UNIT, DAY_UNIT}


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueConflict:
    """A value of the statement, and what the source's sentence says instead."""

    draft: StatedQuantity
    source: StatedQuantity
    start: int  # of the sentence, in the source
    end: int
    is_strong: bool  # the sentence is otherwise the same statement
    is_in_place: bool = False  # the words around both values are the same
    has_company: bool = False  # the sentence gives other values of the statement as well

    @property
    def kind(self) -> str:
        return "date" if self.draft.unit in DATED_UNITS else "number"


def choose_conflict(
    value: StatedQuantity,
    wanted: Sequence[StatedQuantity],
    asked: SentenceFeatures,
    source: SourceText,
    twins: Sequence[StatementTwin],
) -> ValueConflict | None:
    """A sentence that is otherwise the same, else the same words around another value."""
    found = _find_value_conflict(value, wanted, asked, twins)
    if found is not None and found.is_strong:
        return found
    return _find_replaced_value(value, wanted, asked, source) or found


def find_placed_conflict(
    value: StatedQuantity,
    wanted: Sequence[StatedQuantity],
    asked: SentenceFeatures,
    near: Sequence[SentenceFeatures],
    twins: Sequence[StatementTwin],
) -> ValueConflict | None:
    """Another value in the sentence that says the same, if the statement's value is given elsewhere.

    "A rest of nine hours" is not borne out by "more than nine hours of work" where the source
    has "a rest of eleven hours".
    """
    if value.unit in DATED_UNITS or not value.unit or not twins:
        return None
    best = twins[0]
    if best.share < _MIN_PLACED_SHARE or best.shared_back < _MIN_PLACED_BACK:
        return None
    words = asked.word_terms
    holders = [each for each in near if count_stated([value], each)]
    if any(len(words & each.terms) > _MAX_ELSEWHERE_SHARE * len(words) for each in holders):
        return None
    if not holders:  # it is approximate, in words, or follows from others
        return None
    peers = [each for each in wanted if each.unit == value.unit]
    theirs = [each for each in best.features.stated_values if each.unit == value.unit]
    if len(peers) != 1 or len(theirs) != 1 or any(find_slack(value, asked.text)):
        return None
    return ValueConflict(
        draft=value, source=theirs[0], start=best.start, end=best.end, is_strong=False
    )


def find_unit_slip(
    value: StatedQuantity, asked: SentenceFeatures, source: SourceText
) -> ValueConflict | None:
    """The same figure with another unit of its kind, in a sentence nearer than any with its value.

    "Three months after the notice" for "three weeks after the notice".
    """
    if not stated_quantities.is_fixed_unit(value.unit) or value.unit in _STRICT_UNITS:
        return None
    words = asked.word_terms
    best: tuple[int, int, StatedQuantity] | None = None
    nearest_holder = 0
    for index in source.derive(list_valued_sentences):
        sentence = source.sentence_features[index]
        shared = len(words & sentence.terms)
        held = sentence.stated_values
        if any(have_same_value(value, each) for each in held):
            nearest_holder = max(nearest_holder, shared)
        elif shared >= _MIN_SLIP_TERMS and (best is None or shared > best[0]):
            slip = next((each for each in held if is_unit_slip(value, each)), None)
            best = (shared, index, slip) if slip is not None else best
    least = _MIN_SLIP_SHARE if nearest_holder == 0 else _MIN_NEARER_SLIP_SHARE
    if best is None or best[0] <= nearest_holder or best[0] < least * len(words):
        return None
    start, end = source.sentence_spans[best[1]]
    return ValueConflict(
        draft=value, source=best[2], start=start, end=end, is_strong=False, is_in_place=True
    )


def is_unit_slip(value: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether two values have one figure and units of one kind: times, lengths, or masses."""
    is_same_kind = (value.unit == other.unit and value.scale != other.scale) or (
        {value.unit, other.unit} <= TIME_UNITS
    )
    return is_same_kind and (value.low / value.scale, value.high / value.scale) == (
        other.low / other.scale,
        other.high / other.scale,
    )


def _find_replaced_value(
    value: StatedQuantity,
    wanted: Sequence[StatedQuantity],
    asked: SentenceFeatures,
    source: SourceText,
) -> ValueConflict | None:
    """Another value among the same words, in a sentence that need not say the same otherwise."""
    if is_written_anywhere(value, source):
        return None
    mine = list_terms_beside(value, asked)
    # One sentence may tell what one of something makes, and the other what several make.
    is_rate = _RATE_PATTERN.search(asked.text) is not None
    # Where no word is the same, none is the same around the values.
    for index in source.count_shared_terms(mine[0] | mine[1]):
        sentence = source.sentence_features[index]
        if not sentence.stated_values or (_RATE_PATTERN.search(sentence.text) and not is_rate):
            continue
        rivals = list_rival_values(value, wanted, sentence.stated_values)
        # The statement's other values in the same sentence make it likelier to be the one.
        has_company = count_stated([each for each in wanted if each is not value], sentence) > 0
        least = _MIN_JOINT_CONTEXT if has_company else _MIN_SAME_CONTEXT
        for other in sorted(
            rivals, key=lambda each: _rank_rival(mine, each, sentence), reverse=True
        ):
            if is_complement_share(value, (other,)):
                continue  # "loses 3 %" is "keeps 97 %"
            share = _measure_context(mine, other, sentence)
            is_like = other.unit == value.unit or (has_company and value.unit != "%")
            if share >= least and is_like:
                start, end = source.sentence_spans[index]
                return ValueConflict(
                    draft=value,
                    source=other,
                    start=start,
                    end=end,
                    is_strong=False,
                    is_in_place=True,
                    has_company=has_company,
                )
    return None


def _find_value_conflict(
    value: StatedQuantity,
    wanted: Sequence[StatedQuantity],
    asked: SentenceFeatures,
    twins: Sequence[StatementTwin],
) -> ValueConflict | None:
    """What the best sentence with another value of this kind says instead."""
    for twin in twins:
        rivals = list_rival_values(value, wanted, twin.features.stated_values)
        if not rivals or (
            value.unit == YEAR_UNIT and _RELATIVE_YEAR_PATTERN.search(twin.features.text)
        ):
            continue
        rival, is_sure = _choose_rival(value, rivals, wanted, asked, twin)
        strong = (
            is_sure
            and twin.share >= _MIN_STRONG_SHARE
            and twin.shared_back >= _MIN_STRONG_BACK
            and not any(find_slack(value, asked.text))
        )
        return ValueConflict(
            draft=value, source=rival, start=twin.start, end=twin.end, is_strong=strong
        )
    return None


def list_rival_values(
    value: StatedQuantity, wanted: Sequence[StatedQuantity], held: Sequence[StatedQuantity]
) -> list[StatedQuantity]:
    """The values of the same kind that the statement does not give as well."""
    return [
        other
        for other in held
        if are_of_one_kind(value, other)
        and not any(have_same_value(mine, other) for mine in wanted if are_of_one_kind(mine, other))
    ]


def are_of_one_kind(number: StatedQuantity, other: StatedQuantity) -> bool:
    if {number.unit, other.unit} & _STRICT_UNITS:
        return number.unit == other.unit
    # One value can stand for the other by mistake only if it is of its size: 30 million cases are not 89 studies.
    low, high = sorted(abs(value.low / value.scale) for value in (number, other))
    if number.unit != other.unit and high > _MAX_RIVAL_FACTOR * low:
        return False
    if not number.unit and other.unit in TIME_UNITS:
        return False  # a count or a score without a unit is no length of time
    return other.unit != ORDINAL_UNIT and stated_quantities.have_comparable_units(number, other)


def _choose_rival(
    value: StatedQuantity,
    rivals: Sequence[StatedQuantity],
    wanted: Sequence[StatedQuantity],
    asked: SentenceFeatures,
    twin: StatementTwin,
) -> tuple[StatedQuantity, bool]:
    """The value that stands where the statement's does, and whether there is no doubt about it."""
    mine = list_terms_beside(value, asked)
    ranked = sorted(rivals, key=lambda other: _rank_rival(mine, other, twin.features), reverse=True)
    alone = len(rivals) == 1
    peers = [each for each in wanted if are_of_one_kind(each, value)]
    theirs = [each for each in twin.features.stated_values if are_of_one_kind(value, each)]
    if len(peers) == len(theirs) and peers:  # the same numbers in the same order
        other = theirs[peers.index(value)]
        return other, value.unit == other.unit or not (value.unit and other.unit)
    return ranked[0], alone and value.unit == ranked[0].unit


def _rank_rival(
    mine: tuple[frozenset[str], frozenset[str]], other: StatedQuantity, sentence: SentenceFeatures
) -> tuple[float, int]:
    """Sort key: the words around a value, then those that stand between it and the next value."""
    starts = [each.start for each in sentence.stated_values if each.start > other.start]
    own = sentence.text[other.start : min(starts, default=len(sentence.text))]
    words = build_sentence_features(own, language=sentence.language).word_terms
    return _measure_context(mine, other, sentence), len(mine[1] & words)


def _measure_context(
    mine: tuple[frozenset[str], frozenset[str]], other: StatedQuantity, sentence: SentenceFeatures
) -> float:
    """The share of the words around a value, or after it, that stand around another one."""
    theirs = list_terms_beside(other, sentence)
    pairs = ((mine[0] | mine[1], theirs[0] | theirs[1]), (mine[1], theirs[1]))
    return max(
        (
            len(own & each) / len(own)
            for own, each in pairs
            if len(own & each) >= _MIN_CONTEXT_TERMS
        ),
        default=0.0,
    )


def list_terms_beside(
    value: StatedQuantity, sentence: SentenceFeatures
) -> tuple[frozenset[str], frozenset[str]]:
    """The words before a value, and those after it with its unit; words that are cut are left out."""
    ahead, behind = _CONTEXT_CHARS
    before = sentence.text[max(0, value.start - ahead) : value.start]
    after = sentence.text[value.start : value.end + behind]
    if value.start > ahead:
        before = before.partition(" ")[2]
    if value.end + behind < len(sentence.text):
        after = after.rpartition(" ")[0]
    first, second = (
        build_sentence_features(part, language=sentence.language).word_terms
        for part in (before, after)
    )
    return first, second
