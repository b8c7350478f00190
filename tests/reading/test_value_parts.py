"""Lengths and sums in values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.reading.css import value_parts


@pytest.mark.parametrize(
    ("text", "pixels"),
    [
        ("0", 0), ("12px", 12), ("-1.5em", -24), ("2rem", 32), ("12pt", 16), ("1e2px", 100),
        ("calc(1px + 2 * 3px)", 7), ("calc(-1 * (4px - 1px))", -3), ("min(3px, 5px)", 3),
        ("max(3px, 5px)", 5), ("clamp(1px, 9px, 4px)", 4), ("calc(1px / 0)", 1e9),
        ("auto", None), ("12furlongs", None), ("calc(1px +)", None), ("calc(", None), ("", None),
        ("attr(x)", None),
    ],
)  # fmt: skip
def test_lengths_become_pixels(text: str, pixels: float | None) -> None:
    assert value_parts.parse_pixels(text) == pytest.approx(pixels)


@given(st.text(alphabet="calc(min)+-*/ 0123456789.,pxem%", max_size=60))
def test_no_sum_breaks_the_reader(text: str) -> None:
    found = value_parts.parse_pixels(text)

    assert found is None or abs(found) <= 1e9
