"""Searches decisions of courts and texts of law, each jurisdiction in its own registry."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from citewell.domain_ports import CaseSearch
from citewell.errors import InternalError
from citewell.model.answers.case_results import CaseResult, CasesAnswer
from citewell.model.counted_words import pluralize
from citewell.model.domains.court_case import CaseHits, CaseQuery, CourtCase
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_results import EmptySearchHints
from citewell.ports import Offer
from citewell.services.domains.law.bluebook import compose_bluebook_citation, order_citations
from citewell.services.domains.law.case_request import (
    CaseSearchRequest,
    build_case_query,
    check_case_request,
    choose_by_citation,
)
from citewell.services.domains.law.court_names import (
    US_COURTS,
    CourtChoice,
    resolve_jurisdiction,
)
from citewell.services.domains.routing.domain_search import DomainSearch
from citewell.services.web.search_hints import build_domain_hints
from citewell.text.law.court_citations import is_reporter_citation
from citewell.tooling import ProgressCallback, ignore_progress

__all__ = ["CaseSearchRequest", "CaseSearchService"]

_MAX_SNIPPET_CHARS = 500


class CaseSearchService:
    def __init__(self, search: DomainSearch) -> None:
        self._search = search

    async def search_cases(
        self,
        ask: CaseSearchRequest,
        *,
        trace: RoutingTrace,
        progress: ProgressCallback = ignore_progress,
    ) -> CasesAnswer:
        """Cases of the registry that serves the jurisdiction, or hints why there are none.

        Without a jurisdiction, US courts are searched, unless the query cites a text of another
        registry by its number. Raises InvalidInput for an unknown court, and the registry's error.
        """
        asked = check_case_request(ask)
        if asked.provider:
            [name] = self._search.choose_providers(Offer.CASES, named=asked.provider)
            asked = replace(asked, provider=name)
        choice = await self._choose_courts(asked)
        query = build_case_query(asked, court=choice.court)
        names = [
            self._search.choose_providers(Offer.CASES, named=name)[0] for name in choice.providers
        ]
        await progress(0, None, f"asking {' and '.join(names)}")
        name, hits = await self._ask_law_registries(names, query, trace)
        cases = tuple(case for case in hits.cases if _is_in_period(case, asked))
        return CasesAnswer(
            cases=tuple(map(_build_case_result, cases)),
            query=asked.query,
            result_count=len(cases),
            provider=name,
            total_results=hits.total,
            notes=_list_case_notes(asked, choice, hits),
            hints=None if cases else _explain_no_cases(asked, names, hits),
        )

    async def _choose_courts(self, ask: CaseSearchRequest) -> CourtChoice:
        if ask.jurisdiction:
            return await asyncio.to_thread(
                resolve_jurisdiction, ask.jurisdiction, provider=ask.provider
            )
        provider = ask.provider or choose_by_citation(ask.query) or US_COURTS
        return CourtChoice(providers=(provider,), name=provider)

    async def _ask_law_registries(
        self, names: list[str], query: CaseQuery, trace: RoutingTrace
    ) -> tuple[str, CaseHits]:
        """The first answer that has cases, else the first answer; raises if nobody answered."""

        async def ask_case_registry(provider: object) -> CaseHits:
            if not isinstance(provider, CaseSearch):
                raise InternalError("A provider declares cases but cannot search them.")
            return await provider.search_cases(query)

        if len(names) == 1:
            return await self._search.ask_first_provider(names, ask_case_registry, trace=trace)
        harvest = await self._search.ask_in_turn(
            names, ask_case_registry, trace=trace, is_enough=lambda hits: bool(hits.cases)
        )
        self._search.raise_if_all_failed(harvest)
        found = ((name, hits) for name, hits in harvest.replies.items() if hits.cases)
        name, hits = next(found, None) or next(iter(harvest.replies.items()))
        failed = (
            f"{name} was not searched: {error.message}" for name, error in harvest.failures.items()
        )
        return name, replace(hits, notes=(*hits.notes, *failed))


def _explain_no_cases(
    ask: CaseSearchRequest, names: Sequence[str], hits: CaseHits
) -> EmptySearchHints:
    details = hits.notes
    if is_reporter_citation(ask.query):
        details = (f"No case has the citation {ask.query}; verify_citation says more.", *details)
    return build_domain_hints(
        filters=ask.list_constraints(), attempted=tuple(names), details=details
    )


def _list_case_notes(
    ask: CaseSearchRequest, choice: CourtChoice, hits: CaseHits
) -> tuple[str, ...]:
    notes = list(hits.notes)
    if choice.court and choice.name.casefold() != (ask.jurisdiction or "").casefold():
        more = choice.court.count(" ")
        others = f" and {more} {pluralize(more, 'more court')}" if more else ""
        notes.insert(0, f"Searched: {choice.name}{others}.")
    return tuple(notes)


def _is_in_period(case: CourtCase, ask: CaseSearchRequest) -> bool:
    """Whether the case lies within the days asked for, as exactly as its date is stated."""
    day = case.date_filed
    if day is None:
        return True
    size = len(day)
    return (ask.date_from or "")[:size] <= day <= (ask.date_to or "9999")[:size]


def _build_case_result(case: CourtCase) -> CaseResult:
    return CaseResult(
        case_name=case.name,
        url=case.url,
        source=case.source,
        citation=compose_bluebook_citation(case),
        citations=order_citations(case.citations, case.court_id),
        court=case.court,
        court_id=case.court_id,
        date_filed=case.date_filed,
        docket_number=case.docket_number,
        citation_count=case.citation_count,
        status=case.status,
        snippet=_trim_case_snippet(case.snippet),
    )


def _trim_case_snippet(snippet: str) -> str | None:
    if len(snippet) <= _MAX_SNIPPET_CHARS:
        return snippet or None
    return snippet[:_MAX_SNIPPET_CHARS].rpartition(" ")[0] + " …"
