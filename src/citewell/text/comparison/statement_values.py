"""Reads the numbers, dates and shares of a sentence that can be compared with those of another text."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.language import tokens
from citewell.text.quantities.joined_durations import join_durations
from citewell.text.quantities.stated_fractions import find_stated_fractions
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    ORDINAL_UNIT,
    YEAR_UNIT,
    StatedQuantity,
)

MIN_TELLING_VALUE = 10  # of a number without a unit
# A number after these names a part of a law or a text.
_LABEL_BEFORE_PATTERN = re.compile(
    r"(?:§{1,2}|\b(?:art(?:icle|ikel|ículo)?s?|sec(?:tion)?s?|sección|abs(?:atz)?|abschnitt|par(?:agraph|agraphe|ágrafo)?s?|no|nos|nr|nº|n°|núm|satz|chapter"
    r"|kapitel|chapitre|capítulo|table|tabelle|tableau|tabla|fig(?:ure|ura)?|abbildung|abb|annex|anhang|annexe|anexo|page|seite|pages?|pp?|ch|vol|volume|step|part)\b\.?)\s{0,3}\(?\Z",
    re.IGNORECASE,
)
_LABEL_NUMBER_PATTERN = re.compile(r"\(?\d{1,3}[a-z]?[.)]\s")
_LIST_NUMBER_PATTERN = re.compile(r"\d{1,3}[.)]\s")
_NEXT_WORD_PATTERN = re.compile(r"\s([^\W\d_]{3,})")
_MAX_CACHED_SENTENCES = 8192
_MAX_COMPARED_VALUES = (
    20  # each is compared with each of the source; a statement with more is a table
)
DATED_UNITS = frozenset({YEAR_UNIT, DATE_UNIT})
TIME_UNITS = frozenset({"second", "minute", "hour", "day", "month", "year"})


def list_compared_values(asked: SentenceFeatures, source: SourceText) -> list[StatedQuantity]:
    """The values of a statement that a source can bear out, the first of very many."""
    return [
        _read_counted_year(one, asked, source)
        for one in list_stated_values(asked)[:_MAX_COMPARED_VALUES]
        if one.unit != ORDINAL_UNIT and not _is_list_number(one, asked.text)
    ]


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
    return tuple(sorted((*join_durations(figures, text), *shares), key=lambda one: one.start))


def _is_label_number(one: StatedQuantity, text: str) -> bool:
    """Whether a number without a unit names a part of a text: "§ 8", "Article 33", "(3) The …"."""
    if one.unit not in {"", ORDINAL_UNIT} and one.low >= MIN_TELLING_VALUE:
        return False
    before = text[max(0, one.start - 16) : one.start]
    if _LABEL_BEFORE_PATTERN.search(before):
        return True
    is_first = not before.strip(" (#*-\n\t") and one.start < 16
    at = one.start - 1 if text[one.start - 1 : one.start] == "(" else one.start
    return is_first and one.unit == "" and _LABEL_NUMBER_PATTERN.match(text, at) is not None


def _is_list_number(one: StatedQuantity, text: str) -> bool:
    """Whether the number counts the items of a list that the statement is one of."""
    return not text[: one.start].strip() and _LIST_NUMBER_PATTERN.match(text, one.start) is not None


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


def is_telling_value(one: StatedQuantity) -> bool:
    """Whether the source should give it: years often come from elsewhere, small figures from names."""
    if one.unit in DATED_UNITS:
        return False
    if not any(map(str.isdigit, one.text)):
        return one.unit in TIME_UNITS
    return bool(one.unit) or abs(one.low) >= MIN_TELLING_VALUE or one.precision < 1
