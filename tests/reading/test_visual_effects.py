"""What clips, masks, filters and blend modes leave of an element."""

from __future__ import annotations

import pytest

from citewell.reading.css import visual_effects
from citewell.reading.css.colours import BLACK, WHITE, RgbColour


@pytest.mark.parametrize(
    ("path", "is_empty"),
    [
        ("inset(50%)", True),
        ("inset(10px)", False),
        ("circle(0)", True),
        ("circle(50%)", False),
        ("polygon(0 0, 0 0, 0 0)", True),
        ("polygon(0 0, 100% 0, 100% 100%)", False),
        ('path("M0 0 L100 100")', True),
        ("xywh(0 0 0 100px)", True),
        ("url(#gone)", True),
        ("url(#shape)", False),
    ],
)
def test_a_clip_path_may_leave_nothing(path: str, is_empty: object) -> None:
    assert visual_effects.is_empty_clip_path(path, {"gone"}) is is_empty


@pytest.mark.parametrize(
    ("values", "is_hidden"),
    [
        ({}, False),
        ({"mask-image": "linear-gradient(transparent, transparent)"}, True),
        ({"mask-image": "linear-gradient(black, transparent)"}, False),
        ({"mask-image": "url(a.png)", "mask-size": "0 0"}, True),
        ({"mask-image": "linear-gradient(black, black)", "mask-mode": "luminance"}, True),
    ],
)
def test_a_mask_may_let_nothing_through(values: dict[str, str], is_hidden: object) -> None:
    assert visual_effects.is_masked_out(values) is is_hidden


def test_filters_change_colours() -> None:
    assert visual_effects.filter_colour("invert(1)", BLACK) == WHITE
    assert visual_effects.filter_colour("brightness(0)", WHITE) == BLACK
    assert visual_effects.measure_filter_opacity("opacity(50%) opacity(.5)") == 0.25


@pytest.mark.parametrize(
    ("mode", "mixed"),
    [
        ("multiply", RgbColour(0, 0, 0)),
        ("screen", RgbColour(255, 255, 255)),
        ("difference", RgbColour(255, 255, 255)),
        ("color-burn", RgbColour(0, 0, 0)),
        ("made-up", None),
    ],
)
def test_blend_modes_mix_colours(mode: str, mixed: RgbColour | None) -> None:
    source, backdrop = (WHITE, BLACK) if mode != "color-burn" else (BLACK, RgbColour(9, 9, 9))

    assert visual_effects.blend_colours(mode, source, backdrop) == mixed
