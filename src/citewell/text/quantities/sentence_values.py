"""Collects the numbers and shares of a sentence that can be compared with those of another text."""

from __future__ import annotations

import re

from citewell.text.quantities.joined_durations import join_durations
from citewell.text.quantities.stated_fractions import find_stated_fractions
from citewell.text.quantities.stated_quantities import ORDINAL_UNIT, StatedQuantity

MIN_TELLING_VALUE = 10  # of a number without a unit
# A number after these names a part of a law or a text.
_LABEL_BEFORE_PATTERN = re.compile(
    r"(?:§{1,2}|\b(?:art(?:icle|ikel|ículo)?s?|sec(?:tion)?s?|sección|abs(?:atz)?|abschnitt|par(?:agraph|agraphe|ágrafo)?s?|no|nos|nr|nº|n°|núm|satz|chapter"
    r"|kapitel|chapitre|capítulo|table|tabelle|tableau|tabla|fig(?:ure|ura)?|abbildung|abb|annex|anhang|annexe|anexo|page|seite|pages?|pp?|ch|vol|volume|step|part)\b\.?)\s{0,3}\(?\Z",
    re.IGNORECASE,
)
_LABEL_NUMBER_PATTERN = re.compile(r"\(?\d{1,3}[a-z]?[.)]\s")


def collect_sentence_values(
    text: str, quantities: tuple[StatedQuantity, ...], language: str | None
) -> tuple[StatedQuantity, ...]:
    """The quantities of a sentence with its shares in words, without those that name a section."""
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
