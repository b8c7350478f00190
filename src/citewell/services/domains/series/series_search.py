"""Searches statistical series by words, and lists the observations of one."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.dialects.statistics.series_ids import guess_series_provider
from citewell.domain_ports import SeriesSearch
from citewell.errors import InternalError
from citewell.model.answers.series_results import SeriesAnswer, SeriesItem
from citewell.model.domains.economic_series import ObservationList, SeriesHits, SeriesQuery
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_results import EmptySearchHints
from citewell.ports import Offer
from citewell.services.domains.routing.domain_search import DomainSearch
from citewell.services.domains.series.observation_table import render_observation_table
from citewell.services.domains.series.series_pages import build_series_page
from citewell.services.domains.series.series_request import (
    DEFAULT_SERIES_COUNT,
    SeriesSearchRequest,
    build_observation_query,
    check_series_request,
)
from citewell.services.web.search_hints import build_domain_hints

__all__ = ["SeriesSearchRequest", "SeriesSearchService"]

SERIES_PROVIDER_ORDER = ("fred", "worldbank", "oecd", "eurostat", "ecb", "imf")
_FRED = "fred"
_NO_ROWS_ADVICE = (
    "There is no observation for these arguments: widen the dates, leave country out, or restrict"
    " fewer dimensions in series_id."
)


class SeriesSearchService:
    def __init__(self, search: DomainSearch) -> None:
        self._search = search

    async def search_series(self, ask: SeriesSearchRequest, *, trace: RoutingTrace) -> SeriesAnswer:
        """Series by words, or the observations of series_id, of one provider; raises its error.

        An empty answer has hints that name other providers; none of them is asked.
        """
        asked = check_series_request(ask)
        if asked.series_id:
            return await self._list_observations(asked, trace)
        return await self._find_series(asked, trace)

    async def _find_series(self, asked: SeriesSearchRequest, trace: RoutingTrace) -> SeriesAnswer:
        query = SeriesQuery(text=asked.query or "", count=asked.count or DEFAULT_SERIES_COUNT)
        names = self._choose_searchable(asked.provider)

        async def ask_series_catalogue(provider: object) -> SeriesHits:
            return await _require_series(provider, names).search_series(query)

        name, hits = await self._search.ask_first_provider(names, ask_series_catalogue, trace=trace)
        ignored = asked.list_constraints()
        notes = (f"{', '.join(ignored)}: used for observations only.",) if ignored else ()
        return SeriesAnswer(
            mode="series",
            results=tuple(
                SeriesItem(
                    series_id=one.series_id,
                    title=one.title,
                    units=one.units,
                    frequency=one.frequency,
                    last_updated=one.last_updated,
                    notes=one.notes,
                    url=build_series_page(name, one.series_id),
                )
                for one in hits.series
            ),
            query=asked.query,
            result_count=len(hits.series),
            provider=name,
            notes=(*hits.notes, *notes),
            hints=None if hits.series else self._explain_no_series(name),
        )

    def _explain_no_series(self, name: str) -> EmptySearchHints:
        others = [other for other in self._choose_searchable(None) if other != name]
        return build_domain_hints(
            filters=(), attempted=(name,), others=self._search.list_healthy_providers(others)
        )

    async def _list_observations(
        self, asked: SeriesSearchRequest, trace: RoutingTrace
    ) -> SeriesAnswer:
        query = build_observation_query(asked)
        named = asked.provider or guess_series_provider(query.series_id)
        names = self._search.choose_providers(
            Offer.SERIES, named=named, order=SERIES_PROVIDER_ORDER
        )

        async def ask_series_values(provider: object) -> ObservationList:
            return await _require_series(provider, names).list_observations(query)

        name, found = await self._search.ask_first_provider(names, ask_series_values, trace=trace)
        rows = found.observations
        return SeriesAnswer(
            mode="observations",
            results=tuple(
                SeriesItem(
                    series_id=one.series_id,
                    title=one.title,
                    date=one.date,
                    value=one.value,
                    units=one.units,
                    notes=one.notes,
                )
                for one in rows
            ),
            query=asked.query,
            series_id=asked.series_id,
            title=found.title,
            country=found.country,
            result_count=len(rows),
            provider=name,
            table=render_observation_table(rows) or None,
            notes=(*_list_ignored_arguments(asked, name), *found.notes),
            hints=None if rows else _explain_no_rows(asked, name),
        )

    def _choose_searchable(self, named: str | None) -> tuple[str, ...]:
        """Who can search by words: the named provider, or the configured ones that can."""
        names = self._search.choose_providers(
            Offer.SERIES, named=named, order=SERIES_PROVIDER_ORDER
        )
        if named:
            return names
        return tuple(
            name
            for name in names
            if getattr(self._search.load_provider(name), "can_search_series", False)
        )


def _require_series(provider: object, names: Sequence[str]) -> SeriesSearch:
    if not isinstance(provider, SeriesSearch):
        raise InternalError(f"{names[0]} declares series but cannot search them.")
    return provider


def _explain_no_rows(asked: SeriesSearchRequest, name: str) -> EmptySearchHints:
    """Hints without other providers, because they do not know this provider's ids."""
    return build_domain_hints(
        filters=asked.list_constraints(),
        attempted=(name,),
        details=(_NO_ROWS_ADVICE,),
    )


def _list_ignored_arguments(asked: SeriesSearchRequest, name: str) -> tuple[str, ...]:
    """What was asked for and does not apply to this provider."""
    if name == _FRED:
        return ("country was not applied: a FRED series is of one place.",) if asked.country else ()
    given = [label for label in ("frequency", "units") if getattr(asked, label)]
    return (f"Not applied, being for FRED only: {' and '.join(given)}.",) if given else ()
