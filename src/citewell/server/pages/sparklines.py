"""A small chart of the calls of each minute, with a text for those who do not see it."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.model.counted_words import pluralize
from citewell.server.pages.dashboard_snapshot import MinuteFigures
from citewell.server.pages.html_elements import SafeMarkup, build_element
from citewell.server.pages.value_texts import format_count

_BAR_WIDTH, _BAR_STEP, _HEIGHT = 4, 5, 40


def render_sparkline(minutes: Sequence[MinuteFigures]) -> SafeMarkup:
    """A bar for each minute; the part of its errors stands at its foot, in another colour."""
    most = max((minute.calls for minute in minutes), default=0)
    bars = [
        bar
        for index, minute in enumerate(minutes)
        if minute.calls
        for bar in _render_bars(index * _BAR_STEP, minute, most)
    ]
    width = _BAR_STEP * len(minutes)
    base = build_element("line", x1=0, y1=_HEIGHT - 0.5, x2=width, y2=_HEIGHT - 0.5, class_="base")
    return build_element(
        "svg",
        base,
        *bars,
        class_="spark",
        viewBox=f"0 0 {width} {_HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=describe_minutes(minutes),
    )


def describe_minutes(minutes: Sequence[MinuteFigures]) -> str:
    """What the chart shows, as a sentence."""
    calls, errors = sum(one.calls for one in minutes), sum(one.errors for one in minutes)
    if not calls:
        return f"No calls in the last {len(minutes)} {pluralize(len(minutes), 'minute')}."
    peak = max(minutes, key=lambda one: one.calls)
    return (
        f"Calls per minute in the last {len(minutes)} {pluralize(len(minutes), 'minute')}: {format_count(calls)} in all, "
        f"{format_count(errors)} with an error, at most {format_count(peak.calls)} in the minute "
        f"from {peak.at[11:16]} UTC."
    )


def _render_bars(x: int, minute: MinuteFigures, most: int) -> list[SafeMarkup]:
    tall = max(2.0, (_HEIGHT - 2) * minute.calls / most)
    foot = max(1.5, tall * minute.errors / minute.calls) if minute.errors else 0.0
    bars = [_render_rectangle(x, _HEIGHT - tall, tall, "calls")]
    if foot:
        bars.append(_render_rectangle(x, _HEIGHT - foot, foot, "errors"))
    return bars


def _render_rectangle(x: int, y: float, height: float, kind: str) -> SafeMarkup:
    return build_element(
        "rect", x=x, y=round(y, 1), width=_BAR_WIDTH, height=round(height, 1), class_=kind
    )
