"""The durable audit log: rows are committed one by one and sealed in batches into a chain.

A row first waits in a table of its own, signed by the process that wrote it. Sealing moves the
waiting rows into a segment, in which every row is linked to the one before, and signs the new head.
Any process may seal: the head's revision lets only one succeed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from typing import Any

from citewell.audit.audit_segments import (
    SEGMENT_COLUMNS,
    AuditChain,
    AuditEntry,
    AuditEvent,
    AuditFilter,
    AuditHead,
    AuditRow,
    AuditRowReader,
    AuditSegment,
    build_segment,
    build_waiting_deletes,
    encrypt_event,
    seal_entries,
)
from citewell.store.failures import BatchRolledBack, StoreError, WriteContended
from citewell.store.key_vault import KeyVault
from citewell.store.owner_table import OwnedTable, OwnerStore
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

MAX_SEGMENT_ROWS = 2000
_MAX_SEAL_ATTEMPTS = 20
_SEGMENTS_PER_READ = 32
_END_OF_TIME = 1e15
_LAST_NUMBER = 2**62

_INSERT_WAITING = """
INSERT INTO audit_waiting (id, owner, facts, personal, mac)
SELECT CAST(:id AS TEXT), CAST(:owner AS TEXT), CAST(:facts AS {bytes}),
    CAST(:personal AS {bytes}), CAST(:mac AS {bytes})
WHERE EXISTS (SELECT 1 FROM dek WHERE owner = :owner AND generation = :generation)
RETURNING id
"""
_WAITING_FIELDS = ("id", "owner", "facts", "personal", "mac")
_SELECT_WAITING = """
SELECT number, id, owner, facts, personal, mac FROM audit_waiting ORDER BY number LIMIT :most
"""
_COUNT_WAITING = "SELECT COUNT(*) FROM audit_waiting"
_SELECT_ANY_WAITING = "SELECT 1 FROM audit_waiting LIMIT 1"
_SELECT_OWNER_WAITING = """
SELECT number, id, owner, facts, personal, mac FROM audit_waiting
WHERE owner = :owner ORDER BY number
"""
_SELECT_HEAD = "SELECT revision, facts, mac FROM audit_head"
_SELECT_ANY_SEGMENT = "SELECT 1 FROM audit_segment LIMIT 1"
_INSERT_HEAD = "INSERT INTO audit_head (one, revision, facts, mac) VALUES (1, 1, :facts, :mac)"
_UPDATE_HEAD = """
UPDATE audit_head SET revision = revision + 1, facts = :facts, mac = :mac
WHERE revision = :revision
"""
_SELECT_SEGMENTS = f"""
SELECT {SEGMENT_COLUMNS} FROM audit_segment
WHERE number > :after AND number <= :last AND closed >= :since AND opened <= :until
ORDER BY number LIMIT :most
"""  # noqa: S608 - constants
_SELECT_OWNER_SEGMENTS = f"""
SELECT {SEGMENT_COLUMNS} FROM audit_segment
WHERE number IN (SELECT segment FROM audit_owner WHERE owner = :owner) ORDER BY number
"""  # noqa: S608 - constants
_SELECT_SEGMENT_OF_ROW = "SELECT MAX(number) FROM audit_segment WHERE first_row <= :row"
_SELECT_FIRST_KEPT = """
SELECT number FROM audit_segment WHERE number > :after AND closed >= :before ORDER BY number LIMIT 1
"""
_DELETE_SEGMENTS = "DELETE FROM audit_segment WHERE number <= :last"
_SELECT_CURSOR = "SELECT delivered FROM audit_cursor WHERE name = :name"
_UPSERT_CURSOR = """
INSERT INTO audit_cursor (name, delivered) VALUES (:name, :delivered)
ON CONFLICT (name) DO UPDATE SET delivered = excluded.delivered
"""


class AuditLogAltered(StoreError):
    """The head of the audit log is missing or was not signed by this store."""


class SqlAuditStore(OwnerStore):
    tables = (
        OwnedTable(name="audit_owner"),
        OwnedTable(
            name="audit_waiting",
            kept_because="The audit chain covers the row; its personal parts went with the owner's keys.",
        ),
    )

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        *,
        clock: Callable[[], float],
        new_id: Callable[[], str],
        intake: SqlDatabase | None = None,
    ) -> None:
        """`intake` is the same database, over which rows are written that only must survive a kill.

        A power cut can lose those that were not sealed yet, unless `intake` is None.
        """
        super().__init__(database, vault, clock=clock)
        self._intake = intake
        self._writes = intake.small_rows if intake else database
        self._new_id = new_id
        self._chain: AuditChain | None = None
        self._insert_waiting = _INSERT_WAITING.format(bytes=database.dialect.bytes_type)

    async def append_event(self, owner: str, event: AuditEvent) -> None:
        """Commit one row, whose personal parts are encrypted with the key of `owner`.

        It is durable once this returns, and sealed a little later.
        """
        try:
            await self._insert_event(owner, event)
        except BatchRolledBack:
            # The owner's keys were erased by another process: write with new ones.
            self._vault.forget_keychain(owner)
            await self._insert_event(owner, event)

    async def has_waiting_rows(self) -> bool:
        return bool(await self._database.select_rows(_SELECT_ANY_WAITING))

    async def count_waiting_rows(self) -> int:
        """How many rows are committed but not yet sealed."""
        ((count,),) = await self._database.select_rows(_COUNT_WAITING)
        return int(count)

    async def seal_waiting_rows(self) -> int:
        """Seal all rows that wait now, and return their number.

        Raises AuditLogAltered if the head is not ours: nothing is sealed then, and the rows wait.
        """
        sealed = 0
        while batch := await self._seal_one_segment():
            sealed += batch
            if batch < MAX_SEGMENT_ROWS:
                break
        return sealed

    async def load_head(self) -> AuditHead:
        """The signed head; that of an empty log if nothing was sealed. Raises AuditLogAltered."""
        return (await self._load_head_row())[1]

    async def load_chain(self) -> AuditChain:
        """The keys of the chain; raises WrongMasterKey."""
        if self._chain is None:
            self._chain = AuditChain(await self._vault.derive_store_secret("audit chain"))
        return self._chain

    async def load_waiting_entries(self, most: int = _LAST_NUMBER) -> list[tuple[int, AuditEntry]]:
        """Rows that are not sealed yet, oldest first, with the numbers of the waiting table."""
        found = await self._database.select_rows(_SELECT_WAITING, {"most": most})
        return [_build_waiting_entry(row) for row in found]

    async def load_segments(
        self, *, after: int = 0, last: int = _LAST_NUMBER, wanted: AuditFilter | None = None
    ) -> list[AuditSegment]:
        """Some segments with numbers above `after`, in order; empty if there are no more."""
        params: dict[str, SqlScalar] = {
            "after": after,
            "last": last,
            "since": -_END_OF_TIME if wanted is None or wanted.since is None else wanted.since,
            "until": _END_OF_TIME if wanted is None or wanted.until is None else wanted.until,
            "most": _SEGMENTS_PER_READ,
        }
        found = await self._database.select_rows(_SELECT_SEGMENTS, params)
        return [build_segment(row) for row in found]

    async def iterate_rows(
        self, wanted: AuditFilter | None = None, *, after_row: int = 0, waiting: bool = True
    ) -> AsyncIterator[AuditRow]:
        """The rows that match, oldest first, and at the end those that are not sealed yet."""
        wanted = wanted or AuditFilter()
        reader = AuditRowReader(self._vault)
        async for segment in self._iterate_segments(wanted, after_row):
            for row in await reader.read_segment(segment, after_row):
                if wanted.is_match(row.event):
                    yield row
        for _, entry in await self.load_waiting_entries() if waiting else ():
            row = await reader.read_entry(None, entry)
            if wanted.is_match(row.event):
                yield row

    async def load_rows_after(self, number: int, *, most: int) -> list[AuditRow]:
        """At most `most` sealed rows that follow the row with this number."""
        found: list[AuditRow] = []
        async for row in self.iterate_rows(after_row=number, waiting=False):
            found.append(row)
            if len(found) == most:
                break
        return found

    async def remove_rows_before(self, moment: float) -> int:
        """Delete the oldest segments that are wholly older than `moment`; returns the rows deleted.

        The head keeps the link of the last deleted row, so that the rest can still be verified.
        """
        for _ in range(_MAX_SEAL_ATTEMPTS):
            revision, head = await self._load_head_row()
            params: dict[str, SqlScalar] = {"after": head.removed_segments, "before": moment}
            unexpired = await self._database.select_rows(_SELECT_FIRST_KEPT, params)
            # The last of the leading segments that are wholly older than `moment`.
            last = unexpired[0][0] - 1 if unexpired else head.segments
            if last <= head.removed_segments:
                return 0
            (segment,) = await self.load_segments(after=last - 1, last=last)
            links = [link for _, link in segment.unpack_rows()]
            kept = replace(
                head,
                removed_rows=segment.first_row + segment.row_count - 1,
                removed_link=links[-1].hex(),
                removed_segments=last,
            )
            delete = SqlStatement(sql=_DELETE_SEGMENTS, params={"last": last})
            if await self._commit_head(revision, kept, [delete]):
                return kept.removed_rows - head.removed_rows
        raise WriteContended("The audit log kept changing. Try again.")

    async def load_cursor(self, name: str) -> int | None:
        """The last row that the receiver called `name` has; None if it never received any."""
        found = await self._database.select_rows(_SELECT_CURSOR, {"name": name})
        return found[0][0] if found else None

    async def save_cursor(self, name: str, delivered: int) -> None:
        await self._change_rows(_UPSERT_CURSOR, name=name, delivered=delivered)

    async def export_owner(self, owner: str) -> list[dict[str, Any]]:
        """Every row about the owner, as JSON values, oldest first."""
        tag = await self._vault.hash_owner_tag(owner)
        reader, mine = AuditRowReader(self._vault), []
        for found in await self._database.select_rows(_SELECT_OWNER_SEGMENTS, {"owner": tag}):
            mine += await reader.read_segment(build_segment(found), 0, owner=tag)
        for found in await self._database.select_rows(_SELECT_OWNER_WAITING, {"owner": tag}):
            mine.append(await reader.read_entry(None, _build_waiting_entry(found)[1]))
        return [row.build_line() for row in mine]

    async def aclose(self) -> None:
        if self._intake is not None:
            await self._intake.aclose()

    async def _iterate_segments(
        self, wanted: AuditFilter, after_row: int
    ) -> AsyncIterator[AuditSegment]:
        """The segments that can have matching rows above `after_row`, in order."""
        ((first,),) = await self._database.select_rows(
            _SELECT_SEGMENT_OF_ROW, {"row": after_row + 1}
        )
        number = (first or 1) - 1
        while segments := await self.load_segments(after=number, wanted=wanted):
            for segment in segments:
                yield segment
            number = segments[-1].number

    async def _insert_event(self, owner: str, event: AuditEvent) -> None:
        chain = self._chain or await self.load_chain()
        keychain = await self._vault.ensure_keychain(owner)
        entry = encrypt_event(keychain, self._new_id(), event)
        params: dict[str, SqlScalar] = {
            "id": entry.id,
            "owner": entry.owner,
            "facts": entry.facts,
            "personal": entry.personal,
            "mac": chain.sign_entry(entry),
            "generation": keychain.newest,
        }
        insert = SqlStatement(
            sql=self._insert_waiting, params=params, expected_rows=1, grouping_key="id"
        )
        await self._writes.execute_batch([insert])

    async def _seal_one_segment(self) -> int:
        for _ in range(_MAX_SEAL_ATTEMPTS):
            waiting = await self.load_waiting_entries(MAX_SEGMENT_ROWS)
            if not waiting:
                return 0
            chain, (revision, head) = await self.load_chain(), await self._load_head_row()
            numbers, entries = zip(*waiting, strict=True)
            after, inserts = await asyncio.to_thread(
                seal_entries, chain, head, entries, self._clock()
            )
            batch = [*inserts, *build_waiting_deletes(numbers)]
            if await self._commit_head(revision, after, batch):
                return len(entries)
        raise WriteContended("Other processes kept sealing the audit log. Try again.")

    async def _load_head_row(self) -> tuple[int, AuditHead]:
        """The revision of the stored head and the head; revision 0 if there is none yet."""
        chain = await self.load_chain()
        found = await self._database.select_rows(_SELECT_HEAD)
        if not found:
            if await self._database.select_rows(_SELECT_ANY_SEGMENT) and not (
                found := await self._database.select_rows(_SELECT_HEAD)
            ):
                raise AuditLogAltered("The head of the audit log is missing, but it has rows.")
            if not found:
                return 0, AuditHead()
        revision, facts, mac = found[0]
        head = chain.open_head(bytes(facts), bytes(mac))
        if head is None:
            raise AuditLogAltered("The head of the audit log was not signed by this store.")
        return revision, head

    async def _commit_head(
        self, revision: int, head: AuditHead, batch: Iterable[SqlStatement]
    ) -> bool:
        """Store the head with `batch`; False if another process changed the head in the meantime."""
        chain, facts = await self.load_chain(), head.encode_head()
        params: dict[str, SqlScalar] = {"facts": facts, "mac": chain.sign_head(facts)}
        fence = (
            SqlStatement(sql=_UPDATE_HEAD, params=params | {"revision": revision}, expected_rows=1)
            if revision
            else SqlStatement(sql=_INSERT_HEAD, params=params, expected_rows=1)
        )
        try:
            await self._database.execute_batch([fence, *batch])
        except BatchRolledBack:
            return False
        return True


def _build_waiting_entry(row: SqlRow) -> tuple[int, AuditEntry]:
    number, *values = row
    return number, AuditEntry(**dict(zip(_WAITING_FIELDS, values, strict=True)))
