"""Dates as providers write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.text.calendar_dates import (
    build_partial_date,
    extract_year,
    find_month_number,
    find_written_date,
    parse_month_number,
    parse_partial_date,
    parse_provider_date,
    parse_stated_period,
)

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


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("Mar", 3), ("MAART", 3), ("stycznia", 1), ("июня", 6), ("październik", 10), ("Septembrī", 9),
        ("novembris", 11), ("out", 0), ("Marchand", 0), ("Marble", 0), ("Mayor", 0), ("", 0),
    ],
)  # fmt: skip
def test_a_word_names_its_month_or_none(word: str, number: int) -> None:
    assert find_month_number(word) == number


def test_a_common_word_is_a_month_only_between_a_day_and_a_year() -> None:
    assert find_month_number("out", after_day=True) == 10
    assert find_written_date("3 out 2021") == "2021-10-03"
    assert find_written_date("Sold out 3, 2021") is None
    assert parse_partial_date("Out of print, 2021") == "2021"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2019", "2019"), ("Spring 2019", "2019"), ("May 2019", "2019-05"), ("mei 2019", "2019-05"),
        ("2019, May 12", "2019-05-12"), ("15–17 May 2019", "2019-05-15"), ("2019.05.12", "2019-05-12"),
        ("2019/20", "2019"), ("31 February 2019", "2019-02"), ("3 marca 2019", "2019-03-03"),
        ("1998 Dec-1999 Jan", "1998-12"), ("pp. 2134, 2019", "2019"), ("n.d.", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_date_is_as_exact_as_it_is_written(text: str, wanted: str) -> None:
    assert parse_partial_date(text) == wanted


def test_only_days_of_the_calendar_are_kept() -> None:
    assert build_partial_date(2021, 2, 29) == "2021-02"
    assert build_partial_date(2020, 2, 29) == "2020-02-29"
    assert build_partial_date(2021, 13, 1) == build_partial_date(2021) == "2021"


def test_a_month_is_a_number_or_a_name() -> None:
    assert [parse_month_number(text) for text in ("5", "Jan-Feb", "Spring", "123", "²")] == [
        5, 1, 0, 0, 0,
    ]  # fmt: skip


def test_the_year_of_a_date_is_its_first_part() -> None:
    assert [extract_year(text) for text in ("2021-05", "2021", "", None)] == [
        2021,
        2021,
        None,
        None,
    ]


@given(st.text(max_size=80))
def test_any_text_has_a_date_or_none(text: str) -> None:
    assert len(parse_partial_date(text)) in {0, 4, 7, 10}
    assert len(find_written_date(text) or "") in {0, 10}


@pytest.mark.parametrize(
    ("written", "text", "first", "last"),
    [
        ("2024", "2024", "2024-01-01", "2024-12-31"),
        ("2024-A1", "2024", "2024-01-01", "2024-12-31"),
        ("2024-Q1", "2024-Q1", "2024-01-01", "2024-03-31"),
        ("2024Q4", "2024-Q4", "2024-10-01", "2024-12-31"),
        ("Q1-2013", "2013-Q1", "2013-01-01", "2013-03-31"),
        ("2024M02", "2024-02", "2024-02-01", "2024-02-29"),
        ("2023-02", "2023-02", "2023-02-01", "2023-02-28"),
        ("2024-S2", "2024-S2", "2024-07-01", "2024-12-31"),
        ("2024-W01", "2024-W01", "2024-01-01", "2024-01-07"),
        ("2024-02-29", "2024-02-29", "2024-02-29", "2024-02-29"),
        ("2024-02-29T00:00:00Z", "2024-02-29", "2024-02-29", "2024-02-29"),
    ],
)
def test_a_period_has_one_form_whoever_wrote_it(
    written: str, text: str, first: str, last: str
) -> None:
    period = parse_stated_period(written)

    assert (period.text, period.first_day, period.last_day) == (text, first, last)


@pytest.mark.parametrize(
    "written", ["2024-13", "2024-02-30", "2024-Q5", "2023-W53", "0000", "soon", "", "2005 - 1"]
)
def test_what_is_no_period_keeps_its_text_without_days(written: str) -> None:
    period = parse_stated_period(written)

    assert (period.text, period.first_day) == (written, "")


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    period = parse_stated_period(text)

    assert bool(period.first_day) == bool(period.last_day)
    assert period.first_day <= period.last_day
