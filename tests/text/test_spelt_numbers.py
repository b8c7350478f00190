"""The pattern of the words for numbers."""

from __future__ import annotations

from decimal import Decimal

import pytest

from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.spelt_numbers import (
    compile_number_pattern,
    find_stated_fractions,
    join_alternatives,
    list_number_words,
)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_every_number_word_is_found_whole(language: str) -> None:
    pattern = compile_number_pattern(language)

    for word in list_number_words(language):
        assert [match["word"] for match in pattern.finditer(f"({word.title()} x")] == [word.title()]


def test_a_part_of_a_word_is_no_number() -> None:
    assert compile_number_pattern("en").search("tenor seventeens oneself ") is None


def test_common_beginnings_are_written_once() -> None:
    assert (
        join_alternatives(["six", "sixteen", "sixty"]) == "(?:s(?:i(?:x(?:t(?:e(?:e(?:n))|y))?)))"
    )


# Shares and multiples that are told in words.


@pytest.mark.parametrize(
    ("text", "language", "values"),
    [
        ("about two thirds of the wells", "en", [67]),
        ("one well in five", "en", [20]),
        ("half of the wells and three quarters of the pumps", "en", [50, 75]),
        ("ein Viertel der Brunnen", "de", [25]),
        ("une famille sur trois, la moitié des puits", "fr", [33, 50]),
        ("dos tercios de los pozos", "es", [67]),
        ("half a percent a year", "en", [0]),
    ],
)
def test_shares_are_read_as_percent(text: str, language: str, values: list[int]) -> None:
    found = sorted(find_stated_fractions(text, language), key=lambda one: one.start)

    assert [round(one.low) for one in found] == values
    assert {one.unit for one in found} == {"%"}


@pytest.mark.parametrize(
    ("text", "language", "times"),
    [
        ("Output doubled.", "en", 2),
        ("twice as many wells", "en", 2),
        ("Die Menge verdreifachte sich.", "de", 3),
        ("Le prix a triplé.", "fr", 3),
        ("La cosecha se duplicó.", "es", 2),
    ],
)
def test_multiples_are_read_as_times(text: str, language: str, times: int) -> None:
    [found] = find_stated_fractions(text, language)

    assert (int(found.low), found.unit) == (times, "x")


@pytest.mark.parametrize(
    "text",
    [
        "the third well",
        "the first half of the season",
        "a quarter of an hour",
        "a half-life of days",
    ],
)
def test_words_that_only_look_like_shares_are_none(text: str) -> None:
    assert [one.text for one in find_stated_fractions(text, "en")] == []


# Fractions, areas, sides, cents and days with a word between are read with their value and unit.


INCH = Decimal("0.0254")


def read_values(text: str, language: str = "en") -> list[tuple[Decimal, str]]:
    return [(one.low, one.unit) for one in extract_quantities(text, language=language)]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("Set it for a 1/8 inch cut.", INCH / 8, "m"),
        ("Rip the boards to 2 1/2 inches.", INCH * Decimal("2.5"), "m"),
        ("Use ½ inch plywood.", INCH / 2, "m"),
        ('Use 3/4" plywood.', INCH * 3 / 4, "m"),
        ("It is a quarter of an inch thick.", INCH / 4, "m"),
        ("It takes three quarters of an hour.", Decimal("0.75"), "hour"),
        ("A taproom of 250 square metres opens.", Decimal(250), "m²"),
        ("A 100-square-foot room is enough.", Decimal("9.290304"), "m²"),
        ("A flat of 40 m² is enough.", Decimal(40), "m²"),
        ("A forest of 3 hectares burned.", Decimal(30000), "m²"),
        ("They pay 60 cents for each.", Decimal("0.6"), "usd"),
        ("They pay 60¢ for each.", Decimal("0.6"), "usd"),
        ("They pay $.60 for each.", Decimal("0.6"), "usd"),
        ("It takes 21 calendar days.", Decimal(21), "day"),
        ("Two dozen pairs were worn out.", Decimal(24), "pair"),
        ("Bring a dozen eggs.", Decimal(12), "egg"),
        ("Half a dozen people came.", Decimal(6), "person"),
        ("They ate 300 fewer calories.", Decimal(300), "kcal"),
        ("They ate 300 fewer apples.", Decimal(300), "appl"),
    ],
)
def test_a_unit_is_read_however_it_is_written(text: str, value: Decimal, unit: str) -> None:
    assert read_values(text) == [(value, unit)]


def test_cents_are_those_of_the_currency_of_the_language() -> None:
    assert read_values("Es kostet 60 Cent.", "de") == [(Decimal("0.6"), "eur")]


@pytest.mark.parametrize("text", ["a sensor of 36x24mm", "a sensor of 36 × 24 mm"])
def test_each_side_has_the_unit_of_the_last(text: str) -> None:
    assert read_values(text) == [(Decimal("0.036"), "m"), (Decimal("0.024"), "m")]


@pytest.mark.parametrize(
    "text", ["It happened on 9/11.", "They work 24/7 all year.", "The address is 0x5 there."]
)
def test_what_only_looks_like_a_fraction_or_a_side_is_none(text: str) -> None:
    assert all(unit == "" for _, unit in read_values(text))


@pytest.mark.parametrize(
    "text", ["a quarter of an inch", "a quarter turn", "a quarter inch", "a third of a mile"]
)
def test_a_part_of_a_measure_is_no_share(text: str) -> None:
    assert find_stated_fractions(text, "en") == ()


def test_a_part_of_people_is_a_share() -> None:
    assert [one.unit for one in find_stated_fractions("a quarter of adults", "en")] == ["%"]
