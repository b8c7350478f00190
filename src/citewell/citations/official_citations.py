"""Recognises works that are cited by an official number: legal citations, standards and RFCs.

Legal citations are reported cases, neutral citations, statutes and EU law.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.data_tables import load_table

_US_REPORTERS_REGEX = (
    r"U\. ?S\.|S\. ?Ct\.|L\. ?Ed\.(?: ?2d)?|F\.(?: ?[23]d| ?4th)?|F\. ?Supp\.(?: ?[23]d)?"
    r"|F\. ?App[’']x|F\. ?R\. ?D\.|Fed\. ?Cl\.|Fed\. ?R\. ?Serv\.|B\. ?R\.|T\. ?C\.|Vet\. ?App\."
    r"|A\. ?[23]d|N\. ?[EW]\.(?: ?[23]d)?|P\. ?[23]d|S\. ?[EW]\.(?: ?[23]d)?|So\.(?: ?[23]d)?"
    r"|N\. ?Y\.(?: ?S\.)?(?: ?[23]d)?|Cal\.(?: ?App\.)?(?: ?Supp\.)?(?: ?[2345]th| ?[23]d)?|Cal\. ?Rptr\.(?: ?[23]d)?"
    r"|Ill\.(?: ?App\.)?(?: ?[23]d)?|Mass\.(?: ?App\. Ct\.)?|Ohio St\.(?: ?[23]d)?|Pa\.|Tex\.|Wash\.(?: ?2d)?|Wis\.(?: ?2d)?"
    r"|F\. ?(?:[5-9]|1\d)th|F\. ?Supp\. ?[4-9]th|U\. ?S\. ?[23]d|[AP]\.(?: ?3d)?|P\. ?3d|N\. ?[EW]\. ?3d|So\. ?3d|Cal\. ?App\. ?[2345](?:d|th)|A\. ?D\.(?: ?[23]d)?"
    r"|(?:Ala|Ariz|Ark|Colo|Conn|Del|Fla|Ga|Haw|Idaho|Ind|Iowa|Kan|Ky|La|Md|Me|Mich|Minn|Miss|Mo|Mont|Neb|Nev|N\. ?H|N\. ?J|N\. ?M|N\. ?C|N\. ?D|Okla|Or|R\. ?I|S\. ?C|S\. ?D|Tenn|Utah|Va|Vt|W\. ?Va|Wyo|Ill|Ohio)\.?(?: ?App\.)?(?: ?[23]d)?"
    r"|US|S ?Ct|L ?Ed(?: ?2d)?|F ?[23]d|F ?4th|F ?Supp(?: ?[23]d)?|[AP][23]d|N[EW][23]d|S[EW][23]d|Cranch|Wheat\.|Pet\.|How\.|Wall\.|Dall\.|IL(?: App)?|WL|U\.S\. ?LEXIS|U\.S\. Dist\. LEXIS"
)
_NEUTRAL_COURTS_REGEX = (
    r"UKSC|UKHL|UKPC|EWCA(?: Civ| Crim)?|EWHC|EWFC|EWCOP|UKUT|UKFTT|UKEAT|EAT|CSIH|CSOH|HCJAC|NICA|NIQB|NIKB"
    r"|HCA|FCAFC|FCA|NSWCA|NSWSC|VSCA|VSC|QCA|QSC|WASCA|SASC|SCC|FC|ONCA|ONSC|BCCA|BCSC|ABCA|ABQB|QCCA"
    r"|NZSC|NZCA|NZHC|ZACC|ZASCA|SGCA|SGHC|HKCFA|HKCA|IESC|IECA|IEHC|INSC|KESC|CAT"
)
_LAW_REPORTS_REGEX = r"A\.?C\.?|Q\.?B\.?|K\.?B\.?|Ch\.?|Fam\.?|W\.?L\.?R\.?|All ER(?: \(\w+\))?|Cr App R|Lloyd['’]s Rep|BCLC|ICR|IRLR|S\.?C\.?R\.?|CLR|ALR|DLR"
# The form and its pattern; the first that matches gives the form of the citation.
_LEGAL_FORM_PATTERNS = (
    ("ecli", re.compile(r"\bECLI:[A-Z]{2}:[A-Z0-9]{1,7}:\d{4}:[A-Z0-9.]{1,25}\b", re.IGNORECASE)),
    ("statute", re.compile(r"\b\d{1,2}\s+(?:U\. ?S\. ?C\.(?: ?A\.)?|C\. ?F\. ?R\.)\s*+§{0,2}\s*+\d[\w.()-]*|\bPub\. ?L\. ?(?:No\. ?)?\d{1,3}-\d{1,4}\b|\b\d{1,3} (?:Stat|Fed\. Reg)\. \d{1,6}\b")),
    ("reporter", re.compile(rf"(?<![\w.])\d{{1,4}}\s+(?:{_US_REPORTERS_REGEX})\s+(?:\(\d{{0,2}} ?[A-Z][\w.]{{1,12}}\)\s+)?(?:\d{{1,8}}(?![\w-])|_{{2,4}})|(?<![\w.])\d{{1,3}} us \d{{1,4}}(?!\w)|\b(?:19|20)\d\d-Ohio-\d{{1,5}}\b")),
    ("neutral", re.compile(rf"[\[(]?\b(?:1[89]|20)\d\d\b[\])]?\s+(?:{_NEUTRAL_COURTS_REGEX})\s+\d{{1,5}}(?:\s*\([A-Z]\w*\))?")),
    ("law_report", re.compile(rf"[\[(](?:1[89]|20)\d\d[\])]\s+(?:\d{{1,3}}\s+)?(?:{_LAW_REPORTS_REGEX})\s+\d{{1,4}}\b")),
    ("eu_case", re.compile(r"\b(?:Joined )?Cases? (?:[CTF][-‑–])?\d{1,4}/\d{2}(?: P| PPU| RENV)?\b|\b[CT][-‑–]\d{1,4}/\d{2}(?: P| PPU)?\b|\b(?:Rechtssache|Affaire|aff\.|Rs\.) [CT]?[-‑–]?\d{1,4}/\d{2}\b")),
    ("eu_act", re.compile(r"\b(?:Regulation|Directive|Decision|Verordnung|Richtlinie|Règlement|Directiva|Reglamento)\s+(?:\((?:EU|EC|EEC|UE|CE|EG)\)\s*)?(?:No\.?\s*|Nr\.?\s*|n[o°]\s*)?\d{2,4}/\d{1,4}(?:/(?:EU|EC|EEC|UE|CE|EG|EWG|CEE))?\b")),
    ("celex", re.compile(r"\b[36]\d{4}(?:CJ|CC|CO|TJ|R|L|D)\d{4}\b")),
    ("echr", re.compile(r"\b(?:App(?:lication)?s?\.?|Requête|Beschwerde)\s+(?:nos?\.?|n°|Nr\.)\s*\d{1,5}/\d{2}\b|\bnos?\.\s*\d{1,5}/\d{2}\b.{0,60}\bECHR\b", re.IGNORECASE)),
    ("german", re.compile(r"\b(?:BVerfGE|BGHZ|BGHSt|BVerwGE|BAGE|BSGE|BFHE|RGZ)\s+\d{1,3},\s*\d{1,4}\b|\b\d\s+Bv[A-Z]\s+\d{1,4}/\d{2}\b|\b[IVX]{1,5}\s+Z[RB]\s+\d{1,4}/\d{2}\b")),
    ("french", re.compile(r"\b(?:Cass\.|Cons\. const\.|CE|CAA)[^.]{0,40}[,.].{0,60}\bn[o°]\s*\d{2}[-.]?\d{2,3}[.-]?\d{3}\b")),
)  # fmt: skip
_CASE_PARTY_REGEX = r"[A-ZÀ-Þ][\w.'’&()-]*(?:,? (?:[A-ZÀ-Þ][\w.'’&()-]*|of|the|and|for|de|la|et|al\.|&|on|in|ex|rel\.))*"
_CASE_NAME_PATTERN = compile_on_use(
    rf"{_CASE_PARTY_REGEX} v(?:s?\.|) {_CASE_PARTY_REGEX}(?:,? [\[(]?(?:1[89]|20)\d\d[\])]?)?\.?"
)
_MATTER_NAME_PATTERN = compile_on_use(
    rf"(?:In re|Ex parte|In the Matter of|Matter of) {_CASE_PARTY_REGEX}(?:,? \(?(?:1[89]|20)\d\d\)?)?\.?"
)
# Signs of an article or book about law, which is not a legal citation.
_PUBLISHED_WORK_PATTERN = compile_on_use(
    r"\b\d{1,4}\s?\(\d{1,4}\)\s?[,:;]\s?[a-z]?\d+|(?<!\.)\bJ(?:ournal|\.)(?: |$)|\bL(?:aw|\.) ?Rev(?:iew|\.)|\bProceedings\b|\bUniversity Press\b|\bQuarterly\b"
)
# Forms that stand in running text too and are taken for nothing else there.
_RUNNING_FORMS = frozenset(
    {"ecli", "statute", "reporter", "neutral", "law_report", "eu_case", "german"}
)
_MAX_CASE_NAME_CHARS = (
    160  # characters; a longer line with "v." in it is probably a work about a case
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalCitation:
    form: str
    text: str  # the matched part


def find_legal_spans(text: str) -> list[tuple[int, int]]:
    """Where citations of cases and statutes stand in running text, in order, without overlaps."""
    found = sorted(
        match.span()
        for form, pattern in _LEGAL_FORM_PATTERNS
        if form in _RUNNING_FORMS
        for match in pattern.finditer(text)
    )
    kept: list[tuple[int, int]] = []
    for start, end in found:
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def find_legal_citation(text: str) -> LegalCitation | None:
    """The first legal citation in a text; None if there is none or the text is an article or book."""
    if _PUBLISHED_WORK_PATTERN.search(text):
        return None
    text = " ".join(text.split())
    for form, pattern in _LEGAL_FORM_PATTERNS:
        if (match := pattern.search(text)) is not None:
            return LegalCitation(form=form, text=match[0].strip())
    line = text.strip("\"'“”*_ ")
    if len(line) <= _MAX_CASE_NAME_CHARS and (
        _CASE_NAME_PATTERN.fullmatch(line) or _MATTER_NAME_PATTERN.fullmatch(line)
    ):
        return LegalCitation(form="case_name", text=line)
    return None


# Finds numbers of standards (ISO, IEC, IEEE, DIN…) and of RFCs in text, and normalizes them.

# Bodies in the order in which joint numbers name them; the longer names first.
_BODIES = (
    "ISO", "IEC", "IEEE", "ITU-T", "ITU-R", "ITU", "CEN", "CENELEC", "EN", "DIN", "VDE", "VDI", "BS", "PAS", "NF",
    "UNI", "UNE", "NEN", "SS", "SN", "ÖNORM", "ONORM", "ANSI", "ASTM", "ASME", "ASHRAE", "NFPA", "UL", "SAE", "API",
    "AWS", "ETSI", "ECMA", "JIS", "GB", "GOST", "ГОСТ", "CSA", "AS", "NZS", "ABNT", "NBR", "KS", "CISPR", "OIML", "NISO",
)  # fmt: skip
# Abbreviations that are common words or initials: a number after them proves nothing by itself.
_DOUBTFUL_BODIES = frozenset({"AS", "API", "AWS", "EN", "GB", "KS", "NF", "PAS", "SN", "SS", "UL", "UNE", "UNI"})  # fmt: skip
_BODY_REGEX = "(?:" + "|".join(re.escape(body) for body in sorted(_BODIES, key=len, reverse=True)) + ")"  # fmt: skip
_STANDARD_PATTERN = compile_on_use(
    rf"(?<![\w/-])(?P<bodies>{_BODY_REGEX}(?:[/ ]{_BODY_REGEX}){{0,3}})"
    r"(?:[/ ](?P<kind>TR|TS|PAS|Guide|DIS|FDIS|CD|Directive|Std\.?|Rec\.?|Recommendation|SPEC|T)(?![\w]))?"
    r"[ -]?(?P<number>(?:[A-Z]{1,3}[. -]?)?\d{1,6}[A-Za-z]?(?:[./-][A-Za-z]{0,2}\d{1,5}[A-Za-z]?){0,4}"
    r"(?:/[A-Z]{1,2}\d{1,5}[A-Z]?)?)"
    r"(?:(?P<mark>\s?[:–—]\s?|\s\()(?P<year>(?:19|20)\d\d)(?:-\d\d)?\)?)?"
    r"(?![\w])"
)
_YEAR_PATTERN = compile_on_use(r"(?:19|20)\d\d")
_TRAILING_YEAR_PATTERN = compile_on_use(r"-((?:19|20)\d\d)$")
_RFC_NUMBER_REGEX = r"0{0,4}([1-9]\d{0,4})"
_WHOLE_RFC_PATTERN = compile_on_use(
    rf"\W{{0,3}}(?:(?:IETF|Internet) )?(?:RFC|Request for Comments)[ -]?:?(?:No\. )?{_RFC_NUMBER_REGEX}\W{{0,3}}",
    re.IGNORECASE,
)
_RFC_ADDRESS_PATTERN = compile_on_use(
    rf"(?:rfc-editor\.org|ietf\.org)/(?:[a-z]{{1,12}}/){{0,3}}rfc{_RFC_NUMBER_REGEX}(?!\d)",
    re.IGNORECASE,
)
_NAMED_RFC_PATTERN = compile_on_use(
    rf"(?<!\w)(?:RFC|Requests? for Comments:?)[ -]?{_RFC_NUMBER_REGEX}(?=\s{{0,2}}(?:[.,;:()\[\]–—]|$))",
    re.IGNORECASE,
)
_RFC_FIELD_PATTERN = compile_on_use(
    rf"\b(?:number|series|howpublished|title|note)[\"']?\s{{0,9}}[=:]\s{{0,9}}[{{\"']{{1,3}}(?:RFC|Request for Comments)[}}]?[ -]?{_RFC_NUMBER_REGEX}(?!\w)",
    re.IGNORECASE,
)
_RFC_DOI_PATTERN = compile_on_use(rf"\b10\.17487/rfc{_RFC_NUMBER_REGEX}(?!\d)", re.IGNORECASE)
# An RFC as the thing cited, not a word of a title: it opens the reference, or its publisher is named.
_RFC_PUBLISHER_PATTERN = compile_on_use(
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
