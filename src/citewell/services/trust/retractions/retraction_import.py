"""Imports the offline retraction table from a file or address; if it fails, the old table stays."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import IO

from citewell.errors import InvalidInput
from citewell.model.counted_words import pluralize
from citewell.net.http.file_downloads import FileDownloader
from citewell.net.http.messages import HttpRequest
from citewell.services.trust.retractions import retraction_watch_file
from citewell.services.trust.retractions.retraction_watch_file import ImportTally
from citewell.store.retraction_table import (
    EditionChange,
    RetractionEdition,
    RetractionEntry,
    SqlRetractionTable,
)
from citewell.tooling import ProgressCallback

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
            await self._store_rows(number, file, tally, report)
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

    async def _store_rows(
        self, number: int, file: IO[bytes], tally: ImportTally, report: ProgressCallback
    ) -> None:
        rows = retraction_watch_file.read_retraction_entries(file, tally, today=self._today())
        while group := await asyncio.to_thread(_take_row_group, rows):
            await self._kept.add_entries(number, group)
            await report(tally.rows, None, "Reading the table, in rows")


def _open_table_file(source: str) -> IO[bytes]:
    try:
        return Path(source).expanduser().open("rb")
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror}.") from None


def _take_row_group(rows: Iterator[RetractionEntry]) -> list[RetractionEntry]:
    return list(islice(rows, _ROWS_PER_WRITE))


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
