"""Finds the state in which an element's animations leave it, as a reader gets to see it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from citewell.fetch.css.sheets.declarations import Declarations
from citewell.fetch.css.values.lengths import parse_number
from citewell.fetch.css.values.value_parts import split_arguments

Keyframes = Mapping[str, Mapping[float, Declarations]]
_MAX_WAIT_SECONDS = 30.0  # nobody waits longer for text to appear
_MAX_ANIMATIONS = 8


def list_animation_states(
    values: Mapping[str, str], important: Collection[str], keyframes: Keyframes
) -> list[dict[str, str]]:
    """The element's values in each state that its animations show for long; the last one first.

    An element is hidden by an animation only if all of these states hide it.
    """
    states: list[dict[str, str]] = [dict(values)]
    names = split_arguments(values.get("animation-name", ""))[:_MAX_ANIMATIONS]
    for place, name in enumerate(names):
        moments = keyframes.get(name.strip("\"'"))
        if moments:
            shown = _list_moments(_AnimationTiming(values, place), moments)
            if shown is not None:
                states = [
                    _apply_moment(state, moment, important) for state in states for moment in shown
                ][:_MAX_ANIMATIONS]
    return states


class _AnimationTiming:
    def __init__(self, values: Mapping[str, str], place: int) -> None:
        self.duration = _parse_seconds(_pick_list_item(values.get("animation-duration", ""), place))
        self.delay = _parse_seconds(_pick_list_item(values.get("animation-delay", ""), place))
        self.fill = _pick_list_item(values.get("animation-fill-mode", ""), place)
        self.count = _pick_list_item(values.get("animation-iteration-count", ""), place)
        self.direction = _pick_list_item(values.get("animation-direction", ""), place)
        self.is_paused = _pick_list_item(values.get("animation-play-state", ""), place) == "paused"
        self.by_scrolling = values.get("animation-timeline", "auto") not in {"auto", "none", ""}

    @property
    def is_reversed(self) -> bool:
        return self.direction in {"reverse", "alternate-reverse"}

    @property
    def ends_at_start(self) -> bool:
        turns = int(parse_number(self.count) or 1) if self.count != "infinite" else 1
        if self.direction in {"alternate", "alternate-reverse"}:
            return (turns % 2 == 0) is not self.is_reversed
        return self.is_reversed


def _list_moments(
    timing: _AnimationTiming, moments: Mapping[float, Declarations]
) -> Sequence[Declarations] | None:
    """The keyframes that stay in force; None if the element is left as its style says."""
    first, last = moments.get(0.0, {}), moments.get(100.0, {})
    if timing.is_reversed:
        first, last = last, first
    if timing.by_scrolling:
        return [last, first]
    if timing.delay > _MAX_WAIT_SECONDS:
        return [first] if timing.fill in {"backwards", "both"} else None
    if timing.is_paused:
        elapsed = -timing.delay / timing.duration if timing.duration > 0 else 0.0
        return [last if elapsed >= 0.5 else first, last]
    if timing.count == "infinite" and timing.duration > 0:
        rest = [] if 0.0 in moments and 100.0 in moments else [Declarations()]
        return [*(moments[place] for place in sorted(moments)), *rest]
    if timing.duration > _MAX_WAIT_SECONDS:
        return [first]
    if timing.fill in {"forwards", "both"}:
        return [moments.get(0.0, {}) if timing.ends_at_start else moments.get(100.0, {})]
    return None


def _apply_moment(
    values: Mapping[str, str], moment: Declarations, important: Collection[str]
) -> dict[str, str]:
    changed = {name: value for name, (value, _) in moment.items() if name not in important}
    return {**values, **changed}


def _pick_list_item(text: str, place: int) -> str:
    parts = split_arguments(text) if text else ()
    return parts[place % len(parts)] if parts else ""


def _parse_seconds(text: str) -> float:
    number = text.removesuffix("s").removesuffix("m")
    try:
        return float(number) * (0.001 if text.endswith("ms") else 1.0)
    except ValueError:
        return 0.0
