"""The offline retraction table: one complete edition in use, the next one imported beside it.

Its rows are public, so they are not encrypted. A new edition replaces the old one in a single
batch; an interrupted import leaves only rows that the next import deletes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citewell.core.errors import InvalidInput
from citewell.core.values.paper import IntegrityNotice, NoticeKind
from citewell.store.failures import BatchRolledBack
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

OFFLINE_TABLE_SOURCE = "offline-table"
_ROWS_PER_INSERT = 50  # SQLite before 3.32 takes at most 999 values in a statement

# The fields of a RetractionEdition, in the order of the columns that are selected.
_EDITION_FIELDS = ("number", "newest_notice_date", "imported_at", "origin", "rows", "skipped")
_SELECT_CURRENT_EDITION = """
SELECT number, dated, finished, origin, entries, skipped FROM retraction_edition
WHERE finished IS NOT NULL ORDER BY number DESC LIMIT 1
"""
_SELECT_NOTICES = """
SELECT DISTINCT record, kind, noticed, notice_doi, reasons FROM retraction
WHERE edition = (SELECT MAX(number) FROM retraction_edition WHERE finished IS NOT NULL)
    AND {name} = :value
ORDER BY noticed, record
"""
_INSERT_EDITION = """
INSERT INTO retraction_edition (number, origin, begun, dated, entries, skipped)
SELECT COALESCE(MAX(number), 0) + 1, :origin, :now, '', 0, 0 FROM retraction_edition
RETURNING number
"""
_FINISH_EDITION = """
UPDATE retraction_edition
SET finished = :now, dated = :dated, entries = :entries, skipped = :skipped
WHERE number = :number AND finished IS NULL AND NOT EXISTS (
    SELECT 1 FROM retraction_edition AS other
    WHERE other.number > :number AND other.finished IS NOT NULL
)
"""
_COUNT_ADDED = """
SELECT COUNT(*) FROM retraction WHERE edition = :new AND record NOT IN (
    SELECT record FROM retraction WHERE edition = :old
)
"""
_COUNT_CHANGED = """
SELECT COUNT(*) FROM retraction AS fresh JOIN retraction AS past
    ON past.edition = :old AND past.record = fresh.record
WHERE fresh.edition = :new AND fresh.kind <> past.kind
"""
_RETRACTION_COLUMNS = ("record", "doi", "pmid", "kind", "noticed", "notice_doi", "reasons")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractionEdition:
    """One finished import of the table."""

    number: int
    newest_notice_date: str  # ISO 8601 date of the newest notice in it
    imported_at: float  # seconds since the epoch
    origin: str  # the file or address it came from
    rows: int
    skipped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractionEntry:
    """The stored part of one notice in the public file."""

    record_id: str
    kind: NoticeKind
    doi: str = ""  # lower case
    pmid: str = ""
    notice_date: str = ""  # ISO 8601
    notice_doi: str = ""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionChange:
    """Numbers of notices in which a new edition differs from the one before it."""

    added: int
    removed: int
    changed: int  # notices whose kind has changed


class SqlRetractionTable:
    """Every method raises StoreError if the store cannot be read."""

    def __init__(self, database: SqlDatabase, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def load_edition(self) -> RetractionEdition | None:
        """The edition in use; None if nothing was imported yet."""
        rows = await self._database.select_rows(_SELECT_CURRENT_EDITION)
        return (
            RetractionEdition(**dict(zip(_EDITION_FIELDS, rows[0], strict=True))) if rows else None
        )

    async def find_notices(self, *, doi: str = "", pmid: str = "") -> tuple[IntegrityNotice, ...]:
        """Every notice about the work, oldest first; empty if the table has none."""
        found: dict[str, IntegrityNotice] = {}
        for name, value in (("doi", doi.lower()), ("pmid", pmid)):
            if value:
                rows = await self._database.select_rows(
                    _SELECT_NOTICES.format(name=name), {"value": value}
                )
                found.update({row[0]: _read_notice_row(row) for row in rows})
        return tuple(sorted(found.values(), key=lambda event: event.date or ""))

    async def begin_edition(self, origin: str) -> int:
        """Start a new edition and return its number; it is not used before it is finished."""
        params: dict[str, SqlScalar] = {"origin": origin, "now": self._clock()}
        (begun,) = await self._database.execute_batch(
            [SqlStatement(sql=_INSERT_EDITION, params=params)]
        )
        return int(begun.rows[0][0])

    async def add_entries(self, number: int, entries: Sequence[RetractionEntry]) -> None:
        """Store entries of an unfinished edition, replacing earlier entries of the same record."""
        unique = list({entry.record_id: entry for entry in entries}.values())
        groups = [
            unique[at : at + _ROWS_PER_INSERT] for at in range(0, len(unique), _ROWS_PER_INSERT)
        ]
        await self._database.execute_batch(
            [_build_entries_insert(number, group) for group in groups]
        )

    async def finish_edition(
        self, number: int, *, newest_notice_date: str, skipped: int
    ) -> RetractionEdition:
        """Make the new edition the one in use, atomically.

        Raises InvalidInput, and deletes the edition, if a newer import has finished first.
        """
        (count,) = await self._database.select_rows(
            "SELECT COUNT(*) FROM retraction WHERE edition = :number", {"number": number}
        )
        finished: dict[str, SqlScalar] = {
            "number": number,
            "now": self._clock(),
            "dated": newest_notice_date,
            "entries": count[0],
            "skipped": skipped,
        }
        try:
            await self._database.execute_batch(
                [SqlStatement(sql=_FINISH_EDITION, params=finished, expected_rows=1)]
            )
        except BatchRolledBack:
            await self.abandon_edition(number)
            raise InvalidInput(
                "A newer import has finished first; its table is the one in use."
            ) from None
        edition = await self.load_edition()
        assert edition is not None  # noqa: S101 - one was finished above
        return edition

    async def compare_editions(self, number: int, *, before: int) -> EditionChange:
        forth, back = {"new": number, "old": before}, {"new": before, "old": number}
        added = await self._database.select_rows(_COUNT_ADDED, forth)
        removed = await self._database.select_rows(_COUNT_ADDED, back)
        changed = await self._database.select_rows(_COUNT_CHANGED, forth)
        return EditionChange(added=added[0][0], removed=removed[0][0], changed=changed[0][0])

    async def drop_older_editions(self, *, keep: int) -> None:
        """Delete every edition before `keep`, including interrupted imports."""
        await self._delete_editions("< :number", keep)

    async def abandon_edition(self, number: int) -> None:
        await self._delete_editions("= :number", number)

    async def _delete_editions(self, which: str, number: int) -> None:
        tables = (("retraction", "edition"), ("retraction_edition", "number"))
        await self._database.execute_batch(
            [
                SqlStatement(
                    sql=f"DELETE FROM {table} WHERE {column} {which}",  # noqa: S608 - our own names
                    params={"number": number},
                )
                for table, column in tables
            ]
        )


def _build_entries_insert(number: int, group: Sequence[RetractionEntry]) -> SqlStatement:
    params: dict[str, SqlScalar] = {"edition": number}
    values = []
    for at, entry in enumerate(group):
        row = (
            *(entry.record_id, entry.doi, entry.pmid, entry.kind.value),
            *(entry.notice_date, entry.notice_doi, "\n".join(entry.reasons)),
        )
        params.update(
            {f"{name}_{at}": value for name, value in zip(_RETRACTION_COLUMNS, row, strict=True)}
        )
        values.append(f"(:edition, {', '.join(f':{name}_{at}' for name in _RETRACTION_COLUMNS)})")
    updates = ", ".join(f"{name} = excluded.{name}" for name in _RETRACTION_COLUMNS[1:])
    sql = (
        f"INSERT INTO retraction (edition, {', '.join(_RETRACTION_COLUMNS)}) VALUES {', '.join(values)}"  # noqa: S608 - our own names
        f" ON CONFLICT (edition, record) DO UPDATE SET {updates}"
    )
    return SqlStatement(sql=sql, params=params)


def _read_notice_row(row: SqlRow) -> IntegrityNotice:
    _, kind, noticed, notice_doi, reasons = row
    return IntegrityNotice(
        kind=NoticeKind(kind),
        source=OFFLINE_TABLE_SOURCE,
        date=noticed or None,
        notice_doi=notice_doi or None,
        reasons=tuple(reasons.split("\n")) if reasons else (),
    )
