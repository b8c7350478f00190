"""Writes the numbers of a statement and of a source as a finding shows them."""

from __future__ import annotations

import re

from citewell.text.comparison.statement_twins import list_word_terms
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import build_sentence_features
from citewell.text.quantities.stated_quantities import StatedQuantity, is_fixed_unit

_COUNTED_PATTERN = re.compile(r"(?P<number>.*\d)\s+[^\W\d_][^\s\d]*", re.DOTALL)
_NEXT_WORD_PATTERN = re.compile(r"\s+([^\W\d_]{3,})")


def show_source_value(value: StatedQuantity, source: SourceText, start: int, end: int) -> str:
    """The value of the sentence from `start` to `end` of a source."""
    return show_value(value, source.text[start:end], source.language)


def show_value(value: StatedQuantity, sentence: str, language: str | None) -> str:
    """The number with its unit; "300", not "300 school", where the sentence has "300 school districts"."""
    text = value.text.strip()
    counted = _COUNTED_PATTERN.fullmatch(text)
    if counted is None or is_fixed_unit(value.unit):
        return text
    following = _NEXT_WORD_PATTERN.match(sentence, sentence.find(text) + len(text))
    if text not in sentence or following is None:
        return text
    is_noun_part = list_word_terms(build_sentence_features(following[1], language=language))
    return counted["number"] if is_noun_part else text
