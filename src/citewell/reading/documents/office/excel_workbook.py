"""Reads the sheets of an Excel workbook (XLSX): cells as they are shown, and charts as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from citewell.reading.documents import document_markdown, xml_tree
from citewell.reading.documents.document_packages import ZipDocument, read_package_relations
from citewell.reading.documents.document_text import TookTooMuch
from citewell.reading.documents.office.package_graphics import GraphicReader
from citewell.reading.markdown.markdown_text import escape_markdown, squeeze_spaces

MAX_SHEET_CELLS = 2_000_000
_MAX_CELL_CHARS = 32_767  # the most that Excel allows
_MAX_WORKBOOK_CHARS = 10_000_000
_MAX_SHEET_COLUMNS = 16_384
_CELL_REFERENCE_PATTERN = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_EMPTY_CELL_PATTERN = re.compile(rb'<(?:row|c r="[A-Z]{1,3}\d{1,7}")(?:\s[^<>]*)?/>')
_TRUE_VALUES = frozenset({"1", "true"})


@dataclass(frozen=True, slots=True)
class SheetRows:
    """A sheet's cells, already formatted for a table, and its charts as markdown."""

    name: str
    rows: list[list[str]]
    graphics: list[str] = field(default_factory=list)


class CellBudget:
    """Counts the cells and characters of one workbook, which may name one long text many times."""

    def __init__(self) -> None:
        self._cells = 0
        self._chars = 0

    @property
    def is_spent(self) -> bool:
        """Whether there is more text than is returned of any document; reading may stop."""
        return self._chars > _MAX_WORKBOOK_CHARS

    def format_cell(self, text: str, *, padding: int) -> str:
        """The text as the content of a table cell that follows `padding` empty ones."""
        self._cells += 1 + padding
        if self._cells > MAX_SHEET_CELLS:
            raise TookTooMuch(f"The workbook has more than {MAX_SHEET_CELLS} cells.")
        made = document_markdown.format_plain_cell(text[:_MAX_CELL_CHARS])
        self._chars += len(made)
        return made


class ExcelWorkbook:
    def __init__(self, archive: ZipDocument) -> None:
        self._archive = archive
        self._strings = self._read_shared_strings()
        self._formats = self._read_cell_formats()
        self._graphics = GraphicReader(archive)
        self._days_from = document_markdown.DAYS_FROM_1900
        self._budget = CellBudget()

    def list_sheets(self) -> tuple[list[tuple[str, str]], list[str]]:
        """(name, part) of each visible sheet, and the names of the hidden ones."""
        root = xml_tree.parse_xml_bytes(self._archive.read_member("xl/workbook.xml"))
        targets = read_package_relations(self._archive, "xl/workbook.xml")
        shown: list[tuple[str, str]] = []
        hidden: list[str] = []
        for item in root.iter():
            if (
                xml_tree.strip_namespace(item) == "workbookPr"
                and item.attrib.get("date1904") in _TRUE_VALUES
            ):
                self._days_from = document_markdown.DAYS_FROM_1904
            if xml_tree.strip_namespace(item) != "sheet":
                continue
            key = next((value for name, value in item.attrib.items() if name.endswith("}id")), "")
            if key not in targets or targets[key].target not in self._archive:
                continue
            name = item.attrib.get("name", "")
            if item.attrib.get("state", "visible") == "visible":
                shown.append((name, targets[key].target))
            else:
                hidden.append(name)
        return shown, hidden

    def read_sheet(self, sheet: tuple[str, str]) -> SheetRows:
        name, part = sheet
        rows = [] if "chartsheets" in part else list(self._iterate_sheet_rows(part))
        return SheetRows(name, rows, read_drawn_blocks(self._archive, part, self._graphics))

    def _iterate_sheet_rows(self, part: str) -> Iterator[list[str]]:
        body = self._archive.read_member(part)
        if b"<![CDATA[" not in body:  # it may have millions of cells with a style only
            body = _EMPTY_CELL_PATTERN.sub(b"", body)
        for row in xml_tree.iterate_child_elements(body, "sheetData", "row"):
            if self._budget.is_spent:
                return
            if row.attrib.get("hidden") not in _TRUE_VALUES:
                made = self._read_sheet_row(row)
                if any(made):
                    yield made

    def _read_sheet_row(self, row: Element) -> list[str]:
        made: list[str] = []
        following = 0
        for cell in xml_tree.collect_child_elements(row, "c"):
            value = self._read_cell_value(cell)
            place = _parse_cell_column(cell.attrib.get("r", ""), following)
            following = place + 1
            if not value:  # padding is added when a later cell has a value
                continue
            padding = place - len(made)
            made += [*[""] * padding, self._budget.format_cell(value, padding=padding)]
        return made

    def _read_cell_value(self, cell: Element) -> str:
        kind = cell.attrib.get("t", "n")
        if kind == "inlineStr":
            return _join_rich_string(xml_tree.find_child_element(cell, "is"))
        found = xml_tree.find_child_element(cell, "v")
        raw = (found.text or "") if found is not None else ""
        if kind == "s":
            known = raw.isascii() and raw.isdigit() and int(raw) < len(self._strings)
            return self._strings[int(raw)] if known else ""
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(raw, raw)
        if kind == "d":
            return raw.removesuffix("T00:00:00")
        if kind == "n" and raw:
            code = self._formats.get(cell.attrib.get("s", ""), "")
            return document_markdown.format_stored_number(raw, code, days_from=self._days_from)
        return raw

    def _read_shared_strings(self) -> list[str]:
        body = self._archive.find_member("xl/sharedStrings.xml")
        if not body:
            return []
        return [
            _join_rich_string(item) for item in xml_tree.iterate_child_elements(body, "sst", "si")
        ]

    def _read_cell_formats(self) -> dict[str, str]:
        """The number format of each cell style that needs one, by the style's index."""
        body = self._archive.find_member("xl/styles.xml")
        if not body:
            return {}
        root = xml_tree.parse_xml_bytes(body)
        codes = {str(number): code for number, code in document_markdown.BUILTIN_FORMATS.items()}
        for item in xml_tree.find_descendants(root, "numFmt"):
            codes[item.attrib.get("numFmtId", "")] = item.attrib.get("formatCode", "")
        styles = xml_tree.find_child_element(root, "cellXfs")
        return {
            str(place): codes[style.attrib.get("numFmtId", "")]
            for place, style in enumerate(styles if styles is not None else ())
            if style.attrib.get("numFmtId", "") in codes
        }


def read_drawn_blocks(archive: ZipDocument, part: str, graphics: GraphicReader) -> list[str]:
    """The charts, diagrams and text boxes that are drawn on a sheet, as markdown."""
    made: list[str] = []
    for relation in read_package_relations(archive, part).values():
        if relation.kind != "drawing" or relation.target not in archive:
            continue
        root = xml_tree.parse_xml_bytes(archive.read_member(relation.target))
        relations = read_package_relations(archive, relation.target)
        made += graphics.render_graphics(root, relations)
        made += _read_text_boxes(root)
    return made


def _read_text_boxes(root: Element) -> list[str]:
    return [
        escape_markdown(squeeze_spaces(xml_tree.join_text_runs(paragraph)).strip())
        for shape in xml_tree.find_descendants(root, "txBody")
        for paragraph in xml_tree.collect_child_elements(shape, "p")
    ]


def _join_rich_string(element: Element | None) -> str:
    """The text of a plain or rich string, without phonetic guides."""
    pieces: list[str] = []
    for part in element if element is not None else ():
        name = xml_tree.strip_namespace(part)
        texts = xml_tree.collect_child_elements(part, "t") if name == "r" else [part]
        pieces += [text.text or "" for text in texts if name in {"t", "r"}]
    return "".join(pieces)


def _parse_cell_column(reference: str, following: int) -> int:
    match = _CELL_REFERENCE_PATTERN.fullmatch(reference)
    if match is None:
        return following
    number = 0
    for letter in match[1]:
        number = number * 26 + ord(letter) - 64
    return number - 1 if following <= number - 1 < _MAX_SHEET_COLUMNS else following
