"""The readers of SDMX-JSON and JSON-stat: values as written, labels, windows, odd shapes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citewell.core.errors import MalformedResponse, UpstreamError
from citewell.domains.series import ObservationList, ObservationQuery
from citewell.providers.dialects.sdmx_json import read_sdmx_window
from citewell.providers.eurostat import read_jsonstat_window
from tests.internet.statistics import message

YEARS = ("2019", "2020", "2021")


def ask(**more: Any) -> ObservationQuery:
    return ObservationQuery(series_id="flow", **more)


def read_sdmx(body: Any, **more: Any) -> ObservationList:
    text = body if isinstance(body, str) else json.dumps(body)
    return read_sdmx_window(text.encode(), ask(**more))


def read_jsonstat(body: Any, **more: Any) -> ObservationList:
    text = body if isinstance(body, str) else json.dumps(body)
    return read_jsonstat_window(text.encode(), ask(**more))


def cube(**changes: Any) -> dict[str, Any]:
    return {
        "version": "2.0",
        "class": "dataset",
        "label": "People",
        "id": ["sex", "time"],
        "size": [3, 3],
        "dimension": {
            "sex": {"category": {"index": ["F", "M", "T"], "label": {"F": "women", "M": "men"}}},
            "time": {"category": {"index": {"2019": 0, "2020": 1, "2021": 2}}},
        },
        "value": list(range(9)),
    } | changes


def rows(found: ObservationList) -> list[tuple[str | None, str | None]]:
    return [(observation.date, observation.value) for observation in found.observations]


@pytest.mark.parametrize("written", ["1.10", "1e5", "-0.0", "0.1000000000000000055", "12345678901"])
def test_a_number_is_repeated_as_it_was_written(written: str) -> None:
    sdmx = json.dumps(message("x", {"A": {"1": "one"}}, {"0": {"2019": "NUMBER"}}, YEARS))
    stat = json.dumps(cube(value={"0": "NUMBER"}))

    assert rows(read_sdmx(sdmx.replace('"NUMBER"', written))) == [("2019", written)]
    assert rows(read_jsonstat(stat.replace('"NUMBER"', written))) == [("2019", written)]


@pytest.mark.parametrize("missing", ["null", "NaN", '""', '"NaN"', "true", "[]", "{}"])
def test_a_missing_value_is_no_value(missing: str) -> None:
    sdmx = json.dumps(message("x", {"A": {"1": "one"}}, {"0": {"2019": "NUMBER"}}, YEARS))
    stat = json.dumps(cube(value={"0": "NUMBER"}))

    assert rows(read_sdmx(sdmx.replace('"NUMBER"', missing))) == [("2019", None)]
    assert rows(read_jsonstat(stat.replace('"NUMBER"', missing))) == [("2019", None)]


def test_the_cells_of_a_cube_are_in_row_major_order() -> None:
    found = read_jsonstat(cube(), count=9, date_from="2019-01-01")

    by_title = {
        (observation.title, observation.date): observation.value
        for observation in found.observations
    }
    assert by_title["People — women", "2021"] == "2"
    assert by_title["People — men", "2019"] == "3"
    assert by_title["People — T", "2020"] == "7"


@pytest.mark.parametrize("version", [1, 2])
def test_both_versions_of_sdmx_give_the_same(version: int) -> None:
    dimensions = {"FREQ": {"A": "Annual"}, "SEX": {"F": "women", "_T": "Total"}}
    series = {"0:0": {"2019": 1.5, "2020": 2.5}, "0:1": {"2019": 3.5}}
    found = read_sdmx(message("People", dimensions, series, YEARS, version=version))

    assert [
        (observation.title, observation.date, observation.value)
        for observation in found.observations
    ] == [
        ("People — women", "2020", "2.5"),
        ("People — Total", "2019", "3.5"),
        ("People — women", "2019", "1.5"),
    ]


def test_flat_observations_are_read_like_series() -> None:
    body = {
        "dataSets": [{"observations": {"0:0": [1.5], "1:1": [2.5], "9:9": [3.5], "x": [4]}}],
        "structure": {
            "name": "People",
            "dimensions": {
                "observation": [
                    {"id": "SEX", "values": [{"id": "F", "name": "women"}, {"id": "M"}]},
                    {"id": "TIME_PERIOD", "values": [{"id": "2019"}, {"id": "2020"}]},
                ]
            },
        },
    }

    assert rows(read_sdmx(body)) == [("2020", "2.5"), ("2019", "1.5")]


def test_data_without_a_time_have_no_date() -> None:
    body = {
        "dataSets": [{"observations": {"0": [1.5]}}],
        "structure": {"dimensions": {"observation": [{"id": "SEX", "values": [{"id": "F"}]}]}},
    }

    assert rows(read_sdmx(body)) == [(None, "1.5")]


def test_without_a_first_day_the_newest_come_first() -> None:
    assert [observation.date for observation in read_jsonstat(cube(), count=4).observations] == [
        "2021",
        "2021",
        "2021",
        "2020",
    ]


def test_from_a_first_day_on_the_oldest_come_first() -> None:
    found = read_jsonstat(cube(), count=4, date_from="2020-03-01", date_to="2021-12-31")

    assert [observation.date for observation in found.observations] == [
        "2020",
        "2020",
        "2020",
        "2021",
    ]


def test_of_one_period_totals_come_before_subgroups() -> None:
    found = read_jsonstat(cube(), count=1)

    assert found.observations[0].title == "People — T"
    assert "3 series of this data set match" in found.notes[0]
    assert found.notes[0].endswith("flow?sex=T")
    assert found.notes[1] == "sex: T (T), F (women), M (men)"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("p", "provisional"),
        ("bp", "break in time series, provisional"),
        (["e"], "estimated"),
        ({"0": "c"}, "confidential"),
        ({"0": "?"}, "?"),
        ({"0": 7}, None),
    ],
)
def test_status_flags_are_told_in_words(status: Any, words: str | None) -> None:
    found = read_jsonstat(cube(value={"0": 1}, status=status))

    assert found.observations[-1].notes == words


def test_a_flag_without_a_value_is_an_observation_without_one() -> None:
    found = read_jsonstat(cube(value={}, status={"2": "c"}))

    assert rows(found) == [("2021", None)]


def test_the_unit_is_told_with_its_multiplier() -> None:
    body = message("x", {"UNIT_MEASURE": {"USD": "US dollar"}}, {"0": {"2019": 1}}, YEARS)
    shape = body["data"]["structures"][0]["attributes"]
    shape["series"] = [{"id": "UNIT_MULT", "values": [{"id": "6", "name": "Millions"}]}]
    body["data"]["dataSets"][0]["series"]["0"]["attributes"] = [0]

    assert read_sdmx(body).observations[0].units == "US dollar, Millions"


def test_attributes_of_groups_are_found_by_their_pattern() -> None:
    body = message(
        "x", {"A": {"1": "one", "2": "two"}}, {"0": {"2019": 1}, "1": {"2019": 2}}, YEARS
    )
    data = body["data"]
    data["structures"][0]["attributes"]["dimensionGroup"] = [
        {"id": "UNIT", "values": [{"id": "EUR", "name": "Euro"}, {"id": "USD", "name": "Dollar"}]}
    ]
    data["dataSets"][0]["dimensionGroupAttributes"] = {"0:": [0], "1:": [1]}

    assert [observation.units for observation in read_sdmx(body).observations] == ["Euro", "Dollar"]


@pytest.mark.parametrize(
    "body",
    [
        {"dataset": cube()},
        {"first": cube(), "second": cube()},
        {"class": "collection", "link": {"item": [{"class": "dataset", "href": "x"}, cube()]}},
        cube(
            id=None,
            size=None,
            dimension={**cube()["dimension"], "id": ["sex", "time"], "size": [3, 3]},
        ),
    ],
)
def test_older_and_nested_forms_of_json_stat_are_read(body: Any) -> None:
    assert len(read_jsonstat(body).observations) == 9


@pytest.mark.parametrize(
    "body",
    [
        cube(size=[3]),
        cube(size=[3, -1]),
        cube(size=["3", 3]),
        cube(size=[10**9, 3]),
        cube(size=[999_999, 3]),
        cube(id=["a", "b"]),
        cube(id=[None, "time"]),
        {"class": "dimension", "label": "sex", "category": {"index": ["T"]}},
        "<html>",
        "[" * 100_000,
        '{"value": 1' + "0" * 5000 + "}",
    ],
)
def test_a_cube_that_does_not_fit_together_is_malformed(body: Any) -> None:
    with pytest.raises(MalformedResponse):
        read_jsonstat(body)


@pytest.mark.parametrize("size", [[0, 3], [3, 0]])
def test_a_cube_of_nothing_has_no_observations(size: list[int]) -> None:
    assert read_jsonstat(cube(size=size)).observations == ()


@pytest.mark.parametrize("key", ["0:0:0", "-1", "x", "", "99999999999999999999", "¹"])
def test_a_key_outside_the_dimensions_is_left_out(key: str) -> None:
    body = message("x", {"A": {"1": "one"}}, {"0": {"2019": 1}, key: {"2020": 2}}, YEARS)

    assert rows(read_sdmx(body)) == [("2019", "1")]


@pytest.mark.parametrize(
    "body", [{"errors": [{"code": 500}]}, {"data": {}}, {"dataSets": 7, "structure": 7}, [], "null"]
)
def test_a_message_without_data_sets_is_an_error(body: Any) -> None:
    with pytest.raises(UpstreamError):
        read_sdmx(body)


def test_labels_from_outside_are_cleaned() -> None:
    label = "<b>women</b>\u200b\u202e &amp; girls"
    found = read_jsonstat(cube(label="<i>People</i>", dimension=cube()["dimension"] | {
        "sex": {"category": {"index": ["F", "M", "T"], "label": {"F": label}}}
    }))  # fmt: skip

    assert {observation.title for observation in found.observations} == {
        "People — women & girls",
        "People — M",
        "People — T",
    }
