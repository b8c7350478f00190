"""Compares the numbers and dates of a statement with those of its source.

A number is stated if a sentence near the statement's words gives an equal value, or if it follows
from two numbers given there. It conflicts if the sentence that says the same as the statement gives
another value of the same kind instead. What is merely absent is told apart from what conflicts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from citewell.text.comparison.derived_values import (
    is_combined_value,
    is_complement_share,
    is_ratio_of_values,
    is_reckoned_value,
)
from citewell.text.comparison.statement_twins import (
    StatementTwin,
    find_statement_twins,
    list_near_sentences,
    list_word_terms,
)
from citewell.text.comparison.value_equality import have_same_value
from citewell.text.evidence.claim_support import SourceText, remove_citation_marks
from citewell.text.evidence.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.language import tokens
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.stated_fractions import MULTIPLE_UNIT, find_stated_fractions
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    ORDINAL_UNIT,
    YEAR_UNIT,
    StatedQuantity,
)

_MIN_STRONG_SHARE = 0.75  # of the statement's words in the sentence that has another value
_MIN_STRONG_BACK = 0.4  # of that sentence's words in the statement
_CONTEXT_CHARS = (40, 60)  # before and after a number, whose words say what it counts
_WHOLE_PERCENT = Decimal(100)
_APPROXIMATE_SLACK = Decimal("0.15")  # of a number that is given as approximate
_APPROXIMATE_PATTERN = re.compile(
    r"(?:\b(?:about|around|approximately|roughly|nearly|almost|some|circa|ca\.|just|well|as many as|rund|etwa"
    r"|fast|knapp|ungefähr|environ|près de|presque|autour de|casi|cerca de|alrededor de|unos|unas|quasi)|[~≈])"
    r"\s{0,2}(?:[$€£¥]\s?)?\Z",
    re.IGNORECASE,
)
# A bound is a round number below or above the one that is meant.
_LOWER_BOUND_PATTERN = re.compile(
    r"(?:\b(?:over|more than|above|über|mehr als|plus de|más de|oltre|più di)|[>≥])\s{0,2}(?:[$€£¥]\s?)?\Z",
    re.IGNORECASE,
)
_UPPER_BOUND_PATTERN = re.compile(
    r"(?:\b(?:under|less than|fewer than|below|unter|weniger als|moins de|menos de|meno di)|[<≤])"
    r"\s{0,2}(?:[$€£¥]\s?)?\Z",
    re.IGNORECASE,
)
_WHOLE_WORDS = frozenset(
    ("all", "every", "alle", "jede", "jeder", "tous", "toutes", "todos", "todas")
)
# Words of a statement that gives what follows from two numbers of its source.
_DERIVING_PATTERN = re.compile(
    r"\b(?:total|together|combined|altogether|overall|sum|difference|gap|(?:percentage )?points?|increase[ds]?|decrease[ds]?"
    r"|grew|gained|lost|fell|rose|dropp?e?d?|share|proportion|ratio|(?:more|less|fewer|higher|lower|greater|larger"
    r"|smaller|longer|shorter|faster|slower|older|younger) than"
    r"|zusammen|gesamt|insgesamt|summe|unterschied|differenz|prozentpunkte?n?|anteil|gestiegen|gesunken|stieg|sank"
    r"|total|ensemble|somme|différence|écart|points?|part|augmenté|diminué|hausse|baisse"
    r"|juntos|suma|diferencia|puntos|proporción|aumentó|disminuyó|subió|bajó)\b",
    re.IGNORECASE,
)
# "Up by 10", "um 10 gestiegen", "10 more than": the words directly at a number that is a difference.
_DIFFERENCE_BEFORE_PATTERN = re.compile(
    r"\b(?:by|um|up|down|another|further|weitere[nr]?|de|en)\s+(?:(?:about|around|some|nearly|almost|etwa|rund|fast|environ|unos|casi)\s+)?\Z",
    re.IGNORECASE,
)
# Words for what is left of a whole.
_REST_PATTERN = re.compile(
    r"\b(?:remaining|remainder|rest|others?|übrigen?|restlichen?|anderen?|reste|restante?s?|autres?|resto|otros?|demás)\b",
    re.IGNORECASE,
)
# A number after these names a part of a law or a text.
_LABEL_BEFORE_PATTERN = re.compile(
    r"(?:§{1,2}|\b(?:art(?:icle|ikel|ículo)?s?|sec(?:tion)?s?|sección|abs(?:atz)?|abschnitt|par(?:agraph|agraphe|ágrafo)?s?|no|nos|nr|nº|n°|núm|satz|chapter"
    r"|kapitel|chapitre|capítulo|table|tabelle|tableau|tabla|fig(?:ure|ura)?|abbildung|abb|annex|anhang|annexe|anexo|page|seite|pages?|pp?|ch|vol|volume|step|part)\b\.?)\s{0,3}\(?\Z",
    re.IGNORECASE,
)
_LABEL_NUMBER_PATTERN = re.compile(r"\(?\d{1,3}[a-z]?[.)]\s")
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
_FIGURE_PATTERN = re.compile(r"\d+")
_WRITTEN_FIGURE_PATTERN = re.compile(r"\d+(?:[.,'’]\d+)*")
_MIN_SAME_CONTEXT = 0.6  # of the words around or after a number, at another one in its place
_MIN_TELLING_VALUE = 10  # of a number without a unit
_LIST_NUMBER_PATTERN = re.compile(r"\d{1,3}[.)]\s")
_NEXT_WORD_PATTERN = re.compile(r"\s([^\W\d_]{3,})")
_MIN_PLACED_SHARE, _MIN_PLACED_BACK = 0.75, 0.5  # of a sentence with one other value of the kind
_MAX_ELSEWHERE_SHARE = 0.4  # of the statement's words in any sentence that has its value
_MAX_CACHED_SENTENCES = 8192
_MIN_JOINT_CONTEXT = 0.5  # the same, if the sentence gives other values of the statement
_MIN_CONTEXT_TERMS = 2
_DATED_UNITS = frozenset({YEAR_UNIT, DATE_UNIT})
_TIME_UNITS = frozenset({"second", "minute", "hour", "day", "month", "year"})
_MAX_RIVAL_FACTOR = 20
_STRICT_UNITS = _DATED_UNITS | {MULTIPLE_UNIT}


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
        return "date" if self.draft.unit in _DATED_UNITS else "number"


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
        _read_counted_year(one, asked, source)
        for one in list_stated_values(asked)
        if one.unit != ORDINAL_UNIT and not _is_list_number(one, asked.text)
    ]
    if not wanted:
        return ValueComparison()
    near = list_near_sentences(asked, source)
    twins = find_statement_twins(asked, source)
    gone = [one for one in wanted if not _is_stated_near(one, asked, near, known_years)]
    conflicts = tuple(
        found for one in gone if (found := _choose_conflict(one, wanted, asked, source, twins))
    ) or tuple(
        found
        for one in wanted
        if one not in gone and (found := _find_placed_conflict(one, wanted, asked, near, twins))
    )
    given = tuple(value for each in near for value in list_stated_values(each))
    conflicts = tuple(
        # With more than one other number it is hardly the same statement, and what follows from
        # numbers that are given may have been reckoned.
        _weaken_conflict(one) if len(gone) > 1 or is_reckoned_value(one.draft, given) else one
        for one in conflicts
    )
    told = {one.draft for one in conflicts if one.is_strong or one.is_in_place}
    absent = tuple(
        one
        for one in gone
        if one not in told and _is_telling_value(one) and not _is_written_anywhere(one, source)
    )
    stated = [one for one in wanted if one not in gone]
    return ValueComparison(
        stated=frozenset(one.text for one in stated),
        conflicts=conflicts,
        absent=absent,
        unstated=tuple(
            one
            for one in gone
            if one.unit not in _DATED_UNITS
            and (one in absent or not _is_written_anywhere(one, source))
        ),
        stated_together=max((_count_stated(stated, each) for each in near), default=0),
        has_rival=bool(twins)
        and not _gives_other_rate(asked, twins[0].features)
        and any(
            _list_rival_values(one, wanted, list_stated_values(twins[0].features)) for one in absent
        ),
        has_stated_number=any(
            one in stated or _is_written_anywhere(one, source)
            for one in wanted
            if _is_telling_value(one) and (one.low >= _MIN_TELLING_VALUE or one.precision < 1)
        ),
    )


def list_stated_values(said: SentenceFeatures) -> tuple[StatedQuantity, ...]:
    """The numbers of a sentence with its shares in words, without those that name a section."""
    return _collect_stated_values(said.text, said.quantities, said.language)


@lru_cache(maxsize=_MAX_CACHED_SENTENCES)
def _collect_stated_values(
    text: str, quantities: tuple[StatedQuantity, ...], language: str | None
) -> tuple[StatedQuantity, ...]:
    shares = find_stated_fractions(text, language)
    figures = [
        one
        for one in quantities
        if not _is_label_number(one, text)
        and not any(each.start < one.end and one.start < each.end for each in shares)
    ]
    return tuple(sorted((*figures, *shares), key=lambda one: one.start))


def _is_label_number(one: StatedQuantity, text: str) -> bool:
    """Whether a number without a unit names a part of a text: "§ 8", "Article 33", "(3) The …"."""
    if one.unit not in {"", ORDINAL_UNIT} and one.low >= _MIN_TELLING_VALUE:
        return False
    before = text[max(0, one.start - 16) : one.start]
    if _LABEL_BEFORE_PATTERN.search(before):
        return True
    is_first = not before.strip(" (#*-\n\t") and one.start < 16
    at = one.start - 1 if text[one.start - 1 : one.start] == "(" else one.start
    return is_first and one.unit == "" and _LABEL_NUMBER_PATTERN.match(text, at) is not None


def _read_counted_year(
    one: StatedQuantity, asked: SentenceFeatures, source: SourceText
) -> StatedQuantity:
    """A figure that could be a year as a count, if the source counts the things that follow it."""
    if one.unit != YEAR_UNIT:
        return one
    following = _NEXT_WORD_PATTERN.match(asked.text, one.end)
    if following is None:
        return one
    stem = tokens.stem_word(following[1].lower(), (asked.language or "en")[:2])
    is_counted = any(
        value.unit == stem for said in source.sentence_features for value in said.quantities
    )
    return replace(one, unit=stem) if is_counted else one


def _find_placed_conflict(
    one: StatedQuantity,
    wanted: Sequence[StatedQuantity],
    asked: SentenceFeatures,
    near: Sequence[SentenceFeatures],
    twins: Sequence[StatementTwin],
) -> ValueConflict | None:
    """Another value in the sentence that says the same, if the statement's value is given elsewhere.

    "A rest of nine hours" is not borne out by "more than nine hours of work" where the source
    has "a rest of eleven hours".
    """
    if one.unit in _DATED_UNITS or not one.unit or not twins:
        return None
    best = twins[0]
    if best.share < _MIN_PLACED_SHARE or best.shared_back < _MIN_PLACED_BACK:
        return None
    words = list_word_terms(asked)
    holders = [each for each in near if _count_stated([one], each)]
    if any(len(words & each.terms) > _MAX_ELSEWHERE_SHARE * len(words) for each in holders):
        return None
    if not holders:  # it is approximate, in words, or follows from others
        return None
    peers = [each for each in wanted if each.unit == one.unit]
    theirs = [each for each in list_stated_values(best.features) if each.unit == one.unit]
    if len(peers) != 1 or len(theirs) != 1 or any(_find_slack(one, asked.text)):
        return None
    return ValueConflict(
        draft=one, source=theirs[0], start=best.start, end=best.end, is_strong=False
    )


def _is_list_number(one: StatedQuantity, text: str) -> bool:
    """Whether the number counts the items of a list that the statement is one of."""
    return not text[: one.start].strip() and _LIST_NUMBER_PATTERN.match(text, one.start) is not None


def _is_telling_value(one: StatedQuantity) -> bool:
    """Whether the source should give it: years often come from elsewhere, small figures from names."""
    if one.unit in _DATED_UNITS:
        return False
    if not any(map(str.isdigit, one.text)):
        return one.unit in _TIME_UNITS
    return bool(one.unit) or abs(one.low) >= _MIN_TELLING_VALUE or one.precision < 1


def _choose_conflict(
    one: StatedQuantity,
    wanted: Sequence[StatedQuantity],
    asked: SentenceFeatures,
    source: SourceText,
    twins: Sequence[StatementTwin],
) -> ValueConflict | None:
    """A sentence that is otherwise the same, else the same words around another value."""
    found = _find_value_conflict(one, wanted, asked, twins)
    if found is not None and found.is_strong:
        return found
    return _find_replaced_value(one, wanted, asked, source) or found


def _count_stated(wanted: Iterable[StatedQuantity], said: SentenceFeatures) -> int:
    held = list_stated_values(said)
    return sum(any(have_same_value(one, other) for other in held) for one in wanted)


def _weaken_conflict(one: ValueConflict) -> ValueConflict:
    return replace(one, is_strong=False)


def _is_stated_near(
    one: StatedQuantity,
    asked: SentenceFeatures,
    near: Sequence[SentenceFeatures],
    known_years: Collection[int],
) -> bool:
    if one.unit in _DATED_UNITS:
        return _is_date_near(one, near, known_years)
    held = tuple(value for each in near for value in list_stated_values(each))
    if any(have_same_value(one, other) for other in held):
        return True
    if any(_is_about_equal(one, other, asked.text) for other in held):
        return True
    if one.low < one.high and any(_gives_both_ends(one, each) for each in near):
        return True
    if _is_whole_near(one, near) or _is_spelt_near(one, near, asked.language):
        return True
    return _may_be_derived(one, asked.text) and _is_derived(one, near, asked.text)


def _gives_both_ends(one: StatedQuantity, said: SentenceFeatures) -> bool:
    """Whether a sentence gives the ends of a range one by one: "at least 300 and at most 400"."""
    held = list_stated_values(said)
    ends = (replace(one, high=one.low), replace(one, low=one.high))
    return all(any(have_same_value(end, other) for other in held) for end in ends)


def _may_be_derived(one: StatedQuantity, statement: str) -> bool:
    """Whether the words of the statement show that the number was reckoned from others."""
    if one.unit == MULTIPLE_UNIT or not any(map(str.isdigit, one.text)):
        return True
    before = statement[max(0, one.start - 24) : one.start]
    return any(
        pattern.search(text) is not None
        for pattern, text in (
            (_DERIVING_PATTERN, statement),
            (_REST_PATTERN, statement),
            (_DIFFERENCE_BEFORE_PATTERN, before),
        )
    )


def _find_replaced_value(
    one: StatedQuantity,
    wanted: Sequence[StatedQuantity],
    asked: SentenceFeatures,
    source: SourceText,
) -> ValueConflict | None:
    """Another value among the same words, in a sentence that need not say the same otherwise."""
    if _is_written_anywhere(one, source):
        return None
    mine = _list_context_terms(one, asked)
    for index, said in enumerate(source.sentence_features):
        if _gives_other_rate(asked, said):
            continue
        rivals = _list_rival_values(one, wanted, list_stated_values(said))
        # The statement's other values in the same sentence make it likelier to be the one.
        has_company = _count_stated([each for each in wanted if each is not one], said) > 0
        least = _MIN_JOINT_CONTEXT if has_company else _MIN_SAME_CONTEXT
        for other in rivals:
            if is_complement_share(one, (other,)):
                continue  # "loses 3 %" is "keeps 97 %"
            share = _measure_context(mine, other, said)
            is_like = other.unit == one.unit or (has_company and one.unit != "%")
            if share >= least and is_like:
                start, end = source.sentence_spans[index]
                return ValueConflict(
                    draft=one,
                    source=other,
                    start=start,
                    end=end,
                    is_strong=False,
                    is_in_place=True,
                    has_company=has_company,
                )
    return None


def _gives_other_rate(asked: SentenceFeatures, said: SentenceFeatures) -> bool:
    """Whether a sentence tells what one of something makes, and the statement what several make."""
    return bool(_RATE_PATTERN.search(said.text)) and not _RATE_PATTERN.search(asked.text)


def _measure_context(
    mine: tuple[frozenset[str], frozenset[str]], other: StatedQuantity, said: SentenceFeatures
) -> float:
    """The share of the words around a value, or after it, that stand around another one."""
    theirs = _list_context_terms(other, said)
    pairs = ((mine[0] | mine[1], theirs[0] | theirs[1]), (mine[1], theirs[1]))
    return max(
        (
            len(one & each) / len(one)
            for one, each in pairs
            if len(one & each) >= _MIN_CONTEXT_TERMS
        ),
        default=0.0,
    )


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


def _find_slack(one: StatedQuantity, statement: str) -> tuple[Decimal, Decimal]:
    """How far below and above the number the source's may be, by the words before it."""
    before = statement[max(0, one.start - 24) : one.start]
    slack = min(abs(one.high) * _APPROXIMATE_SLACK, _measure_last_place(one.high))
    is_about = _APPROXIMATE_PATTERN.search(before) is not None
    below = is_about or _UPPER_BOUND_PATTERN.search(before) is not None
    above = is_about or _LOWER_BOUND_PATTERN.search(before) is not None
    return slack * below, slack * above


def _measure_last_place(value: Decimal) -> Decimal:
    """The step between numbers that are as round as this one: 10 for 40, 0.01 for 7.52, 50 for 350."""
    _, digits, exponent = value.normalize().as_tuple()
    step = Decimal(1).scaleb(int(exponent))
    return step * 5 if digits[-1] == 5 else step


def _is_about_equal(one: StatedQuantity, other: StatedQuantity, statement: str) -> bool:
    below, above = _find_slack(one, statement)
    if not (below or above) or not stated_quantities.have_comparable_units(one, other):
        return False
    one, other = stated_quantities.write_alike(one, other)
    return one.low - below <= other.high and other.low <= one.high + above


def _is_whole_near(one: StatedQuantity, near: Sequence[SentenceFeatures]) -> bool:
    """Whether 100 percent is told as "all" there."""
    return (
        one.unit == "%"
        and one.low == _WHOLE_PERCENT
        and any(not _WHOLE_WORDS.isdisjoint(tokens.split_words(each.text)) for each in near)
    )


def _is_spelt_near(
    one: StatedQuantity, near: Sequence[SentenceFeatures], language: str | None
) -> bool:
    """Whether a small number is written in words there, without a unit that would mark it."""
    if one.low != one.high:
        return False
    wanted = tokens.split_words(stated_quantities.find_number_word(one.low, language))
    return bool(wanted) and any(
        f" {' '.join(wanted)} " in f" {' '.join(tokens.split_words(each.text))} " for each in near
    )


def _is_derived(one: StatedQuantity, near: Sequence[SentenceFeatures], statement: str) -> bool:
    """Whether the value is a sum, a difference or a share of two values of one sentence."""
    if one.unit == MULTIPLE_UNIT:
        return any(is_ratio_of_values(one, list_stated_values(each)) for each in near)
    if _REST_PATTERN.search(statement) and any(
        is_complement_share(one, list_stated_values(each)) for each in near
    ):
        return True
    return any(is_combined_value(one, list_stated_values(each)) for each in near)


def _is_written_anywhere(one: StatedQuantity, source: SourceText) -> bool:
    held = [value for each in source.sentence_features for value in list_stated_values(each)]
    if one.unit == "%" and not _has_bare_cells(source):
        # Neither "18 studies" nor "vol. 18" is 18 percent.
        shares = (value for value in held if value.unit in {"%", "pp"})
        return any(have_same_value(one, other) for other in shares)
    if any(have_same_value(one, other) or _has_equal_figure(one, other) for other in held):
        return True
    if _is_spelt_near(one, source.sentence_features, source.language):
        return True
    figures = _WRITTEN_FIGURE_PATTERN.findall(one.text)
    return bool(figures) and all(_has_figure(source, each) for each in figures)


def _has_bare_cells(source: SourceText) -> bool:
    """Whether the source has a table, in which percentages may stand without their sign."""
    return "|" in source.text


def _has_equal_figure(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether both have one figure, as it is written and rounded; the words of its unit may differ."""
    if {one.unit, other.unit} & _DATED_UNITS or not any(map(str.isdigit, one.text)):
        return False
    mine, theirs = one.low / one.scale, other.low / other.scale
    slack = max(one.precision / one.scale, other.precision / other.scale) / 2
    return (
        one.low == one.high
        and abs(mine) >= _MIN_TELLING_VALUE
        and (mine == theirs or (one.precision != other.precision and abs(mine - theirs) <= slack))
    )


def _has_figure(source: SourceText, figure: str) -> bool:
    """Whether the source has the figure, with a comma or a point for the other."""
    digits = _FIGURE_PATTERN.findall(figure)
    if not all(each in source.figures for each in digits):
        return False
    written = r"[.,'’\s]?".join(digits)
    return re.search(rf"(?<![\d.,]){written}(?![\d]|[.,]\d)", source.text) is not None


def _find_value_conflict(
    one: StatedQuantity,
    wanted: Sequence[StatedQuantity],
    asked: SentenceFeatures,
    twins: Sequence[StatementTwin],
) -> ValueConflict | None:
    """What the best sentence with another value of this kind says instead."""
    for twin in twins:
        rivals = _list_rival_values(one, wanted, list_stated_values(twin.features))
        if not rivals or (
            one.unit == YEAR_UNIT and _RELATIVE_YEAR_PATTERN.search(twin.features.text)
        ):
            continue
        rival, is_sure = _choose_rival(one, rivals, wanted, asked, twin)
        strong = (
            is_sure
            and twin.share >= _MIN_STRONG_SHARE
            and twin.shared_back >= _MIN_STRONG_BACK
            and not any(_find_slack(one, asked.text))
        )
        return ValueConflict(
            draft=one, source=rival, start=twin.start, end=twin.end, is_strong=strong
        )
    return None


def _list_rival_values(
    one: StatedQuantity, wanted: Sequence[StatedQuantity], held: Sequence[StatedQuantity]
) -> list[StatedQuantity]:
    """The values of the same kind that the statement does not give as well."""
    return [
        other
        for other in held
        if _is_same_kind(one, other)
        and not any(have_same_value(mine, other) for mine in wanted if _is_same_kind(mine, other))
    ]


def _is_same_kind(one: StatedQuantity, other: StatedQuantity) -> bool:
    if {one.unit, other.unit} & _STRICT_UNITS:
        return one.unit == other.unit
    if one.unit != other.unit and not _are_of_one_size(one, other):
        return False
    if not one.unit and other.unit in _TIME_UNITS:
        return False  # a count or a score without a unit is no length of time
    return other.unit != ORDINAL_UNIT and stated_quantities.have_comparable_units(one, other)


def _are_of_one_size(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether one value can stand for the other by mistake: 30 million cases are not 89 studies."""
    low, high = sorted(abs(each.low / each.scale) for each in (one, other))
    return high <= _MAX_RIVAL_FACTOR * low


def _choose_rival(
    one: StatedQuantity,
    rivals: Sequence[StatedQuantity],
    wanted: Sequence[StatedQuantity],
    asked: SentenceFeatures,
    twin: StatementTwin,
) -> tuple[StatedQuantity, bool]:
    """The value that stands where the statement's does, and whether there is no doubt about it."""
    mine = _list_context_terms(one, asked)
    ranked = sorted(rivals, key=lambda other: -_measure_context(mine, other, twin.features))
    alone = len(rivals) == 1
    peers = [each for each in wanted if _is_same_kind(each, one)]
    theirs = [each for each in list_stated_values(twin.features) if _is_same_kind(one, each)]
    if len(peers) == len(theirs) and peers:  # the same numbers in the same order
        other = theirs[peers.index(one)]
        return other, one.unit == other.unit or not (one.unit and other.unit)
    return ranked[0], alone and one.unit == ranked[0].unit


def _list_context_terms(
    one: StatedQuantity, said: SentenceFeatures
) -> tuple[frozenset[str], frozenset[str]]:
    """The words before a value, and those after it with its unit; words that are cut are left out."""
    ahead, behind = _CONTEXT_CHARS
    before = said.text[max(0, one.start - ahead) : one.start]
    after = said.text[one.start : one.end + behind]
    if one.start > ahead:
        before = before.partition(" ")[2]
    if one.end + behind < len(said.text):
        after = after.rpartition(" ")[0]
    first, second = (
        list_word_terms(build_sentence_features(part, language=said.language))
        for part in (before, after)
    )
    return first, second
