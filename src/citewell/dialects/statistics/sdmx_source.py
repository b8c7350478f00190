"""Asks an SDMX service for the observations of a series: key, window, and what its refusals mean."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from citewell.dialects.fact_memory import FactMemory
from citewell.dialects.stated_refusals import build_stated_refusal
from citewell.dialects.statistics.sdmx_json import read_sdmx_window
from citewell.dialects.statistics.sdmx_structures import list_key_dimensions
from citewell.dialects.statistics.series_catalogue import CATALOGUE_SECONDS, run_reader
from citewell.dialects.statistics.series_ids import SeriesReference, parse_series_reference
from citewell.errors import InvalidInput, NotFound, RejectedRequest, TooLarge
from citewell.model.counted_words import pluralize
from citewell.model.domains.economic_series import ObservationList, ObservationQuery
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.upstream_client import Upstream
from citewell.text.countries.country_codes import choose_office_code
from citewell.workers.worker_tasks import TaskRunner

_COUNTRY_DIMENSIONS = ("REF_AREA", "COUNTRY", "LOCATION", "GEO", "AREA", "COU", "COUNT_AREA")
_BAD_REQUEST, _NOT_FOUND, _NOT_ACCEPTABLE, _TOO_LARGE, _UNPROCESSABLE = 400, 404, 406, 413, 422
_EXPECTED_STATUSES = (_BAD_REQUEST, _NOT_FOUND, _NOT_ACCEPTABLE, _TOO_LARGE, _UNPROCESSABLE)
_NO_DATA_WORDS = (b"norecordsfound", b"no results", b"no data", b"no observations")
_DAYS_OF_YEAR = 366  # the most observations that a year before the first day can have
_NARROW_ADVICE = (
    "Ask for less: give country, a shorter range of dates, or restrict the series in series_id,"
    " with a key after a slash or with filters such as ?FREQ=A."
)


def build_period_range(first: str | None, last: str | None) -> dict[str, str]:
    """The range of years as SDMX 2.1 has it."""
    given = {"startPeriod": first, "endPeriod": last}
    return {name: year for name, year in given.items() if year}


@dataclass(frozen=True, slots=True, kw_only=True)
class SdmxService:
    """How one office's service is addressed."""

    office: str  # as in text/countries
    build_data_path: Callable[[str, str], str]  # from flow and key
    build_structure_path: Callable[[str], str]  # from flow
    structure_params: Mapping[str, str]
    structure_type: str  # media types that are asked for
    data_type: str
    params: Mapping[str, str]
    wildcard: str = ""  # an open position of a key
    whole_key: str = "all"
    build_range: Callable[[str | None, str | None], dict[str, str]] = build_period_range


class SdmxSource:
    def __init__(
        self,
        service: SdmxService,
        *,
        upstream: Upstream,
        memory: FactMemory | None,
        workers: TaskRunner | None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self._service = service
        self._upstream = upstream
        self._memory = memory
        self._workers = workers
        self._today = today

    async def list_observations(self, query: ObservationQuery) -> ObservationList:
        """The observations; raises InvalidInput, NotFound or the upstream's error."""
        reference = parse_series_reference(query.series_id)
        country = self._choose_country(query)
        key, notes = await self._build_series_key(reference, country)
        path = self._service.build_data_path(reference.flow, key)
        response = await self._send_window(path, query)
        if response.status in {_NOT_FOUND, _NOT_ACCEPTABLE, _UNPROCESSABLE}:
            _raise_unless_empty(response, reference.flow)
            return ObservationList(country=country, notes=notes)
        found = await run_reader(self._workers, read_sdmx_window, response, query)
        return replace(found, country=country, notes=(*notes, *found.notes))

    def _choose_country(self, query: ObservationQuery) -> str | None:
        if query.country is None:
            return None
        code = choose_office_code(query.country, self._service.office)
        if code is None:
            raise InvalidInput(
                f"{self._upstream.name} has no code for {query.country}. Name a country, or put the"
                " provider's own code into series_id, such as ?REF_AREA=code."
            )
        return code

    async def _build_series_key(
        self, reference: SeriesReference, country: str | None
    ) -> tuple[str, tuple[str, ...]]:
        """The key of the request, and what must be said about it."""
        if not reference.filters and not country:
            return reference.key or self._service.whole_key, ()
        dimensions = await self._list_dimensions(reference.flow)
        slots = reference.key.split(".") if reference.key else [""] * len(dimensions)
        if len(slots) != len(dimensions):
            raise InvalidInput(
                f"The key has {len(slots)} {pluralize(len(slots), 'position')}, and the data set has {len(dimensions)}:"
                f" {'.'.join(dimensions)}."
            )
        chosen = dict(zip(dimensions, slots, strict=True))
        for name, code in reference.filters.items():
            known = next((one for one in dimensions if one.lower() == name.lower()), None)
            if known is None:
                raise InvalidInput(
                    f"The data set has no dimension {name}. It has {', '.join(dimensions)}."
                )
            chosen[known] = code
        notes = _put_country(chosen, country)
        open_slot = self._service.wildcard
        return ".".join(
            code if code not in {"", "*"} else open_slot for code in chosen.values()
        ), notes

    async def _list_dimensions(self, flow: str) -> tuple[str, ...]:
        """The dimensions of a data set's keys, remembered for a day."""
        fact = f"dimensions {flow}"
        kept = await self._memory.recall_fact(fact) if self._memory else None
        if kept:
            return tuple(json.loads(kept))
        response = await self._upstream.send_get(
            self._service.build_structure_path(flow),
            params=self._service.structure_params,
            headers={"Accept": self._service.structure_type},
            accept=_EXPECTED_STATUSES,
        )
        if response.status != 200:
            raise _build_unknown_flow(flow, self._upstream.name)
        found = await run_reader(self._workers, list_key_dimensions, response)
        if self._memory:
            await self._memory.remember_fact(
                fact, json.dumps(found).encode(), ttl=CATALOGUE_SECONDS
            )
        return found

    async def _send_window(self, path: str, query: ObservationQuery) -> HttpResponse:
        response = await self._send_sdmx(path, self._build_window(query))
        if response.status == _TOO_LARGE:  # very large data sets refuse to count observations
            response = await self._send_sdmx(path, self._build_year_window(query))
        if response.status == _TOO_LARGE:
            message = f"The data set is too large to be sent whole. {_NARROW_ADVICE}"
            raise RejectedRequest(message, provider=self._upstream.name, detail="HTTP 413")
        if response.status == _BAD_REQUEST:
            raise build_stated_refusal(response)
        return response

    async def _send_sdmx(self, path: str, params: Mapping[str, str]) -> HttpResponse:
        try:
            return await self._upstream.send_get(
                path,
                params={**self._service.params, **params},
                headers={"Accept": self._service.data_type},
                accept=_EXPECTED_STATUSES,
            )
        except TooLarge as error:
            raise error.copy_with_message(f"The answer is too large. {_NARROW_ADVICE}") from None

    def _build_window(self, query: ObservationQuery) -> dict[str, str]:
        """Years that contain the days asked for, and how many observations of each series to send."""
        first, last = query.first_day, query.last_day
        if first:
            early = 0 if first.endswith("-01-01") else _DAYS_OF_YEAR
            counted = {"firstNObservations": str(query.count + early)}
        elif last and not last.endswith("-12-31"):
            # Observations of the same year after the last day would use the count up.
            return self._build_year_window(query)
        else:
            counted = {"lastNObservations": str(query.count)}
        return self._service.build_range(first and first[:4], last and last[:4]) | counted

    def _build_year_window(self, query: ObservationQuery) -> dict[str, str]:
        """The same by years alone: as many as observations are asked for, which is enough for all."""
        last = int(query.last_day[:4]) if query.last_day else self._today().year
        first = int(query.first_day[:4]) if query.first_day else last - query.count - 1
        if query.first_day:
            last = min(last, first + query.count)
        return self._service.build_range(str(first), str(last))


def _put_country(chosen: dict[str, str], country: str | None) -> tuple[str, ...]:
    """Put the country into its position unless the id has one there; say so if it cannot be."""
    if country is None:
        return ()
    upper = {name.upper(): name for name in chosen}
    slot = next((upper[name] for name in _COUNTRY_DIMENSIONS if name in upper), None)
    if slot is None:
        return ("country was not applied: the data set has no dimension of countries.",)
    if chosen[slot] not in {"", "*", country}:
        return (f"country was not applied: series_id already has {slot} {chosen[slot]}.",)
    chosen[slot] = country
    return ()


def _raise_unless_empty(response: HttpResponse, flow: str) -> None:
    """Do nothing if the service says that there is no such observation; else the data set is unknown."""
    said = response.body[:4096].lower()
    if said.strip() and not any(word in said for word in _NO_DATA_WORDS):
        raise _build_unknown_flow(flow, response.provider)


def _build_unknown_flow(flow: str, provider: str | None) -> NotFound:
    return NotFound(
        f"There is no data set {flow}. Search with query for ids that exist.", provider=provider
    )
