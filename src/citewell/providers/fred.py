"""FRED of the Federal Reserve Bank of St. Louis: series by id without a key, searches with one."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Iterable
from io import StringIO
from urllib.parse import urlsplit

from citewell.core import errors
from citewell.domains.series import ObservationList, ObservationQuery, SeriesHits, SeriesItem
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects.data_cubes import clean_label, format_stated_value, is_in_days
from citewell.providers.dialects.series_catalogue import run_reader
from citewell.routing.ports import KitProvider, Offer, ProviderSpec, accept_key
from citewell.routing.upstream_refusals import build_stated_refusal
from citewell.text.calendar_dates import StatedPeriod, parse_stated_period

SPEC = ProviderSpec(
    name="fred",
    title="FRED",
    homepage="https://fred.stlouisfed.org/docs/api/api_key.html",
    base_url="https://api.stlouisfed.org/fred",
    offers=frozenset({Offer.SERIES}),
    applied_arguments={Offer.SERIES: frozenset({"date_from", "date_to", "frequency", "units"})},
    options=(
        accept_key(
            "FRED_API_KEY",
            "Key of FRED, free: searches by words; without it series are read by their id.",
        ),
    ),
    address_key="api_key",
    max_results=100,
    per_second=2.0,
    burst=5,
    rank=10,
    covers_whole_web=False,
    terms="Free; 120 requests a minute; some series belong to others, whose terms apply.",
    test_evidence="recorded answers of the API without observations; observations shape-tested only",
)

_GRAPH_ADDRESS = "https://fred.stlouisfed.org/graph/fredgraph.csv"
_GRAPH_PATH = "/graph/fredgraph.csv"
_ID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
_WORD_PATTERN = re.compile(r"[^\W_]+")
_BAD_REQUEST, _NOT_FOUND = 400, 404
_MIN_SEARCHED = 25  # ranked again by us, so that popular series do not hide fitting ones
_GRAPH_FREQUENCIES = {
    "d": "Daily", "w": "Weekly", "m": "Monthly", "q": "Quarterly", "a": "Annual",
}  # fmt: skip
_SERIES_PAGES = "https://fred.stlouisfed.org/series"
_TITLE_PATTERN = re.compile(r"<title>([^<]{1,500})<")
_UNITS_PATTERN = re.compile(r'series-meta-value-units"[^<>]{0,99}>([^<]{1,200})<')
_SITE_NAME_PATTERN = re.compile(r"(?:\s{1,5}\([^()]{1,60}\))?\s{1,5}\|.*", re.DOTALL)
# What the values are after a transformation; {} is the unit of the series itself.
_TRANSFORMED_UNITS = {
    "lin": "{}",
    "chg": "Change, {}",
    "ch1": "Change from Year Ago, {}",
    "pch": "Percent Change",
    "pc1": "Percent Change from Year Ago",
    "pca": "Compounded Annual Rate of Change",
    "cch": "Continuously Compounded Rate of Change",
    "cca": "Continuously Compounded Annual Rate of Change",
    "log": "Natural Log of {}",
}
_UNDESCRIBED_NOTE = "FRED did not say the title and the unit of the series."
_UNKNOWN_SERIES_WORDS = ("does not exist", "series_id")


class _FredSeries(wire.ResponsePart):
    id: str
    title: wire.OptionalField[str] = None
    units: wire.OptionalField[str] = None
    frequency: wire.OptionalField[str] = None
    last_updated: wire.OptionalField[str] = None
    notes: wire.OptionalField[str] = None


class _FredResponse(wire.JsonResponse):
    error_code: wire.OptionalField[int] = None
    error_message: wire.OptionalField[str] = None


class _SeriesPage(_FredResponse):
    seriess: wire.TolerantItems[_FredSeries]


class _FredObservation(wire.ResponsePart):
    date: str
    value: wire.OptionalField[str] = None


class _ObservationPage(_FredResponse):
    observations: wire.TolerantItems[_FredObservation]
    units: wire.OptionalField[str] = None


class Provider(KitProvider):
    def _set_up(self) -> None:
        self._workers = self._kit.workers
        self._key = self._kit.find_option("FRED_API_KEY")
        self.can_search_series = bool(self._key)

    async def search_series(self, words: str, *, count: int) -> SeriesHits:
        if not self._key:
            raise errors.Misconfigured(
                "FRED can be searched only with a free key: set FRED_API_KEY (see .env.example)."
                " Series are read by their series_id without one.",
                settings=("FRED_API_KEY",),
            )
        params = {
            "search_text": words,
            "limit": str(max(count, _MIN_SEARCHED)),
            "order_by": "popularity",
            "sort_order": "desc",
        }
        response = await self._send_call("/series/search", params)
        page = wire.read_json_response(_SeriesPage, response)
        found = [_build_series(series) for series in page.seriess if series.id.strip()]
        wanted = set(_WORD_PATTERN.findall(words.casefold()))
        found.sort(
            key=lambda series: (
                -len(wanted.intersection(_WORD_PATTERN.findall((series.title or "").casefold())))
            )
        )
        return SeriesHits(series=tuple(found[:count]))

    async def list_observations(self, query: ObservationQuery) -> ObservationList:
        if not _ID_PATTERN.fullmatch(query.series_id):
            raise errors.InvalidInput(
                "A FRED series_id is letters and digits, such as GDP or CPIAUCSL."
            )
        read = self._fetch_observations if self._key else self._read_graph
        observed = await read(query)
        if not observed.observations:
            return observed
        return _label_observations(observed, await self._describe_series(query.series_id), query)

    async def _describe_series(self, series_id: str) -> SeriesItem | None:
        """Title and units of a series; None if FRED does not tell them."""
        named = series_id.upper()
        try:
            if self._key:
                response = await self._send_call("/series", {"series_id": named})
                page = wire.read_json_response(_SeriesPage, response)
                return next(map(_build_series, page.seriess), None)
            pages = _choose_site_address(self._upstream.base_url, _SERIES_PAGES, "/series")
            response = await self._upstream.send_get(f"/{named}", base_url=pages, retry=False)
            return await run_reader(self._workers, read_series_page, response, named)
        except errors.CitewellError:
            return None  # the values themselves are not lost for want of a title

    async def _fetch_observations(self, query: ObservationQuery) -> ObservationList:
        params = {
            "series_id": query.series_id.upper(),
            "limit": str(query.count),
            "sort_order": "asc" if query.date_from else "desc",
            "observation_start": query.date_from,
            "observation_end": query.date_to,
            "frequency": query.frequency,
            "units": query.units,
        }
        given = {name: value for name, value in params.items() if value}
        page = wire.read_json_response(
            _ObservationPage, await self._send_call("/series/observations", given)
        )
        rows = [(parse_stated_period(row.date), row.value) for row in page.observations]
        return _select_observations(rows, query)

    async def _send_call(self, path: str, params: dict[str, str]) -> HttpResponse:
        """Call the API; it takes the key in the address only, so no address of it may be shown."""
        response = await self._upstream.send_get(
            path,
            params={"file_type": "json", **params, "api_key": self._key or ""},
            accept=(_BAD_REQUEST,),
        )
        stated = _read_stated_error(response)
        if response.status == _BAD_REQUEST:
            raise _build_fred_refusal(response, stated, params.get("series_id"))
        if stated:
            raise errors.UpstreamUnavailable("FRED returned an error.", provider=SPEC.name)
        return response

    async def _read_graph(self, query: ObservationQuery) -> ObservationList:
        """The series as the file behind the chart on FRED's own page."""
        params = {
            "id": query.series_id.upper(),
            "cosd": query.date_from,
            "coed": query.date_to,
            "fq": _GRAPH_FREQUENCIES.get(query.frequency or ""),
            "transformation": query.units,
        }
        response = await self._upstream.send_get(
            base_url=_choose_site_address(self._upstream.base_url, _GRAPH_ADDRESS, _GRAPH_PATH),
            params={name: value for name, value in params.items() if value},
            accept=(_BAD_REQUEST, _NOT_FOUND),
        )
        if response.status in {_BAD_REQUEST, _NOT_FOUND}:
            raise _build_unknown_series(query.series_id)
        return await run_reader(self._workers, read_graph_window, response, query)


def _choose_site_address(base_url: str, address: str, path: str) -> str:
    """The address on FRED's site, or the path below the base URL if another one was set."""
    if urlsplit(base_url).hostname == urlsplit(SPEC.base_url).hostname:
        return address
    return base_url.rstrip("/") + path


def _read_stated_error(response: HttpResponse) -> str:
    """The error message of the body, or nothing; a body that is not JSON has none."""
    try:
        body = response.parse_json()
    except errors.MalformedResponse:
        return ""
    stated = isinstance(body, dict) and (body.get("error_message") or body.get("error_code"))
    return clean_label(str(stated)) if stated else ""


def _build_fred_refusal(
    response: HttpResponse, stated: str, series_id: str | None
) -> errors.AuthRequired | errors.NotFound | errors.UpstreamUnavailable | Exception:
    words = stated.lower()
    if "api_key" in words or "api key" in words:
        return errors.AuthRequired(
            "FRED did not accept the key: check FRED_API_KEY, 32 small letters and digits.",
            provider=SPEC.name,
            settings=("FRED_API_KEY",),
        )
    if series_id and any(known in words for known in _UNKNOWN_SERIES_WORDS):
        return _build_unknown_series(series_id)
    return build_stated_refusal(response)


def _build_unknown_series(series_id: str) -> errors.NotFound:
    return errors.NotFound(
        f"FRED has no series {series_id}, or not with these arguments. Ids such as GDP, CPIAUCSL and"
        " UNRATE are shown on fred.stlouisfed.org.",
        provider=SPEC.name,
    )


def read_graph_window(body: bytes, query: ObservationQuery) -> ObservationList:
    """The observations asked for, from the file behind a chart; raises MalformedResponse."""
    text = body.decode("utf-8-sig", "replace")
    header = text.partition("\n")[0].lower()
    if not header.startswith(("observation_date,", "date,")):
        raise errors.MalformedResponse("Expected FRED's table and got something else.")
    try:
        rows = [row for row in csv.reader(StringIO(text)) if len(row) > 1][1:]
    except csv.Error:
        raise errors.MalformedResponse("FRED's table cannot be read.") from None
    dated = [(parse_stated_period(row[0]), row[1]) for row in rows]
    return _select_observations(dated, query)


def _select_observations(
    rows: Iterable[tuple[StatedPeriod, str | None]], query: ObservationQuery
) -> ObservationList:
    kept = [
        (period, value) for period, value in rows if period.first_day and is_in_days(period, query)
    ]
    kept.sort(key=lambda row: row[0].first_day, reverse=query.date_from is None)
    return ObservationList(
        observations=tuple(
            SeriesItem(
                series_id=query.series_id, date=period.text, value=format_stated_value(value)
            )
            for period, value in kept[: query.count]
        )
    )


def read_series_page(body: bytes, series_id: str) -> SeriesItem | None:
    """Title and units from the page of a series; None if it is another page."""
    text = body.decode("utf-8", "replace")
    title, units = _TITLE_PATTERN.search(text), _UNITS_PATTERN.search(text)
    if title is None or units is None:
        return None
    return SeriesItem(
        series_id=series_id,
        title=clean_label(_SITE_NAME_PATTERN.sub("", html.unescape(title[1]))),
        units=clean_label(html.unescape(units[1])) or None,
    )


def _label_observations(
    observed: ObservationList, series: SeriesItem | None, query: ObservationQuery
) -> ObservationList:
    """The observations with the title and the unit of their series, as far as FRED told them."""
    stated = series.units if series else None
    shown = _TRANSFORMED_UNITS.get((query.units or "lin").lower(), "")
    units = shown.format(stated) if stated or "{}" not in shown else ""
    title = series.title if series else None
    return observed.with_changes(
        title=title,
        observations=tuple(
            row.with_changes(title=title, units=units or None) for row in observed.observations
        ),
        notes=observed.notes if title and units else (*observed.notes, _UNDESCRIBED_NOTE),
    )


def _build_series(series: _FredSeries) -> SeriesItem:
    return SeriesItem(
        series_id=clean_label(series.id),
        title=clean_label(series.title) or clean_label(series.id),
        units=clean_label(series.units) or None,
        frequency=clean_label(series.frequency) or None,
        last_updated=clean_label(series.last_updated) or None,
        notes=clean_label(series.notes) or None,
    )
