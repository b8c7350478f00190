"""The World Bank's World Development Indicators; no key."""

from __future__ import annotations

import re
from typing import Any

from citewell.core.errors import InvalidInput, MalformedResponse, NotFound, UpstreamUnavailable
from citewell.domains.series import ObservationList, ObservationQuery, SeriesHits, SeriesItem
from citewell.providers.dialects import data_cubes, series_catalogue
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.text.calendar_dates import parse_stated_period
from citewell.text.places import choose_office_code
from citewell.text.safety.secret_masking import mask_secrets

SPEC = ProviderSpec(
    name="worldbank",
    title="World Bank Open Data",
    homepage="https://datahelpdesk.worldbank.org/knowledgebase/articles/889392",
    base_url="https://api.worldbank.org/v2",
    offers=frozenset({Offer.SERIES}),
    applied_arguments={Offer.SERIES: frozenset({"country", "date_from", "date_to"})},
    max_results=100,
    per_second=2.0,
    burst=4,
    rank=20,
    covers_whole_web=False,
    terms="CC BY 4.0; cite the World Bank.",
)

_WORLD = "WLD"
_INDICATOR_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,99}")
_FIRST_YEAR = "1900"
_ALL_ROWS = "1000"  # more than any annual, quarterly or monthly series has
_ALL_INDICATORS = "3000"
_UNKNOWN_VALUE_CODES = frozenset({"120", "175"})  # an invalid value, an indicator that is not there


class Provider(KitProvider):
    can_search_series = True

    def _set_up(self) -> None:
        self._catalogue = series_catalogue.SeriesCatalogue(self._kit.memory, self._fetch_indicators)

    async def search_series(self, words: str, *, count: int) -> SeriesHits:
        return await self._catalogue.search_entries(words, count=count)

    async def list_observations(self, query: ObservationQuery) -> ObservationList:
        if not _INDICATOR_PATTERN.fullmatch(query.series_id) or ".." in query.series_id:
            raise InvalidInput(
                "A World Bank series_id is an indicator such as NY.GDP.MKTP.CD; search with query"
                " for others."
            )
        country = choose_office_code(query.country or _WORLD, "worldbank") or _WORLD
        response = await self._upstream.send_get(
            f"/country/{country}/indicator/{query.series_id}", params=_build_row_params(query)
        )
        return await series_catalogue.run_reader(
            self._kit.workers, read_indicator_window, response, query, country
        )

    async def _fetch_indicators(self) -> str:
        response = await self._upstream.send_get(
            "/indicator",
            params={"format": "json", "source": "2", "per_page": _ALL_INDICATORS},
            timeout=series_catalogue.CATALOGUE_TIMEOUT_SECONDS,
        )
        return await series_catalogue.run_reader(self._kit.workers, write_indicator_lines, response)


def read_indicator_window(body: bytes, query: ObservationQuery, country: str) -> ObservationList:
    """The observations asked for; raises NotFound, MalformedResponse or UpstreamUnavailable."""
    return _select_rows(
        _read_indicator_rows(data_cubes.parse_exact_json(body), query.series_id), query, country
    )


def write_indicator_lines(body: bytes) -> str:
    """The list of indicators as lines of a catalogue; raises MalformedResponse or the stated error."""
    rows = _read_indicator_rows(data_cubes.parse_exact_json(body), "")
    return series_catalogue.write_catalogue_lines(
        SeriesItem(
            series_id=named,
            title=data_cubes.clean_label(row.get("name")) or named,
            units=data_cubes.clean_label(row.get("unit")) or None,
            notes=data_cubes.clean_label(row.get("sourceNote")) or None,
        )
        for row in rows
        if (named := data_cubes.clean_label(row.get("id")))
    )


def _build_row_params(query: ObservationQuery) -> dict[str, str]:
    """The API sends the newest first; to get the oldest of a range, all of it must be asked for."""
    params = {"format": "json", "per_page": _ALL_ROWS if query.date_from else str(query.count)}
    if query.date_from or query.date_to:
        first = (query.date_from or _FIRST_YEAR)[:4]
        last = (query.date_to or "2100")[:4]
        params["date"] = f"{first}:{last}"
        params["per_page"] = _ALL_ROWS
    return params


def _read_indicator_rows(message: Any, asked: str) -> list[dict[str, Any]]:
    """The rows after the first element, which describes the page; errors come with status 200 too."""
    if not isinstance(message, list) or not message or not isinstance(message[0], dict):
        raise MalformedResponse("The World Bank's answer has another form than documented.")
    if "message" in message[0]:
        raise _build_stated_error(data_cubes.get_list(message[0], "message"), asked)
    if "page" not in message[0] and "total" not in message[0]:
        raise MalformedResponse("The World Bank's answer does not describe its page.")
    rows = message[1] if len(message) > 1 else None
    if rows is not None and not isinstance(rows, list):
        raise MalformedResponse("The World Bank's answer has no list of rows.")
    return [row for row in rows or () if isinstance(row, dict)]


def _build_stated_error(messages: list[Any], asked: str) -> NotFound | UpstreamUnavailable:
    first = messages[0] if messages and isinstance(messages[0], dict) else {}
    if asked and str(first.get("id")) in _UNKNOWN_VALUE_CODES:
        return NotFound(
            f"The World Bank has no indicator {asked}, or not for this country. Search with query"
            " for indicators that exist.",
            provider=SPEC.name,
        )
    words = mask_secrets(data_cubes.clean_label(first.get("value"))).rstrip(". ")
    return UpstreamUnavailable(
        f"The World Bank refused the request: {words or 'no reason given'}.", provider=SPEC.name
    )


def _select_rows(
    rows: list[dict[str, Any]], query: ObservationQuery, country: str
) -> ObservationList:
    dated = [
        (period, row)
        for row in rows
        if isinstance(row.get("date"), str)
        and (period := parse_stated_period(row["date"])).first_day
        and data_cubes.is_in_days(period, query)
    ]
    dated.sort(key=lambda pair: pair[0].last_day, reverse=query.date_from is None)
    first = dated[0][1] if dated else {}
    names = (
        data_cubes.clean_label(data_cubes.get_object(first, "indicator").get("value")),
        data_cubes.clean_label(data_cubes.get_object(first, "country").get("value")),
    )
    return ObservationList(
        observations=tuple(
            SeriesItem(
                series_id=query.series_id,
                date=period.text,
                value=data_cubes.format_stated_value(row.get("value")),
                notes=data_cubes.clean_label(row.get("obs_status")) or None,
            )
            for period, row in dated[: query.count]
        ),
        title=", ".join(filter(None, names)) or None,
        country=country,
    )
