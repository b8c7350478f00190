"""Eurostat, the statistical office of the European Union: its statistics API in JSON-stat 1.x and 2.0; no key."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from typing import Any

from citewell.core import errors
from citewell.domains.series import ObservationList, ObservationQuery, SeriesHits, SeriesItem
from citewell.domains.series_ids import SeriesReference, parse_series_reference
from citewell.net.http.messages import HttpResponse
from citewell.providers.dialects.data_cubes import (
    MAX_CUBE_CELLS,
    CellFacts,
    CubeCell,
    CubeDimension,
    DataCube,
    clean_label,
    get_list,
    get_object,
    parse_exact_json,
    select_window,
)
from citewell.providers.dialects.series_catalogue import (
    CATALOGUE_TIMEOUT_SECONDS,
    SeriesCatalogue,
    run_reader,
    write_catalogue_lines,
)
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.routing.upstream_refusals import build_stated_refusal
from citewell.text.calendar_dates import parse_stated_period
from citewell.text.places import choose_office_code

_TIME_NAMES = frozenset({"time", "time_period", "year", "period"})
# Eurostat's letters; a source may add its own labels.
_STATUS_LABELS = {
    "b": "break in time series", "c": "confidential", "d": "definition differs",
    "e": "estimated", "f": "forecast", "i": "see metadata", "m": "missing", "n": "not significant",
    "p": "provisional", "r": "revised", "s": "Eurostat estimate", "u": "low reliability",
    "z": "not applicable", ":": "not available",
}  # fmt: skip

SPEC = ProviderSpec(
    name="eurostat",
    title="Eurostat",
    homepage="https://ec.europa.eu/eurostat/web/user-guides/data-browser/api-data-access",
    base_url="https://ec.europa.eu/eurostat/api/dissemination",
    offers=frozenset({Offer.SERIES}),
    applied_arguments={Offer.SERIES: frozenset({"country", "date_from", "date_to"})},
    max_results=100,
    per_second=2.0,
    burst=4,
    rank=40,
    covers_whole_web=False,
    terms="Free to use; cite Eurostat as the source.",
    test_evidence="one recorded data set of Eurostat, and samples of JSON-stat 1.x and 2.0",
)

_BAD_REQUEST, _NOT_FOUND, _TOO_LARGE = 400, 404, 413
_SPARE_PERIODS = 12  # the newest periods of a data set may have no value for one country yet
_NO_DATA_WORDS = (b"no result", b"no data", b"no observation")
_TABLE_TYPES = frozenset({"dataset", "table"})
_MIN_COLUMNS = 3
_NARROW_ADVICE = (
    "Ask for less: give country, a shorter range of dates, or restrict the dimensions in series_id,"
    " such as une_rt_m?sex=T&age=TOTAL."
)


class Provider(KitProvider):
    can_search_series = True

    def _set_up(self) -> None:
        self._catalogue = SeriesCatalogue(self._kit.memory, self._fetch_contents)

    async def search_series(self, words: str, *, count: int) -> SeriesHits:
        return await self._catalogue.search_entries(words, count=count)

    async def list_observations(self, query: ObservationQuery) -> ObservationList:
        reference = parse_series_reference(query.series_id)
        if reference.key or "," in reference.flow:
            raise errors.InvalidInput(
                "A Eurostat series_id is the code of a data set such as une_rt_m, with filters after"
                " a question mark: une_rt_m?sex=T&age=TOTAL."
            )
        geo = _choose_geo(query, reference)
        response = await self._send_dataset(reference, _build_data_params(query, reference, geo))
        if response.status == _NOT_FOUND:
            if not any(word in response.body[:4096].lower() for word in _NO_DATA_WORDS):
                raise errors.NotFound(
                    f"Eurostat has no data set {reference.flow}. Search with query for codes that"
                    " exist.",
                    provider=SPEC.name,
                )
            return ObservationList(country=geo)
        found = await run_reader(self._kit.workers, read_jsonstat_window, response, query)
        unused = query.country is not None and geo is None
        notes = ("country was not applied: series_id already has geo.",) if unused else ()
        return found.with_changes(country=geo, notes=(*notes, *found.notes))

    async def _send_dataset(
        self, reference: SeriesReference, params: list[tuple[str, str]]
    ) -> HttpResponse:
        try:
            response = await self._upstream.send_get(
                f"/statistics/1.0/data/{reference.flow}",
                params=params,
                accept=(_BAD_REQUEST, _NOT_FOUND, _TOO_LARGE),
            )
        except errors.TooLarge as error:
            raise error.copy_with_message(f"The answer is too large. {_NARROW_ADVICE}") from None
        if response.status == _TOO_LARGE or b'"ASYNCHRONOUS_RESPONSE' in response.body[:2048]:
            message = f"Eurostat does not send so much at once. {_NARROW_ADVICE}"
            raise errors.RejectedRequest(message, provider=SPEC.name, detail="HTTP 413")
        if response.status == _BAD_REQUEST:
            raise build_stated_refusal(response)
        return response

    async def _fetch_contents(self) -> str:
        response = await self._upstream.send_get(
            "/catalogue/toc/txt", params={"lang": "EN"}, timeout=CATALOGUE_TIMEOUT_SECONDS
        )
        return await run_reader(self._kit.workers, write_contents_lines, response)


def write_contents_lines(body: bytes) -> str:
    """The data sets of the table of contents, a text with tabs, as lines of a catalogue."""
    text = body.decode("utf-8-sig", "replace")
    header = text.partition("\n")[0].lower()
    if "code" not in header or "\t" not in header:
        raise errors.MalformedResponse(
            "Eurostat's table of contents has another form than documented."
        )
    return write_catalogue_lines(_iterate_contents(text))


def _iterate_contents(text: str) -> Iterator[SeriesItem]:
    try:
        for row in csv.reader(text.splitlines()[1:], delimiter="\t"):
            if len(row) < _MIN_COLUMNS or row[2].strip().lower() not in _TABLE_TYPES:
                continue  # a folder, or no row at all
            cells = [*map(clean_label, row), "", "", "", ""]
            years = " to ".join(part for part in cells[5:7] if part)
            if cells[1]:
                yield SeriesItem(
                    series_id=cells[1].lower(),
                    title=cells[0] or cells[1],
                    last_updated=_format_dotted_day(cells[3]) or None,
                    notes=f"Data from {years}." if years else None,
                )
    except csv.Error:
        raise errors.MalformedResponse("Eurostat's table of contents cannot be read.") from None


def _format_dotted_day(text: str) -> str:
    """A day written 06.02.2026 as 2026-02-06; any other text as it is."""
    day, _, rest = text.partition(".")
    month, _, year = rest.partition(".")
    numbers = day.isdecimal() and month.isdecimal() and year.isdecimal()
    return f"{year}-{month}-{day}" if numbers and len(year) == 4 else text


def _choose_geo(query: ObservationQuery, reference: SeriesReference) -> str | None:
    if query.country is None or any(name.lower() == "geo" for name in reference.filters):
        return None
    code = choose_office_code(query.country, "eurostat")
    if code is None:
        raise errors.InvalidInput(
            f"Eurostat has no code for {query.country}. Name a country, or put Eurostat's own code"
            " into series_id, such as ?geo=EA21."
        )
    return code


def _build_data_params(
    query: ObservationQuery, reference: SeriesReference, geo: str | None
) -> list[tuple[str, str]]:
    params = [("format", "JSON"), ("lang", "EN")]
    for name, codes in reference.filters.items():
        params += [(name.lower(), code) for code in codes.split("+")]
    if geo:
        params.append(("geo", geo))
    first = query.date_from and query.date_from[:4]
    last = query.date_to and query.date_to[:4]
    if last and not first:
        first = str(int(last) - query.count - 1)  # enough years for annual data
    if first:
        params.append(("sinceTimePeriod", first))
    if last:
        params.append(("untilTimePeriod", last))
    if not first and not last:
        params.append(("lastTimePeriod", str(query.count + _SPARE_PERIODS)))
    return params


# Reads data in JSON-stat, versions 1.x and 2.0: a cube in row-major order, values as written.


def read_jsonstat_window(body: bytes, query: ObservationQuery) -> ObservationList:
    """The observations asked for; raises MalformedResponse, or UpstreamUnavailable for an error message."""
    return select_window(read_jsonstat_cube(body), query)


def read_jsonstat_cube(body: bytes) -> DataCube:
    """The (first) data set as a cube. Raises as `read_jsonstat_window`."""
    whole = _find_jsonstat_dataset(parse_exact_json(body))
    holder = get_object(whole, "dimension")
    names = get_list(whole, "id") or get_list(holder, "id")
    sizes = get_list(whole, "size") or get_list(holder, "size")
    _check_jsonstat_shape(names, sizes)
    roles = get_object(whole, "role") or get_object(holder, "role")
    time_at = _find_jsonstat_time(names, get_list(roles, "time"))
    codes = [
        _list_jsonstat_codes(get_object(holder, name), size)
        for name, size in zip(names, sizes, strict=True)
    ]
    dimensions = [
        _read_jsonstat_dimension(name, get_object(holder, name), own)
        for name, own in zip(names, codes, strict=True)
    ]
    metrics = _read_metric_units(holder, names, codes)
    # The codes of the periods, or their labels where only those can be read as periods.
    times = dimensions[time_at]
    period_texts = (
        code if parse_stated_period(code).first_day else label
        for code, label in zip(times.codes, times.labels, strict=True)
    )
    stated = get_object(get_object(get_object(whole, "extension"), "status"), "label")
    own_labels = {code: clean_label(label) for code, label in stated.items()}
    labels = _STATUS_LABELS | {code: label for code, label in own_labels.items() if label}
    return DataCube(
        title=clean_label(whole.get("label")),
        dimensions=tuple(dimension for at, dimension in enumerate(dimensions) if at != time_at),
        periods=tuple(map(parse_stated_period, period_texts)),
        cells=[
            CubeCell(
                (*place[:time_at], *place[time_at + 1 :]), place[time_at], value, (flag, place)
            )
            for place, value, flag in _iterate_stated_cells(whole, tuple(sizes))
        ],
        describe_cell=lambda cell: _describe_jsonstat_cell(cell, labels, metrics),
    )


def _find_jsonstat_dataset(message: object) -> Mapping[str, Any]:
    """The data set itself, the one of a 1.x bundle, or the first of a collection."""
    if isinstance(message, dict):
        if message.get("error"):
            raise errors.UpstreamUnavailable("The upstream returned an error instead of data.")
        if "value" in message and "dimension" in message:
            return message
        inside = (*message.values(), *get_list(get_object(message, "link"), "item"))
        for part in inside:
            if isinstance(part, dict) and "value" in part and "dimension" in part:
                return part
    raise errors.MalformedResponse("The answer has no JSON-stat data set.")


def _check_jsonstat_shape(names: list[Any], sizes: list[Any]) -> None:
    fits = (
        names
        and len(names) == len(sizes)
        and all(isinstance(name, str) for name in names)
        and all(isinstance(size, int) and not isinstance(size, bool) for size in sizes)
        and all(0 <= size <= MAX_CUBE_CELLS for size in sizes)
    )
    if not fits:
        raise errors.MalformedResponse(
            "The dimensions of the JSON-stat data set do not fit its sizes."
        )


def _find_jsonstat_time(names: list[str], stated: list[Any]) -> int:
    wanted = next((name for name in stated if name in names), None)
    found = names.index(wanted) if wanted else None
    if found is None:
        found = next((at for at, name in enumerate(names) if name.lower() in _TIME_NAMES), None)
    if found is None:
        raise errors.MalformedResponse("The JSON-stat data set has no dimension of time.")
    return found


def _list_jsonstat_codes(dimension: Mapping[str, Any], size: int) -> tuple[str, ...]:
    """The codes in order of position; raises MalformedResponse if there are fewer than positions."""
    category = get_object(dimension, "category")
    index = category.get("index")
    if isinstance(index, list):
        ordered = dict(enumerate(index))
    elif isinstance(index, dict):
        ordered = {at: code for code, at in index.items() if isinstance(at, int)}
    else:
        ordered = dict(enumerate(get_object(category, "label")))  # a single category needs no index
    if size > max(len(ordered), 1):
        raise errors.MalformedResponse("A dimension of the JSON-stat data set lacks categories.")
    return tuple(clean_label(str(ordered.get(at, at))) for at in range(size))


def _read_jsonstat_dimension(
    name: str, dimension: Mapping[str, Any], codes: tuple[str, ...]
) -> CubeDimension:
    labels = get_object(get_object(dimension, "category"), "label")
    return CubeDimension(
        name=clean_label(name),
        label=clean_label(dimension.get("label")) or clean_label(name),
        codes=codes,
        labels=tuple(clean_label(labels.get(code)) or code for code in codes),
    )


def _read_metric_units(
    holder: Mapping[str, Any], names: list[str], codes: list[tuple[str, ...]]
) -> dict[int, tuple[str, ...]]:
    """For each dimension whose categories have units, the unit of every position."""
    found = {}
    for at, name in enumerate(names):
        units = get_object(get_object(get_object(holder, name), "category"), "unit")
        if units:
            found[at] = tuple(_format_jsonstat_unit(units.get(code)) for code in codes[at])
    return found


def _format_jsonstat_unit(unit: object) -> str:
    if not isinstance(unit, dict):
        return ""
    stated = unit.get("label") or unit.get("base") or unit.get("type")
    multiplier = unit.get("multiplier", unit.get("mult"))
    scale = f"x 10^{multiplier}" if isinstance(multiplier, int) and multiplier else ""
    return " ".join(part for part in (clean_label(stated), scale) if part)


def _iterate_stated_cells(
    whole: Mapping[str, Any], sizes: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], object, str]]:
    """Place, value and status flag of every cell that is stated."""
    total = math.prod(sizes)
    values, status = whole.get("value"), whole.get("status")
    stated: Mapping[int, object] = _index_jsonstat_cells(values, total)
    flags = {} if isinstance(status, str) else _index_jsonstat_cells(status, total)
    common = status if isinstance(status, str) else ""
    if isinstance(status, list) and len(status) == 1:
        common, flags = str(status[0] or ""), {}
    for number in sorted({*stated, *flags}):
        flag = flags.get(number, common)
        yield (
            _locate_jsonstat_cell(number, sizes),
            stated.get(number),
            flag if isinstance(flag, str) else "",
        )


def _index_jsonstat_cells(values: object, total: int) -> dict[int, object]:
    """Values by cell number, from a list or from a sparse map; cells outside the cube are dropped."""
    if isinstance(values, list):
        if len(values) > MAX_CUBE_CELLS:
            raise errors.MalformedResponse("The answer has more observations than can be read.")
        return dict(enumerate(values[:total]))
    if not isinstance(values, dict):
        return {}
    numbers = {int(key[:12]): value for key, value in values.items() if key.isdecimal()}
    return {number: value for number, value in numbers.items() if number < total}


def _locate_jsonstat_cell(number: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    place = []
    for size in reversed(sizes):
        number, at = divmod(number, size)
        place.append(at)
    return tuple(reversed(place))


def _describe_jsonstat_cell(
    cell: CubeCell, labels: Mapping[str, str], metrics: Mapping[int, tuple[str, ...]]
) -> CellFacts:
    flag, place = cell.source
    known = labels.get(flag)
    if known is None:  # several letters, such as "bp"
        known = ", ".join(labels.get(letter, letter) for letter in flag[:5])
    units = (own[place[at]] for at, own in metrics.items())
    return CellFacts(notes=clean_label(known), units=", ".join(dict.fromkeys(filter(None, units))))
