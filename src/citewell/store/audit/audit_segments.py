"""Segments: batches of audit rows as they are sealed and read back."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from citewell.store.audit.audit_chain import AuditChain, AuditHead
from citewell.store.audit.audit_entries import (
    AuditEntry,
    MalformedSegment,
    pack_entries,
    unpack_entries,
)
from citewell.store.body_compression import compress_body, decompress_body
from citewell.store.sql.database import SqlRow, SqlScalar, SqlStatement

_INSERT_SEGMENT = """
INSERT INTO audit_segment (number, first_row, row_count, opened, closed, body)
VALUES (:number, :first_row, :row_count, :opened, :closed, :body)
"""
_INSERT_SEGMENT_OWNER = "INSERT INTO audit_owner (owner, segment) VALUES (:owner, :segment)"
_DELETE_WAITING_RUN = "DELETE FROM audit_waiting WHERE number BETWEEN :first AND :last"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSegment:
    """A sealed batch; `opened` and `closed` are the times of its earliest and latest row."""

    number: int
    first_row: int
    row_count: int
    opened: float
    closed: float
    body: bytes

    def unpack_rows(self) -> list[tuple[AuditEntry, bytes]]:
        """The rows with their links; raises MalformedSegment if the body was damaged."""
        try:
            return list(unpack_entries(decompress_body(self.body)))
        except zlib.error as error:
            raise MalformedSegment("it cannot be decompressed") from error


def build_segment(row: SqlRow) -> AuditSegment:
    number, first_row, row_count, opened, closed, body = row
    return AuditSegment(
        number=number,
        first_row=first_row,
        row_count=row_count,
        opened=opened,
        closed=closed,
        body=bytes(body),
    )


def seal_entries(
    chain: AuditChain, head: AuditHead, entries: Sequence[AuditEntry], now: float
) -> tuple[AuditHead, list[SqlStatement]]:
    """The head after `entries` were appended, and the statements that store them as one segment."""
    first = head.rows + 1
    links = chain.compute_links(bytes.fromhex(head.link), first, entries)
    times = [entry.happened_at for entry in entries]
    number = head.segments + 1
    params: dict[str, SqlScalar] = {
        "number": number,
        "first_row": first,
        "row_count": len(entries),
        "opened": min(times),
        "closed": max(times),
        "body": compress_body(pack_entries(entries, links)),
    }
    after = replace(
        head,
        rows=head.rows + len(entries),
        link=links[-1].hex(),
        segments=number,
        sealed_at=now,
    )
    owners = [
        SqlStatement(sql=_INSERT_SEGMENT_OWNER, params={"owner": owner, "segment": number})
        for owner in sorted({entry.owner for entry in entries})
    ]
    return after, [SqlStatement(sql=_INSERT_SEGMENT, params=params, expected_rows=1), *owners]


def build_waiting_deletes(numbers: Sequence[int]) -> list[SqlStatement]:
    """Statements that delete exactly these rows: one for each run of consecutive numbers.

    A row that another process commits late has a number between two runs, and stays.
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] + 1 == number:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [
        SqlStatement(
            sql=_DELETE_WAITING_RUN,
            params={"first": first, "last": last},
            expected_rows=last - first + 1,
        )
        for first, last in runs
    ]
