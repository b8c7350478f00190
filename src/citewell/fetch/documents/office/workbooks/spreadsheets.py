"""Reads spreadsheets, CSV and TSV; each sheet becomes a GFM table under its name."""

from __future__ import annotations

import csv
import io
import re

from citewell.fetch.decoding.page_charset import decode_body
from citewell.fetch.documents.document_text import DocumentLimits, ParsedDocument, TookTooMuch
from citewell.fetch.documents.markdown_tables import format_plain_cell, render_markdown_table
from citewell.fetch.documents.office.office_properties import read_office_properties
from citewell.fetch.documents.office.workbooks.excel_workbook import (
    MAX_SHEET_CELLS,
    ExcelWorkbook,
    SheetRows,
)
from citewell.fetch.documents.page_ranges import choose_pages
from citewell.fetch.documents.zip_archive import ZipDocument
from citewell.fetch.markdown.markdown_text import escape_markdown

_QUOTED_FIELD_PATTERN = re.compile(r'"(?:[^"]|"")*"')
_CSV_DELIMITERS = ",;\t|"
_DELIMITER_SAMPLE_CHARS = 64 * 1024


def read_xlsx(body: bytes, limits: DocumentLimits, pages: str | None) -> ParsedDocument:
    archive = ZipDocument(body, limits)
    book = ExcelWorkbook(archive)
    sheets, hidden = book.list_sheets()
    chosen = choose_pages(pages, len(sheets)) if sheets else []
    made = [book.read_sheet(*sheets[place]) for place in chosen]
    about = read_office_properties(archive)
    notes = describe_hidden_sheets(hidden)
    return ParsedDocument(markdown=render_sheets(made), title=about.title, author=about.author,
                  created=about.created, page_count=len(sheets), notes=notes)  # fmt: skip


def read_ods(body: bytes, limits: DocumentLimits, pages: str | None) -> ParsedDocument:
    from citewell.fetch.documents.office.opendocument import OpenDocument

    archive = ZipDocument(body, limits)
    document = OpenDocument(archive)
    sheets = [SheetRows(name, rows) for name, rows in document.read_sheets()]
    chosen = choose_pages(pages, len(sheets)) if sheets else []
    about = read_office_properties(archive)
    return ParsedDocument(markdown=render_sheets([sheets[place] for place in chosen]), title=about.title,
                  author=about.author, created=about.created, page_count=len(sheets),
                  notes=describe_hidden_sheets(document.list_hidden_sheets()))  # fmt: skip


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
        if cells > MAX_SHEET_CELLS:
            raise TookTooMuch(f"The table has more than {MAX_SHEET_CELLS} cells.")
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


def describe_hidden_sheets(names: list[str]) -> tuple[str, ...]:
    return (f"Hidden sheets were left out: {', '.join(names)[:500]}.",) if names else ()


def render_sheets(sheets: list[SheetRows]) -> str:
    """Each sheet's name as a heading, its cells as a table, then its charts."""
    parts: list[str] = []
    for sheet in sheets:
        made = [block for block in (render_markdown_table(sheet.rows), *sheet.graphics) if block]
        if made:
            parts += [f"## {escape_markdown(sheet.name)}", *made] if sheet.name else made
    return "\n\n".join(parts)
