"""Reads a chart of an office document as a table of the data that it draws."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.markdown_tables import format_plain_cell, render_markdown_table
from citewell.fetch.documents.office.number_formats import format_stored_number
from citewell.fetch.markdown.markdown_text import escape_markdown, squeeze_spaces

MAX_CHART_ROWS = 5000
_MAX_CHART_SERIES = 256  # the most that Excel draws in one chart
_CAMEL_CASE_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_POINT_CHARTS = frozenset({"scatter", "bubble"})
_ROW_INDEX = re.compile(r"\d{1,7}")

Points = dict[int, str]


@dataclass(slots=True)
class _ChartSeries:
    name: str
    categories: Points = field(default_factory=dict)
    values: Points = field(default_factory=dict)
    sizes: Points = field(default_factory=dict)


def render_chart(root: Element) -> str:
    """The chart's title and kind, then its data as a table; a word if it holds no data."""
    if "chartex" in root.tag:
        title, kinds, axes, series = _read_extended_chart(root)
    else:
        title, kinds, axes, series = _read_drawn_chart(root)
    said = " and ".join(dict.fromkeys(kinds)) or "unknown"
    about = "; ".join([f"{said} chart", *axes])
    named = f"**Chart: {title}**" if title else "**Chart**"
    filled = [one for one in series if one.values or one.categories][:_MAX_CHART_SERIES]
    if not filled:
        return f"{named} ({about}). It holds no data."
    rows = _build_chart_rows(filled, points=bool(_POINT_CHARTS & set(kinds)))
    parts = [f"{named} ({about})", render_markdown_table(rows[: MAX_CHART_ROWS + 1])]
    if len(rows) > MAX_CHART_ROWS + 1:
        parts.append(f"({len(rows) - 1 - MAX_CHART_ROWS} more rows of the chart are not shown.)")
    return "\n\n".join(parts)


def _read_drawn_chart(root: Element) -> tuple[str, list[str], list[str], list[_ChartSeries]]:
    chart = xml_tree.find_child_element(root, "chart")
    area = xml_tree.find_child_element(chart, "plotArea") if chart is not None else None
    if chart is None or area is None:
        return "", [], [], []
    kinds: list[str] = []
    series: list[_ChartSeries] = []
    for plot in area:
        name = xml_tree.strip_namespace(plot)
        if not name.endswith("Chart"):
            continue
        kinds.append(_name_chart_kind(name.removesuffix("Chart").removesuffix("3D")))
        series += [
            _read_series(item, place)
            for place, item in enumerate(xml_tree.collect_child_elements(plot, "ser"), len(series))
        ]
    axes = [
        title
        for axis in area
        if xml_tree.strip_namespace(axis).endswith("Ax") and (title := _read_axis_title(axis))
    ]
    return _read_title_text(chart), kinds, axes, series


def _name_chart_kind(raw: str) -> str:
    return _CAMEL_CASE_WORD.sub(" ", raw).lower()


def _read_axis_title(axis: Element) -> str:
    title = _read_title_text(axis)
    said = xml_tree.strip_namespace(axis).removesuffix("Ax")
    names = {"cat": "categories", "date": "categories", "val": "values", "ser": "series"}
    return f"{names.get(said, said)}: {title}" if title else ""


def _read_title_text(parent: Element) -> str:
    title = xml_tree.find_child_element(parent, "title")
    if title is None:
        return ""
    written = [item.text or "" for item in title.iter() if xml_tree.strip_namespace(item) == "t"]
    cached = [item.text or "" for item in title.iter() if xml_tree.strip_namespace(item) == "v"]
    return escape_markdown(squeeze_spaces("".join(written) or " ".join(cached)).strip())


def _read_series(item: Element, place: int) -> _ChartSeries:
    name = " ".join(_read_points(xml_tree.find_child_element(item, "tx")).values())
    return _ChartSeries(
        name=name.strip() or f"Series {place + 1}",
        categories=_read_points(_find_first_child(item, "cat", "xVal")),
        values=_read_points(_find_first_child(item, "val", "yVal")),
        sizes=_read_points(xml_tree.find_child_element(item, "bubbleSize")),
    )


def _find_first_child(item: Element, *names: str) -> Element | None:
    return next((part for part in item if xml_tree.strip_namespace(part) in names), None)


def _read_points(source: Element | None) -> Points:
    """The cached or literal points of a reference by index; levels of categories are joined."""
    if source is None:
        return {}
    levels = [part for part in source.iter() if xml_tree.strip_namespace(part) == "lvl"]
    if levels:
        return _join_category_levels([_collect_points(level, "") for level in levels])
    for holder in source.iter():
        if xml_tree.strip_namespace(holder) in {"strCache", "numCache", "strLit", "numLit"}:
            code = xml_tree.find_child_element(holder, "formatCode")
            return _collect_points(holder, (code.text or "") if code is not None else "")
    said = xml_tree.find_child_element(source, "v")
    return {0: said.text} if said is not None and said.text else {}


def _collect_points(holder: Element, code: str) -> Points:
    found: Points = {}
    for point in xml_tree.collect_child_elements(holder, "pt"):
        place = point.attrib.get("idx", "")
        value = xml_tree.find_child_element(point, "v")
        text = (value.text if value is not None else point.text) or ""
        if _ROW_INDEX.fullmatch(place) and text.strip():
            own = point.attrib.get("formatCode", code)
            found[int(place)] = format_stored_number(text, own) if own else text
    return found


def _join_category_levels(levels: list[Points]) -> Points:
    """Categories of several levels, outermost first; an outer one holds until the next begins."""
    inner = levels[0]
    made: Points = {}
    current = [""] * len(levels)
    for place in sorted(set().union(*levels)):
        for depth, level in enumerate(levels):
            current[depth] = level.get(place, "" if depth == 0 else current[depth])
        if place in inner or not inner:
            made[place] = " / ".join(part for part in reversed(current) if part)
    return made


def _build_chart_rows(series: list[_ChartSeries], *, points: bool) -> list[list[str]]:
    shared = max((one.categories for one in series), key=len)
    alike = all(not one.categories or one.categories == shared for one in series)
    sized = any(one.sizes for one in series)
    if alike and not sized:
        places = sorted(set().union(shared, *(one.values for one in series)))
        head = ["X" if points else "Category", *(one.name for one in series)]
        body = (
            [shared.get(place, str(place + 1)), *(one.values.get(place, "") for one in series)]
            for place in places
        )
    else:
        head = ["Series", "X" if points else "Category", "Y" if points else "Value"]
        head += ["Size"] if sized else []
        body = (
            [
                one.name,
                one.categories.get(place, str(place + 1)),
                one.values.get(place, ""),
                one.sizes.get(place, ""),
            ]
            for one in series
            for place in sorted(one.categories.keys() | one.values.keys())
        )
    cut = islice(body, MAX_CHART_ROWS * 100)
    return [[format_plain_cell(cell) for cell in row] for row in [head, *cut]]


def _read_extended_chart(root: Element) -> tuple[str, list[str], list[str], list[_ChartSeries]]:
    """A chart of the kinds added in 2016: waterfall, funnel, treemap, histogram and others."""
    chart = xml_tree.find_child_element(root, "chart")
    holder = xml_tree.find_child_element(root, "chartData")
    data = {
        item.attrib.get("id", ""): item for item in (holder if holder is not None else ())
    }  # by the id that series refer to
    kinds: list[str] = []
    series: list[_ChartSeries] = []
    for item in chart.iter() if chart is not None else ():
        if xml_tree.strip_namespace(item) != "series":
            continue
        kinds.append(_name_chart_kind(item.attrib.get("layoutId", "")))
        source = xml_tree.find_child_element(item, "dataId")
        found = data.get(source.attrib.get("val", "") if source is not None else "")
        series.append(_read_extended_series(item, found, len(series)))
    return (_read_title_text(chart) if chart is not None else ""), kinds, [], series


def _read_extended_series(item: Element, data: Element | None, place: int) -> _ChartSeries:
    name = xml_tree.join_element_text(
        next((part for part in item.iter() if xml_tree.strip_namespace(part) == "v"), None)
    )
    made = _ChartSeries(name=name or f"Series {place + 1}")
    for dimension in data if data is not None else ():
        levels = xml_tree.collect_child_elements(dimension, "lvl")
        points = [_collect_points(level, level.attrib.get("formatCode", "")) for level in levels]
        if not points:
            continue
        if xml_tree.strip_namespace(dimension) == "strDim":
            made.categories = _join_category_levels(points)
        else:
            made.values = points[0]
    return made
