"""Tells by the words of a statement whether its number was reckoned from others."""

from __future__ import annotations

import re

from citewell.text.quantities.stated_fractions import MULTIPLE_UNIT
from citewell.text.quantities.stated_quantities import StatedQuantity
from citewell.text.quantities.units import CURRENCY_CODES

# Words of a statement that gives what follows from two numbers of its source.
_DERIVING_PATTERN = re.compile(
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
_DIFFERENCE_BEFORE_PATTERN = re.compile(
    r"\b(?:by|um|up|down|another|further|weitere[nr]?|de|en)\s+(?:(?:about|around|some|nearly|almost|etwa|rund|fast|environ|unos|casi)\s+)?\Z",
    re.IGNORECASE,
)
# "Save $50", "adds $70 to it": the words directly before an amount that is a difference of two others.
_PRICE_STEP_PATTERN = re.compile(
    r"\b(?:sav(?:e|es|ed|ing|ings of)|adds?|added|adding|extra|additional|difference of|premium of|discount of|spare[nst]?|économise[rz]?|ahorra[nr]?)"
    r"\s+(?:(?:you|them|about|around|some|nearly|almost|roughly|an extra|an additional|another)\s+)?\Z",
    re.IGNORECASE,
)
# "$30 more", "seven dollars a month cheaper", "some $10,000 above that": the same behind a number.
_STEP_BEHIND_PATTERN = re.compile(
    r"(?:\s(?:a|an|per|each|every)\s\w{1,12})?(?:\s\w{1,12})?\s(?:more|less|fewer|above|below|cheaper|dearer|pricier|costlier|higher|lower|extra|on top"
    r"|older|younger|longer|shorter|heavier|lighter|faster|slower|taller|smaller|larger|bigger|mehr|weniger|teurer|billiger|günstiger|höher|niedriger|de plus|de moins|más|menos)\b",
    re.IGNORECASE,
)
# Words for what two or more amounts make.
_SUM_PATTERN = re.compile(
    r"\b(?:together|combined|altogether|in total|in all|all told|sums? up|sum of|adds? up|added up|totals?|totalled|totaling|zusammen|insgesamt|ensemble|au total|en tout|juntos|en total)\b",
    re.IGNORECASE,
)
# Words for what is left of a whole.
_REST_PATTERN = re.compile(
    r"\b(?:remaining|remainder|rest|others?|übrigen?|restlichen?|anderen?|reste|restante?s?|autres?|resto|otros?|demás)\b",
    re.IGNORECASE,
)
# A share of those for whom something does not hold.
_DENYING_PATTERN = re.compile(
    r"\b(?:not|no|never|none|without|neither|fail(?:s|ed|ing)?|lacks?|lacked|los(?:t|es?|ing)|miss(?:es|ed|ing)?|nicht|kein\w{0,2}|ohne|nie"
    r"|pas|sans|jamais|aucune?|sin|nunca|ning[uú]n\w{0,2})\b|n['’]t\b",
    re.IGNORECASE,
)


def may_be_derived(one: StatedQuantity, statement: str) -> bool:
    """Whether the number can have been reckoned; of numbers in words that is always so."""
    if one.unit == MULTIPLE_UNIT or not any(map(str.isdigit, one.text)):
        return True
    return has_deriving_words(one, statement)


def has_deriving_words(one: StatedQuantity, statement: str) -> bool:
    """Whether the words of the statement show that the number was reckoned from others."""
    before = statement[max(0, one.start - 24) : one.start]
    return is_told_as_step(one, statement) or any(
        pattern.search(text) is not None
        for pattern, text in (
            (_DERIVING_PATTERN, statement),
            (_REST_PATTERN, statement),
            (_DIFFERENCE_BEFORE_PATTERN, before),
        )
    )


def is_told_as_step(one: StatedQuantity, statement: str) -> bool:
    """Whether a number is told as what something has more or less than something else."""
    # "80 percent more" is a share of something, and no difference.
    if one.unit != "%" and _STEP_BEHIND_PATTERN.match(statement, one.end) is not None:
        return True
    before = statement[max(0, one.start - 32) : one.start]
    is_amount = one.unit in CURRENCY_CODES.values()
    return is_amount and _PRICE_STEP_PATTERN.search(before) is not None


def is_told_as_sum(statement: str) -> bool:
    return _SUM_PATTERN.search(statement) is not None


def tells_of_rest(statement: str) -> bool:
    return _REST_PATTERN.search(statement) is not None


def tells_of_others(statement: str) -> bool:
    """Whether it may give the share of the rest, or of those for whom something does not hold."""
    return tells_of_rest(statement) or _DENYING_PATTERN.search(statement) is not None
