"""The fields of a reference from its labelled tokens, each cleaned of its marks and label words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby

from citewell.citations.references import reference_tagger
from citewell.citations.references.author_lists import write_as_usual
from citewell.citations.references.reference_tagger import split_reference_tokens
from citewell.text.calendar_dates import find_month_number

_PAGE_SPAN_PATTERN = re.compile(
    r"(?<![^\W\d_])(?:[A-Za-z]{1,4}\.?(?:\s|-)?)?\d[\w.]{0,12}(?:\s{0,2}[-–—‐‑−/]{1,2}\s{0,2}[A-Za-z]{0,3}\d[\w.]{0,10})?"
    r"|\b[ivxlc]{1,8}\s?[-–—]\s?[ivxlc]{1,8}\b"
)
_PAGE_LABEL_PATTERN = re.compile(
    r"^[^\w]{0,4}(?:(?:pages?|pp?|pgs?|pag|págs?|str|seiten?|ss?|стр|с|art(?:icle)?|no)\b[.:]{0,2}\s{0,2}){1,3}",
    re.IGNORECASE,
)
_NUMBER_LABEL_PATTERN = re.compile(
    r"^[^\w]{0,4}(?:(?:vol(?:ume|umen)?s?|v|b(?:an)?d|tomo?|tome|t|jg|jahrg(?:ang)?|no?s?|nr|num(?:ber|éro|ero)?|number|iss(?:ue)?|heft|h|n|т|№)\b[.:]{0,2}\s{0,2}[°ºᵒ]?\s{0,2}){1,2}(?=[\w(])",
    re.IGNORECASE,
)
_VENUE_LABEL_PATTERN = re.compile(
    r"^[^\w(«“\"„]{0,4}(?:in|dans|en|im|aus|em)\b\s{0,2}:?\s{1,2}(?=\S)", re.IGNORECASE
)
_DASH_PATTERN = re.compile(r"\s{0,2}[–—‐‑−-]{1,2}\s{0,2}")
_TITLE_BRACKET_PATTERN = re.compile(
    r"\s{0,2}(?:\[[^\[\]]{2,60}\]|\((?:[^()]{0,20}\b(?:ed|edn|edition)\b\.?[^()]{0,20}|Version [^()]{1,20}|Vol\.[^()]{1,20}|No\.[^()]{1,20}|Report [^()]{1,30})\))\s{0,2}$",
    re.IGNORECASE,
)
_TITLE_EDITION_PATTERN = re.compile(
    r",\s(?:\d{1,2}(?:st|nd|rd|th)|rev\.|first|second|third)\s(?:ed|edition)$", re.IGNORECASE
)
_BRACKETED_LABEL_PATTERN = re.compile(r"\s{0,2}\[[^\[\]]{1,40}\]$")
_QUOTED_TITLE_PATTERN = re.compile(
    r"\s?(?:[“«„](?P<title>[^“”«»„]{3,500})[”»“]|\"(?P<straight>[^\"]{3,500})\"|‘(?P<single>[^‘’]{3,500})’)(?P<end>[.,;]?)\s(?=[^\W_a-z])"
)
_DATED_NUMBERS_PATTERN = re.compile(
    r"[.,\s]{1,3}(?P<date>(?:1[5-9]|20)\d\d[a-z]?(?:\s[^\W\d_]{3,9}\.?(?:[-–/][^\W\d_]{3,9}\.?)?(?:\s\d{1,2})?)?)\s?;\s?"
    r"(?P<volume>[A-Z]{0,3}\d[\w.–-]{0,9})\s?(?:\((?P<issue>[^()]{1,20})\))?\s?:\s?(?P<pages>[A-Za-z]{0,4}\d[^\s;:,]{0,20})"
)  # 2015 May 28;521(7553):436-44, whose marks leave no doubt
_RUNNING_TEXT_PATTERN = re.compile(r"\s?(?:and|or|but|then|is|was|are|were|of|which)\s")
_LOST_TITLE_PATTERN = re.compile("O{4}")  # four tokens in no field
_OTHER_PENALTY = 3.0
_LEADING_EDITORS_PATTERN = re.compile(
    r"^[^()]{2,250}?\(\s?(?i:eds?|hrsg|hg|dir|org|éds?|coord)\.?\s?\)[,.:]?\s(?=\S)"
)
_FINAL_LABEL_PATTERN = re.compile(r"[.,]\s(?i:bd|vol|volume|no|nr|jg)\.?\s?$")
_SERIES_PATTERN = re.compile(
    r"[.,]\s(?:LNCS|LNAI|LNBIP|CCIS|LNM|Lecture Notes in [A-Z]\w{2,20}(?: \w{2,20})?)$"
)
_FINAL_MONTH_PATTERN = re.compile(r"[\s,.(]{1,3}(?P<month>[^\W\d_]{3,10})\.?(?:\s\d{1,2})?$")
_MAX_TORN_CHARS = 60  # of a bracket whose end belongs to no field
_OUTER_MARKS = " \t,;:.-–—/|*_"
_QUOTE_MARKS = '“”"«»„‟`'
_PAIRED_BRACKETS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedFields:
    authors: str = ""
    title: str = ""
    venue: str = ""
    date: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""


def read_tagged_fields(
    text: str, weights: reference_tagger.TaggerWeights | None = None
) -> TaggedFields:
    """The fields that the tagger finds in a reference; those it does not find are empty."""
    tokens = split_reference_tokens(write_as_usual(text))
    labels = reference_tagger.tag_reference_tokens(tokens, weights)
    if "T" not in labels and _LOST_TITLE_PATTERN.search(labels):
        labels = reference_tagger.tag_reference_tokens(
            tokens, weights, other_penalty=_OTHER_PENALTY
        )
    spans: dict[str, list[str]] = {}
    at = 0
    for label, group in groupby(labels):
        end = at + sum(1 for _ in group)
        spans.setdefault(label, []).append(text[tokens[at].start : tokens[end - 1].end])
        at = end
    titled = _choose_longest(spans.get("T", ()))
    title, after = _split_quoted_title(titled)
    if not after:
        title, _, after = title.partition(" // ")  # Russian lists part title and journal like this
    if (
        titled
        and titled[0] in _QUOTE_MARKS
        and _RUNNING_TEXT_PATTERN.match(text[text.find(titled) + len(titled) :])
    ):
        return TaggedFields(title=clean_title(text))  # a sentence that quotes something
    fields = TaggedFields(
        authors=_choose_longest(spans.get("A", ())),
        title=clean_title(title),
        venue=clean_venue(_choose_longest(spans.get("J", ())) or after),
        date=next((span for span in spans.get("D", ()) if any(map(str.isdigit, span))), ""),
        volume=_clean_number(next(iter(spans.get("V", ())), "")),
        issue=_clean_number(next(iter(spans.get("I", ())), "")),
        pages=_clean_pages(next(iter(spans.get("P", ())), "")),
        publisher=trim_marks(_choose_longest(spans.get("U", ()))),
    )
    return _apply_dated_numbers(text, fields)


def _apply_dated_numbers(text: str, fields: TaggedFields) -> TaggedFields:
    """The fields with date, volume, issue and pages from the form "2015;521(7553):436", if it is there."""
    found = _DATED_NUMBERS_PATTERN.search(text)
    if found is None:
        return fields
    date = found["date"]
    venue = trim_marks(fields.venue.partition(date[:4])[0]) or fields.venue
    if not venue and fields.title:
        venue = clean_venue(text[: found.start()].rpartition(fields.title)[2])
    return replace(
        fields,
        date=date,
        volume=found["volume"].strip("."),
        issue=normalize_dashes(found["issue"] or ""),
        pages=_clean_pages(found["pages"]) or fields.pages,
        venue=venue,
    )


def _choose_longest(spans: list[str] | tuple[str, ...]) -> str:
    return max(spans, key=len, default="")


def _split_quoted_title(text: str) -> tuple[str, str]:
    """A title in quotation marks, and the text that the tagger took for a part of it after them."""
    found = _QUOTED_TITLE_PATTERN.match(text)
    if found is None:
        return text, ""
    quoted = found["title"] or found["straight"] or found["single"]
    if not found["end"] and quoted[-1] not in ".,;?!":
        return text, ""  # only some words of it are quoted
    return quoted, text[found.end() :]


def clean_title(text: str) -> str:
    text = _strip_title_quotes(trim_marks(text))
    while (shorter := _TITLE_BRACKET_PATTERN.sub("", text)) != text:
        text = shorter
    return _TITLE_EDITION_PATTERN.sub("", trim_marks(text))


def clean_venue(text: str) -> str:
    text = _LEADING_EDITORS_PATTERN.sub("", _VENUE_LABEL_PATTERN.sub("", text))
    text = _FINAL_LABEL_PATTERN.sub("", text)
    text = _SERIES_PATTERN.sub("", _BRACKETED_LABEL_PATTERN.sub("", trim_marks(text)))
    month = _FINAL_MONTH_PATTERN.search(text)
    if month is not None and month.start() and find_month_number(month["month"]):
        text = text[: month.start()]  # Scientific American, May
    return _strip_title_quotes(text)


def trim_marks(text: str) -> str:
    """The text without marks around it, and without brackets that are not closed in it."""
    text = text.strip(_OUTER_MARKS)
    for opening, closing in _PAIRED_BRACKETS.items():
        if text.startswith(opening) and text.count(opening) > text.count(closing):
            text = text[1:].strip(_OUTER_MARKS)
        if text.endswith(closing) and text.count(closing) > text.count(opening):
            text = text[:-1].strip(_OUTER_MARKS)
        elif text.count(opening) > text.count(closing):
            head, _, tail = text.rpartition(opening)
            text = head.strip(_OUTER_MARKS) if head and len(tail) < _MAX_TORN_CHARS else text
    return text


def _strip_title_quotes(text: str) -> str:
    """The text without quotation marks around the whole of it."""
    bare = text.replace("``", "“").replace("''", "”").strip(_OUTER_MARKS)
    if bare[:1] in _QUOTE_MARKS or bare[-1:] in _QUOTE_MARKS:
        inner = bare.strip(_QUOTE_MARKS + _OUTER_MARKS)
        if not any(mark in inner for mark in '“”«»"'):
            return inner
        if bare[:1] in _QUOTE_MARKS and bare[-1:] in _QUOTE_MARKS:
            return bare[1:-1].strip(_OUTER_MARKS)
        return bare
    if bare[:1] in "‘'" and bare[-1:] in "’'":
        return bare[1:-1].strip(_OUTER_MARKS)
    return bare[1:] if bare[:1] == "‘" and "’" not in bare else bare


def _clean_number(text: str) -> str:
    text = _NUMBER_LABEL_PATTERN.sub("", text)
    return normalize_dashes(trim_marks(text).strip("()[] №"))


def _clean_pages(text: str) -> str:
    text = _PAGE_LABEL_PATTERN.sub("", text)
    found = _PAGE_SPAN_PATTERN.search(text)
    return normalize_dashes(found[0]).rstrip(".") if found else ""


def normalize_dashes(text: str) -> str:
    return _DASH_PATTERN.sub("-", text).strip(" .,")
