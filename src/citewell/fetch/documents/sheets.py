"""Spreadsheets: each sheet a GFM table under its name; CSV and TSV likewise."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from xml.etree.ElementTree import Element

from citewell.fetch.charset import decode
from citewell.fetch.documents import trees
from citewell.fetch.documents.archive import Archive
from citewell.fetch.documents.document import Limits, Parsed, TookTooMuch
from citewell.fetch.documents.grid import plain_cell, table
from citewell.fetch.documents.packages import relations
from citewell.fetch.documents.pages import choose_pages
from citewell.fetch.documents.properties import read_properties
from citewell.fetch.markdown.text import escape

_MOST_CELLS = 2_000_000
_WIDEST = 16_384
_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_DATES = frozenset(
    {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
)  # built-in formats
_DATE_CODE = re.compile(r"(?:[ymdhs]|AM/PM)", re.IGNORECASE)
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_DELIMITERS = ",;\t|"
_SAMPLE = 64 * 1024


def read_xlsx(body: bytes, limits: Limits, pages: str | None) -> Parsed:
    archive = Archive(body, limits)
    book = _Book(archive)
    sheets, hidden = book.sheets()
    chosen = choose_pages(pages, len(sheets)) if sheets else []
    made = [(sheets[place][0], list(book.rows(sheets[place][1]))) for place in chosen]
    about = read_properties(archive)
    notes = (f"Hidden sheets were left out: {', '.join(hidden)}.",) if hidden else ()
    return Parsed(markdown=_written(made), title=about.title, author=about.author,
                  created=about.created, page_count=len(sheets), notes=notes)  # fmt: skip


def read_ods(body: bytes, limits: Limits, pages: str | None) -> Parsed:
    from citewell.fetch.documents.odf import Odf

    archive = Archive(body, limits)
    sheets = Odf(archive).sheets()
    chosen = choose_pages(pages, len(sheets)) if sheets else []
    about = read_properties(archive)
    return Parsed(markdown=_written([sheets[place] for place in chosen]), title=about.title,
                  author=about.author, created=about.created, page_count=len(sheets))  # fmt: skip


def read_csv(body: bytes, content_type: str, *, tabs: bool) -> Parsed:
    text = decode(body, content_type=content_type).text
    first, _, rest = text.partition("\n")
    declared = re.fullmatch(r"sep=(.)\s*", first)  # a habit of Excel
    delimiter = declared[1] if declared else _delimiter(text, default="\t" if tabs else ",")
    reader = csv.reader(io.StringIO(rest if declared else text, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    cells = 0
    csv.field_size_limit(10_000_000)
    for row in reader:
        cells += len(row) + 1
        if cells > _MOST_CELLS:
            raise TookTooMuch(f"The table has more than {_MOST_CELLS} cells.")
        rows.append([plain_cell(cell) for cell in row])
    return Parsed(markdown=table(rows), page_count=1)


def _delimiter(text: str, *, default: str) -> str:
    """The one that splits the first lines most often and most evenly outside of quotes."""
    sample = _QUOTED.sub("", text[:_SAMPLE])
    lines = [line for line in sample.splitlines()[:50] if line.strip()]

    def merit(mark: str) -> tuple[float, int, bool]:
        counts = [line.count(mark) for line in lines]
        usual = max(set(counts), key=counts.count) if counts else 0
        even = counts.count(usual) / len(counts) if usual else 0.0
        return even, usual, mark == default

    best = max(_DELIMITERS, key=merit)
    return best if merit(best)[0] > 0.5 else default


def _written(sheets: list[tuple[str, list[list[str]]]]) -> str:
    parts: list[str] = []
    for name, rows in sheets:
        made = table(rows)
        if made:
            parts += [f"## {escape(name)}", made] if name else [made]
    return "\n\n".join(parts)


class _Book:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._strings = self._read_strings()
        self._dated, self._days_from = self._read_styles(), datetime(1899, 12, 30)  # noqa: DTZ001 - sheets know no zones
        self._cells = 0

    def sheets(self) -> tuple[list[tuple[str, str]], list[str]]:
        """Names and parts of the sheets that are shown, and the names of those that are not."""
        root = trees.parse(self._archive.read("xl/workbook.xml"))
        targets = relations(self._archive, "xl/workbook.xml")
        shown: list[tuple[str, str]] = []
        hidden: list[str] = []
        for item in root.iter():
            if trees.local(item) == "workbookPr" and item.attrib.get("date1904") in {"1", "true"}:
                self._days_from = datetime(1904, 1, 1)  # noqa: DTZ001 - as above
            if trees.local(item) != "sheet":
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

    def rows(self, part: str) -> Iterator[list[str]]:
        if "chartsheets" in part:
            return
        root = trees.parse(self._archive.read(part))
        for row in (item for item in root.iter() if trees.local(item) == "row"):
            if row.attrib.get("hidden") in {"1", "true"}:
                continue
            yield self._row(row)

    def _row(self, row: Element) -> list[str]:
        made: list[str] = []
        for cell in trees.children(row, "c"):
            place = _column(cell.attrib.get("r", ""), len(made))
            self._cells += 1 + place - len(made)
            made += [""] * (place - len(made))
            if self._cells > _MOST_CELLS:
                raise TookTooMuch(f"The workbook has more than {_MOST_CELLS} cells.")
            made.append(plain_cell(self._value(cell)))
        return made

    def _value(self, cell: Element) -> str:
        kind = cell.attrib.get("t", "n")
        if kind == "inlineStr":
            return _rich(trees.child(cell, "is"))
        found = trees.child(cell, "v")
        raw = (found.text or "") if found is not None else ""
        if kind == "s":
            return (
                self._strings[int(raw)] if raw.isdigit() and int(raw) < len(self._strings) else ""
            )
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(raw, raw)
        if kind == "n" and raw:
            return self._number(raw, cell.attrib.get("s", ""))
        return raw

    def _number(self, raw: str, style: str) -> str:
        try:
            value = float(raw)
            if style.isdigit() and int(style) in self._dated:
                return _when(self._days_from + timedelta(days=value), whole=value < 1)
        except (ValueError, OverflowError):
            return raw
        short = f"{value:.15g}"
        return short if "e" not in short else raw

    def _read_strings(self) -> list[str]:
        body = self._archive.read_or_none("xl/sharedStrings.xml")
        return [_rich(item) for item in trees.parse(body)] if body else []

    def _read_styles(self) -> frozenset[int]:
        """The cell styles that show a number as a date."""
        body = self._archive.read_or_none("xl/styles.xml")
        if not body:
            return frozenset()
        root = trees.parse(body)
        custom = {
            item.attrib.get("numFmtId", "")
            for item in root.iter()
            if trees.local(item) == "numFmt"
            and _DATE_CODE.search(_LITERAL.sub("", item.attrib.get("formatCode", "")))
        }
        dates = {str(number) for number in _DATES} | custom
        styles = trees.child(root, "cellXfs")
        listed = list(styles) if styles is not None else []
        return frozenset(
            n for n, style in enumerate(listed) if style.attrib.get("numFmtId") in dates
        )


def _rich(element: Element | None) -> str:
    """The text of a string that may be in runs; readings above it are left out."""
    if element is None:
        return ""
    parts = [item for item in element if trees.local(item) in {"t", "r"}]
    return "".join(
        text.text or ""
        for part in parts
        for text in ([part] if trees.local(part) == "t" else trees.children(part, "t"))
    )


def _column(reference: str, following: int) -> int:
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        return following
    number = 0
    for letter in match[1]:
        number = number * 26 + ord(letter) - 64
    return number - 1 if following <= number - 1 < _WIDEST else following


def _when(moment: datetime, *, whole: bool) -> str:
    moment = (moment + timedelta(milliseconds=500)).replace(microsecond=0)
    if whole:
        return moment.time().isoformat()
    if moment.hour == moment.minute == moment.second == 0:
        return moment.date().isoformat()
    return moment.isoformat(sep=" ")
