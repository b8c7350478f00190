"""Numbers of EU law: CELEX numbers, ECLIs, case numbers, and acts cited by year and number."""

from __future__ import annotations

import re

CELEX_PATTERN = re.compile(r"[0-9CE]\d{4}[A-Z]{1,2}\d{4}(?:\(\d{2}\))?(?:R\(\d{2}\))?")
ECLI_PATTERN = re.compile(r"ECLI:EU:[CTF]:\d{4}:\d{1,5}", re.IGNORECASE)
# Case numbers are written with a hyphen of any kind: C-311/18, T‑604/18, Case 26/62.
_CASE_NUMBER_PATTERN = re.compile(
    r"(?<![\w/])(?:(?P<court>[CTF])[-\u2010\u2011\u2013]|case )(?P<number>\d{1,4})/(?P<year>\d{2})(?![\w/])",
    re.IGNORECASE,
)
_ACT_PATTERN = re.compile(
    r"\b(?P<kind>regulation|directive|decision)\s{1,3}(?:\((?:eu|ec|eec|euratom)[^)]{0,20}\)\s{0,3})?"
    r"(?:no\.?\s{1,3})?(?P<first>\d{1,4})/(?P<second>\d{1,4})(?:/(?:eu|ec|eec)\b)?",
    re.IGNORECASE,
)
_ACT_LETTERS = {"regulation": "R", "directive": "L", "decision": "D"}
_CASE_DOCUMENT_KINDS = {"C": ("CJ", "CO", "CC"), "T": ("TJ", "TO"), "F": ("FJ", "FO")}
_FIRST_YEAR = 1952
_MAX_SEARCHED_CHARS = 500


def find_celex_numbers(text: str) -> tuple[str, ...]:
    """The CELEX numbers that a query names, directly or by a case number or the number of an act.

    A case number names the judgment, the order and the opinion, of which some may not exist.
    """
    text = text[:_MAX_SEARCHED_CHARS]
    found = list(CELEX_PATTERN.findall(text.upper()))
    for match in _CASE_NUMBER_PATTERN.finditer(text):
        letter = (match["court"] or "C").upper()
        year = _complete_year(match["year"])
        found += (
            f"6{year}{kind}{int(match['number']):04}" for kind in _CASE_DOCUMENT_KINDS[letter]
        )
    for match in _ACT_PATTERN.finditer(text):
        found += _list_act_numbers(_ACT_LETTERS[match["kind"].lower()], match)
    return tuple(dict.fromkeys(found))


def _list_act_numbers(letter: str, match: re.Match[str]) -> list[str]:
    """Year and number, in the order of today (2016/679) and that of old regulations (1612/68)."""
    pairs = ((match["first"], match["second"]), (match["second"], match["first"]))
    return [
        f"3{_complete_year(year)}{letter}{int(number):04}"
        for year, number in pairs
        if len(year) == 2 or int(year) >= _FIRST_YEAR
    ]


def _complete_year(year: str) -> str:
    """Two digits as a year from 1952 to 2051, four as they are."""
    if len(year) != 2:
        return year
    return f"{'19' if int(year) >= _FIRST_YEAR % 100 else '20'}{year}"
