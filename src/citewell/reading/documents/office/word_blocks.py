"""Renders the paragraphs, lists, tables and notes of a Word document as markdown blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from citewell.reading.documents import document_markdown, xml_tree
from citewell.reading.documents.document_packages import (
    PackageRelation,
    ZipDocument,
    read_package_relations,
)
from citewell.reading.documents.document_text import Broken, describe_hidden_text
from citewell.reading.documents.office import word_styles
from citewell.reading.documents.office.equation_latex import EquationConverter
from citewell.reading.documents.office.package_graphics import GraphicReader
from citewell.reading.documents.office.word_citations import CitationFields
from citewell.reading.documents.office.word_runs import RunReader
from citewell.reading.markdown.markdown_text import escape_line_starts, format_fenced_code

_WRAPPER_ELEMENTS = frozenset(
    {"sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "txbxContent"}
)
_MAX_BLOCK_DEPTH = 30
_MAX_GRID_COLUMNS = 63  # the most that Word allows


class WordParts:
    """The parts of a package that the text of one part refers to."""

    def __init__(self, archive: ZipDocument, name: str) -> None:
        self.archive = archive
        self.relations = read_package_relations(archive, name)
        self.styles = word_styles.WordStyles(self.find_related_root("styles"))
        self.numbering = self.find_related_root("numbering")
        self.equations = EquationConverter()
        self.graphics = GraphicReader(archive)

    def find_related_root(self, kind: str) -> Element | None:
        """The root of the part of this kind; None if it is absent or damaged."""
        name = self.find_related_name(kind)
        try:
            return xml_tree.parse_xml_bytes(self.archive.read_member(name)) if name else None
        except Broken:
            return None

    def find_related_name(self, kind: str) -> str | None:
        return next(
            (
                relation.target
                for relation in self.relations.values()
                if relation.kind == kind and relation.target in self.archive
            ),
            None,
        )


@dataclass(slots=True)
class _WordBlock:
    text: str
    kind: str = "text"  # text, list, code or quote
    level: int = 0
    marker: str = ""


class WordBlocks:
    """Renders the blocks of one part."""

    def __init__(self, parts: WordParts, *, citations: CitationFields | None = None) -> None:
        self._parts = parts
        self._citations = citations
        self._styles = parts.styles
        self._numbers = word_styles.ListNumbers(parts.numbering)
        self._runs = self._open_run_reader(parts.relations)
        self._hidden_count = 0

    def _open_run_reader(self, relations: dict[str, PackageRelation]) -> RunReader:
        return RunReader(
            relations=relations,
            styles=self._styles,
            equations=self._parts.equations,
            graphics=self._parts.graphics,
            citations=self._citations,
        )

    def describe_omissions(self) -> tuple[str, ...]:
        hidden = self._hidden_count + self._runs.hidden_count
        return describe_hidden_text(hidden) + self._parts.equations.describe_cuts()

    def render_body(self, body: Element) -> str:
        """All blocks in order, then the footnotes and endnotes."""
        made = _join_word_blocks(list(self._iterate_blocks(body, 0)))
        notes = self._render_notes()
        return "\n\n".join(filter(None, [made, *notes]))

    def _iterate_blocks(
        self, parent: Element, depth: int, *, shaded: bool = False
    ) -> Iterator[_WordBlock]:
        if depth > _MAX_BLOCK_DEPTH:
            return
        for item in parent:
            name = xml_tree.strip_namespace(item)
            if name == "p":
                yield from self._read_paragraph(item, depth, shaded=shaded)
            elif name == "tbl":
                yield from self._read_word_table(item, depth)
            elif name in _WRAPPER_ELEMENTS:
                yield from self._iterate_blocks(item, depth + 1, shaded=shaded)
            elif name in {"oMath", "oMathPara"}:
                pieces = self._runs.read_pieces(parent, shaded=shaded)
                yield _WordBlock(document_markdown.join_text_pieces(pieces))
                return

    def _read_paragraph(self, item: Element, depth: int, *, shaded: bool) -> Iterator[_WordBlock]:
        properties = xml_tree.find_child_element(item, "pPr")
        style = self._styles.find_style(
            xml_tree.read_child_value(properties, "pStyle") or self._styles.default_paragraph
        )
        ground = shaded or style.has_shade or word_styles.has_word_shade(properties)
        pieces = self._runs.read_pieces(item, shaded=ground)
        boxes, self._runs.text_boxes = self._runs.text_boxes, []
        graphics, self._runs.graphic_blocks = self._runs.graphic_blocks, []
        if style.is_hidden and any(piece.text.strip() for piece in pieces):
            self._hidden_count += 1
            pieces = []
        level = word_styles.read_outline_level(properties) or style.heading_level
        if style.is_code and not level:
            text = "".join(piece.text.replace("  \n", "\n") for piece in pieces)
        else:
            text = document_markdown.join_text_pieces(pieces, plain=bool(level)).strip()
        label = self._count_list_item(properties, style) if text else None
        if text:
            yield _shape_paragraph(text, level=level, label=label, style=style)
        for box in boxes:
            yield from self._iterate_blocks(box, depth + 1, shaded=True)
        for block in graphics:
            yield _WordBlock(block)

    def _count_list_item(
        self, properties: Element | None, style: word_styles.WordStyle
    ) -> tuple[str, int] | None:
        """The label and level of a list item; None if the paragraph is in no list."""
        list_id, level = word_styles.read_list_mark(
            xml_tree.find_child_element(properties, "numPr")
        )
        if list_id is None:
            list_id = style.list_id
            level = style.list_level if level is None else level
        if list_id in {None, "", "0"}:
            return None
        place = level or 0
        label = self._numbers.count_item(str(list_id), place)
        return None if label is None else (label, place)

    def _read_word_table(self, table: Element, depth: int) -> Iterator[_WordBlock]:
        rows = [
            self._read_table_row(row, depth)
            for row in _iterate_table_parts(table, "tr")
            if not word_styles.read_word_switch(xml_tree.find_child_element(row, "trPr"), "hidden")
        ]
        if max((len(row) for row in rows), default=0) == 1:  # a frame around text, not a table
            for row in rows:
                yield from row[0]
            return
        made = [
            [document_markdown.format_markdown_cell(_flatten_blocks(cell)) for cell in row]
            for row in rows
        ]
        yield _WordBlock(document_markdown.render_markdown_table(made))

    def _read_table_row(self, row: Element, depth: int) -> list[list[_WordBlock]]:
        properties = xml_tree.find_child_element(row, "trPr")
        cells: list[list[_WordBlock]] = [
            [] for _ in range(_read_grid_count(properties, "gridBefore", 0))
        ]
        for cell in _iterate_table_parts(row, "tc"):
            about = xml_tree.find_child_element(cell, "tcPr")
            joined = any(
                xml_tree.read_child_value(about, name) in {"", "continue"}
                for name in ("vMerge", "hMerge")
            )
            blocks = [] if joined else list(self._iterate_blocks(cell, depth + 1, shaded=True))
            cells.append(blocks)
            cells += [[] for _ in range(_read_grid_count(about, "gridSpan", 1) - 1)]
        return cells

    def _render_notes(self) -> list[str]:
        """The notes in the order of their marks; a mark without its note gives nothing."""
        made: dict[int, str] = {}
        marks = list(self._runs.note_marks)
        for kind in ("footnote", "endnote"):
            name = self._parts.find_related_name(f"{kind}s")
            root = self._parts.find_related_root(f"{kind}s")
            if name is None or root is None:
                continue
            self._runs.relations = read_package_relations(self._parts.archive, name)
            for note in root:
                mark = (kind, xml_tree.find_xml_attribute(note, "id"))
                if mark in marks:
                    blocks = list(self._iterate_blocks(note, 1))
                    number = marks.index(mark) + 1
                    made[number] = f"[^{number}]: {' '.join(_flatten_blocks(blocks).split())}"
        return [made[number] for number in sorted(made)]


def _iterate_table_parts(parent: Element, name: str, depth: int = 0) -> Iterator[Element]:
    """Rows or cells, also those inside content controls and tracked insertions."""
    for item in parent:
        if xml_tree.strip_namespace(item) == name:
            yield item
        elif xml_tree.strip_namespace(item) in _WRAPPER_ELEMENTS and depth < _MAX_BLOCK_DEPTH:
            yield from _iterate_table_parts(item, name, depth + 1)


def _read_grid_count(properties: Element | None, name: str, default: int) -> int:
    count = xml_tree.read_child_value(properties, name) or ""
    return min(xml_tree.parse_short_number(count, default, max_digits=3), _MAX_GRID_COLUMNS)


def _shape_paragraph(
    text: str, *, level: int, label: tuple[str, int] | None, style: word_styles.WordStyle
) -> _WordBlock:
    if level:
        number = f"{label[0]} " if label is not None and label[0] else ""
        return _WordBlock(f"{'#' * level} {number}{' '.join(text.split())}")
    if label is not None:
        return _WordBlock(text, "list", label[1], document_markdown.format_list_marker(label[0]))
    if style.is_code:
        return _WordBlock(text, "code")
    if style.is_quote:
        return _WordBlock(escape_line_starts(text), "quote")
    return _WordBlock(escape_line_starts(text))


def _flatten_blocks(blocks: list[_WordBlock]) -> str:
    """Blocks on one line, for a table cell or a note."""
    return " ".join(block.marker + block.text for block in blocks)


def _join_word_blocks(blocks: list[_WordBlock]) -> str:
    made: list[str] = []
    place = 0
    while place < len(blocks):
        kind, end = blocks[place].kind, place
        while end < len(blocks) and blocks[end].kind == kind and (kind != "text" or end == place):
            end += 1
        same = blocks[place:end]
        match kind:
            case "list":
                made += _render_list_blocks(same)
            case "code":
                made.append(format_fenced_code("\n".join(block.text for block in same), ""))
            case "quote":
                made.append("\n>\n".join(f"> {block.text}".replace("\n", "\n> ") for block in same))
            case _:
                made += [block.text for block in same if block.text]
        place = end
    return "\n\n".join(made)


def _render_list_blocks(blocks: list[_WordBlock]) -> list[str]:
    """List items indented under the items they belong to; a new list begins a new block."""
    made: list[str] = []
    lines: list[str] = []
    open_items: list[tuple[int, str, bool]] = []  # level, indent, and whether it is numbered
    for block in blocks:
        numbered = block.marker[:1].isdigit()
        while open_items and open_items[-1][0] > block.level:
            open_items.pop()
        if open_items and open_items[-1][0] == block.level:
            _, indent, was_numbered = open_items.pop()
            if was_numbered != numbered and not open_items:
                made.append("\n".join(lines))
                lines = []
        else:
            _, outer, was_numbered = open_items[-1] if open_items else (0, "", False)
            indent = outer + ("   " if was_numbered else "  " if open_items else "")
        open_items.append((block.level, indent, numbered))
        inner = "\n" + indent + " " * len(block.marker)
        lines.append(f"{indent}{block.marker}{block.text.replace(chr(10), inner)}")
    return [*made, "\n".join(lines)]
