"""Normalizes fields of bibliographic records from registries."""

from __future__ import annotations

import re
from html import unescape

from citewell.text.citations import dois
from citewell.text.dates.partial_dates import parse_partial_date
from citewell.text.safety.markup_cleaning import clean_markup, extract_visible_text

_WHOLE_DOI_PATTERN = re.compile(r"10\.\d{4,9}(?:\.\d{1,9})*/\S{1,500}", re.IGNORECASE)
_DOI_LABEL_PATTERN = re.compile(r"^(?:https?://(?:dx\.|www\.)?doi\.org/|doi:)\s*", re.IGNORECASE)
_ARXIV_NUMBER_PATTERN = re.compile(
    r"(?:^|[/:])(\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[a-z]{2})?/\d{7})(?:v\d{1,3})?(?:\.pdf)?$",
    re.IGNORECASE,
)
_ISO_639_2_TO_1 = {
    "ara": "ar", "bul": "bg", "cat": "ca", "chi": "zh", "zho": "zh", "cze": "cs", "ces": "cs",
    "dan": "da", "dut": "nl", "nld": "nl", "eng": "en", "est": "et", "fin": "fi", "fre": "fr",
    "fra": "fr", "ger": "de", "deu": "de", "gre": "el", "ell": "el", "heb": "he", "hrv": "hr",
    "hun": "hu", "ind": "id", "ita": "it", "jpn": "ja", "kor": "ko", "lit": "lt", "nor": "no",
    "per": "fa", "fas": "fa", "pol": "pl", "por": "pt", "rum": "ro", "ron": "ro", "rus": "ru",
    "slo": "sk", "slk": "sk", "slv": "sl", "spa": "es", "srp": "sr", "swe": "sv", "tha": "th",
    "tur": "tr", "ukr": "uk", "vie": "vi",
}  # fmt: skip
_SPACED_DASH_PATTERN = re.compile(r"(?<!\s)\s*+[-\u2010-\u2015]\s*+")
_PAGE_RANGE_PATTERN = re.compile(r"(\d+)-(\d+)")
# Not the stop of U.S. or of an ellipsis.
_FINAL_STOP_PATTERN = re.compile(r"(?<!\.)(?<!\.[A-Z])\.$")


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
    return _ISO_639_2_TO_1.get((code or "").strip().lower())


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
