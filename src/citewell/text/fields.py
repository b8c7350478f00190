"""Fields of a bibliographic record as registries print them, brought into the one form we keep."""

from __future__ import annotations

import re
from datetime import date
from html import unescape

from citewell.text import dois
from citewell.text.markup import clean, visible

_WHOLE_DOI = re.compile(r"10\.\d{4,9}(?:\.\d{1,9})*/\S{1,500}", re.IGNORECASE)
_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.|www\.)?doi\.org/|doi:)\s*", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:^|[/:])(\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[a-z]{2})?/\d{7})(?:v\d{1,3})?(?:\.pdf)?$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d|21\d\d)(?!\d)")
_NUMERIC = re.compile(r"(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?(?!\d)")
_NAMED = re.compile(r"([A-Za-z]{3,9})\.?(?:\s+(\d{1,2})(?!\d))?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LANGUAGES = {
    "ara": "ar", "bul": "bg", "cat": "ca", "chi": "zh", "zho": "zh", "cze": "cs", "ces": "cs",
    "dan": "da", "dut": "nl", "nld": "nl", "eng": "en", "est": "et", "fin": "fi", "fre": "fr",
    "fra": "fr", "ger": "de", "deu": "de", "gre": "el", "ell": "el", "heb": "he", "hrv": "hr",
    "hun": "hu", "ind": "id", "ita": "it", "jpn": "ja", "kor": "ko", "lit": "lt", "nor": "no",
    "per": "fa", "fas": "fa", "pol": "pl", "por": "pt", "rum": "ro", "ron": "ro", "rus": "ru",
    "slo": "sk", "slk": "sk", "slv": "sl", "spa": "es", "srp": "sr", "swe": "sv", "tha": "th",
    "tur": "tr", "ukr": "uk", "vie": "vi",
}  # fmt: skip
_DASHES = re.compile(r"\s*[-\u2010-\u2015]\s*")
_RANGE = re.compile(r"(\d+)-(\d+)")
_FULL_STOP = re.compile(r"(?<!\.)(?<!\.[A-Z])\.$")  # not that of U.S. or an ellipsis


def doi(text: str | None) -> str | None:
    """A DOI that a field holds, bare and in lower case; None when it holds none."""
    # Some real ones hold what looks like a tag: 10.1002/(SICI)1097-0258(19980815)17:15<1661::AID-SIM968>3.0.CO;2-2
    bare = _DOI_PREFIX.sub("", visible(unescape(text or "")).strip())
    if _WHOLE_DOI.fullmatch(bare):
        return bare.lower()
    return dois.find(bare)


def arxiv(text: str | None) -> str | None:
    """An arXiv number without its version, out of itself or an address that ends in it."""
    match = _ARXIV.search((text or "").strip())
    return match[1] if match else None


def pmid(text: str | None) -> str | None:
    digits = (text or "").strip()
    return digits.lstrip("0") or None if digits.isascii() and digits.isdigit() else None


def pmcid(text: str | None) -> str | None:
    """With its prefix, as PubMed Central prints it; a version at the end is left out."""
    match = re.fullmatch(r"(?:pmc)?0*(\d{1,12})(?:\.\d{1,3})?", (text or "").strip().lower())
    return f"PMC{match[1]}" if match else None


def title(text: str | None) -> str:
    """Without the full stop that ends it, and the brackets that mark a translation."""
    bare = _FULL_STOP.sub("", clean(text)).strip()
    return bare[1:-1].strip() if _enclosed(bare) else bare


def journal(text: str | None) -> str | None:
    """Its name alone: not the place that tells namesakes apart, nor whose official organ it is."""
    name = clean(text).partition(" : ")[0]
    return re.sub(r"\s*\([^()]*\)$", "", name).rstrip(".") or name or None


def language(code: str | None) -> str | None:
    """ISO 639-1 for what libraries write in three letters; None where we know no such code."""
    return _LANGUAGES.get((code or "").strip().lower())


def issued(text: str | None) -> str | None:
    """An ISO date as exact as the text is: 1998 Dec-1999 Jan is 1998-12, 2000 Spring is 2000."""
    words = clean(text)
    match = _YEAR.search(words)
    if match is None:
        return None
    if numeric := _NUMERIC.match(words, match.start()):
        return day(int(numeric[1]), int(numeric[2]), int(numeric[3] or 0))
    named = _NAMED.match(words, _past_space(words, match.end()))
    return day(int(match[1]), _month(named[1]), int(named[2] or 0)) if named else match[1]


def day(year: int, month: int = 0, in_month: int = 0) -> str:
    """An ISO date of the parts that can be true."""
    if not 1 <= month <= 12:
        return f"{year:04}"
    try:
        return date(year, month, in_month).isoformat()
    except ValueError:
        return f"{year:04}-{month:02}"


def month(text: str) -> int:
    """From a number or an English name; 0 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 3 else _month(text)


def year(issued_on: str | None) -> int | None:
    return int(issued_on[:4]) if issued_on else None


def pages(text: str | None) -> str | None:
    """A range written out: 637-41 is 637-641."""
    bare = _DASHES.sub("-", clean(text))
    match = _RANGE.fullmatch(bare)
    if match and len(match[2]) < len(match[1]):
        return f"{match[1]}-{match[1][: len(match[1]) - len(match[2])]}{match[2]}"
    return bare or None


def _month(name: str) -> int:
    start = name[:3].lower()
    return _MONTHS.index(start) + 1 if start in _MONTHS else 0


def _past_space(words: str, at: int) -> int:
    while at < len(words) and words[at] == " ":
        at += 1
    return at


def _enclosed(text: str) -> bool:
    """Whether the first bracket is closed by the last character."""
    depth = 0
    for place, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if depth <= 0:
            return char == "]" and place == len(text) - 1
    return False
