"""What makes a reader want a source for a statement: numbers, dates, quotations and names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.model.draft import StatementSign
from citewell.text.dates.calendar_dates import SENTENCE_DATE_PATTERN
from citewell.text.dates.month_names import MONTH_NAME_REGEX
from citewell.text.language.abbreviations import is_sentence_opener

_OWN_NUMBER_REGEX = (
    r"(?:section|sec\.|chapter|figures?|figs?\.|tables?|equations?|eqs?\.|appendix|step|phase|part|version|question|hypothesis|example|note|footnote|line|page|item|model|experiment|study"
    r"|abschnitt|kapitel|abbildung|abb\.|tabelle|tab\.|gleichung|anhang|schritt|teil|seite|chapitre|tableau|équation|annexe|étape|partie|sección|capítulo|figura|tabla|ecuación|anexo|paso|parte)\s{1,2}[A-Z]?\d{1,3}(?:\.\d{1,3}){0,3}[a-z]?"
    r"|[图表図第]\s?\d{1,3}\s?[章节節部]?|(?<!\w)[A-Z]{1,5}-?\d{1,3}(?!\w)|\b\d{1,3}(?:st|nd|rd|th)\b"
)
_OWN_NUMBER_PATTERN = re.compile(_OWN_NUMBER_REGEX, re.IGNORECASE)
_NUMBER_PATTERN = re.compile(
    r"\d[\d.,’' ]{0,20}\s?(?:%|‰|per cent|percent|Prozent|pour cent|por ciento|[€$£¥°]|million|billion|trillion|Millionen|Milliarden|milliards?|millones|万|億|亿)"
    r"|[$€£¥]\s?\d|(?<![\w.,-])\d{2,}(?:[.,]\d{1,6})*(?![\w-])|(?<![\w.,-])\d[.,]\d{1,6}(?!\w)"
    r"|(?<![\w.,-])\d\s(?:in|of|out of|von|sur|de|times|fold|mal|fois|veces|years?|months?|days?|hours?|Jahre?n?|Monate?n?|Tage?n?|ans|años|km|m|cm|mm|kg|g|mg|µg|l|ml|°C|K|W|kW|MW|GW|V|Hz)\b"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s(?:in|out of)\s(?:two|three|four|five|six|seven|eight|nine|ten|every|a hundred)\b"
    r"|\b(?:one|two|three)[ -](?:third|quarter|fifth)s?\b|\b(?:doubled|tripled|quadrupled|halved|half of|twice as|verdoppelt|verdreifacht|halbiert|doublé|triplé|duplicado|triplicado)\b"
    r"|[\d一二三四五六七八九十百千万]{1,10}(?:％|万人|億円|亿元|倍|割|成)",
    re.IGNORECASE,
)
_YEAR_PATTERN = re.compile(
    rf"(?<![\d.,/])(?:1[5-9]|20)\d\d(?![\d.,/%]\d|\d|\s?(?:patients|people|participants|km|kg|m\b))|\b(?:{MONTH_NAME_REGEX})\s(?:of\s|de\s)?(?:1[5-9]|20)\d\d|\d{{2,4}}年",
    re.IGNORECASE,
)
_QUOTATION_PATTERN = re.compile(
    r"[“„«‹「『][^“”„«»‹›「」『』\n]{6,1000}[”“»›」』]|\"[^\"\n]{8,1000}\"|``[^`'\n]{6,1000}''"
)
_CAPITAL_WORDS_PATTERN = re.compile(
    r"(?:[^\W\d_a-zß-öø-ÿ][\w'’.-]{0,30})(?:\s(?:of|de|la|van|von|der|di|du|des|für|&|d['’])){0,2}(?:\s[^\W\d_a-zß-öø-ÿ][\w'’-]{1,30}){1,6}"
)
_ACRONYM_PATTERN = re.compile(r"\b(?!(?:AND|NOT|OR|DNA|RNA|CPU|GPU|API|URL|PDF|HTML|AI|ML|IT|TV|OK|USB|FAQ|CEO)\b)[A-Z]{2,6}\b")  # fmt: skip
_GERMAN = "de"


def find_statement_signs(text: str, language: str = "") -> tuple[StatementSign, ...]:
    """The signs of a statement in a fixed order; numbers of its own sections and figures are none."""
    return tuple(_iterate_signs(text, language))


def _iterate_signs(text: str, language: str) -> Iterator[StatementSign]:
    bare = _OWN_NUMBER_PATTERN.sub(" ", text)
    dated = SENTENCE_DATE_PATTERN.search(bare) or _YEAR_PATTERN.search(bare)
    undated = _YEAR_PATTERN.sub(" ", SENTENCE_DATE_PATTERN.sub(" ", bare)) if dated else bare
    if _NUMBER_PATTERN.search(undated):
        yield StatementSign.NUMBER
    if dated:
        yield StatementSign.DATE
    if any(
        len(match[0].split()) > 2 or not match[0].isascii()
        for match in _QUOTATION_PATTERN.finditer(text)
    ):
        yield StatementSign.QUOTATION
    if _has_name(text, language):
        yield StatementSign.NAME


def _has_name(text: str, language: str) -> bool:
    """Whether a proper name occurs: capitalised words in a row that do not only open the sentence."""
    for match in _CAPITAL_WORDS_PATTERN.finditer(text):
        words = [word for word in match[0].split() if word[:1].isupper()]
        # Scripts without capitals match the pattern, and have no word with one.
        is_opening = bool(words) and match.start() == 0
        if is_opening and (is_sentence_opener(words[0]) or language == _GERMAN):
            words = words[1:]
        if len(words) >= 2 and not all(word.isupper() and len(word) == 1 for word in words):
            return True
    return language != _GERMAN and _ACRONYM_PATTERN.search(text) is not None
