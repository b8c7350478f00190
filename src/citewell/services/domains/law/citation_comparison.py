"""Compares a citation with the case that a registry has there: name, year, court, parallel citations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citewell.model.domains.court_case import CourtCase, LegalCitation
from citewell.text.law.citation_groups import CitedCase
from citewell.text.law.court_citations import build_citation_key
from citewell.text.law.court_labels import compare_courts
from citewell.text.law.name_matching import (
    NameAgreement,
    compare_case_names,
    is_single_party_of,
)

MATCH, MISMATCH, NOT_CHECKED = "match", "mismatch", "not_checked"
_OLD_YEAR = 1900  # before it, terms and years of decision are mixed up in all registries
_YEAR_EDGE_MONTHS = frozenset({"12", "01"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseComparison:
    """How a citation and a recorded case agree; each part is match, mismatch or not_checked."""

    case: CourtCase
    name: str = NOT_CHECKED
    year: str = NOT_CHECKED
    court: str = NOT_CHECKED
    wrong_parallels: tuple[tuple[str, str], ...] = ()  # as written, as recorded

    @property
    def is_same_case(self) -> bool:
        return self.name != MISMATCH

    @property
    def mismatch_count(self) -> int:
        return (self.year, self.court).count(MISMATCH) + len(self.wrong_parallels)


def choose_best_case(cited: CitedCase, cases: Sequence[CourtCase]) -> CaseComparison:
    """The comparison with the case that agrees best: several may share a page of a reporter."""
    compared = [_compare_case(cited, case) for case in cases]
    return min(
        compared, key=lambda one: (one.name == MISMATCH, one.mismatch_count, one.name != MATCH)
    )


def _compare_case(cited: CitedCase, case: CourtCase) -> CaseComparison:
    citation = cited.main.citation
    is_reported = citation.kind == "us_case"
    return CaseComparison(
        case=case,
        name=_compare_name(cited, case),
        year=_compare_year(citation, case) if is_reported else NOT_CHECKED,
        court=_compare_court(citation, case) if is_reported else NOT_CHECKED,
        wrong_parallels=tuple(_find_wrong_parallels(cited, case)),
    )


def _compare_name(cited: CitedCase, case: CourtCase) -> str:
    citation = cited.main.citation
    if not citation.case_name or citation.kind in {"us_cfr", "us_register"}:
        return NOT_CHECKED
    if not cited.main.has_full_name:
        # One word before a citation may be anything, so it confirms, but never accuses.
        return MATCH if is_single_party_of(citation.case_name, case.name) else NOT_CHECKED
    readings = (citation.case_name, cited.main.long_name)
    agreements = [
        compare_case_names(name, case.name, full_name=case.full_name) for name in readings if name
    ]
    agreement = NameAgreement.SAME if NameAgreement.SAME in agreements else agreements[0]
    if agreement is NameAgreement.SAME:
        return MATCH
    if agreement is NameAgreement.UNKNOWN:
        return NOT_CHECKED
    if citation.kind != "us_case" and agreement is NameAgreement.PARTIAL:
        return NOT_CHECKED  # titles of other registries list the parties in their own way
    return MISMATCH


def _compare_year(citation: LegalCitation, case: CourtCase) -> str:
    recorded = find_case_year(case)
    if citation.year is None or recorded is None:
        return NOT_CHECKED
    apart = abs(citation.year - recorded)
    if apart == 0:
        return MATCH
    month = (case.date_filed or "")[5:7]
    if apart == 1 and (recorded < _OLD_YEAR or not month or month in _YEAR_EDGE_MONTHS):
        return NOT_CHECKED
    return MISMATCH


def find_case_year(case: CourtCase) -> int | None:
    year = (case.date_filed or "")[:4]
    return int(year) if year.isdecimal() and len(year) == 4 else None


def _compare_court(citation: LegalCitation, case: CourtCase) -> str:
    if not citation.court:
        return NOT_CHECKED
    label = case.court_label or case.court
    same = compare_courts(citation.court, label, court_id=case.court_id)
    if same is None and case.court and label != case.court:
        same = compare_courts(citation.court, case.court)
    return NOT_CHECKED if same is None else MATCH if same else MISMATCH


def _find_wrong_parallels(cited: CitedCase, case: CourtCase) -> Iterable[tuple[str, str]]:
    for parallel in cited.parallels:
        wanted = parallel.citation
        known = list_same_reporter(case, wanted.reporter)
        if known and not has_citation(known, wanted.normalized):
            yield wanted.normalized, known[0]


def list_same_reporter(case: CourtCase, reporter: str | None) -> tuple[str, ...]:
    """The case's citations in this reporter."""
    squeezed = _squeeze_reporter(reporter or "")
    return tuple(
        citation
        for citation in case.citations
        if squeezed and _squeeze_reporter(find_reporter(citation)) == squeezed
    )


def find_reporter(citation: str) -> str:
    """What stands between volume and page."""
    words = citation.split()
    return " ".join(words[1:-1])


def has_citation(citations: Iterable[str], wanted: str) -> bool:
    key = build_citation_key(wanted)
    return any(build_citation_key(citation) == key for citation in citations)


def _squeeze_reporter(reporter: str) -> str:
    return "".join(filter(str.isalnum, reporter.casefold()))
