"""Recognises legal citations: reported cases, neutral citations, statutes and EU law."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
_CASE_NAME_PATTERN = re.compile(
    rf"{_CASE_PARTY_REGEX} v(?:s?\.|) {_CASE_PARTY_REGEX}(?:,? [\[(]?(?:1[89]|20)\d\d[\])]?)?\.?"
)
_MATTER_NAME_PATTERN = re.compile(
    rf"(?:In re|Ex parte|In the Matter of|Matter of) {_CASE_PARTY_REGEX}(?:,? \(?(?:1[89]|20)\d\d\)?)?\.?"
)
# Signs of an article or book about law, which is not a legal citation.
_PUBLISHED_WORK_PATTERN = re.compile(
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
