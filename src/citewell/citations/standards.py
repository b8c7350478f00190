"""Finds numbers of standards (ISO, IEC, IEEE, DIN…) and of RFCs in text, and normalizes them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.text.data_tables import load_table

# Bodies in the order in which joint numbers name them; the longer names first.
_BODIES = (
    "ISO", "IEC", "IEEE", "ITU-T", "ITU-R", "ITU", "CEN", "CENELEC", "EN", "DIN", "VDE", "VDI", "BS", "PAS", "NF",
    "UNI", "UNE", "NEN", "SS", "SN", "ÖNORM", "ONORM", "ANSI", "ASTM", "ASME", "ASHRAE", "NFPA", "UL", "SAE", "API",
    "AWS", "ETSI", "ECMA", "JIS", "GB", "GOST", "ГОСТ", "CSA", "AS", "NZS", "ABNT", "NBR", "KS", "CISPR", "OIML", "NISO",
)  # fmt: skip
# Abbreviations that are common words or initials: a number after them proves nothing by itself.
_DOUBTFUL_BODIES = frozenset({"AS", "API", "AWS", "EN", "GB", "KS", "NF", "PAS", "SN", "SS", "UL", "UNE", "UNI"})  # fmt: skip
_BODY_REGEX = "(?:" + "|".join(re.escape(body) for body in sorted(_BODIES, key=len, reverse=True)) + ")"  # fmt: skip
_STANDARD_PATTERN = re.compile(
    rf"(?<![\w/-])(?P<bodies>{_BODY_REGEX}(?:[/ ]{_BODY_REGEX}){{0,3}})"
    r"(?:[/ ](?P<kind>TR|TS|PAS|Guide|DIS|FDIS|CD|Directive|Std\.?|Rec\.?|Recommendation|SPEC|T)(?![\w]))?"
    r"[ -]?(?P<number>(?:[A-Z]{1,3}[. -]?)?\d{1,6}[A-Za-z]?(?:[./-][A-Za-z]{0,2}\d{1,5}[A-Za-z]?){0,4}"
    r"(?:/[A-Z]{1,2}\d{1,5}[A-Z]?)?)"
    r"(?:(?P<mark>\s?[:–—]\s?|\s\()(?P<year>(?:19|20)\d\d)(?:-\d\d)?\)?)?"
    r"(?![\w])"
)
_YEAR_PATTERN = re.compile(r"(?:19|20)\d\d")
_TRAILING_YEAR_PATTERN = re.compile(r"-((?:19|20)\d\d)$")
_RFC_NUMBER_REGEX = r"0{0,4}([1-9]\d{0,4})"
_WHOLE_RFC_PATTERN = re.compile(
    rf"\W{{0,3}}(?:(?:IETF|Internet) )?(?:RFC|Request for Comments)[ -]?:?(?:No\. )?{_RFC_NUMBER_REGEX}\W{{0,3}}",
    re.IGNORECASE,
)
_RFC_ADDRESS_PATTERN = re.compile(
    rf"(?:rfc-editor\.org|ietf\.org)/(?:[a-z]{{1,12}}/){{0,3}}rfc{_RFC_NUMBER_REGEX}(?!\d)",
    re.IGNORECASE,
)
_NAMED_RFC_PATTERN = re.compile(
    rf"(?<!\w)(?:RFC|Requests? for Comments:?)[ -]?{_RFC_NUMBER_REGEX}(?=\s{{0,2}}(?:[.,;:()\[\]–—]|$))",
    re.IGNORECASE,
)
_RFC_FIELD_PATTERN = re.compile(
    rf"\b(?:number|series|howpublished|title|note)[\"']?\s{{0,9}}[=:]\s{{0,9}}[{{\"']{{1,3}}(?:RFC|Request for Comments)[}}]?[ -]?{_RFC_NUMBER_REGEX}(?!\w)",
    re.IGNORECASE,
)
_RFC_DOI_PATTERN = re.compile(rf"\b10\.17487/rfc{_RFC_NUMBER_REGEX}(?!\d)", re.IGNORECASE)
# An RFC as the thing cited, not a word of a title: it opens the reference, or its publisher is named.
_RFC_PUBLISHER_PATTERN = re.compile(
    r"\b(?:IETF|RFC[ -]Editor|Internet Engineering Task Force|Requests? for Comments|Network Working Group)\b",
    re.IGNORECASE,
)
_MAX_ENTRY_CHARS = 4000  # characters of a structured entry searched for a number
_MAX_STANDARD_CHARS = 600  # characters of a reference searched for a number


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardNumber:
    """The number of a standard: `ISO/IEC 27001:2013`, `IEEE 802.11-2020`, `DIN EN ISO 13849-1`."""

    body: str  # as written, with its kind: ISO/IEC TR
    number: str
    year: int | None
    written: str

    @property
    def designation(self) -> str:
        if self.year is None:
            return f"{self.body} {self.number}"
        mark = "-" if self.body.split("/")[0] in {"IEEE", "ANSI", "ASTM", "ASME", "NFPA"} else ":"
        return f"{self.body} {self.number}{mark}{self.year}"


def find_standard(text: str) -> StandardNumber | None:
    """The number of the standard that a reference cites; None for a work that only mentions one.

    It is the reference, or stands at its beginning, as in `ISO 9001:2015. Quality management…`;
    elsewhere only with its year and as a part by itself, as in `…Requirements (ISO 9001:2015).`
    """
    text = text[:_MAX_STANDARD_CHARS].strip(" \t\r\n\"'“”‘’([")
    if text.islower() and _STANDARD_PATTERN.fullmatch(text.upper()):
        text = text.upper()
    for found in _STANDARD_PATTERN.finditer(text):
        made = _build_standard_number(found)
        opens = _is_opening_quote(text[: found.start()])
        if not _is_doubtful(made, found, opens=opens) and (
            opens or (made.year is not None and _is_part_by_itself(text, found))
        ):
            return made
    return None


def describe_standard(standard: StandardNumber) -> str:
    """Why a standard is not looked up by its number, and where a person can."""
    bodies = re.split(r"[/ ]", standard.body)
    pages = load_table(__package__, "standards_bodies")["search_pages"]
    home = next(filter(None, map(pages.get, bodies)), "the catalogue of its publisher")
    return (
        f"{standard.designation} has the form of a standard's number. Publishers of standards offer"
        f" no open registry of them, so the number was not looked up; see {home}."
    )


def find_rfc_number(text: str) -> str | None:
    """The number of the RFC that a text cites, without leading zeros; None if it only mentions one."""
    text = text[:_MAX_STANDARD_CHARS]
    if (found := _WHOLE_RFC_PATTERN.fullmatch(text.strip())) is not None:
        return found[1]
    if (found := _RFC_ADDRESS_PATTERN.search(text) or _RFC_DOI_PATTERN.search(text)) is not None:
        return found[1]
    named = _NAMED_RFC_PATTERN.search(text)
    if named is None:
        return None
    before = text[: named.start()].rstrip()
    is_separate = _is_opening_quote(before) or before.endswith((".", ",", ";"))
    return named[1] if is_separate or _RFC_PUBLISHER_PATTERN.search(text) else None


def find_rfc_field(entry: str) -> str | None:
    """The number of the RFC that a field of a BibTeX or CSL entry names: `number = {RFC 9110}`."""
    found = _RFC_FIELD_PATTERN.search(entry[:_MAX_ENTRY_CHARS])
    return found[1] if found else None


def _build_standard_number(found: re.Match[str]) -> StandardNumber:
    number, year = found["number"].rstrip("-./"), int(found["year"]) if found["year"] else None
    if year is None and (ending := _TRAILING_YEAR_PATTERN.search(number)):
        number, year = number[: ending.start()], int(ending[1])
    kind = f" {found['kind'].rstrip('.')}" if found["kind"] else ""
    kind = "/T" if kind == " T" else "" if kind in {" Std", " SPEC"} else kind
    body = found["bodies"] + kind
    return StandardNumber(body=body, number=number, year=year, written=found[0].strip())


def _is_opening_quote(before: str) -> bool:
    """Whether only a list number, a year or the name of a standards body comes before."""
    words = re.findall(r"[^\W\d_]+", before)
    known = load_table(__package__, "standards_bodies")["name_words"]
    return all(word in _BODIES or word.lower() in known for word in words)


def _is_doubtful(made: StandardNumber, found: re.Match[str], *, opens: bool) -> bool:
    """Whether the number may be another thing: a word before a number, or a conference of a year."""
    bodies = set(re.split(r"[/ ]", found["bodies"]))
    if bodies <= _DOUBTFUL_BODIES:
        return not (opens and made.year)
    return made.year is None and bodies == {"IEEE"} and bool(_YEAR_PATTERN.fullmatch(made.number))


def _is_part_by_itself(text: str, found: re.Match[str]) -> bool:
    """Whether punctuation or an end is on both sides, as around an element of a reference."""
    before, rest = text[: found.start()].rstrip(), text[found.end() :].lstrip()
    return before.endswith((".", ",", ";", ":", "(", "[", "—", "–")) and (
        not rest or rest[0] in ".,;)]"
    )
