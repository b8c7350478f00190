"""Decides whether a source gives a number of a statement: as it is, in words, rounded, or by two others."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache

from citewell.core.lazy_patterns import compile_on_use
from citewell.evidence.comparison import derived_values
from citewell.evidence.comparison.compared_values import (
    DATED_UNITS,
    TIME_UNITS,
    have_equal_figures,
    have_same_value,
    list_distinct_values,
)
from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.sentence_features import SentenceFeatures
from citewell.text.data_tables import load_table
from citewell.text.language import word_forms
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.spelt_numbers import (
    MULTIPLE_UNIT,
    find_number_word,
    find_spelt_counts,
)
from citewell.text.quantities.stated_quantities import (
    CURRENCY_CODES,
    YEAR_UNIT,
    StatedQuantity,
    is_fixed_unit,
)

# Words of a statement that gives what follows from two numbers of its source.
_DERIVING_PATTERN = compile_on_use(
    r"\b(?:total|together|combined|altogether|overall|jointly|sum|all told|between them|(?:split|shared|divided) (?:evenly|equally)|(?:evenly|equally) (?:split|shared|divided)|add(?:s|ed|ing)? up|plus|difference|gap|(?:percentage )?points?|increase[ds]?|decrease[ds]?"
    r"|grew|gained|lost|fell|rose|dropp?e?d?|share|proportion|ratio|(?<!no )(?:more|less|fewer|higher|lower|greater|larger"
    r"|smaller|longer|shorter|faster|slower|older|younger|cheaper|dearer|costlier|pricier|heavier|lighter|taller) than"
    r"|(?:years|months|days|weeks) later"
    r"|zusammen|gesamt|insgesamt|summe|unterschied|differenz|prozentpunkte?n?|anteil|gestiegen|gesunken|stieg|sank"
    r"|total|ensemble|somme|différence|écart|points?|part|augmenté|diminué|hausse|baisse"
    r"|juntos|suma|diferencia|puntos|proporción|aumentó|disminuyó|subió|bajó)\b",
    re.IGNORECASE,
)
# "Up by 10", "um 10 gestiegen", "10 more than": the words directly at a number that is a difference.
_DIFFERENCE_BEFORE_PATTERN = compile_on_use(
    r"\b(?:by|um|up|down|another|further|weitere[nr]?|de|en)\s+(?:(?:about|around|some|nearly|almost|etwa|rund|fast|environ|unos|casi)\s+)?\Z",
    re.IGNORECASE,
)
# "Save $50", "adds $70 to it": the words directly before an amount that is a difference of two others.
_PRICE_STEP_PATTERN = compile_on_use(
    r"\b(?:sav(?:e|es|ed|ing|ings of)|adds?|added|adding|extra|additional|difference of|premium of|discount of|spare[nst]?|économise[rz]?|ahorra[nr]?)"
    r"\s+(?:(?:you|them|about|around|some|nearly|almost|roughly|an extra|an additional|another)\s+)?\Z",
    re.IGNORECASE,
)
# "$30 more", "seven dollars a month cheaper", "some $10,000 above that": the same behind a number.
_STEP_BEHIND_PATTERN = compile_on_use(
    r"(?:\s(?:a|an|per|each|every)\s\w{1,12})?(?:\s\w{1,12})?\s(?:more|less|fewer|above|below|cheaper|dearer|pricier|costlier|higher|lower|extra|on top"
    r"|older|younger|longer|shorter|heavier|lighter|faster|slower|taller|smaller|larger|bigger|mehr|weniger|teurer|billiger|günstiger|höher|niedriger|de plus|de moins|más|menos)\b",
    re.IGNORECASE,
)
# Words for what is left of a whole.
_REST_PATTERN = compile_on_use(
    r"\b(?:remaining|remainder|rest|others?|übrigen?|restlichen?|anderen?|reste|restante?s?|autres?|resto|otros?|demás)\b",
    re.IGNORECASE,
)

# How often a shorter time fits into a longer one, as people reckon.
_PERIODS = {
    ("month", "year"): (12,),
    ("week", "year"): (52,),
    ("quarter", "year"): (4,),
    ("day", "year"): (365, 360),
    ("week", "month"): (4,),
    ("day", "month"): (30,),
    ("day", "week"): (7, 5),
    ("hour", "day"): (24,),
}
_RATE_CHARS = 28  # behind a number of the source, where its time stands

_WHOLE_PERCENT = Decimal(100)
_WHOLE_WORDS = frozenset(
    ("all", "every", "alle", "jede", "jeder", "tous", "toutes", "todos", "todas")
)
_FIGURE_PATTERN = compile_on_use(r"\d+")
_WRITTEN_FIGURE_PATTERN = compile_on_use(r"\d+(?:[.,'’]\d+)*")


def is_stated_near(
    number: StatedQuantity,
    asked: SentenceFeatures,
    near: Sequence[SentenceFeatures],
    known_years: Collection[int],
) -> bool:
    if number.unit in DATED_UNITS:
        return _is_date_near(number, near, known_years)
    held = tuple(value for each in near for value in each.stated_values)
    if any(have_same_value(number, other) for other in held):
        return True
    if any(derived_values.is_about_equal(number, other, asked.text) for other in held):
        return True
    if number.low < number.high and any(gives_both_ends(number, each) for each in near):
        return True
    if is_whole_near(number, near) or is_spelt_near(number, near, asked.language):
        return True
    if derived_values.follows_from_statement(number, asked) or is_periodic_multiple(
        number, asked, near
    ):
        return True
    if any(
        derived_values.is_share_of_value(number, each.stated_values, each.text) for each in near
    ):
        return True
    return may_be_derived(number, asked.text) and _is_derived(number, near, asked.text)


def is_written_anywhere(number: StatedQuantity, source: SourceText) -> bool:
    held = [each.value for each in source.derive(list_distinct_values)]
    # In a table percentages may stand without their sign.
    if number.unit == "%" and "|" not in source.text:
        # Neither "18 studies" nor "vol. 18" is 18 percent.
        shares = (value for value in held if value.unit in {"%", "pp"})
        return any(have_same_value(number, other) for other in shares)
    if any(have_same_value(number, other) or have_equal_figures(number, other) for other in held):
        return True
    if is_spelt_near(number, source.sentence_features, source.language):
        return True
    figures = _WRITTEN_FIGURE_PATTERN.findall(number.text)
    return bool(figures) and all(has_figure(source, each) for each in figures)


def count_stated(wanted: Iterable[StatedQuantity], sentence: SentenceFeatures) -> int:
    held = sentence.stated_values
    return sum(any(have_same_value(value, other) for other in held) for value in wanted)


def gives_both_ends(value: StatedQuantity, sentence: SentenceFeatures) -> bool:
    """Whether a sentence gives the ends of a range one by one: "at least 300 and at most 400"."""
    held = sentence.stated_values
    ends = (replace(value, high=value.low), replace(value, low=value.high))
    return all(any(have_same_value(end, other) for other in held) for end in ends)


def _is_derived(number: StatedQuantity, near: Sequence[SentenceFeatures], statement: str) -> bool:
    """Whether the value is a sum, a difference or a share of values of one sentence."""
    if number.unit == MULTIPLE_UNIT:
        return any(derived_values.is_ratio_of_values(number, each.stated_values) for each in near)
    if tells_of_rest(statement) and any(
        derived_values.is_complement_share(number, each.stated_values) for each in near
    ):
        return True
    amounts = [value for each in near for value in each.stated_values if value.unit == number.unit]
    if is_told_as_step(number, statement) and derived_values.is_combined_value(number, amounts):
        return True
    if has_deriving_words(number, statement) and any(
        derived_values.is_sum_of_run(
            number, each.stated_values, derived_values.find_slack(number, statement)
        )
        or derived_values.is_product_of_counts(number, list_counts(each))
        for each in near
    ):
        return True
    return any(derived_values.is_combined_value(number, each.stated_values) for each in near)


def list_counts(sentence: SentenceFeatures) -> tuple[StatedQuantity, ...]:
    """The numbers of a sentence, with the things that it counts in words."""
    held = sentence.stated_values
    return (
        *(
            count
            for count in find_spelt_counts(sentence.text, sentence.language)
            if not any(each.start <= count.start < each.end for each in held)
        ),
        *held,
    )


def _is_date_near(
    number: StatedQuantity, near: Sequence[SentenceFeatures], known_years: Collection[int]
) -> bool:
    digits = _FIGURE_PATTERN.findall(number.text)
    if number.unit == YEAR_UNIT and int(number.low) in known_years:
        return True
    held = (value for each in near for value in each.stated_values)
    if not stated_quantities.find_missing_quantities([number], held):
        return True
    if number.unit == YEAR_UNIT:
        return any(digits[0] in _FIGURE_PATTERN.findall(each.text) for each in near)
    return False


def is_whole_near(value: StatedQuantity, near: Sequence[SentenceFeatures]) -> bool:
    """Whether 100 percent is told as "all" there."""
    return (
        value.unit == "%"
        and value.low == _WHOLE_PERCENT
        and any(not _WHOLE_WORDS.isdisjoint(word_forms.split_words(each.text)) for each in near)
    )


def is_spelt_near(
    value: StatedQuantity, near: Sequence[SentenceFeatures], language: str | None
) -> bool:
    """Whether a small number is written in words there, and not as a measure of another kind."""
    if value.low != value.high:
        return False
    word = find_number_word(value.low / value.scale, language)
    if not word:
        return False
    pattern = re.compile(rf"(?<!\w){re.sub(r'[- ]', '[- ]', word)}(?!\w)", re.IGNORECASE)
    return any(_spells_number(value, pattern, each) for each in near)


def _spells_number(
    value: StatedQuantity, pattern: re.Pattern[str], sentence: SentenceFeatures
) -> bool:
    if not pattern.search(sentence.text):
        return False
    mine = (value.unit, value.scale)
    measures = {
        each.start: (each.unit, each.scale)
        for each in sentence.quantities
        if stated_quantities.is_fixed_unit(each.unit)
    }
    is_measure = stated_quantities.is_fixed_unit(value.unit)
    return any(
        not is_measure or measures.get(found.start(), mine) == mine
        for found in pattern.finditer(sentence.text)
    )


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


# Decides whether a number is what a rate of the source makes in another time: 120 a year of 10 a month.


def is_periodic_multiple(
    value: StatedQuantity, asked: SentenceFeatures, sentences: Iterable[SentenceFeatures]
) -> bool:
    """Whether a sentence gives a rate for another time than the statement, that makes the number."""
    if value.unit in DATED_UNITS | TIME_UNITS or value.low != value.high:
        return False
    below, above = derived_values.find_slack(value, asked.text)
    slack = max(value.precision / 2, abs(value.low) / 200)
    low, high = value.low - max(below, slack), value.low + max(above, slack)
    factors = _list_factors(asked.text)
    return bool(factors) and any(
        low <= end * factor <= high
        for each in sentences
        for other in each.stated_values
        if other.unit == value.unit or not is_fixed_unit(other.unit)
        for period, factor in factors
        if _compile_period(period).search(each.text, other.start, other.end + _RATE_CHARS)
        for end in (other.low, other.high)
    )


def _list_factors(statement: str) -> list[tuple[str, Decimal]]:
    """The times of a rate, and by what it is multiplied for a time of which the statement speaks."""
    words = load_table(__package__, "periodic_values")["period_words"]
    named = {name for name in words if _compile_period(name).search(statement)}
    found = []
    for (shorter, longer), counts in _PERIODS.items():
        if longer in named:
            found += [(shorter, Decimal(count)) for count in counts]
        if shorter in named:
            found += [(longer, 1 / Decimal(count)) for count in counts]
    return found


@cache
def _compile_period(name: str) -> re.Pattern[str]:
    words = load_table(__package__, "periodic_values")["period_words"]
    return re.compile(rf"(?<!\w)(?:{words[name]})(?!\w)", re.IGNORECASE)


# Tells by the words of a statement whether its number was reckoned from others.


def may_be_derived(value: StatedQuantity, statement: str) -> bool:
    """Whether the number can have been reckoned; of numbers in words that is always so."""
    if value.unit == MULTIPLE_UNIT or not any(map(str.isdigit, value.text)):
        return True
    return has_deriving_words(value, statement)


def has_deriving_words(value: StatedQuantity, statement: str) -> bool:
    """Whether the words of the statement show that the number was reckoned from others."""
    before = statement[max(0, value.start - 24) : value.start]
    return is_told_as_step(value, statement) or any(
        pattern.search(text) is not None
        for pattern, text in (
            (_DERIVING_PATTERN, statement),
            (_REST_PATTERN, statement),
            (_DIFFERENCE_BEFORE_PATTERN, before),
        )
    )


def is_told_as_step(value: StatedQuantity, statement: str) -> bool:
    """Whether a number is told as what something has more or less than something else."""
    # "80 percent more" is a share of something, and no difference.
    if value.unit != "%" and _STEP_BEHIND_PATTERN.match(statement, value.end) is not None:
        return True
    before = statement[max(0, value.start - 32) : value.start]
    is_amount = value.unit in CURRENCY_CODES.values()
    return is_amount and _PRICE_STEP_PATTERN.search(before) is not None


def tells_of_rest(statement: str) -> bool:
    return _REST_PATTERN.search(statement) is not None
