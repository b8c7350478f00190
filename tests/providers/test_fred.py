"""FRED with a key and without one: its units, its refusals, its chart file."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import (
    AuthRequired,
    CitewellError,
    MalformedResponse,
    Misconfigured,
    NotFound,
    RejectedRequest,
)
from tests.contract.recordings import KEY
from tests.providers.series_desk import Replies, look, provider, sender
from tests.requirements import requires


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
    ("message", "kind"),
    [
        ("Bad Request.  The series does not exist.", NotFound),
        ("Bad Request.  The value for variable api_key is not registered.", AuthRequired),
        ("Bad Request.  Variable units is not one of lin, chg.", RejectedRequest),
    ],
)
def test_freds_refusals_are_told_apart_and_never_show_the_key(
    message: str, kind: type[CitewellError]
) -> None:
    body = {"error_code": 400, "error_message": message}

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
    assert [(observation.date, observation.value) for observation in found.observations] == [
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
    series = {"id": "GDP", "title": "Gross & Domestic Product", "units": "Billions of Dollars"}
    replies: Replies = {
        "observations": (200, {"observations": [{"date": "2026-01-01", "value": "4.1"}]}),
        "graph": (200, "observation_date,GDP\n2026-01-01,4.1\n"),
        "/series/GDP": (200, PAGE),
        "/series": (200, {"seriess": [series]}),
    }

    found, _ = look(
        "fred", replies, "gdp", units=units, options={"FRED_API_KEY": key} if key else {}
    )

    assert [
        (observation.title, observation.units, observation.value)
        for observation in found.observations
    ] == [("Gross & Domestic Product", shown, "4.1")]
    assert found.notes == ()


@requires("econ_search.fred_units")
@pytest.mark.parametrize("page", [(404, ""), (429, ""), (200, "<title>Sorry</title>"), (200, "")])
def test_values_of_fred_without_a_known_unit_are_given_with_a_note(page: tuple[int, Any]) -> None:
    replies: Replies = {"graph": (200, "observation_date,GDP\n2026-01-01,4.1\n"), "series": page}

    found, _ = look("fred", replies, "GDP")

    assert [
        (observation.value, observation.title, observation.units)
        for observation in found.observations
    ] == [("4.1", None, None)]
    assert "did not say" in found.notes[0]


def test_fred_cannot_be_searched_without_a_key() -> None:
    canned = sender({"": (200, {})})

    with pytest.raises(Misconfigured, match="FRED_API_KEY"):
        asyncio.run(provider("fred", canned).search_series("gdp", count=5))

    assert canned.sent == []


def test_fred_ranks_by_the_words_of_the_title() -> None:
    rows = [
        {"id": "A", "title": "Total vehicle sales", "popularity": 99},
        {"id": "B", "title": "Unemployment Rate", "popularity": 50},
    ]
    canned = sender({"search": (200, {"seriess": rows})})

    found = asyncio.run(
        provider("fred", canned, FRED_API_KEY=KEY).search_series("unemployment rate", count=1)
    )

    assert [series.series_id for series in found.series] == ["B"]
    assert dict(canned.sent[0].params)["order_by"] == "popularity"
