"""Builds the finders that put questions to the registries of the domains."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module
from typing import Any

from citewell.model.search_queries import SearchHit
from citewell.server.wiring.service_kit import ServiceKit
from citewell.services.domains.records.record_finders import RecordFinder
from citewell.text.questions.question_domains import QuestionDomain

_SEARCHES_MODULE = "citewell.services.domains.records.record_searches"
# For each domain: what it is called in a note, its service, and the search of its records. Names,
# because a domain is loaded when a question is for it.
_REGISTRIES = {
    QuestionDomain.TRIALS: ("the registry of trials", "TrialSearchService", "search_trial_records"),
    QuestionDomain.LAW: ("the registries of law", "CaseSearchService", "search_case_records"),
    QuestionDomain.FILINGS: ("the SEC", "FilingSearchService", "search_filing_records"),
    QuestionDomain.PATENTS: ("patent search", "PatentSearchService", "search_patent_records"),
    QuestionDomain.STATISTICS: (
        "the World Bank",
        "SeriesSearchService",
        "search_statistics_records",
    ),
}


def build_record_finders(kit: ServiceKit) -> tuple[RecordFinder, ...]:
    """One finder for each domain."""
    return tuple(
        RecordFinder(domain, title, _bind_search(kit, service, search))
        for domain, (title, service, search) in _REGISTRIES.items()
    )


def _bind_search(
    kit: ServiceKit, service: str, search: str
) -> Callable[[str, int], Awaitable[Sequence[SearchHit]]]:
    async def search_records(words: str, count: int) -> Sequence[SearchHit]:
        searches: Any = import_module(_SEARCHES_MODULE)
        found: Sequence[SearchHit] = await getattr(searches, search)(
            kit.require_service(getattr(searches, service)), words, count
        )
        return found

    return search_records
