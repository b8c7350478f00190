"""What values settle about an element's box."""

from __future__ import annotations

import pytest

from citewell.reading.css import element_boxes


@pytest.mark.parametrize(
    ("values", "height"),
    [
        ({"height": "10px"}, 10),
        ({"height": "10px", "max-height": "4px"}, 4),
        ({"height": "2px", "min-height": "8px"}, 8),
        ({"height": "0", "padding-bottom": "6px"}, 6),
        ({"height": "50%"}, None),
        ({"contain": "strict"}, 0),
        ({}, None),
    ],
)
def test_the_height_is_known_if_the_values_settle_it(
    values: dict[str, str], height: float | None
) -> None:
    assert element_boxes.measure_height(values) == height


@pytest.mark.parametrize(
    ("tag", "values", "is_inline"),
    [
        ("span", {}, True),
        ("p", {}, False),
        ("img", {}, False),
        ("p", {"display": "inline"}, True),
        ("span", {"position": "absolute"}, False),
        ("span", {"float": "left"}, False),
    ],
)
def test_a_part_of_a_line_has_no_box(tag: str, values: dict[str, str], is_inline: object) -> None:
    assert element_boxes.is_inline(tag, values, is_item=False) is is_inline


@pytest.mark.parametrize(
    ("values", "scale", "shift"),
    [
        ({"transform": "scale(0)"}, 0, 0),
        ({"transform": "scale(2) translatex(-100px)"}, 2, -200),
        ({"translate": "-50px"}, 1, -50),
        ({"transform": "rotate(90deg)"}, 1, 0),
        ({"transform": "rotatey(90deg)"}, 0, 0),
        ({"offset-path": "path(m 30 0)"}, 1, 30),
    ],
)
def test_transforms_are_composed(values: dict[str, str], scale: float, shift: float) -> None:
    effect = element_boxes.measure_transform(values)

    assert effect.scale == pytest.approx(scale, abs=1e-6)
    assert effect.shift_x == pytest.approx(shift, abs=1e-6)
