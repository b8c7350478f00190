"""Eurostat, the statistical office of the European Union: its statistics API in JSON-stat; no key."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace

from citewell.dialects.stated_refusals import build_stated_refusal
from citewell.dialects.statistics.data_cubes import clean_label
from citewell.dialects.statistics.jsonstat import read_jsonstat_window
from citewell.dialects.statistics.series_catalogue import (
    CATALOGUE_TIMEOUT_SECONDS,
    SeriesCatalogue,
    run_reader,
    write_catalogue_lines,
)
from citewell.dialects.statistics.series_ids import SeriesReference, parse_series_reference
from citewell.errors import (
    InvalidInput,
    MalformedResponse,
    NotFound,
    RejectedRequest,
    TooLarge,
)
from citewell.model.domains.economic_series import (
    EconomicSeries,
    ObservationList,
    ObservationQuery,
    SeriesHits,
    SeriesQuery,
)
from citewell.net.http.messages import HttpResponse
from citewell.ports import Offer, ProviderKit, ProviderSpec
from citewell.text.countries.country_codes import choose_office_code

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


class Provider:
    can_search_series = True

    def __init__(self, kit: ProviderKit) -> None:
        self._kit = kit
        self._upstream = kit.upstream
        self._catalogue = SeriesCatalogue(kit.memory, self._fetch_contents)

    async def search_series(self, query: SeriesQuery) -> SeriesHits:
        return await self._catalogue.search_entries(query)

    async def list_observations(self, query: ObservationQuery) -> ObservationList:
        reference = parse_series_reference(query.series_id)
        if reference.key or "," in reference.flow:
            raise InvalidInput(
                "A Eurostat series_id is the code of a data set such as une_rt_m, with filters after"
                " a question mark: une_rt_m?sex=T&age=TOTAL."
            )
        geo = _choose_geo(query, reference)
        response = await self._send_dataset(reference, _build_data_params(query, reference, geo))
        if response.status == _NOT_FOUND:
            if not any(word in response.body[:4096].lower() for word in _NO_DATA_WORDS):
                raise NotFound(
                    f"Eurostat has no data set {reference.flow}. Search with query for codes that"
                    " exist.",
                    provider=SPEC.name,
                )
            return ObservationList(country=geo)
        found = await run_reader(self._kit.workers, read_jsonstat_window, response, query)
        unused = query.country is not None and geo is None
        notes = ("country was not applied: series_id already has geo.",) if unused else ()
        return replace(found, country=geo, notes=(*notes, *found.notes))

    async def _send_dataset(
        self, reference: SeriesReference, params: list[tuple[str, str]]
    ) -> HttpResponse:
        try:
            response = await self._upstream.send_get(
                f"/statistics/1.0/data/{reference.flow}",
                params=params,
                accept=(_BAD_REQUEST, _NOT_FOUND, _TOO_LARGE),
            )
        except TooLarge as error:
            raise error.copy_with_message(f"The answer is too large. {_NARROW_ADVICE}") from None
        if response.status == _TOO_LARGE or b'"ASYNCHRONOUS_RESPONSE' in response.body[:2048]:
            message = f"Eurostat does not send so much at once. {_NARROW_ADVICE}"
            raise RejectedRequest(message, provider=SPEC.name, detail="HTTP 413")
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
        raise MalformedResponse("Eurostat's table of contents has another form than documented.")
    return write_catalogue_lines(_iterate_contents(text))


def _iterate_contents(text: str) -> Iterator[EconomicSeries]:
    try:
        for row in csv.reader(text.splitlines()[1:], delimiter="\t"):
            if len(row) < _MIN_COLUMNS or row[2].strip().lower() not in _TABLE_TYPES:
                continue  # a folder, or no row at all
            cells = [*map(clean_label, row), "", "", "", ""]
            years = " to ".join(part for part in cells[5:7] if part)
            if cells[1]:
                yield EconomicSeries(
                    series_id=cells[1].lower(),
                    title=cells[0] or cells[1],
                    last_updated=_format_dotted_day(cells[3]) or None,
                    notes=f"Data from {years}." if years else None,
                )
    except csv.Error:
        raise MalformedResponse("Eurostat's table of contents cannot be read.") from None


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
        raise InvalidInput(
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
    first = query.first_day and query.first_day[:4]
    last = query.last_day and query.last_day[:4]
    if last and not first:
        first = str(int(last) - query.count - 1)  # enough years for annual data
    if first:
        params.append(("sinceTimePeriod", first))
    if last:
        params.append(("untilTimePeriod", last))
    if not first and not last:
        params.append(("lastTimePeriod", str(query.count + _SPARE_PERIODS)))
    return params
