"""`citewell series`: finds statistical series and prints their observations, with econ_search."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from citewell.cli.running.shared_options import AnswerJson
from citewell.cli.running.tool_command import print_item, run_search_tool
from citewell.cli.terminal import screen

_BARS = "▁▂▃▄▅▆▇█"
_GAP = " "
_NEWEST_MARK = "← newest"
_MAX_LINES = 8  # sparklines


def command(
    query: Annotated[str | None, typer.Argument(help="Words of a series' name.")] = None,
    *,
    series_id: Annotated[
        str | None,
        typer.Option("--id", help="Print the observations of this series, such as NY.GDP.MKTP.CD."),
    ] = None,
    country: Annotated[str | None, typer.Option(help="An ISO code or an English name.")] = None,
    date_from: Annotated[str | None, typer.Option("--from", help="YYYY-MM-DD or YYYY.")] = None,
    date_to: Annotated[str | None, typer.Option("--to", help="YYYY-MM-DD or YYYY.")] = None,
    frequency: Annotated[str | None, typer.Option(help="For FRED: d, w, m, q or a.")] = None,
    units: Annotated[
        str | None, typer.Option(help="For FRED: pch, pc1 and other transformations.")
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(
            "-n", "--num-results", min=1, max=100, help="How many series (5) or observations (10)."
        ),
    ] = None,
    provider: Annotated[
        str | None,
        typer.Option(help="Use only fred, worldbank, oecd, eurostat, ecb or imf."),
    ] = None,
    as_json: AnswerJson = False,
) -> int:
    given = {
        "query": query,
        "series_id": series_id,
        "country": country,
        "date_from": date_from,
        "date_to": date_to,
        "frequency": frequency.lower() if frequency else None,
        "units": units,
        "num_results": count,
        "provider": provider,
    }
    return run_search_tool("econ_search", given, as_json=as_json, print_answer=_print_series_answer)


def _print_series_answer(body: Mapping[str, Any]) -> None:
    if body["mode"] == "observations":
        _print_observations(body)
        return
    for number, item in enumerate(body["results"], start=1):
        facts = (
            item["seriesId"],
            item.get("units"),
            item.get("frequency"),
            f"updated {item['lastUpdated']}" if item.get("lastUpdated") else "",
        )
        lines = [item["notes"]] if item.get("notes") else []
        print_item(number, item["title"], item.get("url"), facts, lines)


def _print_observations(body: Mapping[str, Any]) -> None:
    """The series by name, each with its values in a column and a line drawn of them."""
    if body.get("title"):
        screen.print_text(body["title"], style="bold")
    groups = _group_by_series(body["results"])
    for number, (heading, rows) in enumerate(groups.items()):
        if own := heading.removeprefix(body.get("title") or "").removeprefix(" — ").strip():
            screen.print_text(own, style="cyan")
        newest = max(rows, key=lambda row: (bool(row.get("value")), row.get("date") or ""))
        wide = max(len(row.get("value") or "–") for row in rows)
        for row in rows:
            value = (row.get("value") or "–").rjust(wide)
            marks = [
                _NEWEST_MARK if row is newest and len(rows) > 1 else "",
                f"({row['notes']})" if row.get("notes") else "",
            ]
            line = "  ".join(part for part in (row.get("date") or "", value, *marks) if part)
            screen.print_text(f"  {line}", unwrapped=True)
        if number < _MAX_LINES and (drawn := _draw_series_line(rows)):
            screen.print_text(f"  {drawn}", unwrapped=True)
        screen.print_text()


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
