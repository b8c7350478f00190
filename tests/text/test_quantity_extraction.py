from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.text.quantities import stated_quantities
from citewell.text.quantities.quantity_extraction import extract_quantities


def read(text: str, language: str | None = None) -> list[tuple[Decimal, Decimal, str]]:
    return [(one.low, one.high, one.unit) for one in extract_quantities(text, language=language)]


def clash(first: str, second: str) -> bool:
    return stated_quantities.has_conflicting_values(
        extract_quantities(first), extract_quantities(second)
    )


@pytest.mark.parametrize(
    ("text", "language", "value", "unit"),
    [
        ("It rose 3.5%.", None, "3.5", "%"),
        ("It rose 3.5 per cent.", None, "3.5", "%"),
        ("Es stieg um 3,5 Prozent.", "de", "3.5", "%"),
        ("It cost $1.2 billion.", None, "1200000000", "usd"),
        ("It cost US$5m.", None, "5000000", "usd"),
        ("Es kostet 1.234,5 Mio. Euro.", "de", "1234500000", "eur"),
        ("Cela coûte 1 234 euros.", "fr", "1234", "eur"),
        ("They have 1,234 members.", None, "1234", "member"),
        ("Sie hat 1.234 Kilometer.", "de", "1234000", "m"),
        ("It is 1.234 km long.", None, "1234", "m"),
        ("It is 2,850 km long.", None, "2850000", "m"),
        ("Two million people came.", None, "2000000", "person"),
        ("It happened on the 19th day.", None, "19", "ordinal"),
        ("It was −4 °C outside.", None, "-4", "°c"),
        ("It happened in 1998.", None, "1998", "year#"),
        ("人口は120万人", "ja", "1200000", ""),
    ],
)
def test_a_quantity_has_one_value_in_one_unit(
    text: str, language: str | None, value: str, unit: str
) -> None:
    low, high, found = read(text, language)[0]

    assert (low, high, found) == (Decimal(value), Decimal(value), unit)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("between 5 and 10 million people", 5_000_000, 10_000_000),
        ("10–20 percent", 10, 20),
        ("$5 to $10 million", 5_000_000, 10_000_000),
    ],
)
def test_a_range_has_two_ends(text: str, low: Any, high: Any) -> None:
    assert read(text)[0][:2] == (low, high)


@pytest.mark.parametrize(
    "text", ["3 March 2019", "March 3, 2019", "2019-03-03", "3. März 2019", "2019年3月3日"]
)
def test_a_day_is_the_same_in_every_spelling(text: str) -> None:
    day = Decimal(737_121)

    assert read(text) == [(day, day, "date")]


@pytest.mark.parametrize(
    "text", ["ISBN 9783161484100", "version 2.1.3", "COVID-19 is over", "at 10:30", "24/7"]
)
def test_what_only_looks_like_a_number_is_none(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("It grew 5 percent.", "It grew 7 percent.", True),
        ("It grew 5 percent.", "It grew 5 per cent.", False),
        ("It cost $5 million.", "It cost 5 million euros.", False),  # other units say nothing
        ("8.1 billion people live here.", "8.12 billion people live here.", False),  # rounded
        ("8.1 billion people live here.", "8.3 billion people live here.", True),
        ("It rose 10-20 percent.", "It rose 15 percent.", False),
        ("Founded in 1998.", "Founded in 1999.", True),
        ("It is 2 km away.", "It is 2,000 m away.", False),
        ("Five percent, or 7 percent.", "7 percent.", False),
        ("No number here.", "It grew 7 percent.", False),
    ],
)
def test_values_clash_only_in_the_same_unit(first: str, second: str, *, expected: bool) -> None:
    assert clash(first, second) is expected
    assert clash(second, first) is expected


def test_a_missing_number_may_stand_without_its_unit() -> None:
    wanted = extract_quantities("It has 37 metres and 12 seconds.")

    gone = stated_quantities.find_missing_quantities(
        wanted, extract_quantities("Length: 37. Time: 13 seconds.")
    )

    assert [one.text for one in gone] == ["12 seconds"]


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet=st.sampled_from("0123456789.,-–$€% kmbinlotahdr年月日to"), max_size=60),
    st.sampled_from([None, "de", "zh"]),
)
def test_offsets_slice_to_the_quantity(text: str, language: str | None) -> None:
    for one in extract_quantities(text, language=language):
        assert text[one.start : one.end] == one.text
        assert one.low <= one.high


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It lasts ninety-five years in the air.", [("95", "year")]),
        ("It took twelve hours.", [("12", "hour")]),
        ("One day it will work.", []),
        ("With TLS 1.3 an encrypted connection is set up.", [("1.3", "")]),
    ],
)
def test_numbers_in_words_count_before_a_measure(text: str, expected: Any) -> None:
    found = extract_quantities(text, language="en")

    assert [(str(one.low), one.unit) for one in found] == expected


def test_the_same_count_of_a_thing_by_another_name_is_not_missing() -> None:
    wanted = extract_quantities("It has 2,900 reefs.", language="en")
    held = extract_quantities("It has 2,900 individual reefs.", language="en")

    assert stated_quantities.find_missing_quantities(wanted, held) == ()


@pytest.mark.parametrize(
    ("text", "language", "value", "unit"),
    [
        ("eine Ruhezeit von elf Stunden", "de", 11, "hour"),
        ("nach fünfunddreißig Minuten Pause", "de", 35, "minute"),
        ("fixée à trente-cinq heures par semaine", "fr", 35, "hour"),
        ("quatre-vingt-dix minutes de repos", "fr", 90, "minute"),
        ("elegido por cuatro años, no más", "es", 4, "year"),
        ("treinta y cinco horas semanales", "es", 35, "hour"),
        ("about sixty-two hours of work", "en", 62, "hour"),
    ],
)
def test_numbers_in_words_are_read_in_four_languages(
    text: str, language: str, value: int, unit: str
) -> None:
    (found,) = extract_quantities(text, language=language)

    assert (int(found.low), found.unit) == (value, unit)


def test_a_k_behind_a_figure_is_a_thousand() -> None:
    (found,) = extract_quantities("labelled in 328k images")

    assert found.low == 328_000
