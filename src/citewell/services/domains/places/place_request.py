"""The request of one search for places, and its check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from citewell.errors import InvalidInput
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import OptionalName, OptionalQuery, QueryText
from citewell.services.web.search_request import clean_query_text, normalize_provider_name
from citewell.text.geography.map_distance import is_map_point
from citewell.text.language.locale_codes import is_country_code

MAX_PLACES = 20
MeasureUnits = Literal["metric", "imperial"]


@dataclass(frozen=True, kw_only=True)
class PlaceSearchRequest:
    """One search for places, as the caller wrote it; the arguments of local_search."""

    query: QueryText
    near: Annotated[
        OptionalQuery, Field(description="City, district or landmark; coordinates go before it.")
    ] = None
    latitude: Annotated[float | None, Field(ge=-90, le=90, allow_inf_nan=False)] = None
    longitude: Annotated[
        float | None,
        Field(ge=-180, le=180, allow_inf_nan=False, description="Together with latitude."),
    ] = None
    radius: Annotated[
        float,
        Field(ge=0, allow_inf_nan=False, description="Metres around the coordinates; 0: any."),
    ] = 0
    country: Annotated[OptionalName, Field(description="ISO 3166-1 alpha-2.")] = None
    units: Annotated[MeasureUnits, Field(description="Of distances in the answer.")] = "metric"
    count: Annotated[int, Field(ge=1, le=MAX_PLACES, validation_alias="num_results")] = 5
    provider: OptionalName = None

    def list_constraints(self) -> tuple[str, ...]:
        """The names of the filters that are set, the narrowest first."""
        given = {"radius": self.radius and self.has_point(), "country": self.country}
        return tuple(name for name, value in given.items() if value)

    def has_point(self) -> bool:
        return self.latitude is not None and self.longitude is not None


def check_place_request(ask: PlaceSearchRequest) -> PlaceSearchRequest:
    """The request with its texts cleaned; raises InvalidInput if a value is invalid."""
    check_declared_bounds(ask)
    if (ask.latitude is None) != (ask.longitude is None):
        raise InvalidInput("Give latitude and longitude together, or neither.")
    if (
        ask.latitude is not None
        and ask.longitude is not None
        and not is_map_point(ask.latitude, ask.longitude)
    ):
        raise InvalidInput("latitude must be from -90 to 90 and longitude from -180 to 180.")
    if not 0 <= ask.radius < float("inf"):
        raise InvalidInput("radius is in metres and cannot be negative; 0 means any distance.")
    return replace(
        ask,
        query=clean_query_text(ask.query),
        near=clean_query_text(ask.near, argument="near") if ask.near else None,
        country=_check_place_country(ask.country),
        provider=normalize_provider_name(ask.provider),
    )


def _check_place_country(code: str | None) -> str | None:
    upper = (code or "").strip().upper()
    if not upper:
        return None
    if not is_country_code(upper):
        hint = " The United Kingdom is GB." if upper == "UK" else ""
        raise InvalidInput(f"country {upper[:20]!r} is not an ISO 3166-1 alpha-2 code.{hint}")
    return upper
