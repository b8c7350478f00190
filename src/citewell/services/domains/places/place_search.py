"""Searches for places: with Brave if there is a key, else in OpenStreetMap's data."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from citewell.domain_ports import PlaceSearch
from citewell.errors import InternalError
from citewell.model.answers.place_results import PlacesAnswer
from citewell.model.domains.place import Place, PlaceHits, PlaceQuery
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_results import EmptySearchHints, FilterReport
from citewell.ports import Offer
from citewell.services.domains.places.place_anchor import AnchorFinder, PlaceAnchor
from citewell.services.domains.places.place_ranking import build_place_result, rank_places
from citewell.services.domains.places.place_request import (
    MAX_PLACES,
    PlaceSearchRequest,
    check_place_request,
)
from citewell.services.domains.places.place_words import PlaceWords, read_place_words
from citewell.services.domains.routing.domain_search import DomainHarvest, DomainSearch

__all__ = ["PlaceSearchRequest", "PlaceSearchService"]

PLACE_PROVIDER_ORDER = ("brave", "overpass", "photon", "nominatim")
_OWN_GEOCODING = frozenset({"brave"})  # it understands `near` and the query by itself
_NEEDS_ANCHOR = frozenset({"overpass"})
_NATIVE_COUNTRY = frozenset({"brave", "nominatim"})
_NO_PLACE_NAMED = "The query does not say where: add near, or latitude and longitude."
ReportStep = Callable[[str], Awaitable[None]]


@dataclass(slots=True)
class _PlaceHunt:
    """One search as it goes on: what is asked, where, and what came of it."""

    ask: PlaceSearchRequest
    words: PlaceWords
    anchor: PlaceAnchor | None = None
    is_anchor_known: bool = False
    unknown_area: str | None = None  # a name that no map knows
    area_trace: RoutingTrace = field(default_factory=RoutingTrace)  # who was asked for the area
    harvest: DomainHarvest[PlaceHits] = field(default_factory=DomainHarvest)
    found: tuple[Place, ...] = ()
    notes: list[str] = field(default_factory=list)


async def ignore_step_report(_doing: str) -> None:
    """Used when nobody listens to the progress."""


class PlaceSearchService:
    def __init__(
        self,
        search: DomainSearch,
        anchors: AnchorFinder,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._search = search
        self._anchors = anchors
        self._clock = clock

    async def search_places(
        self,
        ask: PlaceSearchRequest,
        *,
        trace: RoutingTrace,
        report: ReportStep = ignore_step_report,
    ) -> PlacesAnswer:
        """Places of the named provider, or of the first that finds any; hints if there are none."""
        asked = check_place_request(ask)
        names = self._search.choose_providers(
            Offer.PLACES, named=asked.provider, order=PLACE_PROVIDER_ORDER
        )
        words = read_place_words(asked.query, has_anchor=asked.has_point() or bool(asked.near))
        hunt = _PlaceHunt(ask=asked, words=words, anchor=_point_anchor(asked))
        if words.ignored and "brave" not in names:
            hunt.notes.append(f"Not applied, because the map does not tell: {words.ignored!r}.")
        for name in names:
            await report(f"Asking {name}")
            if await self._ask_place_provider(hunt, name, trace):
                break
        self._search.raise_if_all_failed(hunt.harvest)
        return self._build_places_answer(hunt, names)

    async def _ask_place_provider(self, hunt: _PlaceHunt, name: str, trace: RoutingTrace) -> bool:
        """Ask one provider; True if it found places that fit the request."""
        if name not in _OWN_GEOCODING:
            await self._settle_anchor(hunt)
            if not _can_be_asked(hunt, name):
                return False
        query = _build_place_query(hunt, name)

        async def question(provider: object) -> PlaceHits:
            if not isinstance(provider, PlaceSearch):
                raise InternalError(f"{name} declares places but cannot search them.")
            hits = await provider.search_places(query)
            if hits.places or not (query.kinds and query.name and query.has_anchor()):
                return hits
            wider = await provider.search_places(replace(query, name=None))
            note = f"No name has the words {query.name!r}: all places of the kind are listed."
            return replace(wider, notes=(*wider.notes, note)) if wider.places else wider

        reply = await self._search.ask_in_turn(
            [name], question, trace=trace, is_enough=lambda hits: bool(hits.places)
        )
        hunt.harvest.replies |= reply.replies
        hunt.harvest.failures |= reply.failures
        hits = reply.replies.get(name)
        hunt.found = rank_places(hits.places, hunt.ask, hunt.anchor) if hits else ()
        hunt.notes += hits.notes if hits and hunt.found else ()
        return bool(hunt.found)

    async def _settle_anchor(self, hunt: _PlaceHunt) -> None:
        """Find the point to search around, once for all providers that need it."""
        if hunt.is_anchor_known:
            return
        hunt.anchor = await self._anchors.find_anchor(hunt.ask, hunt.words, trace=hunt.area_trace)
        hunt.is_anchor_known = True
        if hunt.anchor is None:
            hunt.unknown_area = hunt.ask.near or hunt.words.where
        if hunt.anchor is None and hunt.words.where and not hunt.ask.near:
            # The words beside the kind were no area after all: they may be a name.
            hunt.words = replace(
                hunt.words, subject=hunt.ask.query, name=hunt.ask.query, kinds=(), where=None
            )
        if hunt.anchor is not None and (note := hunt.anchor.describe_width()):
            hunt.notes.append(note)

    def _build_places_answer(self, hunt: _PlaceHunt, names: tuple[str, ...]) -> PlacesAnswer:
        ask, anchor = hunt.ask, hunt.anchor
        today = self._find_current_day()
        provider = next(reversed(hunt.harvest.replies), names[0])
        hits = hunt.harvest.replies.get(provider, PlaceHits())
        return PlacesAnswer(
            places=tuple(build_place_result(one, ask, anchor, today=today) for one in hunt.found),
            query=ask.query,
            result_count=len(hunt.found),
            provider=provider,
            searched_near=anchor.area.label if anchor and anchor.area else None,
            distance_unit=("mi" if ask.units == "imperial" else "km") if anchor else None,
            filters=_report_place_filters(ask, provider) or None,
            notes=tuple(hunt.notes) or None,
            attribution=hits.attribution if hunt.found else None,
            hints=None if hunt.found else self._explain_nothing(hunt),
        )

    def _explain_nothing(self, hunt: _PlaceHunt) -> EmptySearchHints:
        hints = self._search.explain_missing_records(
            hunt.harvest,
            filters=hunt.ask.list_constraints(),
            offer=Offer.PLACES,
            order=PLACE_PROVIDER_ORDER,
        )
        asked = dict.fromkeys((*hunt.area_trace.attempted, *hints.providers_attempted))
        hints = hints.model_copy(update={"providers_attempted": tuple(asked)})
        if hunt.anchor is not None or not hunt.is_anchor_known:
            return hints
        named = hunt.unknown_area
        why = f"No place called {named!r} is on the map." if named else _NO_PLACE_NAMED
        # Another provider does not know better where to look.
        return hints.model_copy(
            update={
                "details": (*hints.details, why),
                "suggested_actions": ("set-argument: near", "set-argument: latitude, longitude"),
            }
        )

    def _find_current_day(self) -> date:
        return datetime.fromtimestamp(self._clock(), UTC).date()


def _can_be_asked(hunt: _PlaceHunt, name: str) -> bool:
    """Whether a provider of OpenStreetMap's data can do anything with this search."""
    if hunt.anchor is not None:
        return True
    # "Eiffel Tower" can be looked up by its name; "cafes" alone or in an unknown town cannot.
    return name not in _NEEDS_ANCHOR and not hunt.words.kinds and not hunt.ask.near


def _point_anchor(ask: PlaceSearchRequest) -> PlaceAnchor | None:
    if ask.latitude is None or ask.longitude is None:
        return None
    return PlaceAnchor(latitude=ask.latitude, longitude=ask.longitude)


def _build_place_query(hunt: _PlaceHunt, name: str) -> PlaceQuery:
    ask, words = hunt.ask, hunt.words
    anchor = _point_anchor(ask) if name in _OWN_GEOCODING else hunt.anchor
    return PlaceQuery(
        text=ask.query,
        subject=words.subject,
        kinds=words.kinds,
        name=words.name,
        near=ask.near,
        latitude=anchor.latitude if anchor else None,
        longitude=anchor.longitude if anchor else None,
        radius_meters=(ask.radius or None) if ask.has_point() else None,
        country=ask.country,
        units=ask.units,
        # Overpass sorts by distance itself; of the others we may have to drop some.
        count=ask.count if name in _NEEDS_ANCHOR else MAX_PLACES,
    )


def _report_place_filters(ask: PlaceSearchRequest, provider: str) -> tuple[FilterReport, ...]:
    reports = []
    if ask.radius and ask.has_point():
        by = provider if provider in _NEEDS_ANCHOR else "afterwards"
        reports.append(FilterReport(filter="radius", by=by))
    elif ask.radius:
        note = "radius needs latitude and longitude"
        reports.append(FilterReport(filter="radius", by="nobody", note=note))
    if ask.country and provider in _NATIVE_COUNTRY:
        reports.append(FilterReport(filter="country", by=provider))
    elif ask.country:
        note = "the named area was looked up in this country; places that state another are dropped"
        reports.append(FilterReport(filter="country", by="afterwards", note=note))
    return tuple(reports)
