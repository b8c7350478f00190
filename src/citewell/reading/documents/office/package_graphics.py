"""Finds the charts and diagrams that a slide, sheet or text refers to, and renders their data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from xml.etree.ElementTree import Element

from citewell.reading.documents import xml_tree
from citewell.reading.documents.document_markdown import (
    format_plain_cell,
    format_stored_number,
    render_markdown_table,
)
from citewell.reading.documents.document_packages import PackageRelation, ZipDocument
from citewell.reading.documents.document_text import UnreadableDocument
from citewell.reading.markdown.markdown_text import escape_markdown, squeeze_spaces

MAX_CHART_ROWS = 5000
_MAX_CHART_SERIES = 256  # the most that Excel draws in one chart
_AXIS_NAMES = {"cat": "categories", "date": "categories", "val": "values", "ser": "series"}
_CAMEL_CASE_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_POINT_CHARTS = frozenset({"scatter", "bubble"})
_ROW_INDEX = re.compile(r"\d{1,7}")

Points = dict[int, str]

_TEXT_POINT_KINDS = frozenset({"node", "asst"})
_MAX_DIAGRAM_DEPTH = 12

_MAX_GRAPHICS = 500  # in one document
_DAMAGED_GRAPHIC = "(A chart or diagram here is damaged and was not read.)"


class GraphicReader:
    """Renders charts and diagrams of one package; a damaged one becomes a sentence."""

    def __init__(self, archive: ZipDocument) -> None:
        self._archive = archive
        self._count = 0

    def render_graphics(self, holder: Element, relations: dict[str, PackageRelation]) -> list[str]:
        """A block of markdown for each chart and diagram that an element refers to."""
        blocks: list[str] = []
        for item in xml_tree.find_descendants(holder, "chart", "relIds"):
            name = "id" if xml_tree.strip_namespace(item) == "chart" else "dm"
            relation = relations.get(xml_tree.find_xml_attribute(item, name))
            if relation is not None and not relation.external:
                blocks.append(self.render_graphic_part(relation.target))
        return [block for block in blocks if block]

    def render_graphic_part(self, name: str) -> str:
        """One chart or diagram part as markdown."""
        self._count += 1
        if self._count > _MAX_GRAPHICS:
            return ""
        try:
            root = xml_tree.parse_xml_bytes(self._archive.read_member(name))
        except UnreadableDocument:
            return _DAMAGED_GRAPHIC
        if xml_tree.strip_namespace(root) == "chartSpace":
            return render_chart(root)
        return render_diagram(root)


# Reads the text of a SmartArt diagram as a nested list.


def render_diagram(root: Element) -> str:
    """The nodes of a diagram's data model, each under the node it belongs to; "" if none has text."""
    texts: dict[str, str] = {}
    tops: list[str] = []
    for point in xml_tree.find_descendants(root, "pt"):
        if "modelId" not in point.attrib:
            continue
        kind = point.attrib.get("type", "node")
        if kind == "doc":
            tops.append(point.attrib["modelId"])
        elif kind in _TEXT_POINT_KINDS:
            paragraphs = map(xml_tree.join_text_runs, xml_tree.find_descendants(point, "p"))
            text = squeeze_spaces(" ".join(filter(None, paragraphs))).strip()
            texts[point.attrib["modelId"]] = escape_markdown(text)
    children = _collect_diagram_children(root)
    lines: list[str] = []
    seen: set[str] = set()
    stack = [(key, -1) for key in reversed(tops)]
    while stack:
        key, depth = stack.pop()
        if key in seen:
            continue
        seen.add(key)
        if texts.get(key):
            lines.append("  " * min(max(depth, 0), _MAX_DIAGRAM_DEPTH) + f"- {texts[key]}")
        deeper = depth + 1 if texts.get(key) or depth < 0 else depth
        stack += [(child, deeper) for child in reversed(children.get(key, ()))]
    lines += [f"- {text}" for key, text in texts.items() if text and key not in seen]
    return "\n".join(lines)


def _collect_diagram_children(root: Element) -> dict[str, list[str]]:
    """The ids of each node's children, in the order in which they are shown."""
    found: dict[str, list[tuple[int, str]]] = {}
    for link in xml_tree.find_descendants(root, "cxn"):
        if link.attrib.get("type", "parOf") != "parOf":
            continue
        place = xml_tree.parse_short_number(link.attrib.get("srcOrd", ""), 0)
        found.setdefault(link.attrib.get("srcId", ""), []).append(
            (place, link.attrib.get("destId", ""))
        )
    return {key: [child for _, child in sorted(links)] for key, links in found.items()}


# Reads a chart of an office document as a table of the data that it draws.


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
    chart_kind = " and ".join(dict.fromkeys(kinds)) or "unknown"
    about = "; ".join([f"{chart_kind} chart", *axes])
    named = f"**Chart: {title}**" if title else "**Chart**"
    filled = [line for line in series if line.values or line.categories][:_MAX_CHART_SERIES]
    if not filled:
        return f"{named} ({about}). It holds no data."
    rows = _build_chart_rows(filled, points=bool(_POINT_CHARTS & set(kinds)))
    parts = [f"{named} ({about})", render_markdown_table(rows[: MAX_CHART_ROWS + 1])]
    if len(rows) > MAX_CHART_ROWS + 1:
        parts.append(f"({len(rows) - 1 - MAX_CHART_ROWS} more rows of the chart are not shown.)")
    return "\n\n".join(parts)


def _read_drawn_chart(root: Element) -> tuple[str, list[str], list[str], list[_ChartSeries]]:
    chart = xml_tree.find_child_element(root, "chart")
    area = xml_tree.find_child_element(chart, "plotArea")
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
    axes = []
    for axis in area:
        name = xml_tree.strip_namespace(axis)
        if name.endswith("Ax") and (title := _read_title_text(axis)):
            axis_kind = name.removesuffix("Ax")
            axes.append(f"{_AXIS_NAMES.get(axis_kind, axis_kind)}: {title}")
    return _read_title_text(chart), kinds, axes, series


def _name_chart_kind(raw: str) -> str:
    return _CAMEL_CASE_WORD.sub(" ", raw).lower()


def _read_title_text(parent: Element | None) -> str:
    title = xml_tree.find_child_element(parent, "title")
    cached = (item.text or "" for item in xml_tree.find_descendants(title, "v"))
    text = xml_tree.join_text_runs(title) or " ".join(cached)
    return escape_markdown(squeeze_spaces(text).strip())


def _read_series(item: Element, place: int) -> _ChartSeries:
    name = " ".join(_read_points(xml_tree.find_child_element(item, "tx")).values())
    return _ChartSeries(
        name=name.strip() or f"Series {place + 1}",
        categories=_read_points(xml_tree.find_child_element(item, "cat", "xVal")),
        values=_read_points(xml_tree.find_child_element(item, "val", "yVal")),
        sizes=_read_points(xml_tree.find_child_element(item, "bubbleSize")),
    )


def _read_points(source: Element | None) -> Points:
    """The cached or literal points of a reference by index; levels of categories are joined."""
    levels = [_collect_points(level, "") for level in xml_tree.find_descendants(source, "lvl")]
    if levels:
        return _join_category_levels(levels)
    for holder in xml_tree.find_descendants(source, "strCache", "numCache", "strLit", "numLit"):
        code = xml_tree.find_child_element(holder, "formatCode")
        return _collect_points(holder, (code.text or "") if code is not None else "")
    literal = xml_tree.find_child_element(source, "v")
    return {0: literal.text} if literal is not None and literal.text else {}


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
    shared = max((line.categories for line in series), key=len)
    alike = all(not line.categories or line.categories == shared for line in series)
    sized = any(line.sizes for line in series)
    if alike and not sized:
        places = sorted(set().union(shared, *(line.values for line in series)))
        head = ["X" if points else "Category", *(line.name for line in series)]
        body = (
            [shared.get(place, str(place + 1)), *(line.values.get(place, "") for line in series)]
            for place in places
        )
    else:
        head = ["Series", "X" if points else "Category", "Y" if points else "Value"]
        head += ["Size"] if sized else []
        body = (
            [
                line.name,
                line.categories.get(place, str(place + 1)),
                line.values.get(place, ""),
                line.sizes.get(place, ""),
            ]
            for line in series
            for place in sorted(line.categories.keys() | line.values.keys())
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
    for item in xml_tree.find_descendants(chart, "series"):
        kinds.append(_name_chart_kind(item.attrib.get("layoutId", "")))
        source = xml_tree.find_child_element(item, "dataId")
        dimensions = data.get(source.attrib.get("val", "") if source is not None else "")
        series.append(_read_extended_series(item, dimensions, len(series)))
    return _read_title_text(chart), kinds, [], series


def _read_extended_series(item: Element, data: Element | None, place: int) -> _ChartSeries:
    name = xml_tree.join_element_text(next(xml_tree.find_descendants(item, "v"), None))
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
