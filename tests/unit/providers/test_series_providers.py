"""What the providers of statistics send for a question, and what their refusals mean."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from citewell import providers
from citewell.errors import (
    AuthRequired,
    CitewellError,
    InvalidInput,
    MalformedResponse,
    Misconfigured,
    NotFound,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.model.domains.economic_series import ObservationList, ObservationQuery, SeriesQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from tests.contract.recordings import KEY, Canned, encode, kit_over
from tests.internet.statistics import message, structure
from tests.requirements import requires

FLOW = "OECD.SDD.NAD,DSD_X@DF_Y,1.0"
Replies = dict[str, tuple[int, Any]]  # status and body by a part of the address


def sender(replies: Replies) -> Canned:
    def answer(request: HttpRequest) -> HttpResponse:
        status, body = next(
            reply for part, reply in replies.items() if part in f"{request.url}?{request.params}"
        )
        return HttpResponse(status=status, url=request.url, headers={}, body=encode(body))

    return Canned(answer)


def provider(name: str, canned: Canned, **options: str) -> Any:
    return providers.load(name).Provider(kit_over(name, canned, options))


def look(
    name: str,
    replies: Replies,
    series_id: str,
    *,
    options: dict[str, str] | None = None,
    **more: Any,
) -> tuple[ObservationList, list[HttpRequest]]:
    canned = sender(replies)
    asked = ObservationQuery(series_id=series_id, **more)
    found = asyncio.run(provider(name, canned, **(options or {})).list_observations(asked))
    return found, canned.sent


def data(years: tuple[str, ...] = ("2023", "2024")) -> dict[str, Any]:
    return message("x", {"REF_AREA": {"DEU": "Germany"}}, {"0": dict.fromkeys(years, 1)}, years)


@pytest.mark.parametrize(
    ("more", "sent"),
    [
        ({}, {"lastNObservations": "10"}),
        ({"first_day": "2020-01-01"}, {"startPeriod": "2020", "firstNObservations": "10"}),
        ({"first_day": "2020-05-01"}, {"startPeriod": "2020", "firstNObservations": "376"}),
        ({"last_day": "2020-12-31"}, {"endPeriod": "2020", "lastNObservations": "10"}),
        ({"last_day": "2020-05-31"}, {"startPeriod": "2009", "endPeriod": "2020"}),
    ],
)
def test_the_window_is_asked_for_at_the_office(more: dict[str, Any], sent: dict[str, str]) -> None:
    _, requests = look("ecb", {"data": (200, data())}, "EXR/D.USD", **more)

    params = dict(requests[-1].params)
    assert {name: params[name] for name in params if name != "format"} == sent


def test_the_country_goes_into_its_position_of_the_key() -> None:
    replies = {
        "dataflow": (200, structure("OECD", "X", ("FREQ", "REF_AREA", "SUBJECT"))),
        "/data/": (200, data()),
    }

    found, sent = look("oecd", replies, f"{FLOW}?SUBJECT=B1GQ+P3", country="DEU")

    assert sent[-1].url.endswith(f"/data/{FLOW}/.DEU.B1GQ+P3")
    assert found.country == "DEU"


def test_a_country_that_the_key_already_names_is_told() -> None:
    replies = {
        "dataflow": (200, structure("OECD", "X", ("FREQ", "REF_AREA"))),
        "/data/": (200, data()),
    }

    found, sent = look("oecd", replies, f"{FLOW}/A.USA", country="DEU")

    assert sent[-1].url.endswith("/A.USA")
    assert "series_id already has REF_AREA USA" in found.notes[0]


def test_a_flow_that_refuses_to_count_is_asked_by_years() -> None:
    replies = {"lastNObservations": (413, "not allowed"), "startPeriod": (200, data())}

    found, sent = look("oecd", replies, f"{FLOW}/A.DEU", count=5)

    assert len(found.observations) == 2
    assert len(sent) == 2
    assert "lastNObservations" not in dict(sent[-1].params)
    assert int(dict(sent[-1].params)["endPeriod"]) - int(dict(sent[-1].params)["startPeriod"]) == 6


def test_a_flow_that_is_too_large_anyway_says_what_to_narrow() -> None:
    with pytest.raises(RejectedRequest, match="give country, a shorter range of dates"):
        look("oecd", {"data": (413, "too large")}, FLOW)


@pytest.mark.parametrize(
    ("said", "empty"),
    [
        ("NoRecordsFound", True),
        ("", True),
        ("<error>No results found for the submitted query</error>", True),
        ("Could not find Dataflow", False),
        ("<html>404 Not Found</html>", False),
    ],
)
def test_a_404_is_no_data_or_no_data_set(said: str, empty: bool) -> None:
    if empty:
        found, _ = look("oecd", {"data": (404, said)}, FLOW)
        assert found.observations == ()
        return

    with pytest.raises(NotFound, match=r"no data set OECD\.SDD\.NAD"):
        look("oecd", {"data": (404, said)}, FLOW)


@pytest.mark.parametrize(
    ("name", "series_id"),
    [
        ("oecd", "QNA"),
        ("imf", "CPI"),
        ("eurostat", "a,b,c"),
        ("eurostat", "une_rt_m/M.DE"),
        ("worldbank", "NY/../x"),
        ("worldbank", "a b"),
        ("fred", "GDP&api_key=x"),
        ("fred", "a/b"),
    ],
)
def test_an_id_of_another_form_is_refused_before_anything_is_sent(
    name: str, series_id: str
) -> None:
    canned = sender({"": (200, {})})

    with pytest.raises(InvalidInput):
        asyncio.run(provider(name, canned).list_observations(ObservationQuery(series_id=series_id)))

    assert canned.sent == []


@pytest.mark.parametrize("name", ["eurostat", "ecb", "imf", "oecd"])
def test_a_group_that_an_office_does_not_have_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="no code for SSF"):
        look(name, {"": (200, {})}, "IMF.STA,CPI" if name != "eurostat" else "x_y", country="SSF")


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (413, {"error": [{"status": 413, "label": "x"}]}, RejectedRequest, "une_rt_m.sex=T"),
        (200, {"warning": [{"label": "ASYNCHRONOUS_RESPONSE. x"}]}, RejectedRequest, "at once"),
        (400, {"error": [{"label": "Invalid dimension: foo"}]}, RejectedRequest, "Invalid dim"),
        (404, {"error": [{"label": "Not found"}]}, NotFound, "Search with query"),
        (200, {"error": [{"label": "x"}]}, UpstreamUnavailable, "error instead of data"),
    ],
)
def test_eurostats_refusals_say_what_to_do(
    status: int, body: Any, kind: type[CitewellError], words: str
) -> None:
    with pytest.raises(kind, match=words):
        look("eurostat", {"data": (status, body)}, "une_rt_m")


def test_eurostat_is_asked_for_the_country_and_the_periods_alone() -> None:
    body = {"value": {}, "dimension": {}, "id": ["time"], "size": [0]}

    _, sent = look(
        "eurostat", {"data": (200, body)}, "une_rt_m?SEX=T+F", country="GBR", first_day="2020-02-01"
    )

    assert list(sent[0].params) == [
        ("format", "JSON"),
        ("lang", "EN"),
        ("sex", "T"),
        ("sex", "F"),
        ("geo", "UK"),
        ("sinceTimePeriod", "2020"),
    ]


def test_a_country_beside_a_filter_by_geo_is_told() -> None:
    body = {"value": {}, "dimension": {}, "id": ["time"], "size": [0]}

    found, sent = look("eurostat", {"data": (200, body)}, "une_rt_m?geo=EA21", country="DEU")

    assert ("geo", "EA21") in list(sent[0].params)
    assert ("geo", "DE") not in list(sent[0].params)
    assert found.notes == ("country was not applied: series_id already has geo.",)


@pytest.mark.parametrize(
    ("message_id", "kind"), [("120", NotFound), ("175", NotFound), ("105", UpstreamUnavailable)]
)
def test_the_world_banks_errors_come_with_status_200(
    message_id: str, kind: type[CitewellError]
) -> None:
    body = [{"message": [{"id": message_id, "key": "x", "value": "The value is not valid"}]}]

    with pytest.raises(kind):
        look("worldbank", {"country": (200, body)}, "NY.X.Y")


def test_the_world_banks_numbers_are_repeated_as_written() -> None:
    body = '[{"page":1},[{"date":"2024","value":4685592577804.970},{"date":"2023","value":1e12}]]'

    found, _ = look("worldbank", {"country": (200, body)}, "NY.X.Y")

    assert [one.value for one in found.observations] == ["4685592577804.970", "1e12"]
    assert found.country == "WLD"


@requires("econ_search.frequency")
def test_fred_transforms_by_itself_with_and_without_a_key() -> None:
    asked: dict[str, Any] = {"series_id": "GDP", "frequency": "a", "units": "pch"}
    rows: dict[str, Any] = {"observations": []}

    _, keyed = look("fred", {"observations": (200, rows)}, options={"FRED_API_KEY": KEY}, **asked)
    _, keyless = look("fred", {"graph": (200, "observation_date,GDP_PCH\n")}, **asked)

    assert dict(keyed[0].params)["frequency"] == "a"
    assert dict(keyed[0].params)["units"] == "pch"
    assert keyless[0].url == "https://fred.stlouisfed.org/graph/fredgraph.csv"
    assert dict(keyless[0].params) == {"id": "GDP", "fq": "Annual", "transformation": "pch"}


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Bad Request.  The series does not exist.", NotFound),
        ("Bad Request.  The value for variable api_key is not registered.", AuthRequired),
        ("Bad Request.  Variable units is not one of lin, chg.", RejectedRequest),
    ],
)
def test_freds_refusals_are_told_apart_and_never_show_the_key(
    said: str, kind: type[CitewellError]
) -> None:
    body = {"error_code": 400, "error_message": said}

    with pytest.raises(kind) as caught:
        look("fred", {"series": (400, body)}, "GDP", options={"FRED_API_KEY": KEY})

    assert KEY not in f"{caught.value!r}{caught.value.build_error_block()}"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("<html>Sorry</html>", MalformedResponse),
        ("", MalformedResponse),
        ("id,value\n1,2\n", MalformedResponse),
    ],
)
def test_freds_chart_file_is_not_taken_from_a_page(body: str, kind: type[CitewellError]) -> None:
    with pytest.raises(kind):
        look("fred", {"graph": (200, body)}, "GDP")


def test_a_long_file_of_freds_is_read_in_a_worker() -> None:
    days = [f"{year}-{month:02}-{day:02}" for year in range(1990, 2026)
            for month in range(1, 13) for day in range(1, 29)]  # fmt: skip
    text = "observation_date,DGS10\n" + "".join(f"{day},4.50\n" for day in days)

    found, _ = look("fred", {"graph": (200, text), "series": (404, "")}, "DGS10", count=2)

    assert len(text) > 100_000
    assert [(one.date, one.value) for one in found.observations] == [
        ("2025-12-28", "4.50"),
        ("2025-12-27", "4.50"),
    ]


PAGE = (
    "<title>Gross &amp; Domestic Product (GDP) | FRED | St. Louis Fed</title>"
    '<span class="series-meta-value-units">Billions of Dollars</span>, Annual Rate'
)


@requires("econ_search.fred_units")
@pytest.mark.parametrize(
    ("units", "shown"),
    [
        (None, "Billions of Dollars"),
        ("chg", "Change, Billions of Dollars"),
        ("pc1", "Percent Change from Year Ago"),
    ],
)
@pytest.mark.parametrize("key", [KEY, ""])
def test_freds_values_carry_their_title_and_the_unit_they_are_in(
    key: str, units: str | None, shown: str
) -> None:
    told = {"id": "GDP", "title": "Gross & Domestic Product", "units": "Billions of Dollars"}
    replies: Replies = {
        "observations": (200, {"observations": [{"date": "2026-01-01", "value": "4.1"}]}),
        "graph": (200, "observation_date,GDP\n2026-01-01,4.1\n"),
        "/series/GDP": (200, PAGE),
        "/series": (200, {"seriess": [told]}),
    }

    found, _ = look(
        "fred", replies, "gdp", units=units, options={"FRED_API_KEY": key} if key else {}
    )

    assert [(one.title, one.units, one.value) for one in found.observations] == [
        ("Gross & Domestic Product", shown, "4.1")
    ]
    assert found.notes == ()


@requires("econ_search.fred_units")
@pytest.mark.parametrize("page", [(404, ""), (429, ""), (200, "<title>Sorry</title>"), (200, "")])
def test_values_of_fred_without_a_known_unit_are_given_with_a_note(page: tuple[int, Any]) -> None:
    replies: Replies = {"graph": (200, "observation_date,GDP\n2026-01-01,4.1\n"), "series": page}

    found, _ = look("fred", replies, "GDP")

    assert [(one.value, one.title, one.units) for one in found.observations] == [
        ("4.1", None, None)
    ]
    assert "did not say" in found.notes[0]


def test_fred_cannot_be_searched_without_a_key() -> None:
    canned = sender({"": (200, {})})

    with pytest.raises(Misconfigured, match="FRED_API_KEY"):
        asyncio.run(provider("fred", canned).search_series(SeriesQuery(text="gdp")))

    assert canned.sent == []


def test_fred_ranks_by_the_words_of_the_title() -> None:
    rows = [
        {"id": "A", "title": "Total vehicle sales", "popularity": 99},
        {"id": "B", "title": "Unemployment Rate", "popularity": 50},
    ]
    canned = sender({"search": (200, {"seriess": rows})})

    found = asyncio.run(
        provider("fred", canned, FRED_API_KEY=KEY).search_series(
            SeriesQuery(text="unemployment rate", count=1)
        )
    )

    assert [one.series_id for one in found.series] == ["B"]
    assert dict(canned.sent[0].params)["order_by"] == "popularity"


@pytest.mark.parametrize("name", ["worldbank", "oecd", "eurostat", "ecb", "imf"])
@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"<html>Sorry</html>", b'{"data": {"datafl', json.dumps("x").encode()],
)
def test_a_catalogue_that_is_none_is_an_error_of_its_provider(name: str, body: bytes) -> None:
    canned = sender({"": (200, body.decode())})

    with pytest.raises(MalformedResponse) as caught:
        asyncio.run(provider(name, canned).search_series(SeriesQuery(text="gdp")))

    assert caught.value.provider == name
