"""A data set of several dimensions, whatever format it came in, and the window of it that was asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.core.errors import MalformedResponse
from citewell.core.values.counted_words import pluralize
from citewell.domains.series import ObservationList, ObservationQuery, SeriesItem
from citewell.domains.series_ids import parse_series_reference
from citewell.text.calendar_dates import StatedPeriod
from citewell.text.safety.text_cleaning import clean_markup

MAX_CUBE_CELLS = 1_000_000
_MAX_VALUE_CHARS = 100
_MAX_LABEL_CHARS = 200
_MAX_TOLD_DIMENSIONS = 5
_MAX_TOLD_CODES = 4
# Codes that stand for the whole of a dimension; series made of them come first.
_TOTAL_CODES = frozenset({"T", "_T", "TOTAL", "TOT", "ALL", "CP00", "_Z", "Z", "N", "NSA"})
_TOTAL_LABELS = ("total", "all ", "both sexes")
_NEUTRAL_CODES = frozenset({"_Z", "_X", "Z", "NA", "_T"})  # say nothing in a title
_UNIT_NAMES = frozenset({"UNIT", "UNIT_MEASURE", "UNITS", "UNIT_OF_MEASURE"})
_FREQUENCY_NAMES = frozenset({"FREQ", "FREQUENCY"})
_NO_NUMBERS = frozenset({"nan", ":", ".", "", "null", "none", "-"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CubeDimension:
    """A dimension other than time, with the codes and names of its positions."""

    name: str
    label: str
    codes: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def is_unit(self) -> bool:
        return self.name.upper() in _UNIT_NAMES

    @property
    def is_frequency(self) -> bool:
        return self.name.upper() in _FREQUENCY_NAMES


@dataclass(slots=True)
class CubeCell:
    """One observation: its place in the dimensions, its period, and what the reader knows of it."""

    place: tuple[int, ...]
    period: int
    value: object
    source: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellFacts:
    title: str = ""  # of the series, if the source states one
    units: str = ""
    scale: str = ""  # such as Millions
    notes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataCube:
    title: str
    dimensions: tuple[CubeDimension, ...]
    periods: tuple[StatedPeriod, ...]
    cells: Sequence[CubeCell]
    describe_cell: Callable[[CubeCell], CellFacts]  # asked only for cells that are shown


def parse_exact_json(body: bytes) -> Any:
    """The body as JSON, with fractional numbers as the text they were written in; raises MalformedResponse."""
    try:
        return json.loads(body, parse_float=str, parse_constant=lambda _name: None)
    except (ValueError, RecursionError):
        raise MalformedResponse(
            f"Expected JSON and got {len(body)} {pluralize(len(body), 'other byte')}."
        ) from None


def format_stated_value(value: object) -> str | None:
    """The value as it was written; None if it is missing."""
    if value is None or isinstance(value, bool) or not isinstance(value, int | str):
        return None
    text = clean_markup(str(value))[:_MAX_VALUE_CHARS]
    return None if text.lower() in _NO_NUMBERS else text


def clean_label(value: object) -> str:
    """A name from outside on one line, or nothing if it is no text."""
    return clean_markup(value)[:_MAX_LABEL_CHARS] if isinstance(value, str) else ""


def get_object(holder: object, name: str) -> Mapping[str, Any]:
    """The object under a name; empty if there is none."""
    found = holder.get(name) if isinstance(holder, dict) else None
    return found if isinstance(found, dict) else {}


def get_list(holder: object, name: str) -> list[Any]:
    """The list under a name; empty if there is none."""
    found = holder.get(name) if isinstance(holder, dict) else None
    return found if isinstance(found, list) else []


def is_in_days(period: StatedPeriod, query: ObservationQuery) -> bool:
    """Whether a day of the period is within the days asked for."""
    if not query.date_from and not query.date_to:
        return True
    if not period.first_day:
        return False
    return (not query.date_from or period.last_day >= query.date_from) and (
        not query.date_to or period.first_day <= query.date_to
    )


def select_window(cube: DataCube, query: ObservationQuery) -> ObservationList:
    """The newest observations, latest first; with a first day the earliest from it, oldest first.

    Of one period, series of totals come before those of subgroups.
    """
    fitting = [is_in_days(period, query) for period in cube.periods]
    cells = [cell for cell in cube.cells if fitting[cell.period]]
    places = list(dict.fromkeys(cell.place for cell in cells))
    ranks = _rank_places(cube, places)
    order = [
        (period.last_day, period.first_day, number) for number, period in enumerate(cube.periods)
    ]
    cells.sort(key=lambda cell: ranks[cell.place])
    cells.sort(key=lambda cell: order[cell.period], reverse=query.date_from is None)
    shown = cells[: query.count]
    varying = [
        number
        for number in range(len(cube.dimensions))
        if len({place[number] for place in places}) > 1
    ]
    notes = _describe_choice(cube, query, places=sorted(places, key=ranks.__getitem__))
    return ObservationList(
        observations=tuple(_build_observation(cube, cell, varying, query) for cell in shown),
        title=cube.title or None,
        notes=notes,
    )


def _rank_places(
    cube: DataCube, places: Sequence[tuple[int, ...]]
) -> dict[tuple[int, ...], tuple[int, int]]:
    """Each series with how far it is from the totals, and its order in the data set."""
    totals = [
        [
            code.upper() in _TOTAL_CODES or label.lower().startswith(_TOTAL_LABELS)
            for code, label in zip(dimension.codes, dimension.labels, strict=True)
        ]
        for dimension in cube.dimensions
    ]
    return {
        place: (sum(not known[at] for known, at in zip(totals, place, strict=True)), number)
        for number, place in enumerate(places)
    }


def _build_observation(
    cube: DataCube, cell: CubeCell, varying: Sequence[int], query: ObservationQuery
) -> SeriesItem:
    facts = cube.describe_cell(cell)
    unit = next(
        (
            dimension.labels[at]
            for dimension, at in zip(cube.dimensions, cell.place, strict=True)
            if dimension.is_unit
        ),
        "",
    )
    return SeriesItem(
        series_id=query.series_id,
        date=cube.periods[cell.period].text or None,
        value=format_stated_value(cell.value),
        title=_build_series_title(cube, cell, varying, facts.title) or None,
        units=", ".join(part for part in (unit or facts.units, facts.scale) if part) or None,
        notes=facts.notes or None,
    )


def _build_series_title(cube: DataCube, cell: CubeCell, varying: Sequence[int], stated: str) -> str:
    """The data set's title with the labels that tell this series apart, or all if it is alone."""
    if varying:
        parts = [cube.dimensions[number].labels[cell.place[number]] for number in varying]
    elif stated:
        parts = [stated]
    else:
        parts = [
            dimension.labels[at]
            for dimension, at in zip(cube.dimensions, cell.place, strict=True)
            if not dimension.is_frequency
            and not dimension.is_unit
            and dimension.codes[at].upper() not in _NEUTRAL_CODES
            and dimension.labels[at].lower() != "total"
        ]
    return " — ".join(part for part in (cube.title, ", ".join(filter(None, parts))) if part)


def _describe_choice(
    cube: DataCube, query: ObservationQuery, places: Sequence[tuple[int, ...]]
) -> tuple[str, ...]:
    """How many series there are, and how to ask for fewer."""
    if len(places) < 2:
        return ()
    labels, chosen = [], []
    for number, dimension in enumerate(cube.dimensions):
        used = dict.fromkeys(place[number] for place in places)
        if len(used) > 1:
            some = ", ".join(
                f"{dimension.codes[at]} ({dimension.labels[at]})"
                for at in list(used)[:_MAX_TOLD_CODES]
            )
            more = f" and {len(used) - _MAX_TOLD_CODES} more" if len(used) > _MAX_TOLD_CODES else ""
            labels.append(f"{dimension.name}: {some}{more}")
            chosen.append(f"{dimension.name}={dimension.codes[places[0][number]]}")
    flow = parse_series_reference(query.series_id).flow
    advice = (
        f"{len(places)} series of this data set match, those of totals first. For one of them ask for"
        f" series_id {flow}?{'&'.join(chosen)}"
    )
    return (advice, *labels[:_MAX_TOLD_DIMENSIONS])
