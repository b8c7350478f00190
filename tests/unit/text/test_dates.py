"""Dates as providers write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.text.dates import parse_provider_date

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-11-02T08:30:00Z", datetime(2026, 11, 2, 8, 30, tzinfo=UTC)),
        ("2026-11-02T08:30:00+02:00", datetime(2026, 11, 2, 6, 30, tzinfo=UTC)),
        ("2026-11-02T08:30:00", datetime(2026, 11, 2, 8, 30, tzinfo=UTC)),
        ("2026-11-02T00:00:00.0000000", datetime(2026, 11, 2, tzinfo=UTC)),
        ("2026-11-02", datetime(2026, 11, 2, tzinfo=UTC)),
        ("Mon, 02 Nov 2026 08:30:00 GMT", datetime(2026, 11, 2, 8, 30, tzinfo=UTC)),
        ("Mon, 02 Nov 2026 08:30:00 +0100", datetime(2026, 11, 2, 7, 30, tzinfo=UTC)),
        ("Nov 2, 2026", datetime(2026, 11, 2, tzinfo=UTC)),
        ("November 2, 2026", datetime(2026, 11, 2, tzinfo=UTC)),
        ("2 Nov 2026", datetime(2026, 11, 2, tzinfo=UTC)),
        ("2026/11/02", datetime(2026, 11, 2, tzinfo=UTC)),
        ("3 days ago", NOW - timedelta(days=3)),
        ("1 day ago", NOW - timedelta(days=1)),
        ("an hour ago", NOW - timedelta(hours=1)),
        ("5 minutes ago", NOW - timedelta(minutes=5)),
        ("5 mins ago", NOW - timedelta(minutes=5)),
        ("2h", NOW - timedelta(hours=2)),
        ("3d ago", NOW - timedelta(days=3)),
        ("1 week ago", NOW - timedelta(weeks=1)),
        ("2 months ago", NOW - timedelta(days=60)),
        ("a year ago", NOW - timedelta(days=365)),
        ("yesterday", NOW - timedelta(days=1)),
        ("  Nov   2, 2026 ", datetime(2026, 11, 2, tzinfo=UTC)),
    ],
)
def test_a_known_form_is_read(text: str, wanted: datetime) -> None:
    assert parse_provider_date(text, now=NOW) == wanted


@pytest.mark.parametrize(
    "text",
    [
        None, "", " ", "soon", "2026", "20261102", "12", "days ago", "-3 days ago", "3 fortnights ago",
        "2026-13-45", "2026-02-30T00:00:00Z", "9999999 years ago", "999999 years ago",
        "9999-12-31T23:59:59-12:00", "Nov 2 2026 was a Monday and it rained all day long",
        "12:30", "\x00",
    ],
)  # fmt: skip
def test_anything_else_is_no_date(text: str | None) -> None:
    assert parse_provider_date(text, now=NOW) is None


@given(st.text(max_size=60) | st.from_regex(r"\d{1,8} ?[a-z]{1,8}( ago)?", fullmatch=True))
def test_reading_never_fails_and_always_says_utc(text: str) -> None:
    found = parse_provider_date(text, now=NOW)

    assert found is None or found.tzinfo is UTC
