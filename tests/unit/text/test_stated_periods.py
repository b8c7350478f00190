from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.text.dates.stated_periods import parse_stated_period


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
