"""The parts of a statement: its clean text, its clauses, and the signs that make a reader want a source."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citewell.citations.references.formats.latex_text import convert_latex_text
from citewell.core.lazy_patterns import compile_on_use
from citewell.drafts.citation_linking import LinkedMark
from citewell.drafts.draft import ABBREVIATION_DOT, SUBJECT_MARK, StatementSign
from citewell.text.calendar_dates import MONTH_NAME_REGEX, SENTENCE_DATE_PATTERN
from citewell.text.language.sentences import is_sentence_opener
from citewell.text.language.word_forms import count_words

_CONTRAST_REGEX = (
    r"but|while|whereas|although|though|however|yet|aber|während|wohingegen|doch|obwohl|hingegen|jedoch"
    r"|mais|tandis que|alors que|bien que|pero|mientras(?: que)?|aunque"
)
_STRONG_PATTERN = compile_on_use(rf"\s{{0,40}}(?:[;；]|[,，]?\s{{0,40}}(?:{_CONTRAST_REGEX})\b|[,，]\s{{0,40}}(?:and|und|et|y|e)\b|，?(?:但|而|一方))", re.IGNORECASE)  # fmt: skip
_SEPARATOR_PATTERN = compile_on_use(
    rf"[;；,，:](?=\s)|[；，]|\s(?:{_CONTRAST_REGEX}|and|und|et|y)\s", re.IGNORECASE
)
MIN_CLAUSE_WORDS = 4

# Not before a decimal without a zero: "an AUC of .696".
_SPACE_BEFORE_STOP_PATTERN = compile_on_use(r"(?<!\s)\s++(?!\.\d)([.,;:!?。，；：！？)）\]])")
_OPEN_SPACE_PATTERN = compile_on_use(r"([(\[（])\s++")
_EMPTY_BRACKETS_PATTERN = compile_on_use(
    r"\([\s,;.–-]{0,80}\)|（[\s,;，；]{0,80}）|\[[\s,;.–-]{0,80}\]"
)
# What is left of "(TechCrunch, https://…)" without its address.
_NAMED_BRACKETS_PATTERN = compile_on_use(
    r"\s?\((?:see |vgl\. |voir |véase )?[A-Z][\w.&’'-]{0,40}(?: (?:of|the|and|&|[A-Z][\w.&’'-]{0,40})){0,6}[,;:]\s?\)"
)
_DOUBLED_STOP_PATTERN = compile_on_use(r"([,;:])(?:\s?[,;:])+")
_STOP_BEFORE_END_PATTERN = compile_on_use(r"[,;:]\s?(?=[.!?](?:\s|\Z))")
_LEAD_PATTERN = compile_on_use(
    r"[\s,;:，；、。.)\]–—]{0,20}(?:(?:and|but|und|aber|et|mais|y|pero)\s)?[\s,;:]{0,5}",
    re.IGNORECASE,
)
_TRAIL_CHARS = " ,;:，；、([（"
_WIDE_SPACE_PATTERN = compile_on_use(r"(?<=[\u3040-\u30ff\u4e00-\u9fff，。；：！？、])\s+(?=[\u3040-\u30ff\u4e00-\u9fff，。；：！？、])")  # fmt: skip

_OWN_NUMBER_REGEX = (
    r"(?:section|sec\.|chapter|figures?|figs?\.|tables?|equations?|eqs?\.|appendix|step|phase|part|version|question|hypothesis|example|note|footnote|line|page|item|model|experiment|study"
    r"|abschnitt|kapitel|abbildung|abb\.|tabelle|tab\.|gleichung|anhang|schritt|teil|seite|chapitre|tableau|équation|annexe|étape|partie|sección|capítulo|figura|tabla|ecuación|anexo|paso|parte)\s{1,2}[A-Z]?\d{1,3}(?:\.\d{1,3}){0,3}[a-z]?"
    r"|[图表図第]\s?\d{1,3}\s?[章节節部]?|(?<!\w)[A-Z]{1,5}-?\d{1,3}(?!\w)|\b\d{1,3}(?:st|nd|rd|th)\b"
)
_OWN_NUMBER_PATTERN = compile_on_use(_OWN_NUMBER_REGEX, re.IGNORECASE)
_NUMBER_PATTERN = compile_on_use(
    r"\d[\d.,’' ]{0,20}\s?(?:%|‰|per cent|percent|Prozent|pour cent|por ciento|[€$£¥°]|million|billion|trillion|Millionen|Milliarden|milliards?|millones|万|億|亿)"
    r"|[$€£¥]\s?\d|(?<![\w.,-])\d{2,}(?:[.,]\d{1,6})*(?![\w-])|(?<![\w.,-])\d[.,]\d{1,6}(?!\w)"
    r"|(?<![\w.,-])\d\s(?:in|of|out of|von|sur|de|times|fold|mal|fois|veces|years?|months?|days?|hours?|Jahre?n?|Monate?n?|Tage?n?|ans|años|km|m|cm|mm|kg|g|mg|µg|l|ml|°C|K|W|kW|MW|GW|V|Hz)\b"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s(?:in|out of)\s(?:two|three|four|five|six|seven|eight|nine|ten|every|a hundred)\b"
    r"|\b(?:one|two|three)[ -](?:third|quarter|fifth)s?\b|\b(?:doubled|tripled|quadrupled|halved|half of|twice as|verdoppelt|verdreifacht|halbiert|doublé|triplé|duplicado|triplicado)\b"
    r"|[\d一二三四五六七八九十百千万]{1,10}(?:％|万人|億円|亿元|倍|割|成)",
    re.IGNORECASE,
)
_YEAR_PATTERN = compile_on_use(
    rf"(?<![\d.,/])(?:1[5-9]|20)\d\d(?![\d.,/%]\d|\d|\s?(?:patients|people|participants|km|kg|m\b))|\b(?:{MONTH_NAME_REGEX})\s(?:of\s|de\s)?(?:1[5-9]|20)\d\d|\d{{2,4}}年",
    re.IGNORECASE,
)
_QUOTATION_PATTERN = compile_on_use(
    r"[“„«‹「『][^“”„«»‹›「」『』\n]{6,1000}[”“»›」』]|\"[^\"\n]{8,1000}\"|``[^`'\n]{6,1000}''"
)
_CAPITAL_WORDS_PATTERN = compile_on_use(
    r"(?:[^\W\d_a-zß-öø-ÿ][\w'’.-]{0,30})(?:\s(?:of|de|la|van|von|der|di|du|des|für|&|d['’])){0,2}(?:\s[^\W\d_a-zß-öø-ÿ][\w'’-]{1,30}){1,6}"
)
_ACRONYM_PATTERN = compile_on_use(r"\b(?!(?:AND|NOT|OR|DNA|RNA|CPU|GPU|API|URL|PDF|HTML|AI|ML|IT|TV|OK|USB|FAQ|CEO)\b)[A-Z]{2,6}\b")  # fmt: skip
_GERMAN = "de"


def find_statement_signs(text: str, language: str = "") -> Iterator[StatementSign]:
    """The signs of a statement in a fixed order; numbers of its own sections and figures are none."""
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


# The text of a statement: a part of the draft without marks of citations and markup.


def clean_statement(spoken: str, draft_format: str) -> str:
    """The words on one line, as a reader sees them; for LaTeX and HTML with their characters."""
    text = spoken.replace(SUBJECT_MARK, " ").replace(ABBREVIATION_DOT, ".")
    if draft_format == "latex":
        text = convert_latex_text(text)
    elif "&" in text:
        text = html.unescape(text)
    text = _EMPTY_BRACKETS_PATTERN.sub("", " ".join(text.split()))
    text = _NAMED_BRACKETS_PATTERN.sub("", text)
    text = _SPACE_BEFORE_STOP_PATTERN.sub(r"\1", text)
    text = _OPEN_SPACE_PATTERN.sub(r"\1", text)
    text = _WIDE_SPACE_PATTERN.sub("", text)
    text = _STOP_BEFORE_END_PATTERN.sub("", _DOUBLED_STOP_PATTERN.sub(r"\1", text))
    return " ".join(text.split())


def clean_clause(spoken: str, draft_format: str) -> str:
    """The words of a clause, without what joins it to the clause before it."""
    text = clean_statement(spoken, draft_format)
    lead = _LEAD_PATTERN.match(text)
    return (text[lead.end() :] if lead else text).rstrip(_TRAIL_CHARS)


# Splits a sentence with several citations into the clauses that each of them stands for.


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementClause:
    """A part of a sentence; what it says begins at `text_start`, if it needs the part before it."""

    start: int
    end: int
    text_start: int
    marks: tuple[LinkedMark, ...]


def split_clauses(
    text: str, start: int, end: int, marks: Sequence[LinkedMark]
) -> Iterator[StatementClause]:
    """The clauses of a sentence in order; `text` is the draft's with its marks blanked out."""
    cuts = list(_iterate_cuts(text, start, end, marks))
    begin = text_start = start
    at = 0
    for cut, is_clean in [*cuts, (end, True)]:
        held: list[LinkedMark] = []
        while at < len(marks) and (marks[at].mark.start < cut or cut == end):
            held.append(marks[at])
            at += 1
        yield StatementClause(start=begin, end=cut, text_start=text_start, marks=tuple(held))
        begin = cut
        text_start = cut if is_clean else text_start


def _iterate_cuts(
    text: str, start: int, end: int, marks: Sequence[LinkedMark]
) -> Iterator[tuple[int, bool]]:
    """Where clauses end, and whether the next one can be understood without the one before."""
    last = start
    for place, link in enumerate(marks):
        mark = link.mark
        following = marks[place + 1].mark if place + 1 < len(marks) else None
        if mark.is_textual:
            cut = _find_separator_before(text, last, min(mark.start, end))
            if place and cut is not None:
                yield cut, True
                last = cut
            continue
        if mark.end >= end or count_words(text[last : mark.start]) < MIN_CLAUSE_WORDS:
            continue
        is_clean = _STRONG_PATTERN.match(text, mark.end, end) is not None
        stop = following.start if following is not None else end
        if following is None and not is_clean:
            continue
        if following is not None and following.is_textual:
            continue
        if count_words(text[mark.end : min(stop, end)]) >= MIN_CLAUSE_WORDS:
            yield mark.end, is_clean
            last = mark.end


def _find_separator_before(text: str, start: int, end: int) -> int | None:
    """The last separator before a name, if there is a whole clause in front of it."""
    found = None
    for match in _SEPARATOR_PATTERN.finditer(text, start, end):
        if count_words(text[start : match.start()]) >= MIN_CLAUSE_WORDS:
            found = match.start()
    return found
