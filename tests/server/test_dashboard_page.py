"""The dashboard as HTML: everything escaped, everything reachable, every figure readable."""

from __future__ import annotations

import pytest

from citewell.server.pages import dashboard_figures
from citewell.server.pages.dashboard_figures import (
    MinuteFigures,
    describe_minutes,
    render_sparkline,
)
from citewell.server.pages.dashboard_page import render_dashboard, render_login_page
from tests.requirements import requires
from tests.server.seen_pages import SeenPage
from tests.server.snapshots import HOSTILE, build_snapshot


@requires("http.pages_escaped")
def test_no_value_from_outside_becomes_an_element() -> None:
    page = SeenPage(render_dashboard(build_snapshot(), logout_token=HOSTILE))

    assert {"script", "img"}.isdisjoint(page.tags)
    assert [name for _, name, _ in page.attributes if name.startswith("on")] == []
    assert page.text.count(HOSTILE) >= 12


@requires("http.pages_escaped")
def test_a_hostile_text_changes_no_tag_of_the_page() -> None:
    hostile = SeenPage(render_dashboard(build_snapshot(HOSTILE), logout_token=HOSTILE))
    plain = SeenPage(render_dashboard(build_snapshot("plain"), logout_token="plain"))

    assert hostile.tags == plain.tags
    assert [name for _, name, _ in hostile.attributes] == [name for _, name, _ in plain.attributes]


def test_the_chart_has_a_bar_for_each_busy_minute_and_a_text() -> None:
    minutes = [
        MinuteFigures(at="2026-03-01T14:00:00Z", calls=0, errors=0),
        MinuteFigures(at="2026-03-01T14:01:00Z", calls=8, errors=2),
        MinuteFigures(at="2026-03-01T14:02:00Z", calls=4, errors=0),
    ]

    page = SeenPage(render_sparkline(minutes))

    assert page.list_values("class").count("calls") == 2
    assert page.list_values("class").count("errors") == 1
    assert page.list_values("aria-label") == [describe_minutes(minutes)]
    assert "12 in all, 2 with an error, at most 8 in the minute from 14:01 UTC" in describe_minutes(
        minutes
    )
    assert "No calls" in describe_minutes(minutes[:1])


def test_the_login_form_names_its_field_and_its_error() -> None:
    page = SeenPage(render_login_page(error=HOSTILE, can_log_in=True))

    assert page.list_values("for") == ["key"]
    assert "key-error" in page.list_values("aria-describedby")[0]
    assert page.list_values("aria-invalid") == ["true"]
    assert "script" not in page.tags


def test_without_an_admin_key_the_page_says_how_to_set_one() -> None:
    page = SeenPage(render_login_page(error=None, can_log_in=False))

    assert "form" not in page.tags
    assert "ADMIN_API_KEY" in page.text


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (dashboard_figures.format_share(0, 0), "–"),
        (dashboard_figures.format_share(0, 9), "0 %"),
        (dashboard_figures.format_share(9, 9), "100 %"),
        (dashboard_figures.format_share(99_999, 100_000), "99.9 %"),
        (dashboard_figures.format_share(1, 100_000), "0.1 %"),
        (dashboard_figures.format_milliseconds(None), "–"),
        (dashboard_figures.format_milliseconds(0.42), "0.4 ms"),
        (dashboard_figures.format_milliseconds(999), "999 ms"),
        (dashboard_figures.format_milliseconds(1500), "1.5 s"),
        (dashboard_figures.format_duration(0), "0 s"),
        (dashboard_figures.format_duration(59), "59 s"),
        (dashboard_figures.format_duration(3600), "1 h"),
        (dashboard_figures.format_duration(90_061), "1 d 1 h"),
        (dashboard_figures.format_bytes(0), "0 B"),
        (dashboard_figures.format_bytes(1536), "1.5 KB"),
        (dashboard_figures.format_bytes(2**50), "1024.0 TB"),
        (dashboard_figures.format_cents(100_001), "$1,000.01"),
    ],
)
def test_values_are_written_for_people(made: str, text: str) -> None:
    assert made == text
