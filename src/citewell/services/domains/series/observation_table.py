"""Observations as a compact markdown table for reading."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.model.domains.economic_series import SeriesObservation

_MAX_COLUMNS = 6
_MISSING = "–"


def render_observation_table(rows: Sequence[SeriesObservation]) -> str:
    """One line for each period, with a column for each series, or a line for each value if they are many."""
    if not rows:
        return ""
    labels = shorten_series_titles(rows)
    titles = list(dict.fromkeys(labels))
    if len(titles) == 1:
        cells = [[row.date or _MISSING, _show_value(row)] for row in rows]
        units = rows[0].units if len({row.units for row in rows}) == 1 else None
        return _render_table_rows(["Period", f"Value ({units})" if units else "Value"], cells)
    if len(titles) <= _MAX_COLUMNS:
        return _render_pivot(rows, labels, titles)
    return _render_table_rows(
        ["Period", "Series", "Value"],
        [
            [row.date or _MISSING, label, _show_value(row)]
            for row, label in zip(rows, labels, strict=True)
        ],
    )


def shorten_series_titles(rows: Sequence[SeriesObservation]) -> list[str]:
    """The part of each title that tells the series apart, with its units if titles alone do not."""
    titles = [(row.title or "").rpartition(" — ")[2] for row in rows]
    if len(set(titles)) == len({(row.title, row.units) for row in rows}):
        return titles
    return [
        f"{title} ({row.units})" if row.units else title
        for title, row in zip(titles, rows, strict=True)
    ]


def _render_pivot(rows: Sequence[SeriesObservation], labels: list[str], titles: list[str]) -> str:
    periods: dict[str, dict[str, str]] = {}
    for row, label in zip(rows, labels, strict=True):
        periods.setdefault(row.date or _MISSING, {})[label] = _show_value(row)
    return _render_table_rows(
        ["Period", *titles],
        [
            [period, *(known.get(title, "") for title in titles)]
            for period, known in periods.items()
        ],
    )


def _show_value(row: SeriesObservation) -> str:
    shown = row.value or _MISSING
    return f"{shown} ({row.notes})" if row.notes else shown


def _render_table_rows(header: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *cells]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
