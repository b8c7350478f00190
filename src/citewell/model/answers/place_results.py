"""Places as callers receive them, with the field names of spec 1."""

from __future__ import annotations

from pydantic import Field

from citewell.model.search_results import EmptySearchHints, FilterReport
from citewell.model.wire_values import UNTRUSTED_LABEL, Body, Spine, WireValue


class PlaceResult(WireValue):
    """One place; fields that the provider does not state are absent."""

    id: str
    name: str
    source: str
    url: str | None = None  # its page on the map
    address: str | None = None
    lat: float | None = None
    lon: float | None = None
    distance: float | None = None  # from the anchor, in the answer's distanceUnit
    phone: str | None = None
    website: str | None = None
    categories: tuple[str, ...] = ()
    rating: float | None = None
    rating_count: int | None = None
    hours: tuple[str, ...] | None = None  # one line for each weekday of the current week
    description: str | None = None


class PlacesAnswer(WireValue):
    """What local_search returns."""

    places: Body[tuple[PlaceResult, ...]]
    query: str
    result_count: int
    provider: str
    searched_near: str | None = None  # the area that `near` or the query was understood as
    distance_unit: str | None = None  # km or mi
    filters: Spine[tuple[FilterReport, ...]] | None = None
    notes: tuple[str, ...] | None = None
    attribution: str | None = None
    hints: EmptySearchHints | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)
