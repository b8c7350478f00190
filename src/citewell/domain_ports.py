"""What a provider of one domain (patents, filings, law, …) can offer: one Protocol for each offer.

They stand apart from `ports` because starting the server must not load the values of every domain.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from citewell.model.domains.brand import BrandQuery, BrandRecord
from citewell.model.domains.clinical_trial import TrialHits, TrialQuery
from citewell.model.domains.company_filing import FactHits, FilingHits, FilingQuery
from citewell.model.domains.court_case import CaseHits, CaseQuery, CitationMatch, LegalCitation
from citewell.model.domains.economic_series import (
    ObservationList,
    ObservationQuery,
    SeriesHits,
    SeriesQuery,
)
from citewell.model.domains.grounded_answer import AnswerQuery
from citewell.model.domains.patent import PatentHits, PatentQuery
from citewell.model.domains.place import AreaQuery, NamedArea, PlaceHits, PlaceQuery
from citewell.model.domains.structured_results import StructuredHits, StructuredQuery
from citewell.model.research import ProviderReport


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
class FilingSearch(Protocol):
    async def search_filings(self, query: FilingQuery) -> FilingHits: ...

    async def list_company_facts(self, query: FilingQuery) -> FactHits:
        """The newest headline figures of the company; none if the query names no company."""
        ...


@runtime_checkable
class SeriesSearch(Protocol):
    """Searches statistical series by words, and lists the observations of one."""

    can_search_series: bool  # False if the provider knows series by their ids alone

    async def search_series(self, query: SeriesQuery) -> SeriesHits: ...

    async def list_observations(self, query: ObservationQuery) -> ObservationList:
        """The observations; raises NotFound if there is no such series."""
        ...


@runtime_checkable
class TrialSearch(Protocol):
    async def search_trials(self, query: TrialQuery) -> TrialHits: ...


@runtime_checkable
class PlaceSearch(Protocol):
    async def search_places(self, query: PlaceQuery) -> PlaceHits: ...


@runtime_checkable
class AreaLookup(Protocol):
    async def find_areas(self, query: AreaQuery) -> tuple[NamedArea, ...]:
        """Where a named city, district, street or landmark is, the best match first."""
        ...


@runtime_checkable
class PatentSearch(Protocol):
    async def search_patents(self, query: PatentQuery) -> PatentHits:
        """Publications that fit the query; those with its numbers, if it has any."""
        ...


@runtime_checkable
class BrandLookup(Protocol):
    async def look_up_brand(self, query: BrandQuery) -> BrandRecord | None:
        """The brand of a domain; None if the provider does not know it."""
        ...
