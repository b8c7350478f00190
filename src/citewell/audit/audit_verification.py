"""Checks that nothing in the audit log was edited, deleted, reordered, inserted or cut off."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import StrEnum

from citewell.audit.audit_segments import AuditChain, AuditHead, AuditSegment, MalformedSegment
from citewell.audit.audit_store import AuditLogAltered, SqlAuditStore

_MAX_RESTARTS = 5  # if rows were removed by retention while they were being verified


class AuditFault(StrEnum):
    """What is wrong with the log."""

    HEAD_ALTERED = "head_altered"  # the head is missing, or its signature is wrong
    ROW_ALTERED = "row_altered"  # this row is not the one that was sealed at this number
    ROWS_MISSING = "rows_missing"  # the rows from this number on were deleted
    ROW_INSERTED = "row_inserted"  # this row lies beyond the signed end
    ROW_UNSIGNED = "row_unsigned"  # this row was not written by Citewell before it was sealed
    ANCHOR_MISSED = "anchor_missed"  # the log is not the one from which the anchor was taken


_DESCRIPTIONS = {
    AuditFault.HEAD_ALTERED: "The signed head of the log is missing or was altered.",
    AuditFault.ROW_ALTERED: "Row {row} is not what was sealed there: it was edited, deleted, moved or inserted.",
    AuditFault.ROWS_MISSING: "Row {row} is missing; the log was sealed up to row {rows}.",
    AuditFault.ROW_INSERTED: "Row {row} was added behind the end of the sealed log, which has {rows} rows.",
    AuditFault.ROW_UNSIGNED: "Row {row} was not written by this server, or was altered before it was sealed.",
    AuditFault.ANCHOR_MISSED: "Row {row} does not match the anchor: the log was replaced or rolled back.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditAnchor:
    """A head that an operator kept elsewhere."""

    rows: int
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditVerification:
    """The outcome; `row` is the number of the first bad row, if a row is to blame."""

    head: AuditHead | None
    waiting: int
    fault: AuditFault | None = None
    row: int | None = None

    @property
    def is_intact(self) -> bool:
        return self.fault is None

    @property
    def message(self) -> str:
        """One sentence about the outcome."""
        rows = self.head.rows if self.head else 0
        if self.fault is not None:
            return _DESCRIPTIONS[self.fault].format(row=self.row or "(not sealed yet)", rows=rows)
        first = (self.head.removed_rows if self.head else 0) + 1
        return f"Rows {first} to {rows} are intact." if rows >= first else "No rows are sealed."


class _FaultFound(Exception):
    def __init__(self, fault: AuditFault, row: int | None = None) -> None:
        super().__init__(fault)
        self.fault = fault
        self.row = row


class _LogShortened(Exception):
    pass


async def verify_audit_log(
    store: SqlAuditStore, anchor: AuditAnchor | None = None
) -> AuditVerification:
    """Verify every kept row, also while other processes write.

    Raises WrongMasterKey if the store cannot be read with the configured key.
    """
    head: AuditHead | None = None
    try:
        for _ in range(_MAX_RESTARTS):
            head = await store.load_head()
            try:
                head = await _verify_rows(store, head, anchor)
                break
            except _LogShortened:
                continue
        waiting = await _verify_waiting(store)
    except AuditLogAltered:
        return AuditVerification(head=None, waiting=0, fault=AuditFault.HEAD_ALTERED)
    except _FaultFound as found:
        return AuditVerification(head=head, waiting=0, fault=found.fault, row=found.row)
    return AuditVerification(head=head, waiting=waiting)


async def _verify_rows(
    store: SqlAuditStore, head: AuditHead, anchor: AuditAnchor | None
) -> AuditHead:
    """Walk over all segments; returns the head that was reached, which may be newer than `head`."""
    walk = _ChainWalk(await store.load_chain(), head, anchor)
    while True:
        segments = await store.load_segments(after=walk.segment)
        if not segments:
            newest = await store.load_head()
            if newest.segments == walk.segment:
                return walk.check_end(newest)
            await _check_shortened(store, walk)
            if not await store.load_segments(after=walk.segment):
                raise _FaultFound(AuditFault.ROWS_MISSING, walk.rows + 1)
            continue
        if segments[-1].number > head.segments:
            head = await store.load_head()  # others go on sealing
        try:
            for segment in segments:
                await asyncio.to_thread(walk.verify_segment, segment, head)
        except _FaultFound:
            await _check_shortened(store, walk)
            raise


async def _check_shortened(store: SqlAuditStore, walk: _ChainWalk) -> None:
    """Raise _LogShortened if retention has removed rows since the walk began."""
    if (await store.load_head()).removed_segments != walk.start.removed_segments:
        raise _LogShortened


async def _verify_waiting(store: SqlAuditStore) -> int:
    chain, waiting = await store.load_chain(), await store.load_waiting_entries()
    if not all(chain.is_signed(entry) for _, entry in waiting):
        raise _FaultFound(AuditFault.ROW_UNSIGNED)
    return len(waiting)


class _ChainWalk:
    """Recomputes the chain from the first kept row on."""

    def __init__(self, chain: AuditChain, start: AuditHead, anchor: AuditAnchor | None) -> None:
        self._chain = chain
        self._anchor = anchor
        self.start = start
        self.segment = start.removed_segments
        self.rows = start.removed_rows
        self._link = bytes.fromhex(start.removed_link)
        self._check_anchor()

    def check_end(self, head: AuditHead) -> AuditHead:
        """Compare the end that was reached with the signed one."""
        if (self.rows, self._link.hex()) != (head.rows, head.link):
            raise _FaultFound(AuditFault.ROWS_MISSING, self.rows + 1)
        if self._anchor is not None and self._anchor.rows > self.rows:
            raise _FaultFound(AuditFault.ANCHOR_MISSED, self._anchor.rows)
        return head

    def verify_segment(self, segment: AuditSegment, head: AuditHead) -> None:
        if segment.number > head.segments:
            raise _FaultFound(AuditFault.ROW_INSERTED, self.rows + 1)
        if segment.number != self.segment + 1 or segment.first_row != self.rows + 1:
            raise _FaultFound(AuditFault.ROWS_MISSING, self.rows + 1)
        try:
            rows = segment.unpack_rows()
        except MalformedSegment:
            raise _FaultFound(AuditFault.ROW_ALTERED, self.rows + 1) from None
        for entry, link in rows:
            self.rows += 1
            self._link = self._chain.compute_link(self._link, self.rows, entry)
            if self._link != link:
                raise _FaultFound(AuditFault.ROW_ALTERED, self.rows)
            if not self._chain.is_signed(entry):
                raise _FaultFound(AuditFault.ROW_UNSIGNED, self.rows)
            self._check_anchor()
        times = [entry.happened_at for entry, _ in rows]
        if (len(rows), min(times, default=0.0), max(times, default=0.0)) != (
            segment.row_count,
            segment.opened,
            segment.closed,
        ):
            raise _FaultFound(AuditFault.ROW_ALTERED, segment.first_row)
        self.segment = segment.number

    def _check_anchor(self) -> None:
        anchor = self._anchor
        if anchor is not None and anchor.rows == self.rows and anchor.link != self._link.hex():
            raise _FaultFound(AuditFault.ANCHOR_MISSED, self.rows)
