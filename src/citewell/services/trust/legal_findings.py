"""Builds the fields of answers from the check of a legal citation, and says who makes that check."""

from __future__ import annotations

from typing import Any, Protocol

from citewell.model.citation_checks import CaseRecord
from citewell.model.domains.case_verdict import BriefCheck, CaseVerdict, CheckedCitation
from citewell.model.domains.court_case import CourtCase
from citewell.services.scholar.registry_records import NOT_REGISTERED, UNCHECKED
from citewell.services.trust.candidate_ranking import HIGH, MEDIUM, NONE
from citewell.services.trust.work_lookup import WORK_FOUND
from citewell.tooling import ProgressCallback

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


class LegalCheckPort(Protocol):
    """Checks legal citations with the registries of law."""

    async def check_citation_text(self, text: str) -> CheckedCitation | None: ...

    async def check_case_name(self, name: str) -> CheckedCitation: ...

    async def check_brief(
        self,
        text: str,
        *,
        max_cases: int = ...,
        progress: ProgressCallback | None = None,
        seconds: float | None = None,
    ) -> BriefCheck: ...


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
    return {
        "existence": existence,
        "exists": {WORK_FOUND: True, NOT_REGISTERED: False}.get(existence),
        "verification_status": _STATUSES.get(checked.verdict, "uncertain"),
        "verdict": checked.verdict.value,
        "matched_record": build_case_record(checked.case),
        "match_confidence": _choose_confidence(checked),
        "title_match": checked.name_match,
        "year_match": checked.year_match,
        "court_match": checked.court_match,
        "mismatches": checked.mismatches or None,
        "possible_match": build_case_record(checked.suggested_case),
        "suggested_citation": checked.suggested_citation,
        "authenticity_caveat": _choose_caveat(checked),
        "notes": (checked.reason, *checked.notes),
        "provenance": checked.provenance or ("no registry could be asked",),
    }


def _choose_confidence(checked: CheckedCitation) -> str | None:
    if checked.verdict is CaseVerdict.CONFIRMED:
        return HIGH if checked.citation.normalized else MEDIUM
    return NONE if checked.verdict is CaseVerdict.WRONG_CASE else None


def _choose_caveat(checked: CheckedCitation) -> str | None:
    if checked.case is not None:
        return _READ_IT_CAVEAT
    return _WEAK_ABSENCE_CAVEAT if checked.verdict is CaseVerdict.NOT_IN_REGISTRY else None
