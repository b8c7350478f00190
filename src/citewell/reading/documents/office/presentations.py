"""Reads presentations (PPTX): each visible slide under a heading of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from xml.etree.ElementTree import Element

from citewell.reading.documents import document_packages, document_text, xml_tree
from citewell.reading.documents.document_markdown import (
    format_markdown_cell,
    format_superscript,
    render_markdown_table,
    render_picture_text,
    resolve_web_link,
)
from citewell.reading.documents.office.equation_latex import EquationConverter
from citewell.reading.documents.office.package_graphics import GraphicReader
from citewell.reading.markdown import markdown_text

_TITLE_PLACEHOLDERS = frozenset({"title", "ctrTitle"})
_IGNORED_PLACEHOLDERS = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
_PLAIN_PLACEHOLDERS = frozenset({"", "subTitle"})  # their paragraphs have no bullets by themselves
_SHAPE_ELEMENTS = frozenset({"sp", "graphicFrame", "pic", "cxnSp"})
_GROUP_ELEMENTS = frozenset({"cSld", "spTree", "grpSp", "AlternateContent", "Choice"})
_MAX_SHAPE_DEPTH = 20
_SIGNED_NUMBER = re.compile(r"-?\d{1,15}")

Position = tuple[int, int]


def read_pptx(job: document_text.DocumentRequest) -> document_text.DocumentText:
    archive = document_packages.ZipDocument(job.body, job.limits)
    names, hidden = _collect_slide_parts(archive)
    slides = SlideReader(archive)
    parts = [
        slides.render_slide(names[place], place + 1)
        for place in document_text.choose_pages(job.pages, len(names))
    ]
    return replace(
        document_packages.read_office_properties(archive),
        markdown="\n\n".join(parts),
        page_count=len(names),
        notes=(*document_text.describe_hidden_slides(hidden), *slides.equations.describe_cuts()),
    )


def _collect_slide_parts(archive: document_packages.ZipDocument) -> tuple[list[str], int]:
    """The part names of the visible slides in order, and the number of hidden slides."""
    root = xml_tree.parse_xml_bytes(archive.read_member("ppt/presentation.xml"))
    targets = document_packages.read_package_relations(archive, "ppt/presentation.xml")
    listing = next(xml_tree.find_descendants(root, "sldIdLst"), None)
    ids = [
        value
        for item in (listing if listing is not None else ())
        for key, value in item.attrib.items()
        if key.endswith("}id")
    ]
    names = [
        targets[key].target for key in ids if key in targets and targets[key].target in archive
    ]
    shown = [
        name
        for name in names
        if xml_tree.read_root_attributes(archive.read_member(name)).get("show")
        not in {"0", "false"}
    ]
    return shown, len(names) - len(shown)


# Reads the shapes of a slide: text, lists, tables, charts, diagrams, equations and notes.


class SlideReader:
    """Renders the slides of one presentation."""

    def __init__(self, archive: document_packages.ZipDocument) -> None:
        self._archive = archive
        self._graphics = GraphicReader(archive)
        self.equations = EquationConverter()
        self._relations: dict[str, document_packages.PackageRelation] = {}

    def render_slide(self, name: str, number: int) -> str:
        self._relations = document_packages.read_package_relations(self._archive, name)
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
            about = next(xml_tree.find_descendants(shape, "cNvPr"), None)
            return render_picture_text(xml_tree.find_xml_attribute(about, "descr"))
        graphics = self._graphics.render_graphics(shape, self._relations)
        tables = list(xml_tree.find_descendants(shape, "tbl"))
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
        for item in xml_tree.find_descendants(shape, "p"):
            text = (
                "".join(map(self._read_slide_run, item)).strip() if "drawingml" in item.tag else ""
            )
            if text:
                properties = xml_tree.find_child_element(item, "pPr")
                level = properties.attrib.get("lvl", "") if properties is not None else ""
                depth = min(xml_tree.parse_short_number(level, 0, max_digits=2), 8)
                found.append((depth, text, _find_bullet_kind(properties)))
        return found

    def _read_slide_run(self, run: Element) -> str:
        name = xml_tree.strip_namespace(run)
        if name == "br":
            return " "
        if name in {"m", "AlternateContent", "oMath", "oMathPara"}:
            return self._read_slide_equation(run)
        text = "".join(item.text or "" for item in run if xml_tree.strip_namespace(item) == "t")
        properties = xml_tree.find_child_element(run, "rPr")
        baseline = properties.attrib.get("baseline", "0") if properties is not None else "0"
        if _SIGNED_NUMBER.fullmatch(baseline) and int(baseline) > 0:
            text = format_superscript(text)
        link = next(xml_tree.find_descendants(run, "hlinkClick"), None)
        relation = self._relations.get(xml_tree.find_xml_attribute(link, "id"))
        address = resolve_web_link(relation.target) if relation and relation.external else ""
        shown = markdown_text.escape_markdown(markdown_text.squeeze_spaces(text))
        return f"[{shown}]({address})" if address and text.strip() else shown

    def _read_slide_equation(self, holder: Element) -> str:
        """The equations in an element; where there is none, the text of its older form."""
        mark = (
            "$$" if next(xml_tree.find_descendants(holder, "oMathPara"), None) is not None else "$"
        )
        made = [
            f"{mark}{latex}{mark}"
            for item in xml_tree.find_descendants(holder, "oMath")
            if (latex := self.equations.convert_equation(item))
        ]
        if made:
            return " ".join(made)
        fallback = xml_tree.find_child_element(holder, "Fallback")
        return markdown_text.escape_markdown(xml_tree.join_element_text(fallback))

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
    for item in _iterate_shapes(root, _SHAPE_ELEMENTS | {"grpSp"}):
        place = _measure_shape_position(item)
        if xml_tree.strip_namespace(item) != "grpSp":
            yield place, item
            continue
        inner = sorted(_iterate_shapes(item, _SHAPE_ELEMENTS), key=_measure_shape_position)
        yield from ((place, shape) for shape in inner)


def _iterate_shapes(root: Element, wanted: frozenset[str], depth: int = 0) -> Iterator[Element]:
    """The elements of these names, looked for within groups that are not wanted themselves."""
    for item in root:
        name = xml_tree.strip_namespace(item)
        if name in wanted:
            yield item
        elif name in _GROUP_ELEMENTS and depth < _MAX_SHAPE_DEPTH:
            yield from _iterate_shapes(item, wanted, depth + 1)


def _measure_shape_position(shape: Element) -> Position:
    """Sort key: top to bottom, then left to right; shapes without a position come first."""
    for item in xml_tree.find_descendants(shape, "off"):
        x, y = item.attrib.get("x", "0"), item.attrib.get("y", "0")
        if _SIGNED_NUMBER.fullmatch(x) and _SIGNED_NUMBER.fullmatch(y):
            return int(y) // 360_000, int(x)  # shapes within a centimetre form one row
    return -1, 0


def _find_placeholder_kind(shape: Element) -> str:
    mark = next(xml_tree.find_descendants(shape, "ph"), None)
    return mark.attrib.get("type", "body") if mark is not None else ""


def _render_paragraphs(paragraphs: list[tuple[int, str, str]], *, listed: bool) -> list[str]:
    """A list where the placeholder, a bullet or a level makes it one, else paragraphs."""
    shown = listed or any(level for level, _, _ in paragraphs)
    if len(paragraphs) < 2 or not (shown or any(kind for _, _, kind in paragraphs)):
        return [markdown_text.escape_line_starts(text) for _, text, _ in paragraphs]
    blocks: list[str] = []
    lines: list[str] = []
    counts: dict[int, int] = {}
    outermost = min(level for level, _, _ in paragraphs)
    for deep, text, kind in paragraphs:
        level = deep - outermost
        if kind == "none" or not (kind or shown):
            blocks += ["\n".join(lines), markdown_text.escape_line_starts(text)]
            lines, counts = [], {}
            continue
        counts = {key: count for key, count in counts.items() if key <= level}
        counts[level] = counts.get(level, 0) + 1
        mark = f"{counts[level]}. " if kind == "number" else "- "
        lines.append("  " * level + mark + text)
    return [block for block in [*blocks, "\n".join(lines)] if block]


def _find_bullet_kind(properties: Element | None) -> str:
    names = {"buAutoNum": "number", "buChar": "bullet", "buBlip": "bullet", "buNone": "none"}
    for item in properties if properties is not None else ():
        if xml_tree.strip_namespace(item) in names:
            return names[xml_tree.strip_namespace(item)]
    return ""
