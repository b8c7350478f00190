"""Brings the offline table up to date from a file or an address; whatever fails, the old one stays."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import IO

from citewell.errors import InvalidInput
from citewell.net.download import Downloads
from citewell.net.message import Request
from citewell.services.trust import table
from citewell.services.trust.table import Tally
from citewell.store.retractions import Change, Edition, Entry, SqlRetractions

LARGEST = 1 << 30  # bytes; the file has grown by a tenth a year from 60 MB
PATIENCE = 900.0  # seconds for the whole download
_TOGETHER = 1000  # rows read and written at a time
_SHRUNK = 0.9  # of the rows before: with fewer the file is suspected of being a part

Report = Callable[[float, float | None, str | None], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did; `before` and `change` are None the first time."""

    edition: Edition
    tally: Tally
    before: Edition | None = None
    change: Change | None = None


class Importing:
    def __init__(
        self, kept: SqlRetractions, downloads: Downloads, *, today: Callable[[], date]
    ) -> None:
        self._kept = kept
        self._downloads = downloads
        self._today = today

    async def run(self, source: str, *, report: Report, force: bool = False) -> Imported:
        """Import `source`; raises, and changes nothing, for a file that is another or not whole.

        With `force` a file with far fewer rows than before is taken too.
        """
        if source.lower().startswith(("http://", "https://")):
            async with _scratch() as file:
                await self._fetched(source, file, report)
                return await self._imported(file, source, report, force=force)
        with await asyncio.to_thread(_opened, source) as file:
            return await self._imported(file, source, report, force=force)

    async def _fetched(self, url: str, file: IO[bytes], report: Report) -> None:
        seen = [0, 0]

        def progress(done: int, total: int | None) -> None:
            seen[:] = [done, total or 0]

        wanted = Request(url=url, timeout=PATIENCE, max_bytes=LARGEST)
        fetching = asyncio.create_task(self._downloads.save(wanted, file, progress=progress))
        try:
            while not (await asyncio.wait([fetching], timeout=0.5))[0]:
                done, total = (round(size / 2**20) for size in seen)
                await report(done, total or None, "Fetching the table, in MB")
        finally:
            fetching.cancel()
        await fetching
        await asyncio.to_thread(file.seek, 0)

    async def _imported(
        self, file: IO[bytes], origin: str, report: Report, *, force: bool
    ) -> Imported:
        before = await self._kept.edition()
        tally = Tally()
        number = await self._kept.begin(origin)
        try:
            await self._fill(number, file, tally, report)
            _check(tally, before, force=force)
            skipped = tally.malformed + tally.nameless
            edition = await self._kept.finish(number, dated=tally.newest, skipped=skipped)
        except BaseException:
            await asyncio.shield(self._kept.abandon(number))
            raise
        change = await self._kept.compare(number, before=before.number) if before else None
        await self._kept.sweep(keep=number)
        return Imported(edition=edition, tally=tally, before=before, change=change)

    async def _fill(self, number: int, file: IO[bytes], tally: Tally, report: Report) -> None:
        rows = table.entries(file, tally, today=self._today())
        while group := await asyncio.to_thread(_some, rows):
            await self._kept.add(number, group)
            await report(tally.rows, None, "Reading the table, in rows")


def _opened(source: str) -> IO[bytes]:
    try:
        return Path(source).expanduser().open("rb")
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror}.") from None


def _some(rows: Iterator[Entry]) -> list[Entry]:
    return list(islice(rows, _TOGETHER))


def _check(tally: Tally, before: Edition | None, *, force: bool) -> None:
    if tally.broken_off is not None:
        raise InvalidInput(
            f"The file ends in the middle of the row that begins on line {tally.broken_off}:"
            " it is not whole. The table stays as it was."
        )
    if not tally.rows:
        raise InvalidInput("The file holds no notice that can be used. The table stays as it was.")
    if before is not None and tally.rows < _SHRUNK * before.rows and not force:
        raise InvalidInput(
            f"The file has {tally.rows} notices and the table in use {before.rows}: it may be"
            " a part only. The table stays as it was; --force takes the file all the same."
        )


@asynccontextmanager
async def _scratch() -> AsyncIterator[IO[bytes]]:
    file = await asyncio.to_thread(tempfile.TemporaryFile, "w+b")
    try:
        yield file
    finally:
        await asyncio.to_thread(file.close)
