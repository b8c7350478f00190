"""Finds the things that a text counts in words: "nineteen games", "quinze membres"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from citewell.text.language import stopwords, tokens
from citewell.text.quantities.number_words import compile_number_pattern, list_number_words
from citewell.text.quantities.stated_quantities import StatedQuantity

_THING_PATTERN = re.compile(r"\s([^\W\d_]{3,})")


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
        is_thing = word and word.lower() not in stopwords.list_stopwords(language)
        yield StatedQuantity(
            low=Decimal(values[match["word"].lower()]),
            high=Decimal(values[match["word"].lower()]),
            unit=tokens.stem_word(word.lower(), code) if is_thing else "",
            text=text[match.start() : following.end()] if following and is_thing else match[0],
            start=match.start(),
            end=following.end() if following and is_thing else match.end(),
            precision=Decimal(1),
        )
