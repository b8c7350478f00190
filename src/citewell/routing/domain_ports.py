"""What a provider of one domain (patents, filings, law, …) can offer: one Protocol for each offer.

They stand apart from `ports` because starting the server must not load the values of every domain.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from citewell.core.values.brand import BrandQuery, BrandRecord
from citewell.core.values.court_case import CaseHits, CaseQuery, CitationMatch, LegalCitation
from citewell.core.values.research import ProviderReport
from citewell.core.values.search_results import AnswerQuery, StructuredHits, StructuredQuery


@runtime_checkable
class AnswerSearch(Protocol):
    """Answers a question from its own search; a call is sent once and never retried."""

    def estimate_answer_cost(self, query: AnswerQuery) -> int:
        """The probable cost, in ticks; 0 if it is free."""
        ...

    async def answer_question(self, query: AnswerQuery) -> ProviderReport: ...


@runtime_checkable
class StructuredSearch(Protocol):
    """Finds pages and fills the fields of a schema from them; a call is sent once."""

    structured_categories: tuple[str, ...]  # the values of `category` that it takes

    def estimate_structured_cost(self, query: StructuredQuery) -> int:
        """The probable cost, in ticks; 0 if it is free."""
        ...

    async def search_structured(self, query: StructuredQuery) -> StructuredHits: ...


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
class BrandLookup(Protocol):
    async def look_up_brand(self, query: BrandQuery) -> BrandRecord | None:
        """The brand of a domain; None if the provider does not know it."""
        ...
