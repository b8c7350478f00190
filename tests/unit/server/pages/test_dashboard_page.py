"""The dashboard as HTML: everything escaped, everything reachable, every figure readable."""

from __future__ import annotations

import pytest

from citewell.server.pages import value_texts
from citewell.server.pages.dashboard_page import render_dashboard, render_login_page
from citewell.server.pages.dashboard_sections import SECTION_COLUMNS, render_sections
from citewell.server.pages.dashboard_snapshot import MinuteFigures
from citewell.server.pages.sparklines import describe_minutes, render_sparkline
from tests.requirements import requires
from tests.unit.server.pages.seen_pages import SeenPage
from tests.unit.server.pages.snapshots import HOSTILE, build_snapshot


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


def test_the_figures_are_readable() -> None:
    text = " ".join(SeenPage(render_dashboard(build_snapshot("x"), logout_token=None)).text.split())

    for shown in (
        "2,000",
        "7.5 %",
        "1.8 s",
        "64 s",
        "resting for 1 min 35 s",
        "$1,234.56",
        "$0.05",
    ):
        assert shown in text
    assert "Last updated 14:05:09 UTC" in text
    assert "2026-02-28 09:00 UTC" in text  # another day than today's
    assert "2 d 4 h" in text
    assert "4 more are not listed." in text
    assert "5.0 MB of 512.0 MB" in text


def test_every_section_has_a_heading_and_every_table_a_caption() -> None:
    snapshot = build_snapshot("x")
    sections = render_sections(snapshot)
    page = SeenPage(render_dashboard(snapshot, logout_token="t"))

    named = {name for column in SECTION_COLUMNS for name, _ in column} | {"tiles"}
    assert named == set(sections)
    ids = page.list_values("id")
    assert len(ids) == len(set(ids))
    for label in page.list_values("aria-labelledby"):
        assert label in ids
    assert page.tags.count("table") == page.tags.count("caption")
    assert {"header", "main", "footer", "h1"} <= set(page.tags)
    assert page.tags.count("h1") == 1


def test_a_section_that_is_off_says_why() -> None:
    snapshot = build_snapshot("x").model_copy(
        update={
            "jobs": None,
            "spending": None,
            "cache": None,
            "limits": None,
            "absent": {"jobs": "Why."},
        }
    )

    sections = render_sections(snapshot)

    assert "Why." in sections["jobs"]
    for name in ("cache", "limits", "audit", "spending"):
        assert "not switched on" in sections[name]


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
        (value_texts.format_share(0, 0), "–"),
        (value_texts.format_share(0, 9), "0 %"),
        (value_texts.format_share(9, 9), "100 %"),
        (value_texts.format_share(99_999, 100_000), "99.9 %"),
        (value_texts.format_share(1, 100_000), "0.1 %"),
        (value_texts.format_milliseconds(None), "–"),
        (value_texts.format_milliseconds(0.42), "0.4 ms"),
        (value_texts.format_milliseconds(999), "999 ms"),
        (value_texts.format_milliseconds(1500), "1.5 s"),
        (value_texts.format_duration(0), "0 s"),
        (value_texts.format_duration(59), "59 s"),
        (value_texts.format_duration(3600), "1 h"),
        (value_texts.format_duration(90_061), "1 d 1 h"),
        (value_texts.format_bytes(0), "0 B"),
        (value_texts.format_bytes(1536), "1.5 KB"),
        (value_texts.format_bytes(2**50), "1024.0 TB"),
        (value_texts.format_cents(100_001), "$1,000.01"),
    ],
)
def test_values_are_written_for_people(made: str, text: str) -> None:
    assert made == text
