"""Which declarations may take part in hiding text."""

from __future__ import annotations

import pytest

from citewell.reading.css.hiding_declarations import hides_as_box, may_hide


@pytest.mark.parametrize(
    ("name", "value", "may"),
    [
        ("display", "none", True),
        ("display", "block", False),
        ("opacity", "0", True),
        ("opacity", "1", False),
        ("opacity", "var(--o)", True),
        ("font-size", "1px", True),
        ("font-size", "1em", False),
        ("left", "-9999px", True),
        ("left", "calc(1px - 400px)", True),
        ("left", "-20px", False),
        ("margin-left", "-100%", False),
        ("text-indent", "-9999px hanging", True),
        ("max-height", "0", True),
        ("line-height", "0", True),
        ("grid-template-rows", "0fr", True),
        ("border", "0", False),
    ],
)
def test_a_fast_check_says_yes_when_in_doubt(name: str, value: str, may: object) -> None:
    assert may_hide(name, value) is may


def test_a_colour_hides_no_box() -> None:
    assert not hides_as_box({"color": "white", "font-size": "0"})
    assert hides_as_box({"display": "none"})
    assert hides_as_box({"overflow-x": "hidden", "height": "10px"})
