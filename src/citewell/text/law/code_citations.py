"""Finds citations of law that are not volumes of US reports: UK neutral citations, EU law, CFR, Federal Register."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from citewell.model.domains.court_case import LegalCitation

_UK_COURTS_REGEX = r"UKSC|UKHL|UKPC|EWCA (?:Civ|Crim)|EWHC|EWFC|EWCOP|EWCC|UKUT|UKFTT|UKEAT|EAT|UKIPTrib|UKAIT|UKSIAC|CAT"
UK_NEUTRAL_PATTERN = re.compile(
    rf"[\[(](?P<year>(?:19|20)\d\d)[\])] (?P<court>{_UK_COURTS_REGEX}) (?P<number>\d{{1,5}})(?: ?\((?P<division>[A-Z][A-Za-z]{{1,8}}|B)\))?"
)
ECLI_PATTERN = re.compile(
    r"\bECLI:(?P<country>[A-Z]{2}):(?P<court>[A-Z0-9]{1,7}):(?P<year>\d{4}):(?P<number>[A-Z0-9.]{1,25}(?<!\.))",
    re.IGNORECASE,
)
CELEX_PATTERN = re.compile(r"(?<![\w/])(?P<sector>[1-9CE])(?P<year>(?:19|20)\d\d)(?P<type>[A-Z]{1,2})(?P<number>\d{4})(?:R\(\d{2}\))?(?![\w/])")  # fmt: skip
# C-311/18, T‑201/04, Case 26/62; suffixes P, PPU, RENV, R and so on are of no use for looking up.
EU_CASE_PATTERN = re.compile(
    r"(?:\b(?:Joined )?Cases? |\b(?P<letter>[CTF])[-–])(?P<second>[CTF][-–])?(?P<number>\d{1,4})/(?P<year>\d{2})(?!\d|/)(?: (?:P|PPU|RENV|R|RX|DEP|INT|SA)\b)?"
)
EU_ACT_PATTERN = re.compile(
    r"\b(?P<type>Regulation|Directive|Decision)s? (?:\((?:EU|EC|EEC|Euratom|EU, Euratom)\) )?(?P<mark>No\.? ?)?(?P<first>\d{2,4})/(?P<second>\d{1,4})(?:/(?:EU|EC|EEC|JHA|CFSP))?(?![\d/])"
)
CFR_PATTERN = re.compile(
    r"(?<![\w.])(?P<title>[1-9]|[1-4]\d|50) ?(?:C\. ?F\. ?R\.|CFR|Code of Federal Regulations) ?(?:§{1,2} ?|sections? |sec\. |pts?\. |parts? |Part )?(?P<section>\d{1,4}(?:\.\d{1,4}[A-Za-z]?(?:-\d{1,4}[A-Za-z]?){0,3}|\.\d{1,3}[a-z]{1,2}\d{0,2}(?:-\d{1,3})?)?)(?P<detail>(?:\([A-Za-z0-9]{1,5}\)){0,6})(?![\w])"
)
REGISTER_PATTERN = re.compile(
    r"(?<![\w.])(?P<volume>\d{1,3}) (?:Fed\. ?Reg\.|F\. ?R\.|FR) (?P<page>\d{1,3}(?:,\d{3})|\d{1,6})(?![\w%])"
)
_EU_ACT_LETTERS = {"Regulation": "R", "Directive": "L", "Decision": "D"}
_FIRST_EU_CASE_YEAR = 53  # two digits; lower ones are of the twenty-first century


def find_code_citations(text: str) -> tuple[LegalCitation, ...]:
    """Every citation of these kinds in a prepared text, in order; overlapping ones count once."""
    found = [
        citation
        for pattern, build in _BUILDERS
        for match in pattern.finditer(text)
        if (citation := build(match)) is not None
    ]
    return tuple(_drop_overlaps(sorted(found, key=lambda one: (one.start or 0, -(one.end or 0)))))


def list_celex_readings(citation: LegalCitation) -> tuple[str, ...]:
    """The CELEX numbers that a citation may mean: a case number does not say whether it is a judgment or an order."""
    number = citation.normalized
    if citation.kind != "eu_celex" or number[5:7] not in {"CJ", "TJ", "FJ"}:
        return (number,)
    return tuple(f"{number[:5]}{number[5]}{letter}{number[7:]}" for letter in "JOV")


def _drop_overlaps(found: list[LegalCitation]) -> Iterator[LegalCitation]:
    last_end = -1
    for one in found:
        if (one.start or 0) >= last_end:
            yield one
            last_end = one.end or 0


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
    (ECLI_PATTERN, _build_ecli),
    (CELEX_PATTERN, _build_celex),
    (EU_CASE_PATTERN, _build_eu_case),
    (EU_ACT_PATTERN, _build_eu_act),
    (CFR_PATTERN, _build_cfr),
    (REGISTER_PATTERN, _build_register),
)
