"""Builds the finders that put questions to the registries of the domains."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.model.search_queries import SearchHit
from citewell.server.wiring.service_kit import ServiceKit
from citewell.services.domains.records.record_finders import RecordFinder, SearchRecords
from citewell.text.questions.question_domains import QuestionDomain

# What the registries of a domain are called in the note that says they could not be searched.
REGISTRY_NAMES = {
    QuestionDomain.TRIALS: "the registry of trials",
    QuestionDomain.LAW: "the registries of law",
    QuestionDomain.FILINGS: "the SEC",
    QuestionDomain.PATENTS: "patent search",
    QuestionDomain.STATISTICS: "the World Bank",
}


def build_record_finders(kit: ServiceKit) -> tuple[RecordFinder, ...]:
    """One finder for each domain."""
    return tuple(
        RecordFinder(domain, name, _bind_search(kit, domain))
        for domain, name in REGISTRY_NAMES.items()
    )


def _bind_search(kit: ServiceKit, domain: QuestionDomain) -> SearchRecords:
    async def search_registry(words: str, count: int) -> Sequence[SearchHit]:
        # Imported here, because few questions are for a registry.
        from citewell.services.domains.records.record_searches import RECORD_SEARCHES

        return await RECORD_SEARCHES[domain](kit.require_service, words, count)

    return search_registry
