"""Sentences for the reader about a lookup: what it does and does not show, and where to look next."""

from __future__ import annotations

from citewell.services.scholar.registry_records import NOT_REGISTERED, UNCHECKED
from citewell.services.trust.work_lookup import (
    HIGH,
    LOW,
    NONE,
    WORK_FOUND,
    WorkFinding,
)

REACHABLE_PAGE_CAVEAT = (
    "A working address does not show that its content is reliable or says what is claimed."
)
_REGISTERED_CAVEAT = (
    "A registered identifier shows that the work exists, not that it says what it is cited for."
)
_WORD_MATCH_CAVEAT = "The match is based on words in common: compare the record with the reference."
_UNMATCHED_CAVEAT = (
    "No registry has a work like this. Books, reports, theses and web pages are often not registered,"
    " so this does not prove that it does not exist."
)
_UNCHECKED_NOTE = "No registry that could know the work answered, so its existence could not be checked. Ask again later."
_UNASKED_NOTE = "No configured registry covers it, so its existence could not be checked."
_NEAREST_RECORD_NOTE = (
    "No record matches with certainty; compare the nearest one with the citation."
)
_UNDECIDED_NOTE = "No registry that answered has a work like this, but the citation says too little, or too few registries answered, to conclude anything."
_LEGAL_DATABASES = {
    "reporter": "CourtListener (https://www.courtlistener.com)",
    "case_name": "CourtListener (https://www.courtlistener.com) or the court's own site",
    "statute": "govinfo (https://www.govinfo.gov)",
    "neutral": "BAILII (https://www.bailii.org) or the court's own site",
    "law_report": "BAILII (https://www.bailii.org)",
    "ecli": "the ECLI search of the European e-Justice Portal",
    "eu_case": "CURIA (https://curia.europa.eu)",
    "eu_act": "EUR-Lex (https://eur-lex.europa.eu)",
    "celex": "EUR-Lex (https://eur-lex.europa.eu)",
    "echr": "HUDOC (https://hudoc.echr.coe.int)",
    "german": "the court's own site",
    "french": "Légifrance (https://www.legifrance.gouv.fr)",
}


def describe_legal_citation(form: str, text: str) -> str:
    place = _LEGAL_DATABASES.get(form, _LEGAL_DATABASES["case_name"])
    return (
        f"“{text}” is a legal citation, which registries of papers do not hold; it was not looked up"
        f" there. Check it at {place}; CourtListener looks up citations of United States cases."
    )


def choose_caveat(finding: WorkFinding) -> str | None:
    if finding.existence == WORK_FOUND:
        return (
            _REGISTERED_CAVEAT
            if finding.confidence in {HIGH, None} and not finding.searched_by_words
            else _WORD_MATCH_CAVEAT
        )
    return _UNMATCHED_CAVEAT if finding.searched_without_match else None


def describe_finding(finding: WorkFinding) -> tuple[str, ...]:
    return tuple(_collect_finding_notes(finding))


def _collect_finding_notes(finding: WorkFinding) -> list[str]:
    said: list[str] = []
    if finding.existence == NOT_REGISTERED:
        said.append("The registry answered that this identifier is not registered.")
    elif finding.existence == UNCHECKED and not finding.searched_without_match:
        said.extend(_describe_unchecked_work(finding))
    if finding.existence == WORK_FOUND and finding.paper is None:
        said.append("The identifier is registered, but no registry could describe its work.")
    if finding.is_contradicted and finding.paper is not None:
        said.append("The record under this identifier is not the work that the citation describes.")
    if finding.suggested_doi:
        fit = "The nearest record is" if finding.existence == UNCHECKED else "The words fit"
        said.append(f"{fit} the work with DOI {finding.suggested_doi}.")
    if finding.identity is not None and finding.paper is not None:
        said.extend(finding.identity.notes)
    return said


def _describe_unchecked_work(finding: WorkFinding) -> tuple[str, ...]:
    if finding.confidence in {NONE, LOW}:
        return (_UNDECIDED_NOTE,)
    if finding.other_paper is not None:
        return () if finding.suggested_doi else (_NEAREST_RECORD_NOTE,)
    return (_UNCHECKED_NOTE if finding.has_asked else _UNASKED_NOTE,)
