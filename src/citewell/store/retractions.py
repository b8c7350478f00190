"""The offline table of retractions: one whole edition in use, the next one written beside it.

Its rows are public, so they are kept as they are. A new edition replaces the old one in a single
batch; an import that breaks off leaves nothing but rows that the next one sweeps away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.errors import InvalidInput
from citewell.model.paper import Event, Notice
from citewell.store.failures import GuardFailed
from citewell.store.sql import Database, Row, Scalar, Statement

SOURCE = "offline-table"
_TOGETHER = 50  # rows a statement: SQLite before 3.32 takes no more than 999 values

_CURRENT = """
SELECT number, dated, finished, origin, entries, skipped FROM retraction_edition
WHERE finished IS NOT NULL ORDER BY number DESC LIMIT 1
"""
_EVENTS = """
SELECT DISTINCT record, kind, noticed, notice_doi, reasons FROM retraction
WHERE edition = (SELECT MAX(number) FROM retraction_edition WHERE finished IS NOT NULL)
    AND {name} = :value
ORDER BY noticed, record
"""
_BEGIN = """
INSERT INTO retraction_edition (number, origin, begun, dated, entries, skipped)
SELECT COALESCE(MAX(number), 0) + 1, :origin, :now, '', 0, 0 FROM retraction_edition
RETURNING number
"""
_FINISH = """
UPDATE retraction_edition
SET finished = :now, dated = :dated, entries = :entries, skipped = :skipped
WHERE number = :number AND finished IS NULL AND NOT EXISTS (
    SELECT 1 FROM retraction_edition AS other
    WHERE other.number > :number AND other.finished IS NOT NULL
)
"""
_ADDED = """
SELECT COUNT(*) FROM retraction WHERE edition = :new AND record NOT IN (
    SELECT record FROM retraction WHERE edition = :old
)
"""
_CHANGED = """
SELECT COUNT(*) FROM retraction AS fresh JOIN retraction AS past
    ON past.edition = :old AND past.record = fresh.record
WHERE fresh.edition = :new AND fresh.kind <> past.kind
"""
_COLUMNS = ("record", "doi", "pmid", "kind", "noticed", "notice_doi", "reasons")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One import of the table that is whole and in use."""

    number: int
    dated: str  # ISO 8601: the newest notice in it
    imported: float  # seconds since the epoch
    origin: str  # the file or address it came from
    rows: int
    skipped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One notice of the public file, as far as it is kept."""

    record: str
    kind: Notice
    doi: str = ""  # lower case
    pmid: str = ""
    noticed: str = ""  # ISO 8601
    notice_doi: str = ""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a new edition has that the one before it had not, and the other way round."""

    added: int
    removed: int
    changed: int  # of another kind than before


class RetractionTable(Protocol):
    """Raises StoreError when the store cannot be read."""

    async def edition(self) -> Edition | None:
        """The edition in use; None while nothing was ever imported."""
        ...

    async def events(self, *, doi: str = "", pmid: str = "") -> tuple[Event, ...]:
        """Every notice about the work, the oldest first; empty when the table has none."""
        ...


class SqlRetractions:
    def __init__(self, database: Database, *, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    async def edition(self) -> Edition | None:
        rows = await self._database.fetch(_CURRENT)
        return _edition(rows[0]) if rows else None

    async def events(self, *, doi: str = "", pmid: str = "") -> tuple[Event, ...]:
        found: dict[str, Event] = {}
        for name, value in (("doi", doi.lower()), ("pmid", pmid)):
            if value:
                rows = await self._database.fetch(_EVENTS.format(name=name), {"value": value})
                found.update({row[0]: _event(row) for row in rows})
        return tuple(sorted(found.values(), key=lambda event: event.date or ""))

    async def begin(self, origin: str) -> int:
        """The number of a new edition, which nobody sees before it is finished."""
        params: dict[str, Scalar] = {"origin": origin, "now": self._clock()}
        (begun,) = await self._database.execute([Statement(sql=_BEGIN, params=params)])
        return int(begun.rows[0][0])

    async def add(self, number: int, entries: Sequence[Entry]) -> None:
        """Durable, and part of nothing yet; a record that came before is replaced."""
        unique = list({entry.record: entry for entry in entries}.values())
        groups = [unique[at : at + _TOGETHER] for at in range(0, len(unique), _TOGETHER)]
        await self._database.execute([_insertion(number, group) for group in groups])

    async def finish(self, number: int, *, dated: str, skipped: int) -> Edition:
        """Put the new edition in the place of all before it, in one moment.

        Raises InvalidInput when a newer import was faster.
        """
        (count,) = await self._database.fetch(
            "SELECT COUNT(*) FROM retraction WHERE edition = :number", {"number": number}
        )
        finished: dict[str, Scalar] = {
            "number": number,
            "now": self._clock(),
            "dated": dated,
            "entries": count[0],
            "skipped": skipped,
        }
        try:
            await self._database.execute([Statement(sql=_FINISH, params=finished, expect=1)])
        except GuardFailed:
            await self.abandon(number)
            raise InvalidInput(
                "Another import was finished meanwhile; its table is in use."
            ) from None
        edition = await self.edition()
        assert edition is not None  # noqa: S101 - it was finished above, and none is ever unfinished
        return edition

    async def compare(self, number: int, *, before: int) -> Change:
        forth: dict[str, Scalar] = {"new": number, "old": before}
        back: dict[str, Scalar] = {"new": before, "old": number}
        added = await self._database.fetch(_ADDED, forth)
        removed = await self._database.fetch(_ADDED, back)
        changed = await self._database.fetch(_CHANGED, forth)
        return Change(added=added[0][0], removed=removed[0][0], changed=changed[0][0])

    async def sweep(self, *, keep: int) -> None:
        """Drop every edition before `keep`, and whatever broken imports left."""
        await self._drop("< :number", keep)

    async def abandon(self, number: int) -> None:
        await self._drop("= :number", number)

    async def _drop(self, which: str, number: int) -> None:
        tables = (("retraction", "edition"), ("retraction_edition", "number"))
        await self._database.execute(
            [
                Statement(
                    sql=f"DELETE FROM {table} WHERE {column} {which}",  # noqa: S608 - our own words
                    params={"number": number},
                )
                for table, column in tables
            ]
        )


def _insertion(number: int, group: Sequence[Entry]) -> Statement:
    params: dict[str, Scalar] = {"edition": number}
    values = []
    for at, entry in enumerate(group):
        row = (
            *(entry.record, entry.doi, entry.pmid, entry.kind.value),
            *(entry.noticed, entry.notice_doi, "\n".join(entry.reasons)),
        )
        params.update({f"{name}_{at}": value for name, value in zip(_COLUMNS, row, strict=True)})
        values.append(f"(:edition, {', '.join(f':{name}_{at}' for name in _COLUMNS)})")
    updates = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])
    sql = (
        f"INSERT INTO retraction (edition, {', '.join(_COLUMNS)}) VALUES {', '.join(values)}"  # noqa: S608 - our own words
        f" ON CONFLICT (edition, record) DO UPDATE SET {updates}"
    )
    return Statement(sql=sql, params=params)


def _edition(row: Row) -> Edition:
    number, dated, finished, origin, entries, skipped = row
    return Edition(
        number=number,
        dated=dated,
        imported=finished,
        origin=origin,
        rows=entries,
        skipped=skipped,
    )


def _event(row: Row) -> Event:
    _, kind, noticed, notice_doi, reasons = row
    return Event(
        kind=Notice(kind),
        source=SOURCE,
        date=noticed or None,
        notice_doi=notice_doi or None,
        reasons=tuple(reasons.split("\n")) if reasons else (),
    )
