"""Searches for places: with Brave if there is a key, else in OpenStreetMap's data."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Self

from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Card, SearchCommand, TextLine, Tool, ToolCall
from citewell.core.values.research_session import SessionSource
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_results import EmptySearchHints, FilterReport
from citewell.domains.place_records import (
    MAX_PLACES,
    AreaLookup,
    AreaQuery,
    NamedArea,
    Place,
    PlaceAnchor,
    PlaceHits,
    PlaceLookup,
    PlaceQuery,
    PlacesAnswer,
    PlaceSearch,
    PlaceWords,
    complete_place,
    rank_places,
    read_place_words,
)
from citewell.routing.ports import Offer, ToolProviders
from citewell.search.domain_search import DomainHarvest, DomainSearch

AREA_PROVIDER_ORDER = ("photon", "nominatim")
PLACE_PROVIDER_ORDER = ("brave", "overpass", "photon", "nominatim")
_OWN_GEOCODING = frozenset({"brave"})  # it understands `near` and the query by itself
_NEEDS_ANCHOR = frozenset({"overpass"})
_NATIVE_COUNTRY = frozenset({"brave", "nominatim"})
_NO_PLACE_NAMED = "The query does not say where: add near, or latitude and longitude."
ReportStep = Callable[[str], Awaitable[None]]


@dataclass(slots=True)
class _PlaceHunt:
    """One search as it goes on: what is asked, where, and what came of it."""

    request: PlaceQuery
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


class AnchorFinder:
    def __init__(self, search: DomainSearch) -> None:
        self._search = search

    async def find_anchor(
        self, request: PlaceQuery, words: PlaceWords, *, trace: RoutingTrace
    ) -> PlaceAnchor | None:
        """The caller's point, or that of the area which `near` or the query names.

        None if no area is named, or none of that name is known; raises if nobody could be asked.
        `trace` records who was asked; the answer's own trace tells who found the places.
        """
        if request.latitude is not None and request.longitude is not None:
            return PlaceAnchor(latitude=request.latitude, longitude=request.longitude)
        both = f"{words.where}, {request.near}" if words.where and request.near else None
        for name in (both, request.near or words.where):
            if name and (area := await self._find_area(name, request, trace)):
                return PlaceAnchor(latitude=area.latitude, longitude=area.longitude, area=area)
        return None

    async def _find_area(
        self, name: str, request: PlaceQuery, trace: RoutingTrace
    ) -> NamedArea | None:
        query = AreaQuery(name=name, country=request.country)

        async def question(provider: AreaLookup) -> tuple[NamedArea, ...]:
            found = await provider.find_areas(query)
            return tuple(
                area for area in found if request.country in {None, area.country or request.country}
            )

        named = request.provider if request.provider in AREA_PROVIDER_ORDER else None
        names = self._search.choose_providers(Offer.AREAS, named=named, order=AREA_PROVIDER_ORDER)
        harvest = await self._search.ask_in_turn(
            names, AreaLookup, question, trace=trace, is_enough=bool
        )
        self._search.raise_if_all_failed(harvest)
        return next((areas[0] for areas in harvest.replies.values() if areas), None)


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

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        search = kit.require_service(DomainSearch)
        return cls(search, AnchorFinder(search))

    async def search_places(
        self,
        request: PlaceQuery,
        *,
        trace: RoutingTrace,
        report: ReportStep = ignore_step_report,
    ) -> PlacesAnswer:
        """Places of the named provider, or of the first that finds any; hints if there are none."""
        asked = request.clean_values()
        names = self._search.choose_providers(
            Offer.PLACES, named=asked.provider, order=PLACE_PROVIDER_ORDER
        )
        words = read_place_words(asked.query, has_anchor=asked.has_point() or bool(asked.near))
        hunt = _PlaceHunt(request=asked, words=words, anchor=_point_anchor(asked))
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

        async def question(provider: PlaceSearch) -> PlaceHits:
            hits = await provider.search_places(query)
            if hits.places or not (query.kinds and query.name and query.has_point()):
                return hits
            wider = await provider.search_places(query.with_changes(name=None))
            note = f"No name has the words {query.name!r}: all places of the kind are listed."
            return wider.with_changes(notes=(*wider.notes, note)) if wider.places else wider

        reply = await self._search.ask_in_turn(
            [name], PlaceSearch, question, trace=trace, is_enough=lambda hits: bool(hits.places)
        )
        hunt.harvest.replies |= reply.replies
        hunt.harvest.failures |= reply.failures
        hits = reply.replies.get(name)
        hunt.found = rank_places(hits.places, hunt.request, hunt.anchor) if hits else ()
        hunt.notes += hits.notes if hits and hunt.found else ()
        return bool(hunt.found)

    async def _settle_anchor(self, hunt: _PlaceHunt) -> None:
        """Find the point to search around, once for all providers that need it."""
        if hunt.is_anchor_known:
            return
        hunt.anchor = await self._anchors.find_anchor(
            hunt.request, hunt.words, trace=hunt.area_trace
        )
        hunt.is_anchor_known = True
        if hunt.anchor is None:
            hunt.unknown_area = hunt.request.near or hunt.words.where
        if hunt.anchor is None and hunt.words.where and not hunt.request.near:
            # The words beside the kind were no area after all: they may be a name.
            hunt.words = replace(
                hunt.words,
                subject=hunt.request.query,
                name=hunt.request.query,
                kinds=(),
                where=None,
            )
        if hunt.anchor is not None and (note := hunt.anchor.describe_width()):
            hunt.notes.append(note)

    def _build_places_answer(self, hunt: _PlaceHunt, names: tuple[str, ...]) -> PlacesAnswer:
        request, anchor = hunt.request, hunt.anchor
        today = datetime.fromtimestamp(self._clock(), UTC).date()
        provider = next(reversed(hunt.harvest.replies), names[0])
        hits = hunt.harvest.replies.get(provider, PlaceHits())
        return PlacesAnswer(
            places=tuple(
                complete_place(place, request, anchor, today=today) for place in hunt.found
            ),
            query=request.query,
            result_count=len(hunt.found),
            provider=provider,
            searched_near=anchor.area.label if anchor and anchor.area else None,
            distance_unit=("mi" if request.units == "imperial" else "km") if anchor else None,
            filters=_report_place_filters(request, provider) or None,
            notes=tuple(hunt.notes) or None,
            attribution=hits.attribution if hunt.found else None,
            hints=None if hunt.found else self._explain_nothing(hunt),
        )

    def _explain_nothing(self, hunt: _PlaceHunt) -> EmptySearchHints:
        hints = self._search.explain_missing_records(
            hunt.harvest.list_attempted_providers(),
            failures=hunt.harvest.failures.values(),
            filters=hunt.request.list_constraints(),
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


def _can_be_asked(hunt: _PlaceHunt, name: str) -> bool:
    """Whether a provider of OpenStreetMap's data can do anything with this search."""
    if hunt.anchor is not None:
        return True
    # "Eiffel Tower" can be looked up by its name; "cafes" alone or in an unknown town cannot.
    return name not in _NEEDS_ANCHOR and not hunt.words.kinds and not hunt.request.near


def _point_anchor(request: PlaceQuery) -> PlaceAnchor | None:
    if request.latitude is None or request.longitude is None:
        return None
    return PlaceAnchor(latitude=request.latitude, longitude=request.longitude)


def _build_place_query(hunt: _PlaceHunt, name: str) -> PlaceLookup:
    request, words = hunt.request, hunt.words
    anchor = _point_anchor(request) if name in _OWN_GEOCODING else hunt.anchor
    changes: dict[str, Any] = {
        "latitude": anchor.latitude if anchor else None,
        "longitude": anchor.longitude if anchor else None,
        "radius": request.radius if request.has_point() else 0,
        # Overpass sorts by distance itself; of the others we may have to drop some.
        "count": request.count if name in _NEEDS_ANCHOR else MAX_PLACES,
    }
    return PlaceLookup(
        **request.model_dump() | changes, subject=words.subject, kinds=words.kinds, name=words.name
    )


def _report_place_filters(request: PlaceQuery, provider: str) -> tuple[FilterReport, ...]:
    reports = []
    if request.radius and request.has_point():
        by = provider if provider in _NEEDS_ANCHOR else "afterwards"
        reports.append(FilterReport(filter="radius", by=by))
    elif request.radius:
        note = "radius needs latitude and longitude"
        reports.append(FilterReport(filter="radius", by="nobody", note=note))
    if request.country and provider in _NATIVE_COUNTRY:
        reports.append(FilterReport(filter="country", by=provider))
    elif request.country:
        note = "the named area was looked up in this country; places that state another are dropped"
        reports.append(FilterReport(filter="country", by="afterwards", note=note))
    return tuple(reports)


async def run(query: PlaceQuery, call: ToolCall) -> PlacesAnswer:
    steps = 0

    async def report(doing: str) -> None:
        nonlocal steps
        await call.report_progress(steps, message=doing)
        steps += 1

    answer = await call.require_service(PlaceSearchService).search_places(
        query, trace=call.trace, report=report
    )
    call.report_sources(
        SessionSource(url=address, title=place.name)
        for place in answer.places
        if (address := place.url or place.website)
    )
    return answer


TOOL = Tool(
    args=PlaceQuery,
    result=PlacesAnswer,
    run=run,
    toolset="domains",
    title="Places",
    ttl_seconds=6 * 3600,
    has_long_timeout=True,
    is_empty_result=lambda answer: answer.result_count == 0,
    empty_ttl_seconds=0.0,
    served_by=ToolProviders(
        offer=Offer.PLACES,
        filters=("near", "latitude", "longitude", "radius", "country"),
        applied_by_us=frozenset({"radius", "country"}),
    ),
)


def show_places(body: Mapping[str, Any]) -> Iterator[Card | TextLine]:
    if area := body.get("searchedNear"):
        yield TextLine(text=f"Near {area}", style="dim")
        yield TextLine()
    for place in body["places"]:
        rating = place.get("rating")
        yield Card(
            title=place["name"],
            url=place.get("website"),
            facts=(
                _format_distance(place.get("distance"), body.get("distanceUnit", "")),
                ", ".join(place.get("categories", ())),
                f"rated {rating:g} by {place.get('ratingCount', 0)}" if rating is not None else "",
                place.get("phone"),
            ),
            lines=(place.get("address"), *place.get("hours", ()), place.get("description")),
        )
    if credit := body.get("attribution"):
        yield TextLine(text=credit, style="dim")


def _format_distance(distance: float | None, unit: str) -> str:
    """A distance as people say it: 180 m, 1.3 km, 0.4 mi."""
    if distance is None:
        return ""
    if unit == "km" and distance < 1:
        return f"{round(1000 * distance)} m"
    return f"{distance:.1f} {unit}"


COMMAND = SearchCommand(
    name="places",
    tool="local_search",
    help="""Search physical places: cafés, shops, services, sights.

They are what an assistant would get from local_search.""",
    show_answer=show_places,
)
