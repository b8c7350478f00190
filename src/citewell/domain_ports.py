"""What a provider of one domain (patents, filings, law, …) can offer: one Protocol for each offer.

They stand apart from `ports` because starting the server must not load the values of every domain.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from citewell.model.clinical_trial import TrialHits, TrialQuery
from citewell.model.court_case import CaseHits, CaseQuery, CitationMatch, LegalCitation


@runtime_checkable
class CaseSearch(Protocol):
    async def search_cases(self, query: CaseQuery) -> CaseHits: ...


@runtime_checkable
class CitationLookup(Protocol):
    """Looks decisions and texts of law up by their citation."""

    citation_kinds: frozenset[str]  # the kinds of LegalCitation it knows, such as us_case

    async def look_up_citation(self, citation: LegalCitation) -> CitationMatch:
        """What the registry has under this citation; `cases` is empty if it says there is none.

        Raises when the registry cannot be asked: that says nothing about the citation.
        """
        ...


@runtime_checkable
class TrialSearch(Protocol):
    async def search_trials(self, query: TrialQuery) -> TrialHits: ...
