"""Colours, and whether words can be read on them."""

from __future__ import annotations

import pytest

from citewell.reading.css import colours
from citewell.reading.css.colours import RgbColour


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("#fff", RgbColour(255, 255, 255)), ("#0000", RgbColour(0, 0, 0, 0)), ("#11223380", None),
        ("WHITE", RgbColour(255, 255, 255)), ("transparent", RgbColour(0, 0, 0, 0)),
        ("rgb(1,2,3)", RgbColour(1, 2, 3)), ("rgb(100% 0% 0% / 50%)", RgbColour(255, 0, 0, 0.5)),
        ("hsl(120 100% 50%)", RgbColour(0, 255, 0)), ("hwb(0 0% 100%)", RgbColour(0, 0, 0)),
        ("oklch(1 0 0)", RgbColour(255, 255, 255)), ("lab(100% 0 0)", RgbColour(255, 255, 255)),
        ("color(srgb 1 1 1)", RgbColour(255, 255, 255)),
    ],
)  # fmt: skip
def test_colours_are_read(text: str, wanted: RgbColour | None) -> None:
    found = colours.parse_colour(text)

    if wanted is None:
        assert found is not None
        assert round(found.alpha, 2) == 0.5
    else:
        assert found == pytest.approx(wanted)


@pytest.mark.parametrize(
    "text",
    ["", "whiteish", "#ff", "rgb(1,2)", "rgb(a,b,c)", "oklch(.5 .2)", "color-mix(in x, red)"],
)
def test_what_is_no_plain_colour_is_none(text: str) -> None:
    assert colours.parse_colour(text) is None


@pytest.mark.parametrize(
    ("ink", "ground", "gone"),
    [
        ("#fff", "#fff", True), ("#fefefe", "#fff", True), ("#f5f5f5", "#fff", True),
        ("#ddd", "#fff", False), ("#999", "#fff", False), ("#0a0a0a", "#000", True),
        ("rgba(0,0,0,.02)", "#fff", True), ("#ff0000", "#008000", False),
    ],
)  # fmt: skip
def test_words_vanish_in_their_own_colour(ink: str, ground: str, gone: object) -> None:
    one, other = colours.parse_colour(ink), colours.parse_colour(ground)
    assert one is not None
    assert other is not None

    assert colours.is_unreadable_on(one, other) is gone
