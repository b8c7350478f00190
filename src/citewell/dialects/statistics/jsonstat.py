"""Reads data in JSON-stat, versions 1.x and 2.0: a cube in row-major order, values as written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from citewell.dialects.statistics.data_cubes import (
    MAX_CUBE_CELLS,
    CellFacts,
    CubeCell,
    CubeDimension,
    DataCube,
    clean_label,
    get_list,
    get_object,
    parse_exact_json,
    select_window,
)
from citewell.errors import MalformedResponse, UpstreamUnavailable
from citewell.model.domains.economic_series import ObservationList, ObservationQuery
from citewell.text.dates.stated_periods import parse_stated_period

_TIME_NAMES = frozenset({"time", "time_period", "year", "period"})
# Eurostat's letters; a source may add its own labels.
_STATUS_LABELS = {
    "b": "break in time series", "c": "confidential", "d": "definition differs",
    "e": "estimated", "f": "forecast", "i": "see metadata", "m": "missing", "n": "not significant",
    "p": "provisional", "r": "revised", "s": "Eurostat estimate", "u": "low reliability",
    "z": "not applicable", ":": "not available",
}  # fmt: skip


def read_jsonstat_window(body: bytes, query: ObservationQuery) -> ObservationList:
    """The observations asked for; raises MalformedResponse, or UpstreamUnavailable for an error message."""
    return select_window(read_jsonstat_cube(body), query)


def read_jsonstat_cube(body: bytes) -> DataCube:
    """The (first) data set as a cube. Raises as `read_jsonstat_window`."""
    whole = _find_jsonstat_dataset(parse_exact_json(body))
    holder = get_object(whole, "dimension")
    names = get_list(whole, "id") or get_list(holder, "id")
    sizes = get_list(whole, "size") or get_list(holder, "size")
    _check_jsonstat_shape(names, sizes)
    roles = get_object(whole, "role") or get_object(holder, "role")
    time_at = _find_jsonstat_time(names, get_list(roles, "time"))
    codes = [
        _list_jsonstat_codes(get_object(holder, name), size)
        for name, size in zip(names, sizes, strict=True)
    ]
    dimensions = [
        _read_jsonstat_dimension(name, get_object(holder, name), own)
        for name, own in zip(names, codes, strict=True)
    ]
    metrics = _read_metric_units(holder, names, codes)
    labels = _read_status_labels(whole)
    return DataCube(
        title=clean_label(whole.get("label")),
        dimensions=tuple(one for at, one in enumerate(dimensions) if at != time_at),
        periods=tuple(map(parse_stated_period, _choose_period_texts(dimensions[time_at]))),
        cells=[
            CubeCell(
                (*place[:time_at], *place[time_at + 1 :]), place[time_at], value, (flag, place)
            )
            for place, value, flag in _iterate_stated_cells(whole, tuple(sizes))
        ],
        describe_cell=lambda cell: _describe_jsonstat_cell(cell, labels, metrics),
    )


def _find_jsonstat_dataset(message: object) -> Mapping[str, Any]:
    """The data set itself, the one of a 1.x bundle, or the first of a collection."""
    if isinstance(message, dict):
        if message.get("error"):
            raise UpstreamUnavailable("The upstream returned an error instead of data.")
        if "value" in message and "dimension" in message:
            return message
        inside = (*message.values(), *get_list(get_object(message, "link"), "item"))
        for part in inside:
            if isinstance(part, dict) and "value" in part and "dimension" in part:
                return part
    raise MalformedResponse("The answer has no JSON-stat data set.")


def _check_jsonstat_shape(names: list[Any], sizes: list[Any]) -> None:
    fits = (
        names
        and len(names) == len(sizes)
        and all(isinstance(name, str) for name in names)
        and all(isinstance(size, int) and not isinstance(size, bool) for size in sizes)
        and all(0 <= size <= MAX_CUBE_CELLS for size in sizes)
    )
    if not fits:
        raise MalformedResponse("The dimensions of the JSON-stat data set do not fit its sizes.")


def _find_jsonstat_time(names: list[str], stated: list[Any]) -> int:
    wanted = next((name for name in stated if name in names), None)
    found = names.index(wanted) if wanted else None
    if found is None:
        found = next((at for at, name in enumerate(names) if name.lower() in _TIME_NAMES), None)
    if found is None:
        raise MalformedResponse("The JSON-stat data set has no dimension of time.")
    return found


def _list_jsonstat_codes(dimension: Mapping[str, Any], size: int) -> tuple[str, ...]:
    """The codes in order of position; raises MalformedResponse if there are fewer than positions."""
    category = get_object(dimension, "category")
    index = category.get("index")
    if isinstance(index, list):
        ordered = dict(enumerate(index))
    elif isinstance(index, dict):
        ordered = {at: code for code, at in index.items() if isinstance(at, int)}
    else:
        ordered = dict(enumerate(get_object(category, "label")))  # a single category needs no index
    if size > max(len(ordered), 1):
        raise MalformedResponse("A dimension of the JSON-stat data set lacks categories.")
    return tuple(clean_label(str(ordered.get(at, at))) for at in range(size))


def _read_jsonstat_dimension(
    name: str, dimension: Mapping[str, Any], codes: tuple[str, ...]
) -> CubeDimension:
    labels = get_object(get_object(dimension, "category"), "label")
    return CubeDimension(
        name=clean_label(name),
        label=clean_label(dimension.get("label")) or clean_label(name),
        codes=codes,
        labels=tuple(clean_label(labels.get(code)) or code for code in codes),
    )


def _choose_period_texts(dimension: CubeDimension) -> tuple[str, ...]:
    """The codes of the periods, or their labels where only those can be read as periods."""
    return tuple(
        code if parse_stated_period(code).first_day else label
        for code, label in zip(dimension.codes, dimension.labels, strict=True)
    )


def _read_metric_units(
    holder: Mapping[str, Any], names: list[str], codes: list[tuple[str, ...]]
) -> dict[int, tuple[str, ...]]:
    """For each dimension whose categories have units, the unit of every position."""
    found = {}
    for at, name in enumerate(names):
        units = get_object(get_object(get_object(holder, name), "category"), "unit")
        if units:
            found[at] = tuple(_format_jsonstat_unit(units.get(code)) for code in codes[at])
    return found


def _format_jsonstat_unit(unit: object) -> str:
    if not isinstance(unit, dict):
        return ""
    stated = unit.get("label") or unit.get("base") or unit.get("type")
    multiplier = unit.get("multiplier", unit.get("mult"))
    scale = f"x 10^{multiplier}" if isinstance(multiplier, int) and multiplier else ""
    return " ".join(part for part in (clean_label(stated), scale) if part)


def _read_status_labels(whole: Mapping[str, Any]) -> dict[str, str]:
    stated = get_object(get_object(get_object(whole, "extension"), "status"), "label")
    own = {code: clean_label(label) for code, label in stated.items()}
    return _STATUS_LABELS | {code: label for code, label in own.items() if label}


def _iterate_stated_cells(
    whole: Mapping[str, Any], sizes: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], object, str]]:
    """Place, value and status flag of every cell that is stated."""
    total = math.prod(sizes)
    values, status = whole.get("value"), whole.get("status")
    stated: Mapping[int, object] = _index_jsonstat_cells(values, total)
    flags = {} if isinstance(status, str) else _index_jsonstat_cells(status, total)
    common = status if isinstance(status, str) else ""
    if isinstance(status, list) and len(status) == 1:
        common, flags = str(status[0] or ""), {}
    for number in sorted({*stated, *flags}):
        flag = flags.get(number, common)
        yield (
            _locate_jsonstat_cell(number, sizes),
            stated.get(number),
            flag if isinstance(flag, str) else "",
        )


def _index_jsonstat_cells(values: object, total: int) -> dict[int, object]:
    """Values by cell number, from a list or from a sparse map; cells outside the cube are dropped."""
    if isinstance(values, list):
        if len(values) > MAX_CUBE_CELLS:
            raise MalformedResponse("The answer has more observations than can be read.")
        return dict(enumerate(values[:total]))
    if not isinstance(values, dict):
        return {}
    numbers = {int(key[:12]): value for key, value in values.items() if key.isdecimal()}
    return {number: value for number, value in numbers.items() if number < total}


def _locate_jsonstat_cell(number: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    place = []
    for size in reversed(sizes):
        number, at = divmod(number, size)
        place.append(at)
    return tuple(reversed(place))


def _describe_jsonstat_cell(
    cell: CubeCell, labels: Mapping[str, str], metrics: Mapping[int, tuple[str, ...]]
) -> CellFacts:
    flag, place = cell.source
    known = labels.get(flag)
    if known is None:  # several letters, such as "bp"
        known = ", ".join(labels.get(letter, letter) for letter in flag[:5])
    units = (own[place[at]] for at, own in metrics.items())
    return CellFacts(notes=clean_label(known), units=", ".join(dict.fromkeys(filter(None, units))))
