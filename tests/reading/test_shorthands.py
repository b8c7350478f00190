"""Shorthand properties."""

from __future__ import annotations

from citewell.reading.css.declarations import parse_style_attribute


def test_a_background_is_spelt_out() -> None:
    found = parse_style_attribute("background: url(a.png) no-repeat #FFF")

    assert found["background-color"] == ("#fff", False)
    assert found["background-image"] == ("url(a.png)", False)
