"""What Eurostat is asked for, and what its refusals mean."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import (
    CitewellError,
    NotFound,
    RejectedRequest,
    UpstreamUnavailable,
)
from tests.providers.series_desk import look


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
        "eurostat", {"data": (200, body)}, "une_rt_m?SEX=T+F", country="GBR", date_from="2020-02-01"
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
