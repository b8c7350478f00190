"""Finds shares and multiples that are told in words: "two thirds", "one in five", "doubled"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache

from citewell.text.quantities.number_words import join_alternatives, list_number_words
from citewell.text.quantities.stated_quantities import StatedQuantity
from citewell.text.quantities.units import UNIT_FACTORS

MULTIPLE_UNIT, SHARE_UNIT = "x", "%"
_SHARE_SLACK = Decimal(3)  # percentage points that "a third" may be away from 33.3
_PART_WORDS = {
    "en": {2: "half|halves", 3: "thirds?", 4: "quarters?|fourths?", 5: "fifths?", 10: "tenths?"},
    "de": {2: "Hälfte", 3: "Drittel", 4: "Viertel", 5: "Fünftel", 10: "Zehntel"},
    "fr": {2: "moitié", 3: "tiers", 4: "quarts?", 5: "cinquièmes?", 10: "dixièmes?"},
    "es": {2: "mitad", 3: "tercios?|tercera parte", 4: "cuartos?|cuarta parte", 5: "quintos?|quinta parte", 10: "décimos?|décima parte"},
}  # fmt: skip
_COUNT_WORDS = {
    "en": {1: "an?|one", 2: "two", 3: "three", 4: "four"},
    "de": {1: "eine?[mnrs]?|die|der|das|knapp|rund|gut|etwa", 2: "zwei", 3: "drei", 4: "vier"},
    "fr": {1: "une?|le|la|du", 2: "deux", 3: "trois", 4: "quatre"},
    "es": {1: "una?|la|el", 2: "dos", 3: "tres", 4: "cuatro"},
}
# Nouns that make "a quarter", "the third" or "half" something else than a share.
_NO_SHARE_REGEX = {
    "en": r"(?!\s(?:an? |of (?:an?|one) per ?cent|of (?:the |an? )?(?:year|century|game|match|season|decade|hour)|day|hour|year|life|lives|moon|time|party|parties|world|quarter|century|person|generation|edition|version|time|place|chapter|point|largest|most|biggest|best|turns?|rotations?|notes?|finals?))",
    "de": r"(?!\s(?:des (?:Jahres|Jahrhunderts)|Jahr|Stunde))",
    "fr": r"(?!\s(?:d['’]heure|de siècle|temps|monde|payant|final))",
    "es": r"(?!\s(?:de (?:hora|siglo|final)|trimestre))",
}
# "Half a percent" is half of one.
_HALF_PERCENT_PATTERN = re.compile(
    r"(?<!\w)(?:half a (?:percent|per cent|percentage point)|(?:ein )?halbe[ns]? Prozent|un demi pour cent|medio por ciento)(?!\w)",
    re.IGNORECASE,
)
_PERCENT_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_PERCENT_PART_PATTERN = re.compile(
    r"(?<!\w)(?:an?|one) (?P<part>third|quarter|fifth|tenth) of (?:an?|one) (?:percent|per cent)(?!\w)",
    re.IGNORECASE,
)
_IN_REGEX = {
    "en": r"(?:in|out of)(?: every)?",
    "de": r"(?:von|in)",
    "fr": r"sur",
    "es": r"de cada",
}
# Forms of "one" besides the numbers as they are counted.
_ONE_REGEX = {"en": "one", "de": "eine?r?", "fr": "une?", "es": "un[oa]?"}
_NEXT_WORD_PATTERN = re.compile(r"[\s-]?([^\W\d_]+|[%°])")
_MEASURE_BEHIND_PATTERN = re.compile(r"[\s-](?:of[\s-](?:an?|one)[\s-])?([^\W\d_]{2,16})(?!\w)")
_MULTIPLE_WORDS = {
    "en": {2: "doubl(?:e|es|ed|ing)|twice|twofold|two-fold", 3: "tripl(?:e|es|ed|ing)|threefold|three-fold|trebled", 4: "quadrupl(?:e|es|ed|ing)|fourfold|four-fold"},
    "de": {2: "(?:ver)?doppel(?:t|te|ten)|doppelte?[nrs]?|zweimal", 3: "verdreifach(?:t|te|ten|en)|dreifache?[nrs]?|dreimal", 4: "vervierfach(?:t|te|ten|en)|vierfache?[nrs]?|viermal"},
    "fr": {2: "doubl(?:e|es|é|ée|er|ent)|deux fois", 3: "tripl(?:e|es|é|ée|er|ent)|trois fois", 4: "quadrupl(?:e|es|é|ée|er|ent)|quatre fois"},
    "es": {2: "duplic\\w{1,6}|dobl(?:e|ó)|dos veces", 3: "triplic\\w{1,6}|triple|tres veces", 4: "cuadruplic\\w{1,6}|cuatro veces"},
}  # fmt: skip


def find_stated_fractions(text: str, language: str | None) -> tuple[StatedQuantity, ...]:
    """The shares, in percent, and the multiples in a text; none in other languages than four."""
    code = (language or "en")[:2]
    if code not in _PART_WORDS:
        return ()
    return tuple(_iterate_fractions(text, code))


def _iterate_fractions(text: str, code: str) -> Iterator[StatedQuantity]:
    has_words = _compile_gate_pattern(code).search(text) is not None
    for value, pattern in _compile_share_patterns(code) if has_words else ():
        for match in pattern.finditer(text):
            if _is_part_of_measure(text, match.end()):
                continue
            yield _build_fraction(match, value * 100, SHARE_UNIT, _SHARE_SLACK)
    for match in _compile_odds_pattern(code).finditer(text):
        first, second = (_read_small_number(match[name], code) for name in ("part", "whole"))
        if 0 < first < second and not _has_unit(text, match.end()):
            share = Decimal(100 * first) / second
            yield _build_fraction(match, share, SHARE_UNIT, _SHARE_SLACK)
    for match in _HALF_PERCENT_PATTERN.finditer(text):
        yield _build_fraction(match, Decimal("0.5"), SHARE_UNIT, Decimal("0.1"))
    for match in _PERCENT_PART_PATTERN.finditer(text):
        part = Decimal(1) / _PERCENT_PARTS[match["part"].lower()]
        yield _build_fraction(match, part, SHARE_UNIT, Decimal("0.05"))
    for times, pattern in _compile_multiple_patterns(code) if has_words else ():
        for match in pattern.finditer(text):
            yield _build_fraction(match, Decimal(times), MULTIPLE_UNIT, Decimal(1))


def _has_unit(text: str, at: int) -> bool:
    """Whether a unit follows a number: "eine Pause von 45 Minuten" is no share of 45."""
    found = _NEXT_WORD_PATTERN.match(text, at)
    return found is not None and found[1].lower() in UNIT_FACTORS


def _is_part_of_measure(text: str, at: int) -> bool:
    """Whether one unit follows a part: "a quarter of an inch" is a length."""
    found = _MEASURE_BEHIND_PATTERN.match(text, at)
    return found is not None and UNIT_FACTORS.get(found[1].lower(), ("%",))[0] not in {
        "%",
        "pp",
        "x",
    }


def _build_fraction(
    match: re.Match[str], value: Decimal, unit: str, precision: Decimal
) -> StatedQuantity:
    return StatedQuantity(
        low=value,
        high=value,
        unit=unit,
        text=match[0],
        start=match.start(),
        end=match.end(),
        precision=precision,
    )


@cache
def _compile_share_patterns(code: str) -> tuple[tuple[Decimal, re.Pattern[str]], ...]:
    """Patterns of "two thirds" and "half"; a bare "third" or "quarter" is none."""
    found = []
    for parts, words in _PART_WORDS[code].items():
        for count, counted in _COUNT_WORDS[code].items():
            if count >= parts:
                continue
            lead = rf"(?:{counted})[\s-]"
            lead = rf"(?:{lead})?" if parts == 2 else lead
            regex = rf"(?<![\w-])(?<!first )(?<!second ){lead}(?:{words})(?![\w-]){_NO_SHARE_REGEX[code]}"
            found.append((Decimal(count) / parts, re.compile(regex, re.IGNORECASE)))
    return tuple(found)


@cache
def _compile_gate_pattern(code: str) -> re.Pattern[str]:
    """Finds any word of a part or a multiple: most sentences have none, and need no other look."""
    words = "|".join((*_PART_WORDS[code].values(), *_MULTIPLE_WORDS[code].values()))
    return re.compile(rf"(?<!\w)(?:{words})", re.IGNORECASE)


@cache
def _compile_odds_pattern(code: str) -> re.Pattern[str]:
    words = join_alternatives(list_number_words(code))
    number = rf"(?:{words}|{_ONE_REGEX[code]}|\d{{1,3}})"
    return re.compile(
        rf"(?<![\w.,-])(?P<part>{number})\s(?:[^\W\d_]{{2,20}}\s){{0,2}}(?:{_IN_REGEX[code]})\s(?P<whole>{number})(?![\w.,:]\d|\w)",
        re.IGNORECASE,
    )


@cache
def _compile_multiple_patterns(code: str) -> tuple[tuple[int, re.Pattern[str]], ...]:
    return tuple(
        (times, re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE))
        for times, words in _MULTIPLE_WORDS[code].items()
    )


def _read_small_number(written: str, code: str) -> int:
    if written.isdigit():
        return int(written)
    return list_number_words(code).get(written.lower(), 1)
