"""Months of a year and days of a month are found as people write them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.sentence_values import DAY_UNIT, MONTH_UNIT, find_written_months

JUNE_2020 = Decimal(2020 * 12 + 6)
MARCH_14 = Decimal(314)


def read_months(text: str) -> list[tuple[str, Decimal]]:
    stated = extract_quantities(text, language="en")
    return [(one.unit, one.low) for one in find_written_months(text, stated)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It was published in June 2020.", [(MONTH_UNIT, JUNE_2020)]),
        ("Publié en juin 2020.", [(MONTH_UNIT, JUNE_2020)]),
        ("Se publicó en junio de 2020.", [(MONTH_UNIT, JUNE_2020)]),
        ("It ends on March 14.", [(DAY_UNIT, MARCH_14)]),
        ("It ends on 14 March at noon.", [(DAY_UNIT, MARCH_14)]),
        ("It ends on the 14th of March.", [(DAY_UNIT, MARCH_14)]),
        ("On June 14, 2020 it ended.", [(MONTH_UNIT, JUNE_2020), (DAY_UNIT, Decimal(614))]),
    ],
)
def test_months_and_days_are_found(text: str, found: list[tuple[str, Decimal]]) -> None:
    assert read_months(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "They may 14 times a day.",
        "They march 3 miles.",
        "In June 40 people came.",
        "It was May.",
        "Room 2020 in june.",
        "",
    ],
)
def test_other_numbers_are_no_days(text: str) -> None:
    assert read_months(text) == []
