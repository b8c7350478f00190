"""The sections of the dashboard: every figure readable, every table named."""

from __future__ import annotations

from citewell.server.pages.dashboard_page import render_dashboard
from citewell.server.pages.dashboard_sections import SECTION_COLUMNS, render_sections
from tests.server.seen_pages import SeenPage
from tests.server.snapshots import build_snapshot


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
