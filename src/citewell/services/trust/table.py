"""Reads the public Retraction Watch file, a row at a time, as it really is.

Crossref publishes it as CSV at https://gitlab.com/crossref/retraction-watch-data: one row a notice,
dates month first with a time, a trailing empty column, lists that end in a semicolon, "unavailable"
or 0 where there is no identifier, and here and there a byte that is not UTF-8.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from citewell.errors import InvalidInput
from citewell.model.paper import Notice
from citewell.store.retractions import Entry
from citewell.text import dois
from citewell.text.markup import clean

COLUMNS = (
    "Record ID",
    "RetractionDate",
    "RetractionDOI",
    "OriginalPaperDOI",
    "OriginalPaperPubMedID",
    "RetractionNature",
    "Reason",
)
_SHOWN = 10  # malformed rows that are named; the rest is counted
_NATURES = {
    "retraction": Notice.RETRACTION,
    "expression of concern": Notice.CONCERN,
    "correction": Notice.CORRECTION,
    "reinstatement": Notice.REINSTATEMENT,
}
_AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})(?:\s.*)?", re.DOTALL)
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T\s].*)?", re.DOTALL)
_PLAIN_DOI = re.compile(r"10\.\d{4,9}/[-_;()/:a-z0-9.]*[a-z0-9]")
_DOTTED = re.compile(r"[./][a-z-]+$")  # what a viewer may have hung on to it
# Where a notice has no DOI of its own, the paper's is written with a word behind it.
_MADE_UP = re.compile(r"[\s._/-]*(?:expression[\s._-]*of[\s._-]*)?concern\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    line: int  # where the row begins
    reason: str


@dataclass(slots=True, kw_only=True)
class Tally:
    """What came of the rows read so far."""

    rows: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    nameless: int = 0  # neither DOI nor PubMed number: nobody could look them up
    malformed: int = 0
    faults: list[Fault] = field(default_factory=list)
    newest: str = ""
    broken_off: int | None = None  # the line of a last row that has no end

    def fault(self, line: int, reason: str) -> None:
        self.malformed += 1
        if len(self.faults) < _SHOWN:
            self.faults.append(Fault(line=line, reason=reason))


def entries(lines: Iterable[bytes], tally: Tally, *, today: date) -> Iterator[Entry]:
    """Every notice that can be looked up; what cannot be used is in `tally`.

    Raises InvalidInput when it is another file altogether.
    """
    rows = _rows(lines, tally)
    heading = next(rows, None)
    places = _places(heading[1] if heading else [])
    width = len(",".join(heading[1] if heading else []).rstrip(", ").split(","))
    last = (0, width)
    for line, row in rows:
        if any(cell.strip() for cell in row):
            last = (line, len(row))
            if (entry := _entry(line, row, places, tally)) is not None:
                _count(entry, tally, today)
                yield entry
    # The last column has no name and may be left out; a row that ends before it was cut.
    if last[1] < width:
        tally.broken_off = last[0]


def _rows(lines: Iterable[bytes], tally: Tally) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(map(_decoded, lines), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "unexpected end of data" in str(error):
                tally.broken_off = line
                return
            tally.fault(line, "the quotes of the row do not match")


def _decoded(line: bytes) -> str:
    """UTF-8, and the line alone as Latin-1 where it is not; the file is both."""
    line = line.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b" ")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def _places(heading: list[str]) -> dict[str, int]:
    names = [name.strip() for name in heading]
    absent = [name for name in COLUMNS if name not in names]
    if absent:
        raise InvalidInput(
            "This is not the Retraction Watch file: its first line lacks"
            f" {', '.join(absent[:3])}{' and more' if len(absent) > 3 else ''}."
        )
    return {name: names.index(name) for name in COLUMNS}


def _entry(line: int, row: list[str], places: dict[str, int], tally: Tally) -> Entry | None:
    cells = {name: row[at].strip() if at < len(row) else "" for name, at in places.items()}
    kind = _NATURES.get(" ".join(cells["RetractionNature"].lower().split()))
    if not cells["Record ID"].isdigit():
        tally.fault(line, "no record number where one belongs")
        return None
    if kind is None:
        told = clean(cells["RetractionNature"])[:40]
        tally.fault(line, f"unknown nature {told!r}" if told else "no nature")
        return None
    doi = paper_doi(cells["OriginalPaperDOI"])
    pmid = _number(cells["OriginalPaperPubMedID"])
    if not doi and not pmid:
        tally.nameless += 1
        return None
    return Entry(
        record=cells["Record ID"],
        kind=kind,
        doi=doi,
        pmid=pmid,
        noticed=iso(cells["RetractionDate"]),
        notice_doi=_notice_doi(cells["RetractionDOI"], paper=doi),
        reasons=_reasons(cells["Reason"]),
    )


def _count(entry: Entry, tally: Tally, today: date) -> None:
    tally.rows += 1
    tally.kinds[entry.kind.value] += 1
    # A slip of the pen can date a notice years ahead; it must not make the table look fresh.
    if tally.newest < entry.noticed <= today.isoformat():
        tally.newest = entry.noticed


def paper_doi(cell: str) -> str:
    """The DOI in lower case, without the words that make one notice differ from another."""
    return _doi(_MADE_UP.sub("", cell))


def _notice_doi(cell: str, *, paper: str) -> str:
    """The notice's own DOI; none where the paper's stands for it with a word added."""
    if _MADE_UP.search(cell):
        return ""
    found = _doi(cell)
    return found if found != paper else ""


def _doi(cell: str) -> str:
    plain = cell.strip().lower()
    if _PLAIN_DOI.fullmatch(plain) and not _DOTTED.search(plain):
        return plain  # as nearly all are, and reading the others takes twenty times as long
    return dois.find(plain) or ""


def _number(cell: str) -> str:
    digits = cell.removesuffix(".0")
    return digits.lstrip("0") if digits.isdigit() else ""


def iso(cell: str) -> str:
    """`1/15/2024 0:00` as 2024-01-15; empty for what is no date."""
    if found := _AMERICAN.fullmatch(cell):
        month, day, year = map(int, found.groups())
    elif found := _ISO.fullmatch(cell):
        year, month, day = map(int, found.groups())
    else:
        return ""
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def _reasons(cell: str) -> tuple[str, ...]:
    parts = (clean(part).removeprefix("+").strip() for part in cell.split(";"))
    return tuple(part for part in parts if part)
