"""Reads the shapes of a slide: text, lists, tables, charts, diagrams, equations and notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.markdown_tables import format_markdown_cell, render_markdown_table
from citewell.fetch.documents.office.drawings.package_graphics import GraphicReader
from citewell.fetch.documents.office.equations.equation_latex import EquationConverter
from citewell.fetch.documents.office.inline_text import format_superscript, render_picture_text
from citewell.fetch.documents.office.package_relations import (
    PackageRelation,
    read_package_relations,
)
from citewell.fetch.documents.zip_archive import ZipDocument
from citewell.fetch.markdown.markdown_text import (
    escape_line_starts,
    escape_markdown,
    resolve_link,
    squeeze_spaces,
)

_TITLE_PLACEHOLDERS = frozenset({"title", "ctrTitle"})
_IGNORED_PLACEHOLDERS = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
_PLAIN_PLACEHOLDERS = frozenset({"", "subTitle"})  # their paragraphs have no bullets by themselves
_SHAPE_ELEMENTS = frozenset({"sp", "graphicFrame", "pic", "cxnSp"})
_GROUP_ELEMENTS = frozenset({"cSld", "spTree", "grpSp", "AlternateContent", "Choice"})
_MAX_SHAPE_DEPTH = 20
_SIGNED_NUMBER = re.compile(r"-?\d{1,15}")

Position = tuple[int, int]


class SlideReader:
    """Renders the slides of one presentation."""

    def __init__(self, archive: ZipDocument) -> None:
        self._archive = archive
        self._graphics = GraphicReader(archive)
        self.equations = EquationConverter()
        self._relations: dict[str, PackageRelation] = {}

    def render_slide(self, name: str, number: int) -> str:
        self._relations = read_package_relations(self._archive, name)
        root = xml_tree.parse_xml_bytes(self._archive.read_member(name))
        placed = sorted(_iterate_placed_shapes(root), key=lambda pair: pair[0])
        title = ""
        blocks: list[str] = []
        for _, shape in placed:
            kind = _find_placeholder_kind(shape)
            if kind in _TITLE_PLACEHOLDERS and not title:
                title = " ".join(text for _, text, _ in self._read_paragraphs(shape))
            elif kind not in _IGNORED_PLACEHOLDERS:
                blocks += self._render_shape(shape)
        heading = f"## Slide {number}: {title}" if title else f"## Slide {number}"
        notes = self._read_speaker_notes()
        return "\n\n".join([heading, *blocks, *([f"> Notes: {notes}"] if notes else [])])

    def _render_shape(self, shape: Element) -> list[str]:
        if xml_tree.strip_namespace(shape) == "pic":
            return _read_picture_text(shape)
        graphics = self._graphics.render_graphics(shape, self._relations)
        tables = [item for item in shape.iter() if xml_tree.strip_namespace(item) == "tbl"]
        if graphics or tables:
            return graphics + [self._render_slide_table(item) for item in tables]
        paragraphs = self._read_paragraphs(shape)
        listed = _find_placeholder_kind(shape) not in _PLAIN_PLACEHOLDERS
        return _render_paragraphs(paragraphs, listed=listed)

    def _render_slide_table(self, table: Element) -> str:
        rows = [
            [
                format_markdown_cell(" ".join(text for _, text, _ in self._read_paragraphs(cell)))
                for cell in xml_tree.collect_child_elements(row, "tc")
            ]
            for row in xml_tree.collect_child_elements(table, "tr")
        ]
        return render_markdown_table(rows)

    def _read_paragraphs(self, shape: Element) -> list[tuple[int, str, str]]:
        """Level, text and bullet ("number", "bullet", "none" or "") of each paragraph with text."""
        found: list[tuple[int, str, str]] = []
        for item in shape.iter():
            if xml_tree.strip_namespace(item) != "p" or "drawingml" not in item.tag:
                continue
            text = "".join(self._read_slide_run(run) for run in item).strip()
            if text:
                found.append((_parse_indent_level(item), text, _find_bullet_kind(item)))
        return found

    def _read_slide_run(self, run: Element) -> str:
        name = xml_tree.strip_namespace(run)
        if name == "br":
            return " "
        if name in {"m", "AlternateContent", "oMath", "oMathPara"}:
            return self._read_slide_equation(run)
        text = "".join(item.text or "" for item in run if xml_tree.strip_namespace(item) == "t")
        properties = xml_tree.find_child_element(run, "rPr")
        if properties is not None and _is_raised(properties):
            text = format_superscript(text)
        address = self._find_run_link(run)
        shown = escape_markdown(squeeze_spaces(text))
        return f"[{shown}]({address})" if address and text.strip() else shown

    def _read_slide_equation(self, holder: Element) -> str:
        """The equations in an element; where there is none, the text of its older form."""
        alone = any(xml_tree.strip_namespace(item) == "oMathPara" for item in holder.iter())
        mark = "$$" if alone else "$"
        made = [
            f"{mark}{latex}{mark}"
            for item in holder.iter()
            if xml_tree.strip_namespace(item) == "oMath"
            and (latex := self.equations.convert_equation(item))
        ]
        if made:
            return " ".join(made)
        fallback = xml_tree.find_child_element(holder, "Fallback")
        return escape_markdown(xml_tree.join_element_text(fallback))

    def _find_run_link(self, run: Element) -> str:
        link = next(
            (item for item in run.iter() if xml_tree.strip_namespace(item) == "hlinkClick"), None
        )
        key = xml_tree.find_xml_attribute(link, "id") if link is not None else ""
        relation = self._relations.get(key)
        if relation is None or not relation.external:
            return ""
        web = relation.target.startswith(("http", "mailto:"))
        return resolve_link("", relation.target) if web else ""

    def _read_speaker_notes(self) -> str:
        for relation in self._relations.values():
            if relation.kind == "notesSlide" and relation.target in self._archive:
                root = xml_tree.parse_xml_bytes(self._archive.read_member(relation.target))
                bodies = (
                    shape
                    for _, shape in _iterate_placed_shapes(root)
                    if _find_placeholder_kind(shape) == "body"
                )
                return " ".join(
                    text for shape in bodies for _, text, _ in self._read_paragraphs(shape)
                )
        return ""


def _iterate_placed_shapes(root: Element) -> Iterator[tuple[Position, Element]]:
    """The shapes with their places, top to bottom; those of a group stand where the group stands."""
    for item in _iterate_shape_elements(root, 0):
        place = _measure_shape_position(item)
        if xml_tree.strip_namespace(item) != "grpSp":
            yield place, item
            continue
        inner = sorted(_iterate_group_shapes(item, 0), key=_measure_shape_position)
        yield from ((place, shape) for shape in inner)


def _iterate_shape_elements(root: Element, depth: int) -> Iterator[Element]:
    for item in root:
        name = xml_tree.strip_namespace(item)
        if name in _SHAPE_ELEMENTS or name == "grpSp":
            yield item
        elif name in _GROUP_ELEMENTS and depth < _MAX_SHAPE_DEPTH:
            yield from _iterate_shape_elements(item, depth + 1)


def _iterate_group_shapes(group: Element, depth: int) -> Iterator[Element]:
    for item in group:
        name = xml_tree.strip_namespace(item)
        if name in _SHAPE_ELEMENTS:
            yield item
        elif name in _GROUP_ELEMENTS and depth < _MAX_SHAPE_DEPTH:
            yield from _iterate_group_shapes(item, depth + 1)


def _measure_shape_position(shape: Element) -> Position:
    """Sort key: top to bottom, then left to right; shapes without a position come first."""
    for item in shape.iter():
        if xml_tree.strip_namespace(item) == "off":
            x, y = item.attrib.get("x", "0"), item.attrib.get("y", "0")
            if _SIGNED_NUMBER.fullmatch(x) and _SIGNED_NUMBER.fullmatch(y):
                return int(y) // 360_000, int(x)  # shapes within a centimetre form one row
    return -1, 0


def _find_placeholder_kind(shape: Element) -> str:
    for item in shape.iter():
        if xml_tree.strip_namespace(item) == "ph":
            return item.attrib.get("type", "body")
    return ""


def _render_paragraphs(paragraphs: list[tuple[int, str, str]], *, listed: bool) -> list[str]:
    """A list where the placeholder, a bullet or a level makes it one, else paragraphs."""
    shown = listed or any(level for level, _, _ in paragraphs)
    if len(paragraphs) < 2 or not (shown or any(kind for _, _, kind in paragraphs)):
        return [escape_line_starts(text) for _, text, _ in paragraphs]
    blocks: list[str] = []
    lines: list[str] = []
    counts: dict[int, int] = {}
    outermost = min(level for level, _, _ in paragraphs)
    for deep, text, kind in paragraphs:
        level = deep - outermost
        if kind == "none" or not (kind or shown):
            blocks += ["\n".join(lines), escape_line_starts(text)]
            lines, counts = [], {}
            continue
        counts = {key: count for key, count in counts.items() if key <= level}
        counts[level] = counts.get(level, 0) + 1
        mark = f"{counts[level]}. " if kind == "number" else "- "
        lines.append("  " * level + mark + text)
    return [block for block in [*blocks, "\n".join(lines)] if block]


def _find_bullet_kind(paragraph: Element) -> str:
    properties = xml_tree.find_child_element(paragraph, "pPr")
    names = {"buAutoNum": "number", "buChar": "bullet", "buBlip": "bullet", "buNone": "none"}
    for item in properties if properties is not None else ():
        if xml_tree.strip_namespace(item) in names:
            return names[xml_tree.strip_namespace(item)]
    return ""


def _read_picture_text(shape: Element) -> list[str]:
    for item in shape.iter():
        if xml_tree.strip_namespace(item) == "cNvPr":
            return render_picture_text(item.attrib.get("descr", ""))
    return []


def _parse_indent_level(paragraph: Element) -> int:
    properties = xml_tree.find_child_element(paragraph, "pPr")
    said = properties.attrib.get("lvl", "0") if properties is not None else "0"
    return min(int(said), 8) if said.isascii() and said.isdigit() and len(said) < 3 else 0


def _is_raised(properties: Element) -> bool:
    said = properties.attrib.get("baseline", "0")
    return bool(_SIGNED_NUMBER.fullmatch(said)) and int(said) > 0
