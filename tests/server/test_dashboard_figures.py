from __future__ import annotations

import dataclasses

import pytest

from citewell.core.tooling import Owner
from citewell.server.call_records import CallMetrics, MeasuredCall
from citewell.server.call_values import ToolOutcome
from citewell.server.pages import dashboard_figures
from citewell.server.pages.dashboard_figures import CallHistory, find_percentile
from tests.clocks import Clock
from tests.server import steps

CALL = MeasuredCall(tool="t", owner=Owner(tenant="a"), seconds=1.0, is_error=False, is_cached=False)


def at(*, tenant: str = "a", user: str = "u", **changes: object) -> MeasuredCall:
    return dataclasses.replace(CALL, owner=Owner(tenant=tenant, user=user), **changes)  # type: ignore[arg-type]  # fields of the test


def test_calls_are_counted_in_the_minute_in_which_they_end() -> None:
    clock = Clock(now=600_000.0)
    history = CallHistory(clock)

    history.record_call(at(is_error=True))
    clock.now += 60
    history.record_call(at())
    history.record_call(at(is_cached=True))
    clock.now += 60

    minutes = history.list_minutes()
    assert len(minutes) == dashboard_figures.HISTORY_MINUTES
    assert [(tally.calls, tally.errors, tally.cache_hits) for _, tally in minutes[-3:]] == [
        (1, 1, 0),
        (2, 0, 1),
        (0, 0, 0),
    ]
    assert minutes[-1][0] - minutes[0][0] == 59 * 60


def test_calls_of_an_hour_ago_are_no_longer_shown() -> None:
    clock = Clock(now=600_000.0)
    history = CallHistory(clock)
    history.record_call(at())

    clock.now += 3600

    assert sum(tally.calls for _, tally in history.list_minutes()) == 0


def test_what_is_kept_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dashboard_figures, "MAX_KEPT_TENANTS", 3)
    history = CallHistory(Clock(now=600_000.0))

    for number in range(10_000):
        history.record_call(at(tenant=str(number % 5), user=str(number), seconds=float(number)))

    assert len(history.list_tenants()) == 3
    assert history.dropped_tenants == 10_000 - 3
    assert history.measure_latency("t", 0.0) == 10_000 - dashboard_figures.MAX_KEPT_LATENCIES


def test_tenants_are_listed_with_the_busiest_first() -> None:
    history = CallHistory(Clock(now=600_000.0))

    for call in (at(tenant="b"), at(tenant="a", is_error=True), at(tenant="a", user="v")):
        history.record_call(call)

    (first, tally), (second, _) = history.list_tenants()
    assert (first, tally.calls, tally.errors, len(tally.users)) == ("a", 2, 1, 2)
    assert second == "b"


@pytest.mark.parametrize(
    ("values", "share", "found"),
    [
        ([], 0.5, None),
        ([1.0], 0.95, 1.0),
        ([1.0, 2.0, 3.0, 4.0], 0.5, 2.0),
        ([float(value) for value in range(1, 101)], 0.95, 95.0),
    ],
)
def test_a_percentile_is_one_of_the_values(
    values: list[float], share: float, found: float | None
) -> None:
    assert find_percentile(values, share) == found


def test_an_observer_hears_of_every_call_that_ends() -> None:
    metrics = CallMetrics()
    heard: list[MeasuredCall] = []
    metrics.add_observer(heard.append)

    metrics.count_call(steps.invocation(owner=Owner(tenant="x", user="y")), ToolOutcome(), 0.1)

    (call,) = heard
    assert (call.tool, str(call.owner), call.is_error, call.is_cached) == (
        "repeat",
        "x/y",
        False,
        False,
    )
