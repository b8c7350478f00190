"""Recognises cases, patents, filings, trials, statistics and texts of law by their address.

A source is often known only by its address and title. Citations of such records have forms of their
own, so the parts that these need are read from the address and the title.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from citewell.text.citations.citable_works import CitableWork
from citewell.text.web import addresses

CASE_KIND, PATENT_KIND, LAW_KIND, REGULATION_KIND = (
    "legal_case",
    "patent",
    "legislation",
    "regulation",
)
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
_STATISTICS_PUBLISHERS = {
    "data.worldbank.org": "World Bank",
    "databank.worldbank.org": "World Bank",
    "fred.stlouisfed.org": "Federal Reserve Bank of St. Louis",
    "data-explorer.oecd.org": "Organisation for Economic Co-operation and Development",
    "stats.oecd.org": "Organisation for Economic Co-operation and Development",
    "data.ecb.europa.eu": "European Central Bank",
    "data.imf.org": "International Monetary Fund",
}
PATENT_OFFICES = {
    "US": ("U.S. Patent", "U.S. Patent and Trademark Office", "United States patent"),
    "EP": ("European Patent", "European Patent Office", "European patent"),
    "WO": ("International Patent", "World Intellectual Property Organization", "International patent"),
    "JP": ("Japanese Patent", "Japan Patent Office", "Japan patent"),
    "CN": ("Chinese Patent", "China National Intellectual Property Administration", "China patent"),
    "KR": ("Korean Patent", "Korean Intellectual Property Office", "Korea patent"),
    "DE": ("German Patent", "German Patent and Trade Mark Office", "Germany patent"),
    "GB": ("UK Patent", "Intellectual Property Office", "United Kingdom patent"),
    "FR": ("French Patent", "Institut national de la propriété industrielle", "France patent"),
}  # fmt: skip


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
    office = PATENT_OFFICES.get(number[:2], ("", "", ""))[1]
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


def _complete_filing(work: CitableWork) -> CitableWork:
    return replace(
        work, kind="report", publisher="U.S. Securities and Exchange Commission", site=""
    )


def _complete_statistics(work: CitableWork) -> CitableWork:
    host = addresses.format_host_name(work.url)
    publisher = _STATISTICS_PUBLISHERS.get(host, "Eurostat")
    return replace(work, kind="dataset", publisher=publisher, site="")


def _is_statistics_address(host: str, url: str) -> bool:
    return host in _STATISTICS_PUBLISHERS or (host == "ec.europa.eu" and "/eurostat/" in url)


def _is_patent_address(_host: str, url: str) -> bool:
    return addresses.format_host_name(url) == "patents.google.com" and bool(
        _PATENT_PATH_PATTERN.search(url)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _RecordRule:
    """Which addresses hold a type of record, and how a citation of one is completed."""

    type: str  # the word that a reader is shown
    belongs: Callable[[str, str], bool]  # given host and address
    complete: Callable[[CitableWork], CitableWork]


_RECORD_RULES = (
    _RecordRule(type="patent", belongs=_is_patent_address, complete=_complete_patent),
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
        complete=_complete_filing,
    ),
    _RecordRule(type="dataset", belongs=_is_statistics_address, complete=_complete_statistics),
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
