"""What the offices that speak SDMX are asked for, and what their refusals mean."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from citewell.core.errors import (
    InvalidInput,
    MalformedResponse,
    NotFound,
    RejectedRequest,
)
from citewell.domains.series import ObservationQuery
from tests.internet.statistics import structure
from tests.providers.series_desk import data, look, provider, sender

FLOW = "OECD.SDD.NAD,DSD_X@DF_Y,1.0"


@pytest.mark.parametrize(
    ("more", "sent"),
    [
        ({}, {"lastNObservations": "10"}),
        ({"date_from": "2020-01-01"}, {"startPeriod": "2020", "firstNObservations": "10"}),
        ({"date_from": "2020-05-01"}, {"startPeriod": "2020", "firstNObservations": "376"}),
        ({"date_to": "2020-12-31"}, {"endPeriod": "2020", "lastNObservations": "10"}),
        ({"date_to": "2020-05-31"}, {"startPeriod": "2009", "endPeriod": "2020"}),
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
    ("body", "empty"),
    [
        ("NoRecordsFound", True),
        ("", True),
        ("<error>No results found for the submitted query</error>", True),
        ("Could not find Dataflow", False),
        ("<html>404 Not Found</html>", False),
    ],
)
def test_a_404_is_no_data_or_no_data_set(body: str, empty: bool) -> None:
    if empty:
        found, _ = look("oecd", {"data": (404, body)}, FLOW)
        assert found.observations == ()
        return

    with pytest.raises(NotFound, match=r"no data set OECD\.SDD\.NAD"):
        look("oecd", {"data": (404, body)}, FLOW)


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


@pytest.mark.parametrize("name", ["worldbank", "oecd", "eurostat", "ecb", "imf"])
@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"<html>Sorry</html>", b'{"data": {"datafl', json.dumps("x").encode()],
)
def test_a_catalogue_that_is_none_is_an_error_of_its_provider(name: str, body: bytes) -> None:
    canned = sender({"": (200, body.decode())})

    with pytest.raises(MalformedResponse) as caught:
        asyncio.run(provider(name, canned).search_series("gdp", count=5))

    assert caught.value.provider == name
