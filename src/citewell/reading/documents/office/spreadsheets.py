"""Reads spreadsheets (XLSX, XLSB, XLS, ODS, CSV, TSV): the cells of the visible sheets as tables."""

from __future__ import annotations

import csv
import io
import re
import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from citewell.reading.documents import document_markdown, document_packages, document_text
from citewell.reading.documents.document_markdown import (
    DAYS_FROM_1900,
    DAYS_FROM_1904,
    format_stored_number,
)
from citewell.reading.documents.document_packages import open_ole_document, read_ole_properties
from citewell.reading.documents.document_text import (
    Broken,
    DocumentRequest,
    DocumentText,
    TookTooMuch,
    choose_pages,
)
from citewell.reading.documents.office import excel_workbook
from citewell.reading.documents.office.excel_workbook import CellBudget, SheetRows
from citewell.reading.documents.office.opendocument import OpenDocument
from citewell.reading.documents.office.package_graphics import GraphicReader
from citewell.reading.file_containers import OLE_SIGNATURE
from citewell.reading.markdown.markdown_text import escape_markdown
from citewell.reading.page_charset import decode_body

if TYPE_CHECKING:
    import xlrd  # type: ignore[import-untyped] # ships no types

_QUOTED_FIELD_PATTERN = re.compile(r'"(?:[^"]|"")*"')
_CSV_DELIMITERS = ",;\t|"
_DELIMITER_SAMPLE_CHARS = 64 * 1024

_MAIN_PART = "xl/workbook.bin"
_MAX_COLUMN = 16_383
# Numbers of records.
_ROW, _BLANK, _RK, _ERROR, _BOOLEAN, _REAL, _TEXT, _SHARED = 0, 1, 2, 3, 4, 5, 6, 7
_FORMULA_TEXT, _FORMULA_REAL, _FORMULA_BOOLEAN, _FORMULA_ERROR = 8, 9, 10, 11
_STRING_ITEM, _FORMAT, _STYLE = 19, 44, 47
_STYLES_BEGIN, _STYLES_END, _WORKBOOK_PROPERTIES, _SHEET = 617, 618, 153, 156
_ERROR_TEXTS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!",
                42: "#N/A"}  # fmt: skip
_STREAM_NAMES = ("Workbook", "Book")
# Kinds of cells in xlrd.
_XLS_TEXT, _XLS_NUMBER, _XLS_DATE, _XLS_BOOLEAN, _XLS_ERROR = 1, 2, 3, 4, 5


def read_xlsb(job: DocumentRequest) -> DocumentText:
    archive = document_packages.ZipDocument(job.body, job.limits)
    try:
        document = render_workbook(_BinaryWorkbook(archive), job.pages)
    except struct.error as error:
        raise Broken("The binary workbook is damaged.") from error
    return add_properties(document, document_packages.read_office_properties(archive))


class _BinaryWorkbook:
    def __init__(self, archive: document_packages.ZipDocument) -> None:
        self._archive = archive
        self._strings = [
            _read_wide_text(record, 1)
            for kind, record in _iterate_records(archive.find_member("xl/sharedStrings.bin") or b"")
            if kind == _STRING_ITEM
        ]
        self._formats = self._read_style_formats()
        self._graphics = GraphicReader(archive)
        self._days_from = document_markdown.DAYS_FROM_1900
        self._budget = excel_workbook.CellBudget()

    def list_sheets(self) -> tuple[list[tuple[str, str]], list[str]]:
        """(name, part) of each visible sheet, and the names of the hidden ones."""
        targets = document_packages.read_package_relations(self._archive, _MAIN_PART)
        shown: list[tuple[str, str]] = []
        hidden: list[str] = []
        for kind, record in _iterate_records(self._archive.read_member(_MAIN_PART)):
            if kind == _WORKBOOK_PROPERTIES and record[:1] and record[0] & 1:
                self._days_from = document_markdown.DAYS_FROM_1904
            if kind != _SHEET:
                continue
            (state,) = struct.unpack_from("<I", record)
            key = _read_wide_text(record, 8)
            name = _read_wide_text(record, 12 + len(key.encode("utf-16-le")))
            if key not in targets or targets[key].target not in self._archive:
                continue
            if state == 0:
                shown.append((name, targets[key].target))
            else:
                hidden.append(name)
        return shown, hidden

    def read_sheet(self, sheet: tuple[str, str]) -> excel_workbook.SheetRows:
        name, part = sheet
        rows: list[list[str]] = []
        row: list[str] = []
        skipped = False
        records = _iterate_records(self._archive.read_member(part)) if part.endswith(".bin") else ()
        for kind, record in records:
            if self._budget.is_spent:
                break
            if kind == _ROW:
                row = []
                skipped = len(record) > 11 and bool(record[11] & 0x10)  # a hidden row
                if not skipped:
                    rows.append(row)
            elif kind <= _FORMULA_ERROR and not skipped:
                self._add_cell(row, kind, record)
        graphics = excel_workbook.read_drawn_blocks(self._archive, part, self._graphics)
        return excel_workbook.SheetRows(name, [made for made in rows if any(made)], graphics)

    def _add_cell(self, row: list[str], kind: int, record: bytes) -> None:
        column, style = struct.unpack_from("<2I", record)
        if not len(row) <= column <= _MAX_COLUMN or kind == _BLANK:
            return
        text = self._read_cell(kind, style & 0xFFFFFF, record)
        padding = column - len(row)
        row += [*[""] * padding, self._budget.format_cell(text, padding=padding)]

    def _read_cell(self, kind: int, style: int, record: bytes) -> str:
        match kind:
            case n if n == _SHARED:
                (place,) = struct.unpack_from("<I", record, 8)
                return self._strings[place] if place < len(self._strings) else ""
            case n if n in {_TEXT, _FORMULA_TEXT}:
                return _read_wide_text(record, 8)
            case n if n in {_BOOLEAN, _FORMULA_BOOLEAN}:
                return "TRUE" if record[8] else "FALSE"
            case n if n in {_ERROR, _FORMULA_ERROR}:
                return _ERROR_TEXTS.get(record[8], "")
            case n if n == _RK:
                value = _decode_short_number(record)
            case _:
                (value,) = struct.unpack_from("<d", record, 8)
        return document_markdown.format_stored_number(
            repr(value), self._formats.get(style, ""), days_from=self._days_from
        )

    def _read_style_formats(self) -> dict[int, str]:
        """The number format of each cell style, by the style's index."""
        codes = dict(document_markdown.BUILTIN_FORMATS)
        found: dict[int, str] = {}
        inside, count = False, 0
        for kind, record in _iterate_records(self._archive.find_member("xl/styles.bin") or b""):
            if kind == _FORMAT:
                (number,) = struct.unpack_from("<H", record)
                codes[number] = _read_wide_text(record, 2)
            elif kind in {_STYLES_BEGIN, _STYLES_END}:
                inside = kind == _STYLES_BEGIN
            elif kind == _STYLE and inside:
                _, number = struct.unpack_from("<2H", record)
                found[count] = codes.get(number, "")
                count += 1
        return found


def _iterate_records(part: bytes) -> Iterator[tuple[int, bytes]]:
    """The number and content of each record; a record that is cut off ends the part."""
    place = 0
    while place < len(part):
        kind = part[place]
        place += 1
        if kind & 0x80 and place < len(part):
            kind = (kind & 0x7F) | (part[place] & 0x7F) << 7
            place += 1
        size = 0
        for shift in (0, 7, 14, 21):
            if place >= len(part):
                return
            byte = part[place]
            place += 1
            size |= (byte & 0x7F) << shift
            if not byte & 0x80:
                break
        if place + size > len(part):
            return
        yield kind, part[place : place + size]
        place += size


def _read_wide_text(record: bytes, place: int) -> str:
    (count,) = struct.unpack_from("<I", record, place)
    if count == 0xFFFFFFFF:
        return ""
    return record[place + 4 : place + 4 + 2 * count].decode("utf-16-le", "replace")


def _decode_short_number(record: bytes) -> float:
    """A number stored in 30 bits: an integer or the upper part of a real one, perhaps in hundredths."""
    (raw,) = struct.unpack_from("<I", record, 8)
    if raw & 2:
        value = float(raw >> 2) if raw < 2**31 else float((raw >> 2) - 2**30)
    else:
        (value,) = struct.unpack("<d", struct.pack("<II", 0, raw & 0xFFFFFFFC))
    return value / 100 if raw & 1 else value


# Reads spreadsheets, CSV and TSV; each sheet becomes a GFM table under its name.


S = TypeVar("S")


class SheetSource(Protocol[S]):
    """A workbook of any format, whose sheets are named by values of its own."""

    def list_sheets(self) -> tuple[list[S], list[str]]:
        """The visible sheets, and the names of the hidden ones."""
        ...

    def read_sheet(self, sheet: S, /) -> excel_workbook.SheetRows: ...


def render_workbook(book: SheetSource[S], pages: str | None) -> DocumentText:
    """The wanted sheets: the name of each as a heading, its cells as a table, then its charts."""
    shown, hidden = book.list_sheets()
    parts: list[str] = []
    for sheet in [book.read_sheet(shown[place]) for place in choose_pages(pages, len(shown))]:
        made = [
            block
            for block in (document_markdown.render_markdown_table(sheet.rows), *sheet.graphics)
            if block
        ]
        if made:
            parts += [f"## {escape_markdown(sheet.name)}", *made] if sheet.name else made
    note = f"Hidden sheets were left out: {', '.join(hidden)[:500]}."
    return DocumentText(
        markdown="\n\n".join(parts), page_count=len(shown), notes=(note,) if hidden else ()
    )


def add_properties(document: DocumentText, about: DocumentText) -> DocumentText:
    return replace(document, title=about.title, author=about.author, created=about.created)


def read_xlsx(job: DocumentRequest) -> DocumentText:
    archive = document_packages.ZipDocument(job.body, job.limits)
    document = render_workbook(excel_workbook.ExcelWorkbook(archive), job.pages)
    return add_properties(document, document_packages.read_office_properties(archive))


def read_ods(job: DocumentRequest) -> DocumentText:
    archive = document_packages.ZipDocument(job.body, job.limits)
    document = render_workbook(OpenDocument(archive), job.pages)
    return add_properties(document, document_packages.read_office_properties(archive))


def read_tsv(job: DocumentRequest) -> DocumentText:
    return read_csv(job, usual_delimiter="\t")


def read_csv(job: DocumentRequest, *, usual_delimiter: str = ",") -> DocumentText:
    text = decode_body(job.body, content_type=job.content_type).text
    first, _, rest = text.partition("\n")
    declared = re.fullmatch(r"sep=(.)\s*", first)  # Excel may put the delimiter in this line
    delimiter = declared[1] if declared else _detect_csv_delimiter(text, default=usual_delimiter)
    reader = csv.reader(io.StringIO(rest if declared else text, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    cells = 0
    csv.field_size_limit(10_000_000)
    for row in reader:
        cells += len(row) + 1
        if cells > excel_workbook.MAX_SHEET_CELLS:
            raise TookTooMuch(f"The table has more than {excel_workbook.MAX_SHEET_CELLS} cells.")
        rows.append([document_markdown.format_plain_cell(cell) for cell in row])
    return DocumentText(markdown=document_markdown.render_markdown_table(rows), page_count=1)


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


def read_xls(job: document_text.DocumentRequest) -> document_text.DocumentText:
    body = job.body
    stream, about = body, document_text.DocumentText(markdown="")
    if body.startswith(OLE_SIGNATURE):
        container = open_ole_document(body)
        about = read_ole_properties(container)
        stream = next(filter(None, map(container.find_stream, _STREAM_NAMES)), b"")
    if not stream:
        raise document_text.Broken("The Excel document has no workbook stream.")
    return add_properties(
        render_workbook(_LegacyWorkbook(_open_legacy_book(stream)), job.pages), about
    )


def _open_legacy_book(stream: bytes) -> xlrd.Book:
    import xlrd
    from xlrd.formula import FormulaError  # type: ignore[import-untyped] # as above

    try:
        return xlrd.open_workbook(
            file_contents=stream, logfile=io.StringIO(), formatting_info=True, ragged_rows=True
        )
    except xlrd.XLRDError as error:
        if "encrypted" in str(error):
            raise document_text.EncryptedDocument(document_text.OFFICE_IS_ENCRYPTED) from None
        raise document_text.Broken("The Excel document is damaged.") from error
    except (
        struct.error,
        AssertionError,
        LookupError,
        ArithmeticError,
        ValueError,
        TypeError,
        FormulaError,
    ) as error:
        raise document_text.Broken("The Excel document is damaged.") from error


class _LegacyWorkbook:
    def __init__(self, book: xlrd.Book) -> None:
        self._book = book
        self._days_from = DAYS_FROM_1904 if book.datemode == 1 else DAYS_FROM_1900
        self._budget = CellBudget()

    def list_sheets(self) -> tuple[list[xlrd.sheet.Sheet], list[str]]:
        sheets = self._book.sheets()
        hidden = [sheet.name for sheet in sheets if sheet.visibility != 0]
        return [sheet for sheet in sheets if sheet.visibility == 0], hidden

    def read_sheet(self, sheet: xlrd.sheet.Sheet) -> SheetRows:
        rows: list[list[str]] = []
        for number in range(sheet.nrows):
            about = sheet.rowinfo_map.get(number)
            if about is not None and about.hidden:
                continue
            if self._budget.is_spent:
                break
            rows.append(
                [
                    self._budget.format_cell(
                        self._read_legacy_cell(sheet, number, column), padding=0
                    )
                    for column in range(sheet.row_len(number))
                ]
            )
        return SheetRows(sheet.name, rows)

    def _read_legacy_cell(self, sheet: xlrd.sheet.Sheet, row: int, column: int) -> str:
        kind, value = sheet.cell_type(row, column), sheet.cell_value(row, column)
        if kind == _XLS_TEXT:
            return str(value)
        if kind in {_XLS_NUMBER, _XLS_DATE}:
            code = self._find_format_code(sheet, row, column)
            return format_stored_number(repr(value), code, days_from=self._days_from)
        if kind == _XLS_BOOLEAN:
            return "TRUE" if value else "FALSE"
        if kind == _XLS_ERROR:
            import xlrd

            return str(xlrd.error_text_from_code.get(value, ""))
        return ""

    def _find_format_code(self, sheet: xlrd.sheet.Sheet, row: int, column: int) -> str:
        """The number format of a cell; "" if its style is missing, as in some damaged workbooks."""
        try:
            style = self._book.xf_list[sheet.cell_xf_index(row, column)]
        except (LookupError, TypeError):
            return ""
        form = self._book.format_map.get(style.format_key)
        return str(form.format_str) if form is not None else ""
