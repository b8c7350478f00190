"""An assistant looks statistics up, over a real server."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path
from typing import Any

import pytest

from tests.conditions import until
from tests.e2e.clients import body, connected
from tests.e2e.domains import MISBEHAVIOUR, TRANSPORTS, Environ, call, error_of
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires

OECD_FLOW = "OECD.SDD.NAD,DSD_NAMAIN1@DF_GROWTH,1.0"
KEY = "abcdef0123456789abcdef0123456789"


def econ(environ: Environ, **arguments: Any) -> Any:
    return call(environ, "econ_search", arguments)


@requires("econ_search.mode", "econ_search.series")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_series_are_found_without_a_key(transport: str, environ: Environ) -> None:
    result = call(environ, "econ_search", {"query": "GDP growth"}, transport)

    answer = body(result)
    assert (answer["mode"], answer["provider"], answer["query"]) == (
        "series",
        "worldbank",
        "GDP growth",
    )
    assert answer["resultCount"] == 2
    assert answer["results"][0] == {
        "seriesId": "NY.GDP.MKTP.KD.ZG",
        "title": "GDP growth (annual %)",
        "notes": "GDP growth (annual %), of our own making.",
        "url": "https://data.worldbank.org/indicator/NY.GDP.MKTP.KD.ZG",
    }
    assert answer["trust"] == "untrusted-external-content"
    assert result.meta["routing"]["provider_used"] == "worldbank"


@requires("defect.world_bank_search")
def test_the_world_bank_is_searched_by_words_in_any_order(environ: Environ) -> None:
    forwards = body(econ(environ, query="GDP growth", provider="worldbank"))["results"]
    backwards = body(econ(environ, query="growth of GDP", provider="worldbank"))["results"]

    assert forwards
    assert {one["seriesId"] for one in backwards} == {one["seriesId"] for one in forwards}


@requires("econ_search.series")
def test_fred_searches_first_if_it_has_a_key(environ: Environ) -> None:
    answer = body(econ(environ | {"FRED_API_KEY": KEY}, query="unemployment rate"))

    assert answer["provider"] == "fred"
    assert answer["results"][0] == {
        "seriesId": "UNRATE",
        "title": "Unemployment Rate",
        "units": "Percent",
        "frequency": "Monthly",
        "lastUpdated": "2026-11-06 07:44:02-06",
        "notes": "Of our own making.",
        "url": "https://fred.stlouisfed.org/series/UNRATE",
    }


@requires("econ_search.mode", "econ_search.observation", "econ_search.country")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_observations_of_the_world_bank_are_of_the_world_by_default(
    transport: str, environ: Environ
) -> None:
    answer = body(
        call(environ, "econ_search", {"series_id": "NY.GDP.MKTP.CD", "num_results": 3}, transport)
    )

    assert (answer["mode"], answer["seriesId"], answer["country"]) == (
        "observations",
        "NY.GDP.MKTP.CD",
        "WLD",
    )
    assert answer["title"] == "GDP (current US$), World"
    assert answer["results"] == [
        {"seriesId": "NY.GDP.MKTP.CD", "date": "2025"},
        {"seriesId": "NY.GDP.MKTP.CD", "date": "2024", "value": "1020240.5"},
        {"seriesId": "NY.GDP.MKTP.CD", "date": "2023", "value": "1020230.5"},
    ]
    assert answer["table"].splitlines() == [
        "| Period | Value |",
        "| --- | ---: |",
        "| 2025 | – |",
        "| 2024 | 1020240.5 |",
        "| 2023 | 1020230.5 |",
    ]


@requires("econ_search.num_results")
def test_five_series_and_ten_observations_come_by_default(environ: Environ) -> None:
    series = body(econ(environ, query="a"))
    observations = body(econ(environ, series_id="EXR/D.USD.EUR.SP00.A"))

    assert (series["resultCount"], observations["resultCount"]) == (5, 10)


@requires("econ_search.country")
@pytest.mark.parametrize(
    ("series_id", "country", "code"),
    [
        ("NY.GDP.MKTP.CD", "Germany", "DEU"),
        ("NY.GDP.MKTP.CD", "UK", "GBR"),
        ("une_rt_m", "Great Britain", "UK"),
        ("une_rt_m", "GR", "EL"),
        (OECD_FLOW, "us", "USA"),
        ("IMF.RES,WEO", "France", "FRA"),
    ],
)
def test_a_country_is_asked_for_by_the_code_of_the_office(
    series_id: str, country: str, code: str, environ: Environ
) -> None:
    answer = body(econ(environ, series_id=series_id, country=country))

    assert answer["resultCount"] > 0
    assert answer["country"] == code


@requires("econ_search.observation")
def test_series_of_one_data_set_are_told_apart(environ: Environ) -> None:
    answer = body(econ(environ, series_id="une_rt_m", country="DE", num_results=4))

    assert [item["title"].rpartition(" — ")[2] for item in answer["results"]] == [
        "Total, Total",
        "Females, Total",
        "Males, Total",
        "Total, Less than 25 years",
    ]
    assert {item["units"] for item in answer["results"]} == {
        "Percentage of population in the labour force"
    }
    assert {item["date"] for item in answer["results"]} == {"2026-09"}
    assert "une_rt_m?sex=T&age=TOTAL" in answer["notes"][0]
    assert answer["results"][3]["notes"] == "provisional"


@pytest.mark.parametrize(
    "series_id",
    [
        "une_rt_m?sex=T&age=TOTAL&geo=DE",
        "EXR.D.USD.EUR.SP00.A",
        f"{OECD_FLOW}/.DEU.B1GQ",
        f"{OECD_FLOW}?REF_AREA=DEU&SUBJECT=B1GQ",
        "IMF.RES,WEO?INDICATOR=NGDP_RPCH&COUNTRY=FRA",
    ],
)
def test_an_id_with_filters_is_one_series(series_id: str, environ: Environ) -> None:
    answer = body(econ(environ, series_id=series_id, num_results=3))

    assert answer["resultCount"] == 3
    assert len({item["title"] for item in answer["results"]}) == 1
    assert len({item["date"] for item in answer["results"]}) == 3


@requires("econ_search.dates", "defect.oecd_order")
@pytest.mark.parametrize(
    ("series_id", "dates", "found"),
    [
        ("SP.POP.TOTL", {}, ["2025", "2024"]),
        ("SP.POP.TOTL", {"date_from": "2018"}, ["2018", "2019"]),
        ("SP.POP.TOTL", {"date_from": "2018-06-01", "date_to": "2018"}, ["2018"]),
        ("SP.POP.TOTL", {"date_to": "2019-12-31"}, ["2019", "2018"]),
        (f"{OECD_FLOW}/.DEU.B1GQ", {}, ["2025", "2024"]),
        (f"{OECD_FLOW}/.DEU.B1GQ", {"date_from": "2018"}, ["2018", "2019"]),
        (f"{OECD_FLOW}/.DEU.B1GQ", {"date_to": "2019"}, ["2019", "2018"]),
        ("une_rt_m?sex=T&age=TOTAL&geo=DE", {"date_from": "2026-03-01"}, ["2026-03", "2026-04"]),
        ("une_rt_m?sex=T&age=TOTAL&geo=DE", {"date_to": "2026-03-31"}, ["2026-03", "2026-02"]),
        ("EXR/D.USD.EUR.SP00.A", {"date_from": "2026-11-05"}, ["2026-11-05", "2026-11-06"]),
        ("EXR/D.USD.EUR.SP00.A", {"date_to": "2026-11-05"}, ["2026-11-05", "2026-11-04"]),
        ("UNRATE", {}, ["2026-10-01", "2026-09-01"]),
        ("UNRATE", {"date_from": "2026-03"}, ["2026-03-01", "2026-04-01"]),
        ("UNRATE", {"date_to": "2026-03-31"}, ["2026-03-01", "2026-02-01"]),
    ],
)
@pytest.mark.parametrize("key", ["", KEY])
def test_the_window_is_the_newest_or_begins_at_the_first_day(
    key: str, series_id: str, dates: dict[str, str], found: list[str], environ: Environ
) -> None:
    settings = environ | ({"FRED_API_KEY": key} if key else {})

    answer = body(econ(settings, series_id=series_id, num_results=2, **dates))

    assert [item["date"] for item in answer["results"]] == found


@requires("econ_search.frequency")
def test_freds_own_arguments_are_told_where_they_do_not_apply(environ: Environ) -> None:
    answer = body(econ(environ, series_id="SP.POP.TOTL", frequency="q", units="pch"))

    assert answer["notes"] == ["Not applied, being for FRED only: frequency and units."]


@requires("econ_search.query")
def test_a_search_for_nothing_is_refused(environ: Environ) -> None:
    result = econ(environ, country="DE")

    assert error_of(result)["kind"] == "validation"
    assert "query" in result.content[0].text
    assert "series_id" in result.content[0].text


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"series_id": "GDP", "date_from": "2024", "date_to": "2020"}, "validation", "is after"),
        ({"series_id": "GDP", "date_from": "yesterday"}, "validation", "date_from must be"),
        ({"series_id": "GDP", "date_to": "2024-02-30"}, "validation", "date_to must be"),
        ({"series_id": "GDP", "units": "percent"}, "validation", "pch"),
        ({"series_id": "une_rt_m", "country": "Germny"}, "validation", "Germany (DEU)"),
        ({"series_id": "../x"}, "validation", "series_id must be"),
        ({"series_id": "NY.NOPE.X"}, "not_found", "Search with query"),
        ({"series_id": "nope_nope"}, "not_found", "Search with query"),
        ({"series_id": "NOPE"}, "not_found", "FRED has no series"),
        ({"series_id": "OECD.X,NOPE,1.0", "country": "DE"}, "not_found", "no data set"),
        ({"series_id": f"{OECD_FLOW}?NOPE=1"}, "validation", "FREQ, REF_AREA, SUBJECT"),
        ({"series_id": "prc_hicp_manr"}, "upstream_unavailable", "give country"),
        ({"query": "gdp", "provider": "fred"}, "config", "FRED_API_KEY"),
    ],
)
def test_what_cannot_be_answered_says_what_to_do(
    arguments: dict[str, str], kind: str, words: str, environ: Environ
) -> None:
    result = econ(environ, **arguments)

    assert error_of(result)["kind"] == kind
    assert words in result.content[0].text


@requires("econ_search.no_fallback")
def test_an_empty_answer_names_other_providers_and_asks_none(
    environ: Environ, world: World
) -> None:
    answer = body(econ(environ, query="zebra"))

    assert (answer["results"], answer["provider"]) == ([], "worldbank")
    assert answer["hints"]["providersAttempted"] == ["worldbank"]
    assert "try-different-provider: oecd" in answer["hints"]["suggestedActions"]
    assert "fred" not in str(answer["hints"])  # it cannot be searched without a key
    assert sum(world.calls[name] for name in ("oecd", "eurostat", "ecb", "imf", "fred")) == 0


@requires("econ_search.no_fallback")
def test_no_observation_gives_hints_with_the_filters(environ: Environ) -> None:
    answer = body(econ(environ, series_id=OECD_FLOW, country="FR"))

    assert answer["hints"]["filtersApplied"] == ["country"]
    assert answer["hints"]["reason"] == "filters_too_restrictive"
    assert "widen the dates" in answer["hints"]["details"][0]


@pytest.mark.parametrize("provider", ["worldbank", "oecd", "eurostat", "ecb", "imf"])
def test_a_catalogue_is_fetched_once_and_kept_across_restarts(
    provider: str, environ: Environ, world: World
) -> None:
    first = econ(environ, query="o", provider=provider)
    second = econ(environ, query="e", provider=provider)

    assert body(first)["resultCount"]
    assert body(second)["resultCount"]
    assert world.calls[provider] == 1


@pytest.mark.parametrize(
    "fault",
    [
        *MISBEHAVIOUR.values(),
        Fault(status=503, body="busy"),
        Fault(status=200, headers={"content-type": "application/json"}, body='[{"page": 1}, [{"id'),
    ],
)
@pytest.mark.parametrize("provider", ["worldbank", "oecd", "eurostat", "ecb", "imf"])
def test_a_catalogue_that_fails_is_an_error_and_is_not_kept(
    provider: str, fault: Fault, environ: Environ, world: World
) -> None:
    world.fail(provider, fault, times=ALWAYS)
    failed = econ(environ, query="o", provider=provider)
    world.reset()

    mended = econ(environ, query="o", provider=provider)

    assert error_of(failed)["provider"] == provider
    assert body(mended)["resultCount"]


@pytest.mark.parametrize("kind", MISBEHAVIOUR)
@pytest.mark.parametrize(
    ("provider", "series_id"),
    [
        ("worldbank", "SP.POP.TOTL"),
        ("oecd", f"{OECD_FLOW}/.DEU."),
        ("eurostat", "une_rt_m"),
        ("ecb", "EXR/D.USD.EUR.SP00.A"),
        ("imf", "IMF.RES,WEO/FRA.*.*"),
        ("fred", "GDP"),
    ],
)
def test_a_service_that_misbehaves_is_an_error_and_never_an_empty_answer(
    provider: str, series_id: str, kind: str, environ: Environ, world: World
) -> None:
    world.fail(provider, MISBEHAVIOUR[kind], times=ALWAYS)

    result = econ(environ, series_id=series_id)

    assert error_of(result)["provider"] == provider


@pytest.mark.parametrize(
    "fault",
    [None, *MISBEHAVIOUR.values(), Fault(status=400, body={"error_message": f"bad api_key {KEY}"})],
)
def test_freds_key_is_in_its_request_and_nowhere_else(
    fault: Fault | None,
    environ: Environ,
    world: World,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    if fault:
        world.fail("fred", fault, times=ALWAYS)

    result = econ(environ | {"FRED_API_KEY": KEY}, series_id="GDP")

    assert all(asked.params["api_key"] == KEY for asked in world.requests["fred"])
    assert KEY not in f"{result.content} {result.structured_content} {result.meta}"
    ours = [record for record in caplog.records if not record.name.startswith("uvicorn")]
    assert KEY not in " ".join(record.getMessage() for record in ours)
    assert all(
        KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    )


@requires("provider.tool_names")
def test_an_unknown_provider_is_refused_with_those_there_are(environ: Environ) -> None:
    result = econ(environ, query="gdp", provider="nowhere")

    assert "Supported: ecb, eurostat, fred, imf, oecd, worldbank." in result.content[0].text


@pytest.mark.real_workers
def test_large_answers_are_read_by_real_workers(environ: Environ, world: World) -> None:
    rows = [{"id": f"X.{n}", "name": f"Indicator number {n}"} for n in range(3000)]
    listed = Fault(
        status=200, headers={"content-type": "application/json"}, body=[{"page": 1}, rows]
    )
    world.fail("worldbank", listed, times=1)

    answer = body(econ(environ, query="number 2999"))

    assert [item["seriesId"] for item in answer["results"]] == ["X.2999"]


def test_a_call_that_is_given_up_stops_waiting_for_the_office(
    environ: Environ, world: World
) -> None:
    world.fail("oecd", Fault(delay=30.0), times=ALWAYS)
    offered = environ | {"CITEWELL_TOOLSETS": "domains"}

    async def talk() -> None:
        async with connected("memory", offered) as client:
            asked = asyncio.ensure_future(
                client.call_tool("econ_search", {"series_id": f"{OECD_FLOW}/.DEU."})
            )
            await until(lambda: world.calls["oecd"] > 0)
            asked.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asked
            again = await client.call_tool("econ_search", {"series_id": "SP.POP.TOTL"})
            assert body(again)["resultCount"]

    asyncio.run(talk())
    assert world.calls["oecd"] == 1
