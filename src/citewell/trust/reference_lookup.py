"""Looks up what one reference means: the work in the registries, or the case in those of law, with its findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from citewell.citations import dois, identifiers, official_citations
from citewell.citations.references.reference_fields import Reference
from citewell.core.values.citation_checks import CaseRecord
from citewell.core.values.court_case import CaseVerdict, CheckedCitation, CourtCase
from citewell.core.values.paper import IdentifierScheme, PaperId
from citewell.scholar.registry_records import NOT_REGISTERED, UNCHECKED
from citewell.trust.registry_judgement import HIGH, MEDIUM, NONE
from citewell.trust.work_identity import CitedWork, build_cited_work
from citewell.trust.work_lookup import WORK_FOUND, WorkFinding, WorkLookup

if TYPE_CHECKING:
    from citewell.domains.law.citation_service import LegalCitationChecker

_EXISTENCES = {
    CaseVerdict.CONFIRMED: WORK_FOUND,
    CaseVerdict.WRONG_CASE: WORK_FOUND,
    CaseVerdict.WRONG_DETAILS: WORK_FOUND,
    CaseVerdict.MISPLACED: NOT_REGISTERED,
    CaseVerdict.NO_SUCH_CASE: NOT_REGISTERED,
    CaseVerdict.IMPOSSIBLE: NOT_REGISTERED,
}
_STATUSES = {
    CaseVerdict.CONFIRMED: "confirmed",
    CaseVerdict.MISPLACED: "not_found",
    CaseVerdict.NO_SUCH_CASE: "not_found",
    CaseVerdict.IMPOSSIBLE: "not_found",
    CaseVerdict.NOT_IN_REGISTRY: "not_found",
}
_MISMATCH_FLAG, _NOT_FOUND_FLAG, _UNCHECKED_FLAG = "mismatch", "not_found", "unchecked"
_FLAGS = {
    CaseVerdict.WRONG_CASE: _MISMATCH_FLAG,
    CaseVerdict.WRONG_DETAILS: _MISMATCH_FLAG,
    CaseVerdict.MISPLACED: _NOT_FOUND_FLAG,
    CaseVerdict.NO_SUCH_CASE: _NOT_FOUND_FLAG,
    CaseVerdict.IMPOSSIBLE: _NOT_FOUND_FLAG,
    CaseVerdict.NOT_IN_REGISTRY: _UNCHECKED_FLAG,
    CaseVerdict.UNCHECKED: _UNCHECKED_FLAG,
}
_READ_IT_CAVEAT = "That a case exists does not show that it says what it is cited for: read it before relying on it."
_WEAK_ABSENCE_CAVEAT = (
    "The registry does not hold every case, so this does not prove that the case does not exist."
)

_MAX_IDENTIFIED_CHARS = 4000  # characters of an entry searched for an identifier
# Pages that show the record of an identifier, which stands in the address itself.
_RECORD_PAGE_PATTERN = re.compile(
    r"https?://(?:(?:www\.|export\.)?arxiv\.org/(?:abs|pdf)/|pubmed\.ncbi\.nlm\.nih\.gov/\d)",
    re.IGNORECASE,
)
_MAX_CASE_CHARS = 160  # characters searched for a legal citation

NO_FINDING = WorkFinding(existence=UNCHECKED)


class ReferenceLookup:
    def __init__(self, lookup: WorkLookup, legal: LegalCitationChecker | None = None) -> None:
        self._lookup = lookup
        self._legal = legal

    async def find_cited_work(
        self, reference: Reference, *, structured: bool, tenant: str | None = None
    ) -> WorkFinding:
        """What registries have; `structured` if the fields were given, not guessed from text."""
        if find_legal_form(reference):
            return NO_FINDING
        cited = (
            build_cited_work(reference, structured=True)
            if structured
            else parse_prose_citation(reference)
        )
        if not reference.ids and cited.is_identifier_only:
            return NO_FINDING
        return await self._lookup.look_up_work(
            reference.ids,
            cited,
            venue=reference.venue,
            has_address=bool(find_checked_address(reference)),
            tenant=tenant,
        )

    async def check_cited_case(self, reference: Reference) -> CheckedCitation | None:
        """The check of a legal citation; None if the reference is none."""
        form = find_legal_form(reference)
        if self._legal is None or not form:
            return None
        checked = await self._legal.check_citation_text(compose_legal_citation(reference))
        if checked is None and form == "case_name" and " v" in reference.title:
            return await self._legal.check_case_name(reference.title)
        return checked


# What an audit takes from a reference to look it up: identifiers, words, address, legal citation.


def build_lookup_key(reference: Reference, *, structured: bool) -> Reference:
    """The reference without what does not change its lookup: equal ones are looked up once."""
    worded = "" if structured and reference.title else " ".join(reference.raw.split())
    return replace(reference, key="", line=None, claim="", raw=worded)


def add_address_identifiers(reference: Reference) -> Reference:
    """The reference with the identifiers in its address, if it has none of its own."""
    known = reference.ids or (identifiers.find_identifiers(reference.url) if reference.url else ())
    if not known and (number := official_citations.find_rfc_field(reference.raw)):
        known = (PaperId(scheme=IdentifierScheme.RFC, value=number),)
    if reference.doi and reference.doi == dois.find_doi(reference.raw):
        meant = [
            PaperId(scheme=IdentifierScheme.DOI, value=reading)
            for reading in dois.list_doi_readings(reference.raw)
        ]
        known = (
            *meant,
            *(paper_id for paper_id in known if paper_id.scheme is not IdentifierScheme.DOI),
        )
    return replace(reference, ids=tuple(_normalize_isbns(known)))


def parse_prose_citation(reference: Reference) -> CitedWork:
    """The cited work from the reference's text without its identifiers, which could be taken for a title."""
    text = identifiers.identify_citation(reference.raw).surrounding_text
    return build_cited_work(reference, structured=False, text=text) if text else CitedWork()


def _normalize_isbns(ids: Iterable[PaperId]) -> Iterator[PaperId]:
    """ISBNs in one form; one with a wrong check digit is left out, and so not looked up."""
    for paper_id in ids:
        if paper_id.scheme is not IdentifierScheme.ISBN:
            yield paper_id
        elif (isbn := identifiers.parse_isbn(paper_id.value)).is_valid:
            yield PaperId(scheme=IdentifierScheme.ISBN, value=isbn.value)


def find_identifier_fault(reference: Reference, finding: WorkFinding) -> str:
    """Why the entry's ISBN is invalid, or why its standard's number could not be looked up."""
    if "isbn" in reference.raw.lower():
        return identifiers.identify_citation(reference.raw[:_MAX_IDENTIFIED_CHARS]).fault
    if reference.ids or finding.paper is not None:
        return ""
    numbers = (
        official_citations.find_standard(text) for text in (reference.title, reference.raw) if text
    )
    found = next(filter(None, numbers), None)
    return official_citations.describe_standard(found) if found else ""


def find_checked_address(reference: Reference) -> str:
    """The address to check; empty for that of an identifier, which the registry answers for."""
    url = reference.url
    is_answered = bool(reference.ids) and (
        dois.is_doi_resolver(url) or _RECORD_PAGE_PATTERN.match(url) is not None
    )
    return "" if not url.startswith("http") or is_answered else url


def find_legal_form(reference: Reference) -> str:
    """The form of legal citation; empty if the reference is not a case or statute."""
    if reference.ids:
        return ""
    if reference.kind in {"legal_case", "legislation", "bill", "regulation", "treaty"}:
        return "case_name"
    found = official_citations.find_legal_citation(
        reference.title
    ) or official_citations.find_legal_citation(reference.raw[:_MAX_CASE_CHARS])
    return found.form if found else ""


def compose_legal_citation(reference: Reference) -> str:
    """The citation as one text: from the fields if the format has them, else as written."""
    if reference.volume and reference.venue and reference.pages:
        page = reference.pages.replace("–", "-").partition("-")[0]
        year = f" ({reference.year})" if reference.year else ""
        return f"{reference.title}, {reference.volume} {reference.venue} {page}{year}"
    return reference.raw


# The fields of answers from the check of a legal citation.


def find_legal_existence(checked: CheckedCitation) -> str:
    return _EXISTENCES.get(checked.verdict, UNCHECKED)


def find_legal_flag(checked: CheckedCitation) -> str | None:
    """The flag that an audit gives to it; None if nothing is wrong."""
    return _FLAGS.get(checked.verdict)


def build_legal_entry_fields(checked: CheckedCitation) -> dict[str, Any]:
    """The fields of an audit's entry that tell of the check of a legal citation."""
    existence = find_legal_existence(checked)
    return {
        "exists": {WORK_FOUND: True, NOT_REGISTERED: False}.get(existence),
        "existence": existence,
        "matched_title": checked.case.name if checked.case else None,
        "title_match": checked.name_match,
        "year_match": checked.year_match,
        "court_match": checked.court_match,
        "verdict": checked.verdict.value,
        "citation": checked.citation.normalized or None,
        "case_name": checked.citation.case_name,
        "suggested_citation": checked.suggested_citation,
        "matched_record": build_case_record(checked.case or checked.suggested_case),
    }


def build_case_record(case: CourtCase | None) -> CaseRecord | None:
    if case is None:
        return None
    return CaseRecord(
        title=case.name,
        case_name=case.name,
        url=case.url,
        source=case.source,
        citation=next(iter(case.citations), None),
        citations=case.citations or None,
        court=case.court,
        court_id=case.court_id,
        date_filed=case.date_filed,
        docket_number=case.docket_number,
    )


def build_legal_verification(checked: CheckedCitation) -> dict[str, Any]:
    """The fields of a verification of one legal citation."""
    existence = find_legal_existence(checked)
    confidence = NONE if checked.verdict is CaseVerdict.WRONG_CASE else None
    if checked.verdict is CaseVerdict.CONFIRMED:
        confidence = HIGH if checked.citation.normalized else MEDIUM
    caveat = _WEAK_ABSENCE_CAVEAT if checked.verdict is CaseVerdict.NOT_IN_REGISTRY else None
    if checked.case is not None:
        caveat = _READ_IT_CAVEAT
    return {
        "existence": existence,
        "exists": {WORK_FOUND: True, NOT_REGISTERED: False}.get(existence),
        "verification_status": _STATUSES.get(checked.verdict, "uncertain"),
        "verdict": checked.verdict.value,
        "matched_record": build_case_record(checked.case),
        "match_confidence": confidence,
        "title_match": checked.name_match,
        "year_match": checked.year_match,
        "court_match": checked.court_match,
        "mismatches": checked.mismatches or None,
        "possible_match": build_case_record(checked.suggested_case),
        "suggested_citation": checked.suggested_citation,
        "authenticity_caveat": caveat,
        "notes": (checked.reason, *checked.notes),
        "provenance": checked.provenance or ("no registry could be asked",),
    }
