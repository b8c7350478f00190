"""Reads old Excel workbooks (XLS): the cells of the visible sheets as they are shown."""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING

from citewell.reading.documents import document_text
from citewell.reading.documents.document_markdown import (
    DAYS_FROM_1900,
    DAYS_FROM_1904,
    format_stored_number,
)
from citewell.reading.documents.office.excel_workbook import CellBudget, SheetRows
from citewell.reading.documents.office.ole_documents import open_ole_document, read_ole_properties
from citewell.reading.documents.office.spreadsheets import add_properties, render_workbook
from citewell.reading.file_containers import OLE_SIGNATURE

if TYPE_CHECKING:
    import xlrd  # type: ignore[import-untyped] # ships no types

_STREAM_NAMES = ("Workbook", "Book")
_TEXT, _NUMBER, _DATE, _BOOLEAN, _ERROR = 1, 2, 3, 4, 5  # kinds of cells in xlrd


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
        if kind == _TEXT:
            return str(value)
        if kind in {_NUMBER, _DATE}:
            code = self._find_format_code(sheet, row, column)
            return format_stored_number(repr(value), code, days_from=self._days_from)
        if kind == _BOOLEAN:
            return "TRUE" if value else "FALSE"
        if kind == _ERROR:
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
