"""Finds the case that a wrong citation probably means, by its name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from citewell.model.domains.court_case import CourtCase, LegalCitation
from citewell.services.domains.law.citation_comparison import (
    find_case_year,
    find_reporter,
    list_same_reporter,
)
from citewell.services.domains.law.citation_registry import CitationRegistry
from citewell.text.law.citation_groups import CitedCase
from citewell.text.law.name_matching import NameAgreement, compare_case_names, is_government_name
from citewell.text.law.reporter_tables import find_court_level

_YEAR_TOLERANCE = 1  # years


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A case of the cited name that is recorded elsewhere, if there is one."""

    case: CourtCase | None = None
    right_citation: str | None = None  # in the cited reporter, if it has one there
    is_meant: bool = False  # as good as certainly the case that was meant
    is_unplaced: bool = False  # recorded without a citation that could contradict the cited one
    is_year_right: bool = False
    is_searched: bool = False  # a registry answered
    registry: str = ""  # its title
    provenance: tuple[str, ...] = ()


class NearMissSearch:
    def __init__(self, registry: CitationRegistry) -> None:
        self._registry = registry

    async def find_near_miss(self, cited: CitedCase) -> NearMiss:
        """The best case of that name; empty if the citation has no full name or nobody could be asked."""
        citation = cited.main.citation
        name = citation.case_name
        if not name or not cited.main.has_full_name:
            return NearMiss()
        found = await self._registry.search_named_cases(name, citation.kind)
        if found is None:
            return NearMiss(provenance=("the name could not be searched for",))
        cases, registry = found
        same = [
            case
            for case in cases
            if compare_case_names(name, case.name, full_name=case.full_name) is NameAgreement.SAME
        ]
        searched = (f"{registry}: searched for the name",)
        if not same:
            return NearMiss(is_searched=True, registry=registry, provenance=searched)
        best = min(same, key=lambda case: _rate_candidate(citation, case))
        return replace(_describe_candidate(citation, best, searched), registry=registry)


def _describe_candidate(
    citation: LegalCitation, case: CourtCase, searched: tuple[str, ...]
) -> NearMiss:
    same_reporter = list_same_reporter(case, citation.reporter)
    year_right = _is_year_right(citation, case)
    right = _choose_nearest(citation, same_reporter) or next(iter(case.citations), None)
    levels = {find_court_level(find_reporter(one)) for one in case.citations} - {None}
    level = find_court_level(citation.reporter)
    contradicted = bool(same_reporter) or (level is not None and bool(levels - {level}))
    certain = contradicted and year_right
    if certain and is_government_name(citation.case_name or "") and same_reporter:
        # Many cases are called State v. Smith: one number must agree as well.
        certain = any(_shares_number(citation, one) for one in same_reporter) or level is not None
    return NearMiss(
        case=case,
        right_citation=right,
        is_meant=certain,
        is_unplaced=year_right and not contradicted,
        is_year_right=year_right,
        is_searched=True,
        provenance=searched,
    )


def _rate_candidate(citation: LegalCitation, case: CourtCase) -> tuple[bool, bool, int, int]:
    same_reporter = list_same_reporter(case, citation.reporter)
    apart = min((_measure_distance(citation, one) for one in same_reporter), default=10_000)
    return (
        not _is_year_right(citation, case),
        not same_reporter,
        apart,
        -(case.citation_count or 0),
    )


def _is_year_right(citation: LegalCitation, case: CourtCase) -> bool:
    year = find_case_year(case)
    return citation.year is None or year is None or abs(citation.year - year) <= _YEAR_TOLERANCE


def _choose_nearest(citation: LegalCitation, citations: tuple[str, ...]) -> str | None:
    return min(citations, key=lambda one: _measure_distance(citation, one), default=None)


def _measure_distance(citation: LegalCitation, other: str) -> int:
    """How far apart two volumes of a reporter are."""
    volume = other.split(maxsplit=1)[0]
    if not (volume.isdecimal() and (citation.volume or "").isdecimal()):
        return 9999
    return abs(int(volume) - int(citation.volume or 0))


def _shares_number(citation: LegalCitation, other: str) -> bool:
    words = other.split()
    return bool(words) and (words[0] == citation.volume or words[-1] == citation.page)
