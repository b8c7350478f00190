"""Recognises cases, patents, filings, trials, statistics and texts of law by their address.

A source is often known only by its address and title. Citations of such records have forms of their
own, so the parts that these need are read from the address and the title.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from citewell.citations.citable_works import CitableWork
from citewell.citations.styles.apa import format_apa_authors
from citewell.citations.styles.chicago import format_chicago_authors
from citewell.citations.styles.harvard import format_harvard_authors
from citewell.citations.styles.ieee import format_ieee_authors
from citewell.citations.styles.mla import format_mla_authors
from citewell.citations.styles.style_parts import (
    LONG_MONTHS,
    SHORT_MONTHS,
    add_final_mark,
    join_nonempty,
)
from citewell.citations.styles.vancouver import format_vancouver_authors
from citewell.text import addresses
from citewell.text.data_tables import load_table, load_texts

CASE_KIND = "legal_case"
PATENT_KIND = "patent"
LAW_KIND = "legislation"
REGULATION_KIND = "regulation"
_REPORTER_CITATION_PATTERN = re.compile(
    r"(?P<name>[^\n]{1,300}?),? (?P<volume>\d{1,4}) (?P<reporter>[A-Z][A-Za-z0-9.'’ ]{0,30}?)"
    r" (?P<page>\d{1,6})(?: ?\((?:(?P<court>[^()]{1,40}) )?(?P<year>\d{4})\))?"
    r"(?P<rest>[^\n]{0,100})"
)
_NEUTRAL_CITATION_PATTERN = re.compile(
    r"\[(?P<year>\d{4})\] (?:EWCA (?:Civ|Crim)|[A-Z]{2,6}) \d{1,5}(?: \([A-Za-z]{2,10}\))?"
)
_PATENT_PATH_PATTERN = re.compile(r"/patent/(?P<number>[A-Z]{2}[A-Z]?\d[\dA-Z]{2,16})(?:/|$)")
_TRIAL_PATH_PATTERN = re.compile(r"/(?:study|show)/(?P<number>NCT\d{8})(?:/|$)")
_SITE_SUFFIX_PATTERN = re.compile(
    r" [–|—-] (?:CourtListener(?:\.com)?|Google Patents|Find [Cc]ase [Ll]aw)$"
)
_COURT_SITES = ("courtlistener.com", "caselaw.nationalarchives.gov.uk", "curia.europa.eu")
_REGULATION_SITES = ("federalregister.gov", "ecfr.gov")


def recognize_official_record(work: CitableWork) -> CitableWork:
    """The work with kind, number and the like, if its address is that of such a record.

    A work that has a kind keeps it, and one that is no such record is returned as it is.
    """
    if not work.is_web_page or work.doi:
        return work
    rule = _find_record_rule(work.url)
    if rule is None:
        return work
    return rule.complete(replace(work, title=_SITE_SUFFIX_PATTERN.sub("", work.title)))


def name_record_type(url: str) -> str | None:
    """case, patent, filing, trial, dataset or law, if the address is that of such a record."""
    rule = _find_record_rule(url)
    return rule.type if rule else None


def parse_case_title(work: CitableWork) -> CitableWork:
    """A case whose title is its name with a citation: "Roe v. Wade, 410 U.S. 113 (1973)"."""
    case = replace(work, kind=CASE_KIND, site="")
    if found := _NEUTRAL_CITATION_PATTERN.search(work.title):
        name = work.title[: found.start()].rstrip(" ,")
        return replace(case, title=name or work.title, number=found[0], published=found["year"])
    if found := _REPORTER_CITATION_PATTERN.match(work.title):
        return replace(
            case,
            title=found["name"].rstrip(" ,"),
            volume=found["volume"],
            site=found["reporter"],
            pages=found["page"],
            authority=found["court"] or work.authority,
            published=found["year"] or work.published,
        )
    return case


def _complete_patent(work: CitableWork) -> CitableWork:
    found = _PATENT_PATH_PATTERN.search(work.url)
    number = found["number"] if found else work.number
    title = work.title.removeprefix(f"{number} - ").strip()
    office = load_patent_offices().get(number[:2], ("", "", ""))[1]
    return replace(work, kind=PATENT_KIND, title=title, number=number, authority=office, site="")


def _complete_trial(work: CitableWork) -> CitableWork:
    found = _TRIAL_PATH_PATTERN.search(work.url)
    return replace(
        work,
        kind="report",
        number=f"ClinicalTrials.gov identifier {found['number']}" if found else "",
        publisher="U.S. National Library of Medicine",
        site="",  # the number names the registry
    )


def _complete_statistics(work: CitableWork) -> CitableWork:
    host = addresses.format_host_name(work.url)
    publisher = load_texts(__package__, "official_records", "statistics_publishers").get(
        host, "Eurostat"
    )
    return replace(work, kind="dataset", publisher=publisher, site="")


@dataclass(frozen=True, slots=True, kw_only=True)
class _RecordRule:
    """Which addresses hold a type of record, and how a citation of one is completed."""

    type: str  # the word that a reader is shown
    belongs: Callable[[str, str], bool]  # given host and address
    complete: Callable[[CitableWork], CitableWork]


_RECORD_RULES = (
    _RecordRule(
        type="patent",
        belongs=lambda _host, url: (
            addresses.format_host_name(url) == "patents.google.com"
            and bool(_PATENT_PATH_PATTERN.search(url))
        ),
        complete=_complete_patent,
    ),
    _RecordRule(
        type="trial",
        belongs=lambda host, url: (
            host == "clinicaltrials.gov" and bool(_TRIAL_PATH_PATTERN.search(url))
        ),
        complete=_complete_trial,
    ),
    _RecordRule(
        type="filing",
        belongs=lambda host, url: host == "sec.gov" and "/Archives/edgar/" in url,
        complete=lambda work: replace(
            work, kind="report", publisher="U.S. Securities and Exchange Commission", site=""
        ),
    ),
    _RecordRule(
        type="dataset",
        belongs=lambda host, url: (
            host in load_texts(__package__, "official_records", "statistics_publishers")
            or (host == "ec.europa.eu" and "/eurostat/" in url)
        ),
        complete=_complete_statistics,
    ),
    _RecordRule(
        type="case", belongs=lambda host, _url: host in _COURT_SITES, complete=parse_case_title
    ),
    _RecordRule(
        type="law",
        belongs=lambda host, _url: host in _REGULATION_SITES,
        complete=lambda work: replace(work, kind=REGULATION_KIND),
    ),
    _RecordRule(
        type="law",
        belongs=lambda host, _url: host == "eur-lex.europa.eu",
        complete=lambda work: replace(work, kind=LAW_KIND, site=""),
    ),
)


def _find_record_rule(url: str) -> _RecordRule | None:
    host = addresses.format_host_name(url)
    return next((rule for rule in _RECORD_RULES if rule.belongs(host, url)), None)


@cache
def load_patent_offices() -> dict[str, tuple[str, str, str]]:
    return {
        name: (a, b, c)
        for name, (a, b, c) in load_table(__package__, "official_records")["patent_offices"].items()
    }


# Cases, patents and texts of law in every style; these have the same form in most of them.

_PATENT_NUMBER_PATTERN = re.compile(r"(?P<office>[A-Z]{2})(?P<digits>\d{1,14})(?P<kind>[A-Z]\d?)?")
_APPLICATION_YEAR_DIGITS = 4
_US_APPLICATION_DIGITS = 11
_ADDRESS_FORMS = {
    "apa": "{url}",
    "mla": "{url}.",
    "chicago": "{url}.",
    "harvard": "Available at: {url}.",
    "vancouver": "Available from: {url}",
    "ieee": "[Online]. Available: {url}",
}


def format_official_record(work: CitableWork, style: str) -> str | None:
    """The entry of a case, patent or text of law; None for any other kind of work."""
    if work.kind == CASE_KIND:
        return _add_address(_format_case(work, style), work, style)
    if work.kind == PATENT_KIND and work.number:
        return _add_address(_PATENT_FORMS[style](work), work, style)
    if work.kind in {LAW_KIND, REGULATION_KIND}:
        year = work.date_parts[0]
        named = join_nonempty((work.title or work.url, work.number), ", ")
        entry = f"{named} ({year})." if year and year not in named else add_final_mark(named)
        return _add_address(entry, work, style)
    return None


def format_bluebook_case(work: CitableWork) -> str:
    """Name, volume reporter page (court year); by its neutral citation or docket number without one."""
    year = work.date_parts[0]
    if work.number.startswith("["):  # a neutral citation names court and year itself
        return join_nonempty((work.title, work.number))
    cited = join_nonempty((work.volume, work.site, work.pages)) if work.volume else ""
    cited = cited or (f"No. {work.number}" if work.number else "")
    decided = join_nonempty((work.authority, year))
    return join_nonempty(
        (join_nonempty((work.title, cited), ", "), f"({decided})" if decided else "")
    )


def _add_address(entry: str, work: CitableWork, style: str) -> str:
    address = _ADDRESS_FORMS[style].format(url=work.url) if work.url else ""
    return join_nonempty((entry, address))


def _format_case(work: CitableWork, style: str) -> str:
    year = work.date_parts[0]
    if style == "harvard" and year and not work.number.startswith("["):
        cited = join_nonempty((work.volume, work.site, work.pages)) if work.volume else ""
        return add_final_mark(join_nonempty((work.title, f"({year})", cited or work.number)))
    return add_final_mark(format_bluebook_case(work))


def format_patent_number(number: str) -> str:
    """The number as people write it: US10165245B2 as 10,165,245 B2, other offices with their code."""
    found = _PATENT_NUMBER_PATTERN.fullmatch(number)
    if found is None:
        return number
    digits, kind = found["digits"], found["kind"] or ""
    if found["office"] != "US":
        return join_nonempty((f"{found['office']} {digits}", kind))
    if len(digits) == _US_APPLICATION_DIGITS:
        year, rest = digits[:_APPLICATION_YEAR_DIGITS], digits[_APPLICATION_YEAR_DIGITS:]
        return join_nonempty((f"{year}/{rest}", kind))
    return join_nonempty((f"{int(digits):,}", kind))


def _name_patent(work: CitableWork) -> str:
    return load_patent_offices().get(work.number[:2], ("Patent", "", "Patent"))[0]


def _format_apa_patent(work: CitableWork) -> str:
    when = f"({work.date_parts[0] or 'n.d.'})."
    number = f"({_name_patent(work)} No. {format_patent_number(work.number)})"
    title = add_final_mark(join_nonempty((work.title, number)))
    names = add_final_mark(format_apa_authors(work.authors))
    head = (names, when, title) if names else (title, when)
    return join_nonempty((*head, add_final_mark(work.authority)))


def _format_mla_patent(work: CitableWork) -> str:
    year, month, day = work.date_parts
    day_text = join_nonempty(
        (str(day) if day and month else "", SHORT_MONTHS[month - 1] if month else "", year)
    )
    number = f"{_name_patent(work)} {format_patent_number(work.number)}"
    return join_nonempty(
        (
            add_final_mark(format_mla_authors(work.authors)),
            add_final_mark(work.title),
            f"{join_nonempty((number, work.authority, day_text), ', ')},",
        )
    )


def _format_chicago_patent(work: CitableWork) -> str:
    year, month, day = work.date_parts
    issued = ""
    if month:
        issued = f"issued {LONG_MONTHS[month - 1]}{f' {day}' if day else ''}, {year}"
    number = f"{_name_patent(work)} {format_patent_number(work.number)}"
    names = add_final_mark(format_chicago_authors(work.authors))
    title = f"“{add_final_mark(work.title)}”" if work.title else ""
    when = f"{year or 'n.d.'}."
    head = (names, when, title) if names else (title, when)
    return join_nonempty((*head, add_final_mark(join_nonempty((number, issued), ", "))))


def _format_harvard_patent(work: CitableWork) -> str:
    year = f"({work.date_parts[0] or 'no date'})"
    title = f"‘{work.title}’" if work.title else ""
    number = f"{_name_patent(work)} no. {format_patent_number(work.number)}."
    names = format_harvard_authors(work.authors)
    head = (names, year, title) if names else (title, year)
    return join_nonempty((add_final_mark(join_nonempty(head), british=True), number))


def _format_vancouver_patent(work: CitableWork) -> str:
    names = format_vancouver_authors(work.authors)
    inventors = "inventors" if len(work.authors) > 1 else "inventor"
    country = load_patent_offices().get(work.number[:2], ("", "", "Patent"))[2]
    number = format_patent_number(work.number)
    coded = number if number.startswith(work.number[:2]) else f"{work.number[:2]} {number}"
    year, month, day = work.date_parts
    when = join_nonempty(
        (year, LONG_MONTHS[month - 1][:3] if month else "", str(day) if month and day else "")
    )
    return join_nonempty(
        (
            f"{names}, {inventors}." if names else "",
            add_final_mark(work.title),
            f"{country} {coded}.",
            add_final_mark(when),
        )
    )


def _format_ieee_patent(work: CitableWork) -> str:
    number = format_patent_number(work.number).replace(",", " ")
    year, month, day = work.date_parts
    when = year
    if month:
        when = f"{SHORT_MONTHS[month - 1]}{f' {day}' if day else ''}, {year}"
    head = join_nonempty((format_ieee_authors(work.authors), f"“{work.title},”"), ", ")
    return add_final_mark(f"{head} {join_nonempty((f'{_name_patent(work)} {number}', when), ', ')}")


_PATENT_FORMS: dict[str, Callable[[CitableWork], str]] = {
    "apa": _format_apa_patent,
    "mla": _format_mla_patent,
    "chicago": _format_chicago_patent,
    "harvard": _format_harvard_patent,
    "vancouver": _format_vancouver_patent,
    "ieee": _format_ieee_patent,
}
