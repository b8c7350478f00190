"""Searches the registers of company filings."""

from __future__ import annotations

from dataclasses import asdict

from citewell.domain_ports import FilingSearch
from citewell.errors import InternalError
from citewell.model.answers.filing_results import (
    FilingResult,
    FilingsAnswer,
    PeriodValue,
    ResolvedCompany,
)
from citewell.model.domains.company_filing import (
    CompanyFiling,
    FactHits,
    FilingCompany,
    FilingHits,
    FilingQuery,
    HeadlineFact,
    ReportedFact,
)
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_results import EmptySearchHints
from citewell.ports import Offer
from citewell.services.domains.filings.filing_request import (
    FilingSearchRequest,
    build_filing_query,
    check_filing_request,
)
from citewell.services.domains.filings.form_types import describe_unknown_forms
from citewell.services.domains.routing.domain_search import DomainHarvest, DomainSearch

__all__ = ["FilingSearchRequest", "FilingSearchService"]

FILING_PROVIDER_ORDER = ("edgar",)


class FilingSearchService:
    def __init__(self, search: DomainSearch) -> None:
        self._search = search

    async def search_filings(
        self, ask: FilingSearchRequest, *, trace: RoutingTrace
    ) -> FilingsAnswer:
        """Filings or facts of the named or first provider, or hints why there are none."""
        asked = check_filing_request(ask)
        query, understood = build_filing_query(asked)
        names = self._search.choose_providers(
            Offer.FILINGS, named=asked.provider, order=FILING_PROVIDER_ORDER
        )

        async def ask_filing_register(provider: object) -> FilingHits | FactHits:
            if not isinstance(provider, FilingSearch):
                raise InternalError(f"{names[0]} declares filings but cannot search them.")
            if asked.facts:
                return await provider.list_company_facts(query)
            return await provider.search_filings(query)

        name, hits = await self._search.ask_first_provider(names, ask_filing_register, trace=trace)
        results = _list_results(hits, name)
        notes = (*understood, *hits.notes)
        return FilingsAnswer(
            filings=results,
            query=asked.ticker or asked.query or "",
            company=_build_resolved_company(hits.company),
            result_count=len(results),
            provider=name,
            total_results=hits.total if isinstance(hits, FilingHits) else None,
            notes=notes if results and notes else None,
            hints=None if results else self._explain_empty(asked, query, name, hits, notes),
        )

    def _explain_empty(
        self,
        asked: FilingSearchRequest,
        query: FilingQuery,
        name: str,
        hits: FilingHits | FactHits,
        notes: tuple[str, ...],
    ) -> EmptySearchHints:
        hints = self._search.explain_missing_records(
            DomainHarvest(replies={name: hits}),
            filters=asked.list_constraints(),
            offer=Offer.FILINGS,
        )
        details = (*notes, *describe_unknown_forms(query.forms))
        return hints.model_copy(update={"details": (*hints.details, *details)})


def _list_results(hits: FilingHits | FactHits, provider: str) -> tuple[FilingResult, ...]:
    if isinstance(hits, FilingHits):
        return tuple(map(_build_filing_result, hits.filings))
    company = hits.company
    if company is None:
        return ()
    return tuple(_build_fact_result(fact, company, provider) for fact in hits.facts)


def _build_filing_result(filing: CompanyFiling) -> FilingResult:
    told = asdict(filing)
    return FilingResult(**{name: value for name, value in told.items() if value != ()})


def _build_fact_result(fact: HeadlineFact, company: FilingCompany, provider: str) -> FilingResult:
    newest = asdict(fact.newest)
    newest.pop("computed_from")  # the newest value is always one that was filed
    return FilingResult(
        **newest,
        company=company.name,
        cik=company.cik,
        source=provider,
        is_amendment=fact.newest.form_type.endswith("/A") or None,
        latest_annual=_build_period_value(fact.annual, fact.newest),
        latest_quarter=_build_period_value(fact.quarter, fact.newest),
        trailing_twelve_months=_build_period_value(fact.trailing, fact.newest),
    )


def _build_period_value(fact: ReportedFact | None, newest: ReportedFact) -> PeriodValue | None:
    if fact is None:
        return None
    given = asdict(fact)
    return PeriodValue(**{name: given[name] for name in PeriodValue.model_fields}).model_copy(
        update={
            "concept": fact.concept if fact.concept != newest.concept else None,
            "computed_from": fact.computed_from or None,
        }
    )


def _build_resolved_company(company: FilingCompany | None) -> ResolvedCompany | None:
    return ResolvedCompany(**asdict(company)) if company else None
