"""Finds the point around which places are searched: given by the caller, or named."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.domain_ports import AreaLookup
from citewell.errors import InternalError
from citewell.model.domains.place import AreaQuery, NamedArea
from citewell.model.routing_trace import RoutingTrace
from citewell.ports import Offer
from citewell.services.domains.places.place_request import PlaceSearchRequest
from citewell.services.domains.places.place_words import PlaceWords
from citewell.services.domains.routing.domain_search import DomainSearch

AREA_PROVIDER_ORDER = ("photon", "nominatim")
_WIDE_REACH_METERS = 100_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceAnchor:
    """The point to search around, and the area that it is the centre of, if it was named."""

    latitude: float
    longitude: float
    area: NamedArea | None = None

    def describe_width(self) -> str | None:
        """A note if the named area is too wide for a search around its centre."""
        if self.area is None or (self.area.reach_meters or 0) < _WIDE_REACH_METERS:
            return None
        return f"{self.area.label} is a whole region: these places are near its centre. Name a city for others."


class AnchorFinder:
    def __init__(self, search: DomainSearch) -> None:
        self._search = search

    async def find_anchor(
        self, ask: PlaceSearchRequest, words: PlaceWords, *, trace: RoutingTrace
    ) -> PlaceAnchor | None:
        """The caller's point, or that of the area which `near` or the query names.

        None if no area is named, or none of that name is known; raises if nobody could be asked.
        `trace` records who was asked; the answer's own trace tells who found the places.
        """
        if ask.latitude is not None and ask.longitude is not None:
            return PlaceAnchor(latitude=ask.latitude, longitude=ask.longitude)
        both = f"{words.where}, {ask.near}" if words.where and ask.near else None
        for name in (both, ask.near or words.where):
            if name and (area := await self._find_area(name, ask, trace)):
                return PlaceAnchor(latitude=area.latitude, longitude=area.longitude, area=area)
        return None

    async def _find_area(
        self, name: str, ask: PlaceSearchRequest, trace: RoutingTrace
    ) -> NamedArea | None:
        query = AreaQuery(name=name, country=ask.country)

        async def question(provider: object) -> tuple[NamedArea, ...]:
            if not isinstance(provider, AreaLookup):
                raise InternalError("A provider declares areas but cannot find them.")
            found = await provider.find_areas(query)
            return tuple(one for one in found if ask.country in {None, one.country or ask.country})

        named = ask.provider if ask.provider in AREA_PROVIDER_ORDER else None
        names = self._search.choose_providers(Offer.AREAS, named=named, order=AREA_PROVIDER_ORDER)
        harvest = await self._search.ask_in_turn(names, question, trace=trace, is_enough=bool)
        self._search.raise_if_all_failed(harvest)
        return next((areas[0] for areas in harvest.replies.values() if areas), None)
