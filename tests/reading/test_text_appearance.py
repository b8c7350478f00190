"""The states that animations leave text in."""

from __future__ import annotations

import pytest

from citewell.reading.css.text_appearance import list_animation_states

FADE = {"fade": {0.0: {"opacity": ("0", False)}, 100.0: {"opacity": ("1", False)}}}


@pytest.mark.parametrize(
    ("values", "opacities"),
    [
        ({"animation-fill-mode": "forwards"}, ["1"]),
        ({"animation-fill-mode": "forwards", "animation-direction": "reverse"}, ["0"]),
        ({"animation-iteration-count": "infinite"}, ["0", "1"]),
        ({"animation-delay": "60s", "animation-fill-mode": "both"}, ["0"]),
        ({"animation-timeline": "view()"}, ["1", "0"]),
        ({"animation-fill-mode": "none"}, ["0.5"]),
    ],
)
def test_an_animation_leaves_its_element_in_the_states_it_stays_in(
    values: dict[str, str], opacities: list[str]
) -> None:
    written = {"animation-name": "fade", "animation-duration": "1s", "opacity": "0.5", **values}

    states = list_animation_states(written, (), FADE)

    assert [state["opacity"] for state in states] == opacities


def test_an_important_value_is_not_animated() -> None:
    written = {"animation-name": "fade", "animation-fill-mode": "forwards", "opacity": "0"}

    assert list_animation_states(written, {"opacity"}, FADE) == [written]
