"""Imports the offline retraction table from a file or address; if it fails, the old table stays."""

from __future__ import annotations

import asyncio
import csv
import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from typing import IO, Self

from citewell.citations import dois
from citewell.core.errors import InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ProgressCallback
from citewell.core.values.counted_words import pluralize
from citewell.core.values.paper import NoticeKind
from citewell.net.http.file_downloads import FileDownloader
from citewell.net.http.messages import HttpRequest
from citewell.text.safety.text_cleaning import clean_markup
from citewell.trust.retraction_table import (
    EditionChange,
    RetractionEdition,
    RetractionEntry,
    SqlRetractionTable,
)

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
        nature = clean_markup(cells["RetractionNature"])[:40]
        tally.record_fault(line, f"unknown nature {nature!r}" if nature else "no nature")
        return None
    doi = parse_paper_doi(cells["OriginalPaperDOI"])
    digits = cells["OriginalPaperPubMedID"].removesuffix(".0")
    pmid = digits.lstrip("0") if digits.isdigit() else ""
    if not doi and not pmid:
        tally.without_identifier += 1
        return None
    # The notice's own DOI; none if it is the paper's DOI, with or without words appended.
    is_concern = _CONCERN_SUFFIX_PATTERN.search(cells["RetractionDOI"]) is not None
    notice_doi = "" if is_concern else _parse_table_doi(cells["RetractionDOI"])
    reasons = (clean_markup(part).removeprefix("+").strip() for part in cells["Reason"].split(";"))
    return RetractionEntry(
        record_id=cells["Record ID"],
        kind=kind,
        doi=doi,
        pmid=pmid,
        notice_date=convert_table_date(cells["RetractionDate"]),
        notice_doi=notice_doi if notice_doi != doi else "",
        reasons=tuple(filter(None, reasons)),
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


def _parse_table_doi(cell: str) -> str:
    plain = cell.strip().lower()
    if _PLAIN_DOI_PATTERN.fullmatch(plain) and not _VIEWER_SUFFIX_PATTERN.search(plain):
        return plain  # nearly all are; the general search takes twenty times as long
    return dois.find_doi(plain) or ""


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


MAX_TABLE_BYTES = 1 << 30  # the file has 60 MB and grows by a tenth a year
DOWNLOAD_SECONDS = 900.0  # seconds for the whole download
_ROWS_PER_WRITE = 1000  # rows read and written at a time
_MIN_ROWS_SHARE = (
    0.9  # with a smaller share of the previous rows the file is taken to be incomplete
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOutcome:
    """The outcome of an import; `before` and `change` are None for the first import."""

    edition: RetractionEdition
    tally: ImportTally
    before: RetractionEdition | None = None
    change: EditionChange | None = None


class RetractionImport:
    def __init__(
        self, kept: SqlRetractionTable, downloads: FileDownloader, *, today: Callable[[], date]
    ) -> None:
        self._kept = kept
        self._downloads = downloads
        self._today = today

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            SqlRetractionTable(kit.open_state().database),
            FileDownloader(kit.network.guard, kit.settings),
            today=lambda: datetime.now(UTC).date(),
        )

    async def import_table(
        self, source: str, *, report: ProgressCallback, force: bool = False
    ) -> ImportOutcome:
        """Import `source`, a path or an http(s) address.

        Raises InvalidInput, and changes nothing, for a wrong or incomplete file. With `force` a
        file with far fewer rows than the table in use is accepted.
        """
        if source.lower().startswith(("http://", "https://")):
            async with _open_scratch_file() as file:
                await self._download_table(source, file, report)
                return await self._import_rows(file, source, report, force=force)
        with await asyncio.to_thread(_open_table_file, source) as file:
            return await self._import_rows(file, source, report, force=force)

    async def _download_table(self, url: str, file: IO[bytes], report: ProgressCallback) -> None:
        seen = [0, 0]

        def progress(done: int, total: int | None) -> None:
            seen[:] = [done, total or 0]

        wanted = HttpRequest(url=url, timeout=DOWNLOAD_SECONDS, max_bytes=MAX_TABLE_BYTES)
        fetching = asyncio.create_task(
            self._downloads.download_file(wanted, file, progress=progress)
        )
        try:
            while not (await asyncio.wait([fetching], timeout=0.5))[0]:
                done, total = (round(size / 2**20) for size in seen)
                await report(done, total or None, "Fetching the table, in MB")
        finally:
            fetching.cancel()
        await fetching
        await asyncio.to_thread(file.seek, 0)

    async def _import_rows(
        self, file: IO[bytes], origin: str, report: ProgressCallback, *, force: bool
    ) -> ImportOutcome:
        before = await self._kept.load_edition()
        tally = ImportTally()
        number = await self._kept.begin_edition(origin)
        try:
            rows = read_retraction_entries(file, tally, today=self._today())
            while group := await asyncio.to_thread(lambda: list(islice(rows, _ROWS_PER_WRITE))):
                await self._kept.add_entries(number, group)
                await report(tally.rows, None, "Reading the table, in rows")
            _check_import_tally(tally, before, force=force)
            skipped = tally.malformed + tally.without_identifier
            edition = await self._kept.finish_edition(
                number, newest_notice_date=tally.newest_date, skipped=skipped
            )
        except BaseException:
            await asyncio.shield(self._kept.abandon_edition(number))
            raise
        change = await self._kept.compare_editions(number, before=before.number) if before else None
        await self._kept.drop_older_editions(keep=number)
        return ImportOutcome(edition=edition, tally=tally, before=before, change=change)


def _open_table_file(source: str) -> IO[bytes]:
    try:
        return Path(source).expanduser().open("rb")
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror}.") from None


def _check_import_tally(
    tally: ImportTally, before: RetractionEdition | None, *, force: bool
) -> None:
    if tally.broken_line is not None:
        raise InvalidInput(
            f"The file ends in the middle of the row that begins on line {tally.broken_line}:"
            " it is incomplete. The table stays as it was."
        )
    if not tally.rows:
        raise InvalidInput("The file has no usable notice. The table stays as it was.")
    if before is not None and tally.rows < _MIN_ROWS_SHARE * before.rows and not force:
        raise InvalidInput(
            f"The file has {tally.rows} {pluralize(tally.rows, 'notice')} and the table in use {before.rows}: it may be"
            " incomplete. The table stays as it was; --force imports the file anyway."
        )


@asynccontextmanager
async def _open_scratch_file() -> AsyncIterator[IO[bytes]]:
    file = await asyncio.to_thread(tempfile.TemporaryFile, "w+b")
    try:
        yield file
    finally:
        await asyncio.to_thread(file.close)
