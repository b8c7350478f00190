"""Reads data in SDMX-JSON, versions 1.0 and 2.x: series or flat observations, values as written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citewell.core.errors import MalformedResponse, UpstreamUnavailable
from citewell.domains.series import ObservationList, ObservationQuery
from citewell.providers.dialects.data_cubes import (
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
from citewell.text.calendar_dates import StatedPeriod, parse_stated_period

_TIME_NAMES = frozenset({"TIME_PERIOD", "TIME", "YEAR", "TIME_FORMAT_PERIOD"})
_UNIT_ATTRIBUTES = ("UNIT", "UNIT_MEASURE", "UNITS")
_MULTIPLIER_ATTRIBUTES = ("UNIT_MULT", "POWERCODE", "SCALE")
_TITLE_ATTRIBUTES = ("TITLE_COMPL", "TITLE", "SERIES_NAME")
_STATUS_ATTRIBUTES = ("OBS_STATUS", "STATUS")
_NORMAL_STATUSES = frozenset({"A", "", "_Z"})
_UNIT_MULTIPLIERS = frozenset({"0", ""})
_MAX_GROUPS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class _CubeComponent:
    """A dimension or attribute with its values, as pairs of code and label."""

    name: str
    label: str
    values: tuple[tuple[str, str], ...]
    is_time: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _CubeLayout:
    """How keys and arrays of one data set are to be read."""

    shared: tuple[_CubeComponent, ...]  # one position for the whole data set
    series: tuple[_CubeComponent, ...]
    observation: tuple[_CubeComponent, ...]
    measures: int
    series_attributes: tuple[_CubeComponent, ...]
    observation_attributes: tuple[_CubeComponent, ...]
    group_attributes: tuple[_CubeComponent, ...]


def read_sdmx_window(body: bytes, query: ObservationQuery) -> ObservationList:
    """The observations asked for; raises MalformedResponse, or UpstreamUnavailable for an error message."""
    return select_window(read_sdmx_cube(body), query)


def read_sdmx_cube(body: bytes) -> DataCube:
    """The first data set with observations, as a cube. Raises as `read_sdmx_window`."""
    message = parse_exact_json(body)
    data = get_object(message, "data") or message
    sets = get_list(data, "dataSets")
    structures = get_list(data, "structures") or [get_object(data, "structure")]
    if not sets and (get_list(message, "errors") or get_object(message, "error")):
        raise UpstreamUnavailable("The upstream returned an error instead of data.")
    if not isinstance(data, dict) or not isinstance(data.get("dataSets"), list):
        raise MalformedResponse("The answer has no data sets.")
    filled = (
        part for part in sets if get_object(part, "series") or get_object(part, "observations")
    )
    found = next(filled, None)
    if found is None:
        return _build_sdmx_cube(_get_sdmx_structure(structures, {}), {})
    return _build_sdmx_cube(_get_sdmx_structure(structures, found), found)


def _get_sdmx_structure(structures: list[Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    number = part.get("structure", 0)
    inside = isinstance(number, int) and 0 <= number < len(structures)
    found = structures[number] if inside else structures[0]
    if not isinstance(found, dict):
        raise MalformedResponse("The answer does not say how its data are structured.")
    return found


def _build_sdmx_cube(structure: Mapping[str, Any], part: Mapping[str, Any]) -> DataCube:
    layout = _read_sdmx_layout(structure)
    components = (*layout.shared, *layout.series, *layout.observation)
    # Data of one time may have no dimension of time: then it is added, with one period.
    time_at = next(
        (at for at, component in enumerate(components) if component.is_time), len(components)
    )
    periods = [
        parse_stated_period(code)
        for component in components[time_at:][:1]
        for code, _ in component.values
    ]
    cells = [
        CubeCell((*place[:time_at], *place[time_at + 1 :]), (*place, 0)[time_at], value, source)
        for place, value, source in _iterate_sdmx_observations(layout, part)
    ]
    groups = tuple(get_object(part, "dimensionGroupAttributes").items())[:_MAX_GROUPS]
    return DataCube(
        title=_pick_sdmx_name(structure),
        dimensions=tuple(
            CubeDimension(
                name=component.name,
                label=component.label,
                codes=tuple(code for code, _ in component.values) or ("",),
                labels=tuple(label for _, label in component.values) or ("",),
            )
            for at, component in enumerate(components)
            if at != time_at
        ),
        periods=tuple(periods) or (StatedPeriod(text=""),),
        cells=cells,
        describe_cell=lambda cell: _describe_sdmx_cell(layout, groups, cell, time_at),
    )


def _read_sdmx_layout(structure: Mapping[str, Any]) -> _CubeLayout:
    dimensions = get_object(structure, "dimensions")
    attributes = get_object(structure, "attributes")
    measures = get_list(get_object(structure, "measures"), "observation")
    return _CubeLayout(
        shared=_read_sdmx_components(dimensions, "dataSet"),
        series=_read_sdmx_components(dimensions, "series"),
        observation=_read_sdmx_components(dimensions, "observation"),
        measures=max(len(measures), 1),
        series_attributes=_read_sdmx_components(attributes, "series"),
        observation_attributes=_read_sdmx_components(attributes, "observation"),
        group_attributes=_read_sdmx_components(attributes, "dimensionGroup"),
    )


def _read_sdmx_components(holder: Mapping[str, Any], level: str) -> tuple[_CubeComponent, ...]:
    return tuple(map(_read_sdmx_component, get_list(holder, level)))


def _read_sdmx_component(item: object) -> _CubeComponent:
    name = clean_label(item.get("id")) if isinstance(item, dict) else ""
    stated = item.get("role") if isinstance(item, dict) else None
    roles = {str(stated).upper(), *(str(role).upper() for role in get_list(item, "roles"))}
    return _CubeComponent(
        name=name,
        label=_pick_sdmx_name(item) or name,
        values=tuple(map(_read_sdmx_code, get_list(item, "values"))),
        is_time=name.upper() in _TIME_NAMES or bool(roles & {"TIME_PERIOD", "TIME"}),
    )


def _read_sdmx_code(item: object) -> tuple[str, str]:
    if not isinstance(item, dict):
        text = "" if item is None or isinstance(item, dict | list) else clean_label(str(item))
        return text, text
    code = item.get("id", item.get("value"))
    text = clean_label(str(code)) if isinstance(code, str | int) else ""
    return text, _pick_sdmx_name(item) or text


def _pick_sdmx_name(item: object) -> str:
    """The name of a part: in English where there are several, or its only one."""
    if not isinstance(item, dict):
        return ""
    names = get_object(item, "names") or get_object(item, "name")
    stated = names.get("en") or item.get("name") or next(iter(names.values()), "")
    return clean_label(stated)


def _iterate_sdmx_observations(
    layout: _CubeLayout, part: Mapping[str, Any]
) -> Iterator[tuple[tuple[int, ...], object, Any]]:
    """Place, value and sources of the attributes of every observation whose key fits the layout."""
    count = 0
    shared = (0,) * len(layout.shared)
    for key, series in get_object(part, "series").items():
        upper = _parse_sdmx_place(key, layout.series)
        if upper is None:
            continue
        attributes = get_list(series, "attributes")
        for position, row in get_object(series, "observations").items():
            place = _parse_sdmx_place(position, layout.observation)
            if place is not None and isinstance(row, list):
                yield (*shared, *upper, *place), row[0] if row else None, (attributes, row)
                count += 1
                _check_cell_count(count)
    for position, row in get_object(part, "observations").items():
        place = _parse_sdmx_place(position, (*layout.series, *layout.observation))
        if place is not None and isinstance(row, list):
            yield (*shared, *place), row[0] if row else None, ([], row)
            count += 1
            _check_cell_count(count)


def _check_cell_count(count: int) -> None:
    if count > MAX_CUBE_CELLS:
        raise MalformedResponse("The answer has more observations than can be read.")


def _parse_sdmx_place(key: str, components: tuple[_CubeComponent, ...]) -> tuple[int, ...] | None:
    """The positions that a key such as 0:3:1 names; None if it does not fit the dimensions."""
    parts = key.split(":") if key else []
    if len(parts) != len(components) or not all(part.isdecimal() for part in parts):
        return None
    place = tuple(int(part[:9]) for part in parts)
    fits = all(at < len(component.values) for at, component in zip(place, components, strict=True))
    return place if fits else None


def _describe_sdmx_cell(
    layout: _CubeLayout, groups: tuple[tuple[str, Any], ...], cell: CubeCell, time_at: int
) -> CellFacts:
    attributes, row = cell.source
    known = dict(_read_sdmx_attributes(layout.series_attributes, attributes))
    known |= _read_sdmx_attributes(layout.observation_attributes, row[layout.measures :])
    whole = (*cell.place[:time_at], cell.period, *cell.place[time_at:])
    for key, values in groups:
        if (
            layout.group_attributes
            and isinstance(values, list)
            and _fits_attribute_group(key, whole)
        ):
            known = _read_sdmx_attributes(layout.group_attributes, values) | known
    unit = _pick_sdmx_attribute(known, _UNIT_ATTRIBUTES)
    multiplier = _pick_sdmx_attribute(known, _MULTIPLIER_ATTRIBUTES)
    status = _pick_sdmx_attribute(known, _STATUS_ATTRIBUTES)
    return CellFacts(
        title=_pick_sdmx_attribute(known, _TITLE_ATTRIBUTES)[1],
        units=unit[1],
        scale="" if multiplier[0] in _UNIT_MULTIPLIERS else multiplier[1],
        notes="" if status[0] in _NORMAL_STATUSES else status[1],
    )


def _fits_attribute_group(key: str, place: tuple[int, ...]) -> bool:
    parts = key.split(":")
    return len(parts) >= len(place) - 1 and all(
        not part or part == str(at) for part, at in zip(parts, place, strict=False)
    )


def _read_sdmx_attributes(
    components: tuple[_CubeComponent, ...], values: list[Any]
) -> dict[str, tuple[str, str]]:
    """Attributes by name, as pairs of code and label; a value is a position or stands for itself."""
    found: dict[str, tuple[str, str]] = {}
    for component, value in zip(components, values, strict=False):
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, int) and 0 <= value < len(component.values):
            found[component.name] = component.values[value]
        elif isinstance(value, str):
            found[component.name] = (clean_label(value), clean_label(value))
    return found


def _pick_sdmx_attribute(
    known: Mapping[str, tuple[str, str]], names: tuple[str, ...]
) -> tuple[str, str]:
    return next((known[name] for name in names if name in known), ("", ""))
