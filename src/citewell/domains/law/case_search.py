"""Searches decisions of courts and texts of law, each jurisdiction in its own registry."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Self

from pydantic import Field

from citewell.core.tooling import (
    Card,
    CommandOption,
    Filter,
    ProgressCallback,
    RequireService,
    SearchCommand,
    SessionId,
    Tool,
    ToolArguments,
    ToolCall,
    ignore_progress,
)
from citewell.core.values.argument_types import OptionalName, QueryText
from citewell.core.values.counted_words import pluralize
from citewell.core.values.court_case import CaseHits, CaseQuery, CourtCase
from citewell.core.values.research_session import SessionSource
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import SearchHit
from citewell.core.values.search_results import EmptySearchHints
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, WireValue
from citewell.domains.law import bluebook
from citewell.domains.law.citation_forms import (
    ECLI_PATTERN,
    find_celex_numbers,
    is_reporter_citation,
)
from citewell.domains.law.court_names import US_COURTS, CourtChoice, resolve_jurisdiction
from citewell.routing.ports import CaseSearch, Offer, ToolProviders
from citewell.search import search_request
from citewell.search.domain_search import DomainSearch
from citewell.search.search_hints import build_domain_hints

_MAX_CITING_WORDS = 6
_NEUTRAL_CITATION_PATTERN = re.compile(r"\[\d{4}\]\s{0,3}(?:UK|EW|EAT)")
_MAX_SNIPPET_CHARS = 500
_REGULATION_SOURCES = frozenset({"ecfr", "federalregister"})  # one citation, written in two ways


class CaseArguments(ToolArguments):
    """Find court decisions by topic, case name or citation: US federal and state courts (CourtListener), with jurisdiction also UK judgments, EU law, the CFR and the Federal Register. Each case has its Bluebook citation, court, date and link; scrape_page of its url reads the text. verify_citation checks whether a cited case exists."""

    query: Annotated[
        QueryText,
        Field(description="Topic, case name, citation or statute."),
        CommandOption("A topic, case name, citation or statute."),
    ]
    jurisdiction: Annotated[
        OptionalName,
        Field(description="Court id or name (scotus, ca9, ny, uksc, cjeu), uk, eu, cfr."),
        Filter(1),
        CommandOption(
            "A court's id or name (scotus, 9th Circuit), uk, eu, cfr.", flag="-j --jurisdiction"
        ),
    ] = None
    date_from: Annotated[
        OptionalName, Field(description="Decided from YYYY-MM-DD."), Filter(2), CommandOption()
    ] = None
    date_to: Annotated[OptionalName, Filter(3), CommandOption("Decided until YYYY-MM-DD.")] = None
    count: Annotated[
        int, Field(ge=1, le=20, validation_alias="num_results"), CommandOption("How many cases.")
    ] = 10
    provider: Annotated[OptionalName, CommandOption("Use only this registry.")] = None
    session_id: SessionId = None

    def clean_values(self) -> Self:
        """The arguments with days and single lines; raises InvalidInput if a value is invalid."""
        first, last = search_request.check_day_range(self.date_from, self.date_to)
        return self.with_changes(
            query=search_request.clean_query_text(self.query),
            date_from=first,
            date_to=last,
            provider=search_request.normalize_provider_name(self.provider),
        )


class CaseResult(WireValue):
    """One decision or text of law; fields that its registry does not state are absent."""

    case_name: str
    url: str  # scrape_page reads the whole text
    source: str
    citation: str | None = None  # in the form of the Bluebook
    citations: tuple[str, ...] = ()
    court: str | None = None
    court_id: str | None = None
    date_filed: str | None = None
    docket_number: str | None = None
    citation_count: int | None = None
    status: str | None = None
    snippet: str | None = None


class CasesAnswer(WireValue):
    """What legal_search returns."""

    cases: Body[tuple[CaseResult, ...]]
    query: str
    result_count: int
    provider: str
    total_results: int | None = None
    notes: tuple[str, ...] = ()
    hints: EmptySearchHints | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)


async def search_cases(
    arguments: CaseArguments,
    require_service: RequireService,
    *,
    trace: RoutingTrace,
    progress: ProgressCallback = ignore_progress,
) -> CasesAnswer:
    """Cases of the registry that serves the jurisdiction, or hints why there are none.

    Without a jurisdiction, US courts are searched, unless the query cites a text of another
    registry by its number. Raises InvalidInput for an unknown court, and the registry's error.
    """
    search = require_service(DomainSearch)
    asked = arguments.clean_values()
    if asked.provider:
        [name] = search.choose_providers(Offer.CASES, named=asked.provider)
        asked = asked.with_changes(provider=name)
    choice = await _choose_courts(asked)
    query = CaseQuery(
        text=asked.query,
        count=asked.count,
        court=choice.court,
        date_from=asked.date_from,
        date_to=asked.date_to,
    )
    names = [search.choose_providers(Offer.CASES, named=name)[0] for name in choice.providers]
    await progress(0, None, f"asking {' and '.join(names)}")
    name, hits = await _ask_law_registries(search, names, query, trace)
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


async def _choose_courts(asked: CaseArguments) -> CourtChoice:
    if asked.jurisdiction:
        return await asyncio.to_thread(
            resolve_jurisdiction, asked.jurisdiction, provider=asked.provider
        )
    provider = asked.provider or choose_by_citation(asked.query) or US_COURTS
    return CourtChoice(providers=(provider,), name=provider)


async def _ask_law_registries(
    search: DomainSearch, names: list[str], query: CaseQuery, trace: RoutingTrace
) -> tuple[str, CaseHits]:
    """The first answer that has cases, else the first answer; raises if nobody answered."""

    def ask_case_registry(provider: CaseSearch) -> Awaitable[CaseHits]:
        return provider.search_cases(query)

    if len(names) == 1:
        return await search.ask_first_provider(names, CaseSearch, ask_case_registry, trace=trace)
    harvest = await search.ask_in_turn(
        names, CaseSearch, ask_case_registry, trace=trace, is_enough=lambda hits: bool(hits.cases)
    )
    search.raise_if_all_failed(harvest)
    found = ((name, hits) for name, hits in harvest.replies.items() if hits.cases)
    name, hits = next(found, None) or next(iter(harvest.replies.items()))
    failed = (
        f"{name} was not searched: {error.message}" for name, error in harvest.failures.items()
    )
    return name, replace(hits, notes=(*hits.notes, *failed))


async def search_case_records(
    require_service: RequireService, words: str, count: int
) -> list[SearchHit]:
    arguments = CaseArguments(query=words, count=count)
    answer = await search_cases(arguments, require_service, trace=RoutingTrace())
    return [
        SearchHit(
            title=case.citation or case.case_name,
            url=case.url,
            snippet=case.snippet or "",
            engine=case.source,
        )
        for case in answer.cases
    ]


def _explain_no_cases(
    asked: CaseArguments, names: Sequence[str], hits: CaseHits
) -> EmptySearchHints:
    details = hits.notes
    if is_reporter_citation(asked.query):
        details = (f"No case has the citation {asked.query}; verify_citation says more.", *details)
    return build_domain_hints(
        filters=asked.list_set_filters(), attempted=tuple(names), details=details
    )


def _list_case_notes(asked: CaseArguments, choice: CourtChoice, hits: CaseHits) -> tuple[str, ...]:
    notes = list(hits.notes)
    if choice.court and choice.name.casefold() != (asked.jurisdiction or "").casefold():
        more = choice.court.count(" ")
        others = f" and {more} {pluralize(more, 'more court')}" if more else ""
        notes.insert(0, f"Searched: {choice.name}{others}.")
    return tuple(notes)


def _is_in_period(case: CourtCase, asked: CaseArguments) -> bool:
    """Whether the case lies within the days asked for, as exactly as its date is stated."""
    day = case.date_filed
    if day is None:
        return True
    size = len(day)
    return (asked.date_from or "")[:size] <= day <= (asked.date_to or "9999")[:size]


def _build_case_result(case: CourtCase) -> CaseResult:
    return CaseResult(
        case_name=case.name,
        url=case.url,
        source=case.source,
        citation=bluebook.compose_bluebook_citation(case),
        citations=bluebook.order_citations(case.citations, case.court_id),
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


def choose_by_citation(query: str) -> str | None:
    """The registry for a query that cites a text by its number; None for any other query."""
    if _NEUTRAL_CITATION_PATTERN.search(query):
        return "findcaselaw"
    # Longer queries that cite a regulation are about cases under it.
    if len(query.split()) <= _MAX_CITING_WORDS:
        if bluebook.find_cfr_place(query):
            return "ecfr"
        if bluebook.find_register_page(query):
            return "federalregister"
    if ECLI_PATTERN.search(query) or find_celex_numbers(query):
        return "eurlex"
    return None


async def run(arguments: CaseArguments, call: ToolCall) -> CasesAnswer:
    answer = await search_cases(
        arguments, call.require_service, trace=call.trace, progress=call.report_progress
    )
    call.report_sources(
        SessionSource(
            url=case.url,
            title=case.citation or case.case_name,
            date=case.date_filed,
            basis="record",
        )
        for case in answer.cases
    )
    return answer


TOOL = Tool(
    args=CaseArguments,
    result=CasesAnswer,
    run=run,
    toolset="domains",
    title="Case law",
    ttl_seconds=24 * 3600,
    is_empty_result=lambda answer: answer.result_count == 0,
    empty_ttl_seconds=0.0,
    served_by=ToolProviders(
        offer=Offer.CASES,
        filters=CaseArguments.list_filters(),
        applied_by_us=frozenset({"date_from", "date_to"}),
    ),
)


def show_cases(body: Mapping[str, Any]) -> Iterator[Card]:
    for case in body["cases"]:
        cited = case.get("citationCount")
        docket = case.get("docketNumber") or ""
        yield Card(
            title=case.get("citation") or case["caseName"],
            url=case["url"],
            facts=(
                case.get("court"),
                case.get("dateFiled"),
                # A bare number says what it counts; a docket with letters explains itself.
                f"No. {docket}" if docket[:1].isdigit() else docket,
                f"cited {cited:,} {pluralize(cited, 'time')}" if cited else "",
                case.get("status"),
            ),
            lines=(
                _find_missing_name(case),
                _list_other_citations(case),
                case.get("snippet"),
            ),
        )


def _find_missing_name(case: Mapping[str, Any]) -> str:
    """The name, if the citation does not begin with it, as that of a section does not."""
    cited, name = case.get("citation") or "", str(case["caseName"])
    return "" if name.split(maxsplit=1)[0] in cited else name


def _list_other_citations(case: Mapping[str, Any]) -> str:
    cited = case.get("citation", "")
    others = [citation for citation in case.get("citations", ()) if citation not in cited]
    if not others or case["source"] in _REGULATION_SOURCES:
        return ""
    return f"Also: {'; '.join(others)}"


COMMAND = SearchCommand(
    name="cases",
    tool="legal_search",
    help="""Search decisions of courts, EU and UK law, and US regulations.

They are what an assistant would get from legal_search.""",
    show_answer=show_cases,
)
