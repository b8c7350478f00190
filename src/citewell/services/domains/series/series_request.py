"""The request of one search for series or their observations, and its check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from citewell.dialects.statistics.series_ids import MAX_SERIES_ID_CHARS
from citewell.errors import InvalidInput
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import BLANK_IS_ABSENT, OptionalName, OptionalQuery
from citewell.model.domains.economic_series import ObservationQuery
from citewell.services.web.search_request import clean_query_text, normalize_provider_name
from citewell.text.countries.country_codes import find_country, suggest_countries
from citewell.text.dates.stated_periods import StatedPeriod, parse_stated_period

SeriesFrequency = Literal["d", "w", "m", "q", "a"]

DEFAULT_SERIES_COUNT = 5
DEFAULT_OBSERVATION_COUNT = 10
_UNITS = ("lin", "chg", "ch1", "pch", "pc1", "pca", "cch", "cca", "log")


@dataclass(frozen=True, kw_only=True)
class SeriesSearchRequest:
    """One search for series or one list of observations; the arguments of econ_search."""

    query: Annotated[OptionalQuery, Field(description="Words of a series' name.")] = None
    series_id: Annotated[
        str | None,
        Field(
            max_length=MAX_SERIES_ID_CHARS,
            description="Lists observations: GDP, NY.GDP.MKTP.CD, agency,flow,version, une_rt_m,"
            " EXR/D.USD.EUR.SP00.A; ?sex=T&age=TOTAL narrows a data set.",
        ),
        BLANK_IS_ABSENT,
    ] = None
    country: Annotated[OptionalName, Field(description="ISO code or English name; not FRED.")] = (
        None
    )
    date_from: Annotated[OptionalName, Field(description="YYYY-MM-DD or YYYY.")] = None
    date_to: Annotated[OptionalName, Field(description="YYYY-MM-DD or YYYY.")] = None
    frequency: Annotated[SeriesFrequency | None, Field(description="FRED only.")] = None
    units: Annotated[OptionalName, Field(description="FRED only: pch, pc1…")] = None
    count: Annotated[
        int | None,
        Field(ge=1, le=100, validation_alias="num_results", description="5; 10 for observations."),
    ] = None
    provider: Annotated[
        OptionalName, Field(description="fred, worldbank, oecd, eurostat, ecb or imf.")
    ] = None

    def list_constraints(self) -> tuple[str, ...]:
        """The names of the filters that are set, the narrowest first."""
        given = {
            "date_from": self.date_from,
            "date_to": self.date_to,
            "country": self.country,
            "frequency": self.frequency,
            "units": self.units,
        }
        return tuple(name for name, value in given.items() if value)


def check_series_request(ask: SeriesSearchRequest) -> SeriesSearchRequest:
    """The request with its texts cleaned; raises InvalidInput if a value is invalid or all are missing."""
    check_declared_bounds(ask)
    if not ask.query and not ask.series_id:
        raise InvalidInput(
            "Give query (words of a series' name) or series_id (such as NY.GDP.MKTP.CD)."
        )
    if ask.units and ask.units.lower() not in _UNITS:
        raise InvalidInput(f"units must be one of {', '.join(_UNITS)}.")
    first, last = _parse_day(ask.date_from, "date_from"), _parse_day(ask.date_to, "date_to")
    if first and last and first.first_day > last.last_day:
        raise InvalidInput(f"date_from {first.text} is after date_to {last.text}.")
    return replace(
        ask,
        query=clean_query_text(ask.query) if ask.query else None,
        series_id=ask.series_id.strip() if ask.series_id else None,
        country=_resolve_country(ask.country),
        date_from=first.first_day if first else None,
        date_to=last.last_day if last else None,
        units=ask.units.lower() if ask.units else None,
        provider=normalize_provider_name(ask.provider),
    )


def build_observation_query(ask: SeriesSearchRequest) -> ObservationQuery:
    """A checked request for observations as the query that providers take."""
    return ObservationQuery(
        series_id=ask.series_id or "",
        count=ask.count or DEFAULT_OBSERVATION_COUNT,
        country=ask.country,
        first_day=ask.date_from,
        last_day=ask.date_to,
        frequency=ask.frequency,
        units=ask.units,
    )


def _parse_day(text: str | None, argument: str) -> StatedPeriod | None:
    if not text:
        return None
    period = parse_stated_period(text)
    if not period.first_day:
        raise InvalidInput(f"{argument} must be a date such as 2020-01-31 or a year such as 2020.")
    return period


def _resolve_country(text: str | None) -> str | None:
    if not text:
        return None
    entry = find_country(text)
    if entry is None:
        near = suggest_countries(text)
        hint = f" Near names: {', '.join(near)}." if near else ""
        raise InvalidInput(
            f"There is no country {text[:60]!r}.{hint} Give an ISO code or an English name, or put a"
            " provider's own code into series_id, such as ?geo=DE21."
        )
    return entry.code
