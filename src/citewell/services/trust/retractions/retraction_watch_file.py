"""Reads the public Retraction Watch file row by row, and tolerates its irregularities.

Crossref publishes it as CSV at https://gitlab.com/crossref/retraction-watch-data: one row per notice,
dates month first with a time, a trailing empty column, lists that end in a semicolon, "unavailable"
or 0 for a missing identifier, and some bytes that are not UTF-8.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from citewell.errors import InvalidInput
from citewell.model.paper import NoticeKind
from citewell.store.retraction_table import RetractionEntry
from citewell.text.citations import dois
from citewell.text.safety.markup_cleaning import clean_markup

REQUIRED_COLUMNS = (
    "Record ID",
    "RetractionDate",
    "RetractionDOI",
    "OriginalPaperDOI",
    "OriginalPaperPubMedID",
    "RetractionNature",
    "Reason",
)
_MAX_LISTED_FAULTS = 10  # malformed rows that are listed; the others are only counted
_NOTICE_KINDS = {
    "retraction": NoticeKind.RETRACTION,
    "expression of concern": NoticeKind.CONCERN,
    "correction": NoticeKind.CORRECTION,
    "reinstatement": NoticeKind.REINSTATEMENT,
}
_AMERICAN_DATE_PATTERN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})(?:\s.*)?", re.DOTALL)
_ISO_DATE_PATTERN = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T\s].*)?", re.DOTALL)
_PLAIN_DOI_PATTERN = re.compile(r"10\.\d{4,9}/[-_;()/:a-z0-9.]*[a-z0-9]")
_VIEWER_SUFFIX_PATTERN = re.compile(r"[./][a-z-]+$")  # a suffix that a web viewer may have added
# For a notice without a DOI of its own the file has the paper's DOI with a word appended.
_CONCERN_SUFFIX_PATTERN = re.compile(
    r"(?<![\s._/-])[\s._/-]*(?:expression[\s._-]{0,9}of[\s._-]{0,9})?concern\s*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFault:
    line: int  # the first line of the row
    reason: str


@dataclass(slots=True, kw_only=True)
class ImportTally:
    """Counts of the rows read so far, and what is wrong with them."""

    rows: int = 0
    count_by_kind: Counter[str] = field(default_factory=Counter)
    without_identifier: int = 0  # rows with neither DOI nor PubMed id, which cannot be looked up
    malformed: int = 0
    faults: list[RowFault] = field(default_factory=list)
    newest_date: str = ""
    broken_line: int | None = None  # the line of a last row that is incomplete

    def record_fault(self, line: int, reason: str) -> None:
        self.malformed += 1
        if len(self.faults) < _MAX_LISTED_FAULTS:
            self.faults.append(RowFault(line=line, reason=reason))


def read_retraction_entries(
    lines: Iterable[bytes], tally: ImportTally, *, today: date
) -> Iterator[RetractionEntry]:
    """Every notice that can be looked up; the others are counted in `tally`.

    Raises InvalidInput if the columns are not those of the Retraction Watch file.
    """
    rows = _read_csv_rows(lines, tally)
    heading = next(rows, None)
    places = _find_column_places(heading[1] if heading else [])
    width = len(",".join(heading[1] if heading else []).rstrip(", ").split(","))
    last = (0, width)
    for line, row in rows:
        if any(cell.strip() for cell in row):
            last = (line, len(row))
            if (entry := _parse_retraction_row(line, row, places, tally)) is not None:
                _count_entry(entry, tally, today)
                yield entry
    # The last column has no name and may be missing; a row that ends earlier is incomplete.
    if last[1] < width:
        tally.broken_line = last[0]


def _read_csv_rows(lines: Iterable[bytes], tally: ImportTally) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(map(_decode_csv_line, lines), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "unexpected end of data" in str(error):
                tally.broken_line = line
                return
            tally.record_fault(line, "the quotes of the row do not match")


def _decode_csv_line(line: bytes) -> str:
    """The line as UTF-8, or as Windows-1252 if it is not valid UTF-8; the file mixes both."""
    line = line.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b" ")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def _find_column_places(heading: list[str]) -> dict[str, int]:
    names = [name.strip() for name in heading]
    absent = [name for name in REQUIRED_COLUMNS if name not in names]
    if absent:
        raise InvalidInput(
            "This is not the Retraction Watch file: its first line lacks"
            f" {', '.join(absent[:3])}{' and more' if len(absent) > 3 else ''}."
        )
    return {name: names.index(name) for name in REQUIRED_COLUMNS}


def _parse_retraction_row(
    line: int, row: list[str], places: dict[str, int], tally: ImportTally
) -> RetractionEntry | None:
    cells = {name: row[at].strip() if at < len(row) else "" for name, at in places.items()}
    kind = _NOTICE_KINDS.get(" ".join(cells["RetractionNature"].lower().split()))
    if not cells["Record ID"].isdigit():
        tally.record_fault(line, "the record number is missing")
        return None
    if kind is None:
        told = clean_markup(cells["RetractionNature"])[:40]
        tally.record_fault(line, f"unknown nature {told!r}" if told else "no nature")
        return None
    doi = parse_paper_doi(cells["OriginalPaperDOI"])
    pmid = _parse_pubmed_number(cells["OriginalPaperPubMedID"])
    if not doi and not pmid:
        tally.without_identifier += 1
        return None
    return RetractionEntry(
        record_id=cells["Record ID"],
        kind=kind,
        doi=doi,
        pmid=pmid,
        notice_date=convert_table_date(cells["RetractionDate"]),
        notice_doi=_parse_notice_doi(cells["RetractionDOI"], paper=doi),
        reasons=_split_retraction_reasons(cells["Reason"]),
    )


def _count_entry(entry: RetractionEntry, tally: ImportTally, today: date) -> None:
    tally.rows += 1
    tally.count_by_kind[entry.kind.value] += 1
    # A mistyped date in the future must not make the table look newer than it is.
    if tally.newest_date < entry.notice_date <= today.isoformat():
        tally.newest_date = entry.notice_date


def parse_paper_doi(cell: str) -> str:
    """The paper's DOI in lower case, without an appended "expression of concern"."""
    return _parse_table_doi(_CONCERN_SUFFIX_PATTERN.sub("", cell))


def _parse_notice_doi(cell: str, *, paper: str) -> str:
    """The notice's own DOI; empty if it is the paper's DOI, with or without words appended."""
    if _CONCERN_SUFFIX_PATTERN.search(cell):
        return ""
    found = _parse_table_doi(cell)
    return found if found != paper else ""


def _parse_table_doi(cell: str) -> str:
    plain = cell.strip().lower()
    if _PLAIN_DOI_PATTERN.fullmatch(plain) and not _VIEWER_SUFFIX_PATTERN.search(plain):
        return plain  # nearly all are; the general search takes twenty times as long
    return dois.find_doi(plain) or ""


def _parse_pubmed_number(cell: str) -> str:
    digits = cell.removesuffix(".0")
    return digits.lstrip("0") if digits.isdigit() else ""


def convert_table_date(cell: str) -> str:
    """`1/15/2024 0:00` as 2024-01-15; empty if it is not a date."""
    if found := _AMERICAN_DATE_PATTERN.fullmatch(cell):
        month, day, year = map(int, found.groups())
    elif found := _ISO_DATE_PATTERN.fullmatch(cell):
        year, month, day = map(int, found.groups())
    else:
        return ""
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def _split_retraction_reasons(cell: str) -> tuple[str, ...]:
    parts = (clean_markup(part).removeprefix("+").strip() for part in cell.split(";"))
    return tuple(part for part in parts if part)
