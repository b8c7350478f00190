"""searx.space's list, with everything it leaves out or sets to null."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.core.errors import MalformedResponse
from citewell.providers.searxng.instances import parse_directory
from tests.providers.searxng_bench import entry
from tests.requirements import requires

URL = "https://searx.example.org"


def chosen(**entries: dict[str, Any]) -> list[str]:
    table = {f"https://{name}.example.org/": value for name, value in entries.items()}
    found = parse_directory({"instances": table})
    return [instance.url.removeprefix("https://").partition(".")[0] for instance in found]


def bands(value: dict[str, Any]) -> list[int]:
    return [instance.band for instance in parse_directory({"instances": {URL: value}})]


@requires("searxng.grades", "searxng.discovery")
def test_grades_uptime_and_speed_decide_the_order() -> None:
    slow = entry("A+") | {"timing": {"search": {"all": {"median": 3.0}}}}
    shaky = entry("A+") | {"uptime": {"uptimeMonth": 90.0}}

    found = chosen(b=entry("B"), a=entry("A"), shaky=shaky, slow=slow, best=entry("A+"))

    assert found == ["best", "slow", "shaky", "a", "b"]


def test_the_worse_of_two_grades_counts() -> None:
    assert bands(entry("A+") | {"tls": {"grade": "B"}}) == [2]
    assert bands(entry("A+") | {"tls": {"grade": "C"}}) == []


def test_one_missing_grade_counts_as_b_and_two_as_unusable() -> None:
    assert bands(entry("A+") | {"tls": None}) == [2]
    assert bands(entry("A+") | {"tls": {"grade": None}}) == [2]
    assert bands(entry("A+") | {"tls": None, "http": None}) == []


@requires("searxng.grades")
def test_an_a_without_good_uptime_is_a_last_resort() -> None:
    assert bands(entry("A")) == [1]
    assert bands(entry("A") | {"uptime": {"uptimeMonth": 80.0}}) == [2]
    assert bands(entry("A") | {"uptime": None}) == [2]


def test_another_span_stands_in_for_a_missing_month() -> None:
    (found,) = parse_directory(
        {"instances": {URL: entry("A") | {"uptime": {"uptimeMonth": None, "uptimeDay": 97.5}}}}
    )

    assert (found.band, found.uptime) == (1, 97.5)


def test_one_sample_is_called_value() -> None:
    (found,) = parse_directory(
        {"instances": {URL: entry("A") | {"timing": {"search": {"all": {"value": 0.7}}}}}}
    )

    assert found.seconds == 0.7


@pytest.mark.parametrize(
    "odd",
    [
        {"network_type": "tor"},
        {"network_type": None},
        {"error": "timeout", "version": None},
        {"analytics": True},
        {"http": {"status_code": 502, "grade": "A+"}},
    ],
)
def test_a_doubtful_instance_is_left_out(odd: dict[str, Any]) -> None:
    assert bands(entry("A+") | odd) == []


@pytest.mark.parametrize("version", ["2026.8.22+9fea412", "1.1.0-69-75b859d2", None])
def test_any_version_will_do(version: str | None) -> None:
    assert bands(entry("A+") | {"version": version}) == [0]


def test_alternative_addresses_are_not_more_instances() -> None:
    alternatives = {"https://old.example.org/": "redirect", "http://abc.onion/": "hidden"}

    assert chosen(a=entry("A+") | {"alternativeUrls": alternatives}) == ["a"]


@requires("searxng.https")
@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("http://searx.example.org/", 0),
        ("http://abcdef.onion/", 0),
        ("ftp://searx.example.org/", 0),
        ("https://[", 0),
        ("https://searx.example.org/searxng/", 1),
    ],
)
def test_only_encrypted_web_addresses_are_taken(url: str, kept: int) -> None:
    assert len(parse_directory({"instances": {url: entry("A+")}})) == kept


@pytest.mark.parametrize("data", [None, [], {}, {"instances": None}, {"instances": []}, "text"])
def test_a_list_of_another_shape_is_an_error(data: object) -> None:
    with pytest.raises(MalformedResponse):
        parse_directory(data)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
NODES = st.recursive(
    LEAVES | st.sampled_from(["A+", "A", "B", "F", "normal", 200]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["grade", "all", "search", "median", "uptimeMonth"]), inner
        )
    ),
    max_leaves=6,
)


@settings(deadline=None, database=None, max_examples=80)
@given(st.dictionaries(st.sampled_from(sorted(entry("A+"))), NODES))
def test_nonsense_in_an_entry_never_raises(damage: dict[str, Any]) -> None:
    found = parse_directory({"instances": {URL: entry("A+") | damage}})

    assert all(instance.band in {0, 1, 2} for instance in found)
