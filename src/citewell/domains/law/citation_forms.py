"""The forms of citations of law: reporters, neutral citations, EU law, CFR; and whether a text is a brief."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from citewell.core.lazy_patterns import compile_on_use
from citewell.core.values.court_case import LegalCitation

_MAX_LOOK_CHARS = 400_000  # characters that are looked at
_CASE_CITATION_PATTERN = compile_on_use(
    r"(?<![\w.])\d{1,4}\s{1,3}(?:U\. ?S\.|S\. ?Ct\.|L\. ?Ed\.|F\.|F\. ?Supp\.|B\. ?R\.|[A-Z][A-Za-z.']{0,9})(?: ?(?:App\.|2d|3d|4th|5th|Supp\.|Ct\.|Rptr\.)){0,3}\s{1,3}(?:\d{1,5}|_{2,4})(?![\w/])"
    r"|[\[(](?:19|20)\d\d[\])] (?:UK|EW)[A-Z]{1,5}(?: Civ| Crim)? \d|\bECLI:[A-Z]{2}:|\b[CT][-‑–]\d{1,4}/\d\d\b|\b\d{1,2} C\. ?F\. ?R\. |\b20\d\d WL \d{5,}"
)
_CASE_SIGN_PATTERN = compile_on_use(
    r" vs?\. |\bIn re |\bEx parte |[\[(](?:19|20)\d\d[\])] (?:UK|EW)|ECLI:|\b[CT][-‑–]\d{1,4}/\d\d\b"
)
_FAMILIAR_REPORTER_PATTERN = compile_on_use(
    r"\d\s{1,3}(?:U\. ?S\.|S\. ?Ct\.|F\. ?(?:2d|3d|4th|Supp\.))"
)
_PAPER_SIGN_PATTERN = compile_on_use(
    r"\b10\.\d{4,9}/|\bdoi\b|\barXiv\b|\bISBN\b|\bet al\., \d|\bpp\. \d|\bJournal of\b|\bUniversity Press\b"
)
_PROSE_SIGN_PATTERN = compile_on_use(
    r"\b(?:Id\.|supra|[Ss]ee (?:also |generally )?[A-Z]|e\.g\.|held|holds|holding|argues?|motion|plaintiffs?|defendants?|appell(?:ant|ee)|petitioner|respondent|judgment|pursuant|jurisdiction|the Court|this Court)\b",
    re.IGNORECASE,
)
_MIN_WORDS_PER_PROSE_SIGN = 120

# 576 U.S. 644, 12 F. Supp. 3d 45, 2015-Ohio-1234 is no such form and compared as a whole.
REPORTER_CITATION_PATTERN = compile_on_use(
    r"(?P<volume>\d{1,4})\s{1,3}(?P<reporter>[A-Z][A-Za-z0-9.'&\- ]{0,39}?)\s{1,3}(?P<page>[0-9]{1,6}[A-Za-z]?|[ivxlc]{1,8})"
)
# Collections of statutes and regulations are cited in the same form.
_CODE_PATTERN = compile_on_use(
    r"U\. ?S\. ?C\.|USC|C\. ?F\. ?R|CFR|\bStat|\bCode|\bReg\.|^F\.?R\.?$|C\.S\."
)
_EMBEDDED_CITATION_PATTERN = compile_on_use(
    r"(?<![\w.-])\d{1,4} {1,3}(?P<reporter>[A-Z][A-Za-z.'& ]{0,25}(?:\.|\. ?\dd|\. ?\dth)) {1,3}\d{1,6}(?![\w-])"
)
_MAX_CITATION_CHARS = 120
_MAX_QUERY_CHARS = 500

_UK_COURTS_REGEX = r"UKSC|UKHL|UKPC|EWCA (?:Civ|Crim)|EWHC|EWFC|EWCOP|EWCC|UKUT|UKFTT|UKEAT|EAT|UKIPTrib|UKAIT|UKSIAC|CAT"
UK_NEUTRAL_PATTERN = compile_on_use(
    rf"[\[(](?P<year>(?:19|20)\d\d)[\])] (?P<court>{_UK_COURTS_REGEX}) (?P<number>\d{{1,5}})(?: ?\((?P<division>[A-Z][A-Za-z]{{1,8}}|B)\))?"
)
_ECLI_CITATION_PATTERN = compile_on_use(
    r"\bECLI:(?P<country>[A-Z]{2}):(?P<court>[A-Z0-9]{1,7}):(?P<year>\d{4}):(?P<number>[A-Z0-9.]{1,25}(?<!\.))",
    re.IGNORECASE,
)
_CELEX_CITATION_PATTERN = compile_on_use(r"(?<![\w/])(?P<sector>[1-9CE])(?P<year>(?:19|20)\d\d)(?P<type>[A-Z]{1,2})(?P<number>\d{4})(?:R\(\d{2}\))?(?![\w/])")  # fmt: skip
# C-311/18, T‑201/04, Case 26/62; suffixes P, PPU, RENV, R and so on are of no use for looking up.
EU_CASE_PATTERN = compile_on_use(
    r"(?:\b(?:Joined )?Cases? |\b(?P<letter>[CTF])[-–])(?P<second>[CTF][-–])?(?P<number>\d{1,4})/(?P<year>\d{2})(?!\d|/)(?: (?:P|PPU|RENV|R|RX|DEP|INT|SA)\b)?"
)
EU_ACT_PATTERN = compile_on_use(
    r"\b(?P<type>Regulation|Directive|Decision)s? (?:\((?:EU|EC|EEC|Euratom|EU, Euratom)\) )?(?P<mark>No\.? ?)?(?P<first>\d{2,4})/(?P<second>\d{1,4})(?:/(?:EU|EC|EEC|JHA|CFSP))?(?![\d/])"
)
CFR_PATTERN = compile_on_use(
    r"(?<![\w.])(?P<title>[1-9]|[1-4]\d|50) ?(?:C\. ?F\. ?R\.|CFR|Code of Federal Regulations) ?(?:§{1,2} ?|sections? |sec\. |pts?\. |parts? |Part )?(?P<section>\d{1,4}(?:\.\d{1,4}[A-Za-z]?(?:-\d{1,4}[A-Za-z]?){0,3}|\.\d{1,3}[a-z]{1,2}\d{0,2}(?:-\d{1,3})?)?)(?P<detail>(?:\([A-Za-z0-9]{1,5}\)){0,6})(?![\w])"
)
REGISTER_PATTERN = compile_on_use(
    r"(?<![\w.])(?P<volume>\d{1,3}) (?:Fed\. ?Reg\.|F\. ?R\.|FR) (?P<page>\d{1,3}(?:,\d{3})|\d{1,6})(?![\w%])"
)
_EU_ACT_LETTERS = {"Regulation": "R", "Directive": "L", "Decision": "D"}
_FIRST_EU_CASE_YEAR = 53  # two digits; lower ones are of the twenty-first century
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


def find_code_citations(text: str) -> tuple[LegalCitation, ...]:
    """Every citation of these kinds in a prepared text, in order; overlapping ones count once."""
    found = [
        citation
        for pattern, build in _BUILDERS
        for match in pattern.finditer(text)
        if (citation := build(match)) is not None
    ]
    return tuple(
        _drop_overlaps(sorted(found, key=lambda item: (item.start or 0, -(item.end or 0))))
    )


def list_celex_readings(citation: LegalCitation) -> tuple[str, ...]:
    """The CELEX numbers that a citation may mean: a case number does not say whether it is a judgment or an order."""
    number = citation.normalized
    if citation.kind != "eu_celex" or number[5:7] not in {"CJ", "TJ", "FJ"}:
        return (number,)
    return tuple(f"{number[:5]}{number[5]}{letter}{number[7:]}" for letter in "JOV")


def _drop_overlaps(found: list[LegalCitation]) -> Iterator[LegalCitation]:
    last_end = -1
    for match in found:
        if (match.start or 0) >= last_end:
            yield match
            last_end = match.end or 0


def _build_neutral(match: re.Match[str]) -> LegalCitation:
    division = match["division"]
    has_division = match["court"] in {"EWHC", "UKUT", "UKFTT", "EWFC"} and division
    normalized = f"[{match['year']}] {match['court']} {int(match['number'])}"
    return LegalCitation(
        kind="uk_neutral",
        normalized=f"{normalized} ({division})" if has_division else normalized,
        text=match[0].strip(),
        volume=match["year"],
        reporter=match["court"],
        page=str(int(match["number"])),
        year=int(match["year"]),
        start=match.start(),
        end=match.end(),
    )


def _build_ecli(match: re.Match[str]) -> LegalCitation:
    return LegalCitation(
        kind="eu_ecli",
        normalized=match[0].upper(),
        text=match[0],
        reporter=match["court"].upper(),
        year=int(match["year"]),
        start=match.start(),
        end=match.end(),
    )


def _build_celex(match: re.Match[str]) -> LegalCitation:
    return LegalCitation(
        kind="eu_celex",
        normalized=match[0],
        text=match[0],
        start=match.start(),
        end=match.end(),
    )


def _build_eu_case(match: re.Match[str]) -> LegalCitation | None:
    letter = (match["letter"] or (match["second"] or "C")[0]).upper()
    short = int(match["year"])
    year = (1900 if short >= _FIRST_EU_CASE_YEAR else 2000) + short
    if not (match["letter"] or match["second"]) and year > 1989:
        return None  # "Case 12/03" without a letter is some other court's number
    return LegalCitation(
        kind="eu_celex",
        normalized=f"6{year}{letter}J{int(match['number']):04d}",
        text=match[0].strip(),
        start=match.start(),
        end=match.end(),
    )


def _build_eu_act(match: re.Match[str]) -> LegalCitation | None:
    first, second = match["first"], match["second"]
    # Since 2015 the year stands first in all acts; before, regulations had it last.
    if len(first) == 4 and first[:2] in {"19", "20"} and not match["mark"]:
        year, number = first, second
    elif len(second) == 4 and second[:2] in {"19", "20"}:
        year, number = second, first
    elif match["type"] != "Regulation" and len(first) == 2:
        year, number = f"19{first}", second
    elif len(second) == 2:
        year, number = f"19{second}", first
    else:
        return None
    return LegalCitation(
        kind="eu_celex",
        normalized=f"3{year}{_EU_ACT_LETTERS[match['type']]}{int(number):04d}",
        text=match[0].strip(),
        start=match.start(),
        end=match.end(),
    )


def _build_cfr(match: re.Match[str]) -> LegalCitation:
    return LegalCitation(
        kind="us_cfr",
        normalized=f"{match['title']} CFR {match['section']}",
        text=match[0].strip(),
        volume=match["title"],
        reporter="CFR",
        page=match["section"],
        pin_cite=match["detail"] or None,
        start=match.start(),
        end=match.end(),
    )


def _build_register(match: re.Match[str]) -> LegalCitation:
    volume, page = int(match["volume"]), match["page"].replace(",", "")
    return LegalCitation(
        kind="us_register",
        normalized=f"{volume} FR {page}",
        text=match[0].strip(),
        volume=str(volume),
        reporter="FR",
        page=page,
        start=match.start(),
        end=match.end(),
    )


_BUILDERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], LegalCitation | None]], ...] = (
    (UK_NEUTRAL_PATTERN, _build_neutral),
    (_ECLI_CITATION_PATTERN, _build_ecli),
    (_CELEX_CITATION_PATTERN, _build_celex),
    (EU_CASE_PATTERN, _build_eu_case),
    (EU_ACT_PATTERN, _build_eu_act),
    (CFR_PATTERN, _build_cfr),
    (REGISTER_PATTERN, _build_register),
)

# Compares citations of reporters as registries and authors write them.


def is_reporter_citation(text: str) -> bool:
    """Whether the whole text is one citation of a reporter: volume, reporter, page; 42 U.S.C. 1983 is not."""
    match = REPORTER_CITATION_PATTERN.fullmatch(text.strip()[:_MAX_CITATION_CHARS])
    return match is not None and _CODE_PATTERN.search(match["reporter"]) is None


def find_reporter_citation(text: str) -> str | None:
    """The first citation in a query such as Roe v. Wade, 410 U.S. 113 (1973); None if it has none.

    Inside a text only abbreviated reporters count: "10 Cases 2015" is no citation.
    """
    if is_reporter_citation(text):
        return " ".join(text.split())
    for match in _EMBEDDED_CITATION_PATTERN.finditer(text[:_MAX_QUERY_CHARS]):
        if _CODE_PATTERN.search(match["reporter"]) is None:
            return " ".join(match.group().split())
    return None


def build_citation_key(citation: str) -> str:
    """The citation without what is written in different ways: spaces, dots and capitals.

    576 U. S. 644 and 576 U.S. 644 have the same key; volume, reporter and page stay apart, so that
    1 F. 23 and 1 F.2 3 do not.
    """
    words = citation.strip()[:_MAX_CITATION_CHARS].casefold().split()
    parts = [words[0], "".join(words[1:-1]), words[-1]] if len(words) > 2 else words
    return " ".join("".join(filter(str.isalnum, part)) for part in parts)


# Tells a brief, whose running text cites cases, from a list of references.


def cites_cases(text: str) -> bool:
    """Whether a text in prose cites a case anywhere, whatever else it cites."""
    return _CASE_CITATION_PATTERN.search(text) is not None and (
        _CASE_SIGN_PATTERN.search(text) is not None
        or _FAMILIAR_REPORTER_PATTERN.search(text) is not None
    )


def is_brief_text(text: str) -> bool:
    """Whether the cases that a text cites are to be checked, rather than its entries as references.

    That is so for running text with citations of cases, and for a table of nothing but cases.
    """
    text = text[:_MAX_LOOK_CHARS]
    cases = len(_CASE_CITATION_PATTERN.findall(text))
    if not cases or not _CASE_SIGN_PATTERN.search(text):
        return False
    papers = len(_PAPER_SIGN_PATTERN.findall(text))
    if papers >= cases:
        return False
    signs = len(_PROSE_SIGN_PATTERN.findall(text))
    words = text.count(" ") + text.count("\n")
    if signs >= 2 and words <= signs * _MIN_WORDS_PER_PROSE_SIGN:
        return True
    entries = sum(1 for line in text.splitlines() if len(line.strip()) > 12)
    return not papers and cases * 10 >= entries * 8


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
