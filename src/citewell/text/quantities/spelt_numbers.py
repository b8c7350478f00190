"""Finds numbers that are told in words: counted things, shares and multiples ("nineteen games", "one in five")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache

from citewell.text.language import word_forms
from citewell.text.quantities.stated_quantities import UNIT_FACTORS, StatedQuantity

_ENGLISH_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_GERMAN_SMALL = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn"
    " sechzehn siebzehn achtzehn neunzehn"
)
_GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
_FRENCH_SMALL = (
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
    " dix-sept dix-huit dix-neuf"
)
_FRENCH_TENS = {20: "vingt", 30: "trente", 40: "quarante", 50: "cinquante", 60: "soixante"}
_SPANISH_SMALL = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"
    " dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro"
    " veinticinco veintiséis veintisiete veintiocho veintinueve"
)
_SPANISH_TENS = "treinta cuarenta cincuenta sesenta setenta ochenta noventa"

_THING_PATTERN = re.compile(r"\s([^\W\d_]{3,})")

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


# Finds the things that a text counts in words: "nineteen games", "quinze membres".


def find_spelt_counts(text: str, language: str | None) -> tuple[StatedQuantity, ...]:
    """The numbers in words, with the stem of the things counted as unit where one follows directly."""
    return tuple(_iterate_counts(text, language))


def _iterate_counts(text: str, language: str | None) -> Iterator[StatedQuantity]:
    code = (language or "en")[:2]
    values = list_number_words(language)
    for match in compile_number_pattern(language).finditer(text):
        following = _THING_PATTERN.match(text, match.end())
        word = following[1] if following else ""
        is_first = not text[: match.start()].strip()
        # "Seven Sisters" and "the Seven" are names.
        if match[0][0].isupper() and (not is_first or (word[:1].isupper() and code != "de")):
            continue
        is_thing = word and word.lower() not in word_forms.list_stopwords(language)
        yield StatedQuantity(
            low=Decimal(values[match["word"].lower()]),
            high=Decimal(values[match["word"].lower()]),
            unit=word_forms.stem_word(word.lower(), code) if is_thing else "",
            text=text[match.start() : following.end()] if following and is_thing else match[0],
            start=match.start(),
            end=following.end() if following and is_thing else match.end(),
            precision=Decimal(1),
        )


# Whole numbers below a hundred as they are spelt in English, German, French and Spanish.


@cache
def list_number_words(language: str | None) -> Mapping[str, int]:
    """The words for numbers in a language, in lower case; the English ones for any other language."""
    chosen = {"de": _spell_german, "fr": _spell_french, "es": _spell_spanish}
    return dict(chosen.get((language or "en")[:2], _spell_english)())


def find_number_word(value: Decimal, language: str | None = None) -> str:
    """The word for a whole number below a hundred; empty for any other."""
    words = list_number_words(language)
    return next((word for word, number in words.items() if number == value), "")


@cache
def compile_number_pattern(language: str | None) -> re.Pattern[str]:
    """Finds a number in words that another word follows."""
    words = join_alternatives(list_number_words(language))
    return re.compile(rf"\b(?P<word>{words})\b(?=[\s-])", re.IGNORECASE)


def join_alternatives(words: Iterable[str]) -> str:
    """A regex that prefers the longest of the words; it tries each common beginning only once."""
    ends: dict[str, list[str]] = {}
    for word in words:
        ends.setdefault(word[:1], []).append(word[1:])
    optional = "?" if ends.pop("", None) else ""
    if not ends:
        return ""
    parts = (re.escape(first) + join_alternatives(rest) for first, rest in ends.items())
    return f"(?:{'|'.join(parts)}){optional}"


def _spell_english() -> Iterator[tuple[str, int]]:
    small = _ENGLISH_SMALL.split()
    yield from ((word, value) for value, word in enumerate(small))
    for ten, word in enumerate(_ENGLISH_TENS.split(), 2):
        yield word, 10 * ten
        for unit in range(1, 10):
            yield f"{word}-{small[unit]}", 10 * ten + unit
            yield f"{word} {small[unit]}", 10 * ten + unit


def _spell_german() -> Iterator[tuple[str, int]]:
    small = _GERMAN_SMALL.split()
    yield from ((word, value) for value, word in enumerate(small))
    for ten, word in enumerate(_GERMAN_TENS.split(), 2):
        yield word, 10 * ten
        for unit in range(1, 10):
            front = "ein" if unit == 1 else small[unit]
            yield f"{front}und{word}", 10 * ten + unit


def _spell_french() -> Iterator[tuple[str, int]]:
    small = _FRENCH_SMALL.split()
    yield from ((word, value) for value, word in enumerate(small))
    for ten, word in _FRENCH_TENS.items():
        yield word, ten
        last = 20 if ten == 60 else 10
        yield f"{word} et un", ten + 1
        yield from ((f"{word}-{small[unit]}", ten + unit) for unit in range(2, last))
    yield "quatre-vingts", 80
    yield from ((f"quatre-vingt-{small[unit]}", 80 + unit) for unit in range(1, 20))


def _spell_spanish() -> Iterator[tuple[str, int]]:
    small = _SPANISH_SMALL.split()
    yield from ((word, value) for value, word in enumerate(small))
    yield "veintiún", 21
    for ten, word in enumerate(_SPANISH_TENS.split(), 3):
        yield word, 10 * ten
        yield f"{word} y un", 10 * ten + 1
        yield from ((f"{word} y {small[unit]}", 10 * ten + unit) for unit in range(1, 10))
