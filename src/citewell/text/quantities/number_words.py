"""Whole numbers below a hundred as they are spelt in English, German, French and Spanish."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache

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
        for one in range(1, 10):
            yield f"{word}-{small[one]}", 10 * ten + one
            yield f"{word} {small[one]}", 10 * ten + one


def _spell_german() -> Iterator[tuple[str, int]]:
    small = _GERMAN_SMALL.split()
    yield from ((word, value) for value, word in enumerate(small))
    for ten, word in enumerate(_GERMAN_TENS.split(), 2):
        yield word, 10 * ten
        for one in range(1, 10):
            front = "ein" if one == 1 else small[one]
            yield f"{front}und{word}", 10 * ten + one


def _spell_french() -> Iterator[tuple[str, int]]:
    small = _FRENCH_SMALL.split()
    yield from ((word, value) for value, word in enumerate(small))
    for ten, word in _FRENCH_TENS.items():
        yield word, ten
        last = 20 if ten == 60 else 10
        yield f"{word} et un", ten + 1
        yield from ((f"{word}-{small[one]}", ten + one) for one in range(2, last))
    yield "quatre-vingts", 80
    yield from ((f"quatre-vingt-{small[one]}", 80 + one) for one in range(1, 20))


def _spell_spanish() -> Iterator[tuple[str, int]]:
    small = _SPANISH_SMALL.split()
    yield from ((word, value) for value, word in enumerate(small))
    yield "veintiún", 21
    for ten, word in enumerate(_SPANISH_TENS.split(), 3):
        yield word, 10 * ten
        yield f"{word} y un", 10 * ten + 1
        yield from ((f"{word} y {small[one]}", 10 * ten + one) for one in range(1, 10))
