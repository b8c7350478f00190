"""How `citewell series` shows series and observations, with a line drawn of the values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citewell.core.tooling import Card, TextLine

_BARS = "▁▂▃▄▅▆▇█"
_GAP = " "
_NEWEST_MARK = "← newest"
_MAX_LINES = 8  # sparklines


def show_series(body: Mapping[str, Any]) -> Iterator[Card | TextLine]:
    if body["mode"] == "observations":
        yield from _show_observations(body)
        return
    for item in body["results"]:
        updated = item.get("lastUpdated")
        yield Card(
            title=item["title"],
            url=item.get("url"),
            facts=(
                item["seriesId"],
                item.get("units"),
                item.get("frequency"),
                f"updated {updated}" if updated else "",
            ),
            lines=(item.get("notes"),),
        )


def _show_observations(body: Mapping[str, Any]) -> Iterator[TextLine]:
    """The series by name, each with its values in a column and a line drawn of them."""
    if body.get("title"):
        yield TextLine(text=body["title"], style="bold")
    groups = _group_by_series(body["results"])
    for number, (heading, rows) in enumerate(groups.items()):
        if own := heading.removeprefix(body.get("title") or "").removeprefix(" — ").strip():
            yield TextLine(text=own, style="cyan")
        newest = max(rows, key=lambda row: (bool(row.get("value")), row.get("date") or ""))
        wide = max(len(row.get("value") or "–") for row in rows)
        for row in rows:
            value = (row.get("value") or "–").rjust(wide)
            marks = [
                _NEWEST_MARK if row is newest and len(rows) > 1 else "",
                f"({row['notes']})" if row.get("notes") else "",
            ]
            line = "  ".join(part for part in (row.get("date") or "", value, *marks) if part)
            yield TextLine(text=f"  {line}", unwrapped=True)
        if number < _MAX_LINES and (drawn := _draw_series_line(rows)):
            yield TextLine(text=f"  {drawn}", unwrapped=True)
        yield TextLine()


def _group_by_series(
    rows: Sequence[Mapping[str, Any]],
) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        units = f" ({row['units']})" if row.get("units") else ""
        groups.setdefault(f"{row.get('title') or ''}{units}".strip(), []).append(row)
    return groups


def _draw_series_line(rows: Sequence[Mapping[str, Any]]) -> str:
    """The values from the oldest to the newest as blocks, with the first and last period."""
    ordered = sorted(rows, key=lambda row: row.get("date") or "")
    line = draw_sparkline([row.get("value") for row in ordered])
    if not line:
        return ""
    return f"{ordered[0].get('date') or ''} {line} {ordered[-1].get('date') or ''}"


def draw_sparkline(values: Sequence[str | None]) -> str:
    """One block for each number, a gap for a missing one; empty if there are fewer than two numbers."""
    numbers = [_parse_number(value) for value in values]
    known = [number for number in numbers if number is not None]
    if len(known) < 2:
        return ""
    low, high = min(known), max(known)
    span = high / 2 - low / 2 or 1.0  # halves, so that the widest range there is has a width
    return "".join(
        _GAP if number is None else _BARS[round((number / 2 - low / 2) / span * (len(_BARS) - 1))]
        for number in numbers
    )


def _parse_number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
