"""Shares and multiples that are told in words."""

from __future__ import annotations

import pytest

from citewell.text.quantities.stated_fractions import find_stated_fractions


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
