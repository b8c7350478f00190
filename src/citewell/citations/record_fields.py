"""Normalizes fields of registry records: identifiers, dates, publishers' markup, and integrity notices."""

from __future__ import annotations

import re
from html import unescape

from citewell.citations import dois
from citewell.core.values.paper import IntegrityNotice, NoticeKind
from citewell.text.calendar_dates import parse_partial_date
from citewell.text.data_tables import load_table, load_texts
from citewell.text.safety.text_cleaning import clean_markup, extract_visible_text

# Elements that repeat a formula in another notation.
_DUPLICATE_NOTATION_PATTERN = re.compile(
    r"<(?P<tag>(?:\w+:)?(?:annotation(?:-xml)?|tex-math))\b[^<>]{0,500}>[^<]{0,4000}+(?:<(?!/(?P=tag)>)[^<]{0,400}+){0,200}+</(?P=tag)>",
    re.IGNORECASE | re.DOTALL,
)
_JATS_BLOCK_PATTERN = re.compile(
    r"</?(?:jats:)?(?:p|sec|list|list-item|disp-formula|disp-quote|abstract|trans-abstract|break|table|boxed-text)\b[^<>]*>",
    re.IGNORECASE,
)
_JATS_TITLE_PATTERN = re.compile(
    r"<(jats:)?title\b[^<>]{0,200}>(.{0,500}?)</(?:jats:)?title>", re.IGNORECASE | re.DOTALL
)
_ABSTRACT_LABEL_PATTERN = re.compile(
    r"^(?:abstract|summary|r[eé]sum[eé]|resumen|resumo|zusammenfassung|аннотация|摘要|要旨|抄録|초록)[\s:.：—–-]*$",
    re.IGNORECASE,
)
_ABSTRACT_OPENING_PATTERN = re.compile(r"^(?i:abstract)(?::\s*|\s+(?=[A-Z]))")
# Tags that are often escaped twice; other angle brackets may be real text.
_ESCAPED_TAG_PATTERN = re.compile(
    r"</?(?:i|b|u|em|strong|sub|sup|inf|sc|scp|tt|span|font|italic|bold|roman|underline|math|mml:[a-z]+|jats:[a-z-]+|p|br|title|xref)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_MAX_MARKUP_CHARS = 100_000  # characters of markup; an abstract is shorter

_WHOLE_DOI_PATTERN = re.compile(r"10\.\d{4,9}(?:\.\d{1,9})*/\S{1,500}", re.IGNORECASE)
_DOI_LABEL_PATTERN = re.compile(r"^(?:https?://(?:dx\.|www\.)?doi\.org/|doi:)\s*", re.IGNORECASE)
_ARXIV_NUMBER_PATTERN = re.compile(
    r"(?:^|[/:])(\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[a-z]{2})?/\d{7})(?:v\d{1,3})?(?:\.pdf)?$",
    re.IGNORECASE,
)
_SPACED_DASH_PATTERN = re.compile(r"(?<!\s)\s*+[-\u2010-\u2015]\s*+")
_PAGE_RANGE_PATTERN = re.compile(r"(\d+)-(\d+)")
# Not the stop of U.S. or of an ellipsis.
_FINAL_STOP_PATTERN = re.compile(r"(?<!\.)(?<!\.[A-Z])\.$")

_REINSTATEMENT_PATTERN = re.compile(r"\breinstate(?:d|ment)\b", re.IGNORECASE)
_MONTH_OR_SEASON_REGEX = (
    "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Winter|Spring|Summer|Autumn|Fall"
)
_NOTICE_DATE_PATTERN = re.compile(
    rf"(?:^|[.\s])(\d{{4}}(?:\s+(?:{_MONTH_OR_SEASON_REGEX})[^\s;:]*(?:\s+\d{{1,2}})?)?)\s*[;:.]"
)
_YEAR_ONWARDS_PATTERN = re.compile(r"(?<!\d)((?:1[4-9]|20)\d\d(?!\d).{0,12})")
_RETRACTED_PUBLICATION_TYPE = "retracted publication"


def parse_notice_relation(
    relation: str, reference: str, *, source: str, note: str = ""
) -> IntegrityNotice | None:
    """The notice that a relation such as RetractionIn refers to; None for other relations.

    `reference` is the citation of the notice: Lancet. 2010 Feb 6;375(9713):445. doi: 10.1016/…
    """
    # Only relations of the affected work: "RetractionOf" is in the record of the notice itself.
    relations = load_table(__package__, "record_fields")["notice_relations"]
    known = relations.get(re.sub(r"[^a-z]", "", relation.lower()))
    if known is None:
        return None
    kind, label = NoticeKind(known[0]), known[1]
    if _REINSTATEMENT_PATTERN.search(f"{reference} {note}"):
        kind, label = NoticeKind.REINSTATEMENT, "reinstatement"
    remark = clean_markup(note)
    before = re.split(
        r"\bdoi\b|10\.\d{4}", clean_markup(reference), maxsplit=1, flags=re.IGNORECASE
    )[0]
    match = _NOTICE_DATE_PATTERN.search(before) or _YEAR_ONWARDS_PATTERN.search(before)
    notice_date = parse_issued_date(match[1]) if match else None
    return IntegrityNotice(
        kind=kind,
        source=source,
        label=label,
        date=notice_date,
        notice_doi=dois.find_doi(reference),
        reasons=(remark,) if remark else (),
    )


def add_retraction_flag(
    events: tuple[IntegrityNotice, ...], types: tuple[str, ...], *, source: str
) -> tuple[IntegrityNotice, ...]:
    """The notices, plus a retraction if only the publication type says "retracted publication"."""
    has_notice = any(
        event.kind in {NoticeKind.RETRACTION, NoticeKind.REINSTATEMENT} for event in events
    )
    if has_notice or all(
        type_name.strip().lower() != _RETRACTED_PUBLICATION_TYPE for type_name in types
    ):
        return events
    return (*events, IntegrityNotice(kind=NoticeKind.RETRACTION, source=source, label="retraction"))


# Normalizes fields of bibliographic records from registries.


def normalize_doi_field(text: str | None) -> str | None:
    """The DOI in a field, in lower case and without a resolver address; None if there is none."""
    # Some DOIs contain what looks like a tag: 10.1002/(SICI)1097-0258(19980815)17:15<1661::AID-SIM968>3.0.CO;2-2
    bare = _DOI_LABEL_PATTERN.sub("", extract_visible_text(unescape(text or "")).strip())
    if _WHOLE_DOI_PATTERN.fullmatch(bare):
        return bare.lower()
    return dois.find_doi(bare)


def normalize_arxiv_field(text: str | None) -> str | None:
    """An arXiv number without its version, from the number itself or an address that ends in it."""
    match = _ARXIV_NUMBER_PATTERN.search((text or "").strip())
    return match[1] if match else None


def normalize_pmid_field(text: str | None) -> str | None:
    digits = (text or "").strip()
    return digits.lstrip("0") or None if digits.isascii() and digits.isdigit() else None


def normalize_pmcid_field(text: str | None) -> str | None:
    """The id with its PMC prefix and without a version; None if it is no PMCID."""
    match = re.fullmatch(r"(?:pmc)?0*(\d{1,12})(?:\.\d{1,3})?", (text or "").strip().lower())
    return f"PMC{match[1]}" if match else None


def clean_title_field(text: str | None) -> str:
    """The title without a final full stop and without the brackets that mark a translation."""
    bare = _FINAL_STOP_PATTERN.sub("", clean_markup(text)).strip()
    return bare[1:-1].strip() if _is_fully_bracketed(bare) else bare


def clean_journal_name(text: str | None) -> str | None:
    """The journal's name without a place in brackets or a subtitle; None if there is none."""
    name = clean_markup(text).partition(" : ")[0]
    return re.sub(r"(?<!\s)\s*+\([^()]*+\)$", "", name).rstrip(".") or name or None


def convert_language_code(code: str | None) -> str | None:
    """The ISO 639-1 code of a three-letter library code; None for an unknown code."""
    return load_texts(__package__, "record_fields", "iso_639_2_to_1").get(
        (code or "").strip().lower()
    )


def parse_issued_date(text: str | None) -> str | None:
    """An ISO date as exact as the text: 1998 Dec-1999 Jan is 1998-12, 2000 Spring is 2000."""
    return parse_partial_date(clean_markup(text)) or None


def expand_page_range(text: str | None) -> str | None:
    """A page range with both numbers complete: 637-41 is 637-641."""
    bare = _SPACED_DASH_PATTERN.sub("-", clean_markup(text))
    match = _PAGE_RANGE_PATTERN.fullmatch(bare)
    if match and len(match[2]) < len(match[1]):
        return f"{match[1]}-{match[1][: len(match[1]) - len(match[2])]}{match[2]}"
    return bare or None


def _is_fully_bracketed(text: str) -> bool:
    """Whether the text starts with a bracket that its last character closes."""
    depth = 0
    for place, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if depth <= 0:
            return char == "]" and place == len(text) - 1
    return False


# Cleans titles and abstracts of publishers' markup: JATS, MathML and HTML, often escaped.


def clean_markup_line(markup: str | None) -> str:
    """The markup as one line of plain text, for a title or a name; empty for None."""
    if not markup:
        return ""
    text = clean_markup(
        _JATS_BLOCK_PATTERN.sub(
            " ", _DUPLICATE_NOTATION_PATTERN.sub("", markup[:_MAX_MARKUP_CHARS])
        )
    )
    if "<" in text or "&" in text:
        text = " ".join(_ESCAPED_TAG_PATTERN.sub("", extract_visible_text(unescape(text))).split())
    return text


def clean_abstract(markup: str | None) -> str | None:
    """The abstract as plain text; section headings are kept, the heading "Abstract" is dropped."""
    if not markup:
        return None
    text = clean_markup_line(
        _JATS_TITLE_PATTERN.sub(_format_section_heading, markup[:_MAX_MARKUP_CHARS])
    )
    return _ABSTRACT_OPENING_PATTERN.sub("", text).strip() or None


def _format_section_heading(match: re.Match[str]) -> str:
    text = clean_markup_line(match[2])
    return " " if not text or _ABSTRACT_LABEL_PATTERN.match(text) else f" {text.rstrip(':. ')}: "
