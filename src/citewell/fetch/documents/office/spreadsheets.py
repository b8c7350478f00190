"""Reads spreadsheets, CSV and TSV; each sheet becomes a GFM table under its name."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from xml.etree.ElementTree import Element

from citewell.fetch.decoding.page_charset import decode_body
from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import DocumentLimits, ParsedDocument, TookTooMuch
from citewell.fetch.documents.markdown_tables import format_plain_cell, render_markdown_table
from citewell.fetch.documents.office.office_properties import read_office_properties
from citewell.fetch.documents.office.package_relations import read_package_relations
from citewell.fetch.documents.page_ranges import choose_pages
from citewell.fetch.documents.zip_archive import ZipDocument
from citewell.fetch.markdown.markdown_text import escape_markdown

_MAX_SHEET_CELLS = 2_000_000
_MAX_SHEET_COLUMNS = 16_384
_CELL_REFERENCE_PATTERN = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_BUILTIN_DATE_FORMATS = frozenset(
    {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
)  # built-in formats
_DATE_CODE_PATTERN = re.compile(r"(?:[ymdhs]|AM/PM)", re.IGNORECASE)
_FORMAT_LITERAL_PATTERN = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_QUOTED_FIELD_PATTERN = re.compile(r'"(?:[^"]|"")*"')
_CSV_DELIMITERS = ",;\t|"
_DELIMITER_SAMPLE_CHARS = 64 * 1024


def read_xlsx(body: bytes, limits: DocumentLimits, pages: str | None) -> ParsedDocument:
    archive = ZipDocument(body, limits)
    book = _ExcelWorkbook(archive)
    sheets, hidden = book.list_sheets()
    chosen = choose_pages(pages, len(sheets)) if sheets else []
    made = [(sheets[place][0], list(book.iterate_sheet_rows(sheets[place][1]))) for place in chosen]
    about = read_office_properties(archive)
    notes = (f"Hidden sheets were left out: {', '.join(hidden)}.",) if hidden else ()
    return ParsedDocument(markdown=_render_sheets(made), title=about.title, author=about.author,
                  created=about.created, page_count=len(sheets), notes=notes)  # fmt: skip


def read_ods(body: bytes, limits: DocumentLimits, pages: str | None) -> ParsedDocument:
    from citewell.fetch.documents.office.opendocument import OpenDocument

    archive = ZipDocument(body, limits)
    sheets = OpenDocument(archive).read_sheets()
    chosen = choose_pages(pages, len(sheets)) if sheets else []
    about = read_office_properties(archive)
    return ParsedDocument(markdown=_render_sheets([sheets[place] for place in chosen]), title=about.title,
                  author=about.author, created=about.created, page_count=len(sheets))  # fmt: skip


def read_csv(body: bytes, content_type: str, *, tabs: bool) -> ParsedDocument:
    text = decode_body(body, content_type=content_type).text
    first, _, rest = text.partition("\n")
    declared = re.fullmatch(r"sep=(.)\s*", first)  # Excel may put the delimiter in this line
    delimiter = (
        declared[1] if declared else _detect_csv_delimiter(text, default="\t" if tabs else ",")
    )
    reader = csv.reader(io.StringIO(rest if declared else text, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    cells = 0
    csv.field_size_limit(10_000_000)
    for row in reader:
        cells += len(row) + 1
        if cells > _MAX_SHEET_CELLS:
            raise TookTooMuch(f"The table has more than {_MAX_SHEET_CELLS} cells.")
        rows.append([format_plain_cell(cell) for cell in row])
    return ParsedDocument(markdown=render_markdown_table(rows), page_count=1)


def _detect_csv_delimiter(text: str, *, default: str) -> str:
    """The delimiter that splits the first lines most evenly, then most often, outside quotes."""
    sample = _QUOTED_FIELD_PATTERN.sub("", text[:_DELIMITER_SAMPLE_CHARS])
    lines = [line for line in sample.splitlines()[:50] if line.strip()]

    def merit(mark: str) -> tuple[float, int, bool]:
        counts = [line.count(mark) for line in lines]
        usual = max(set(counts), key=counts.count) if counts else 0
        even = counts.count(usual) / len(counts) if usual else 0.0
        return even, usual, mark == default

    best = max(_CSV_DELIMITERS, key=merit)
    return best if merit(best)[0] > 0.5 else default


def _render_sheets(sheets: list[tuple[str, list[list[str]]]]) -> str:
    parts: list[str] = []
    for name, rows in sheets:
        made = render_markdown_table(rows)
        if made:
            parts += [f"## {escape_markdown(name)}", made] if name else [made]
    return "\n\n".join(parts)


class _ExcelWorkbook:
    def __init__(self, archive: ZipDocument) -> None:
        self._archive = archive
        self._strings = self._read_shared_strings()
        self._dated, self._days_from = self._find_date_styles(), datetime(1899, 12, 30)  # noqa: DTZ001 - sheet dates have no zone
        self._cells = 0

    def list_sheets(self) -> tuple[list[tuple[str, str]], list[str]]:
        """(name, part) of each visible sheet, and the names of the hidden ones."""
        root = xml_tree.parse_xml_bytes(self._archive.read_member("xl/workbook.xml"))
        targets = read_package_relations(self._archive, "xl/workbook.xml")
        shown: list[tuple[str, str]] = []
        hidden: list[str] = []
        for item in root.iter():
            if xml_tree.strip_namespace(item) == "workbookPr" and item.attrib.get("date1904") in {
                "1",
                "true",
            }:
                self._days_from = datetime(1904, 1, 1)  # noqa: DTZ001 - as above
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

    def iterate_sheet_rows(self, part: str) -> Iterator[list[str]]:
        if "chartsheets" in part:
            return
        root = xml_tree.parse_xml_bytes(self._archive.read_member(part))
        for row in (item for item in root.iter() if xml_tree.strip_namespace(item) == "row"):
            if row.attrib.get("hidden") in {"1", "true"}:
                continue
            yield self._read_sheet_row(row)

    def _read_sheet_row(self, row: Element) -> list[str]:
        made: list[str] = []
        for cell in xml_tree.collect_child_elements(row, "c"):
            place = _parse_cell_column(cell.attrib.get("r", ""), len(made))
            self._cells += 1 + place - len(made)
            made += [""] * (place - len(made))
            if self._cells > _MAX_SHEET_CELLS:
                raise TookTooMuch(f"The workbook has more than {_MAX_SHEET_CELLS} cells.")
            made.append(format_plain_cell(self._read_cell_value(cell)))
        return made

    def _read_cell_value(self, cell: Element) -> str:
        kind = cell.attrib.get("t", "n")
        if kind == "inlineStr":
            return _join_rich_string(xml_tree.find_child_element(cell, "is"))
        found = xml_tree.find_child_element(cell, "v")
        raw = (found.text or "") if found is not None else ""
        if kind == "s":
            return (
                self._strings[int(raw)] if raw.isdigit() and int(raw) < len(self._strings) else ""
            )
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(raw, raw)
        if kind == "n" and raw:
            return self._format_cell_number(raw, cell.attrib.get("s", ""))
        return raw

    def _format_cell_number(self, raw: str, style: str) -> str:
        try:
            value = float(raw)
            if style.isdigit() and int(style) in self._dated:
                return _format_sheet_time(self._days_from + timedelta(days=value), whole=value < 1)
        except (ValueError, OverflowError):
            return raw
        short = f"{value:.15g}"
        return short if "e" not in short else raw

    def _read_shared_strings(self) -> list[str]:
        body = self._archive.find_member("xl/sharedStrings.xml")
        return [_join_rich_string(item) for item in xml_tree.parse_xml_bytes(body)] if body else []

    def _find_date_styles(self) -> frozenset[int]:
        """Indexes of the cell styles that show a number as a date."""
        body = self._archive.find_member("xl/styles.xml")
        if not body:
            return frozenset()
        root = xml_tree.parse_xml_bytes(body)
        custom = {
            item.attrib.get("numFmtId", "")
            for item in root.iter()
            if xml_tree.strip_namespace(item) == "numFmt"
            and _DATE_CODE_PATTERN.search(
                _FORMAT_LITERAL_PATTERN.sub("", item.attrib.get("formatCode", ""))
            )
        }
        dates = {str(number) for number in _BUILTIN_DATE_FORMATS} | custom
        styles = xml_tree.find_child_element(root, "cellXfs")
        listed = list(styles) if styles is not None else []
        return frozenset(
            n for n, style in enumerate(listed) if style.attrib.get("numFmtId") in dates
        )


def _join_rich_string(element: Element | None) -> str:
    """The text of a plain or rich string, without phonetic guides."""
    if element is None:
        return ""
    parts = [item for item in element if xml_tree.strip_namespace(item) in {"t", "r"}]
    return "".join(
        text.text or ""
        for part in parts
        for text in (
            [part]
            if xml_tree.strip_namespace(part) == "t"
            else xml_tree.collect_child_elements(part, "t")
        )
    )


def _parse_cell_column(reference: str, following: int) -> int:
    match = _CELL_REFERENCE_PATTERN.fullmatch(reference)
    if match is None:
        return following
    number = 0
    for letter in match[1]:
        number = number * 26 + ord(letter) - 64
    return number - 1 if following <= number - 1 < _MAX_SHEET_COLUMNS else following


def _format_sheet_time(moment: datetime, *, whole: bool) -> str:
    moment = (moment + timedelta(milliseconds=500)).replace(microsecond=0)
    if whole:
        return moment.time().isoformat()
    if moment.hour == moment.minute == moment.second == 0:
        return moment.date().isoformat()
    return moment.isoformat(sep=" ")
