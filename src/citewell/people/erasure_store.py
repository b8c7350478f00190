"""The record of erasures: whose keys were destroyed, when, and the receipt.

An erased owner appears only as a keyed hash, and the destroyed keys as their fingerprint. By these a
backup from before the erasure is recognized when it is restored, and erased again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from citewell.store.failures import BatchRolledBack, WriteContended
from citewell.store.owner_table import OwnedTable
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

_MAX_BEGIN_ATTEMPTS = 8
_FIELDS = ("number", "id", "owner", "keychain", "begun", "finished", "receipt")
_COLUMNS = ", ".join(_FIELDS)

_SELECT_ERASURES = f"SELECT {_COLUMNS} FROM erasure WHERE number > :after ORDER BY number"  # noqa: S608 - constants
_SELECT_UNFINISHED = (
    f"SELECT {_COLUMNS} FROM erasure WHERE owner = :owner AND finished IS NULL ORDER BY number"  # noqa: S608 - constants
)
_INSERT_ERASURE = """
INSERT INTO erasure (number, id, owner, keychain, begun, receipt)
VALUES ((SELECT COALESCE(MAX(number), 0) + 1 FROM erasure), :id, :owner, '', :begun, '')
"""
# A second run, after a crash, finds no keys any more and must not forget which ones they were.
_RECORD_KEYCHAIN = """
UPDATE erasure SET keychain = CASE WHEN CAST(:keychain AS TEXT) = '' THEN keychain ELSE :keychain END,
    receipt = :receipt
WHERE id = :id
"""
_FINISH_ERASURE = "UPDATE erasure SET finished = :finished, receipt = :receipt WHERE id = :id"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRecord:
    """One erasure. `owner` is the keyed hash of the owner; `keychain` names the destroyed keys."""

    number: int
    id: str
    owner: str
    keychain: str
    begun: float
    finished: float | None
    receipt: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """What a restore elsewhere needs to erase the owner again; nothing in it is personal."""
        return {"id": self.id, "owner": self.owner, "keychain": self.keychain, "begun": self.begun}


class SqlErasureStore:
    tables = (
        OwnedTable(
            name="erasure",
            kept_because="The record that the owner was erased: a keyed hash, a time and counts.",
        ),
    )

    def __init__(
        self, database: SqlDatabase, *, clock: Callable[[], float], new_id: Callable[[], str]
    ) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id

    async def begin_erasure(self, tag: str) -> ErasureRecord:
        """Record the intention; the unfinished erasure of the same owner, if there is one."""
        for _ in range(_MAX_BEGIN_ATTEMPTS):
            found = await self._database.select_rows(_SELECT_UNFINISHED, {"owner": tag})
            if found:
                return _read_record(found[0])
            params: dict[str, SqlScalar] = {
                "id": self._new_id(),
                "owner": tag,
                "begun": self._clock(),
            }
            try:
                await self._database.execute_batch(
                    [SqlStatement(sql=_INSERT_ERASURE, params=params, expected_rows=1)]
                )
            except BatchRolledBack:
                continue  # another process recorded one at the same moment
        raise WriteContended("Other erasures kept being recorded. Try again.")

    async def record_counts(self, record: ErasureRecord, deleted: Mapping[str, int]) -> None:
        """Record what there is to delete, so that a run after a crash still knows it."""
        await self._database.execute_batch([self.build_keychain_record(record, deleted)])

    def build_keychain_record(
        self, record: ErasureRecord, deleted: Mapping[str, int], *, keychain: str = ""
    ) -> SqlStatement:
        """The statement that records which keys are destroyed, for the batch that destroys them."""
        receipt = json.dumps({"deleted": dict(deleted)})
        params = {"id": record.id, "keychain": keychain, "receipt": receipt}
        return SqlStatement(sql=_RECORD_KEYCHAIN, params=params, expected_rows=1)

    async def finish_erasure(self, record_id: str, receipt: Mapping[str, Any]) -> None:
        params: dict[str, SqlScalar] = {
            "id": record_id,
            "finished": self._clock(),
            "receipt": json.dumps(receipt),
        }
        await self._database.execute_batch(
            [SqlStatement(sql=_FINISH_ERASURE, params=params, expected_rows=1)]
        )

    async def list_erasures(self, *, after: int = 0) -> tuple[ErasureRecord, ...]:
        """Oldest first; those with a number above `after`."""
        found = await self._database.select_rows(_SELECT_ERASURES, {"after": after})
        return tuple(_read_record(row) for row in found)


def _read_record(row: SqlRow) -> ErasureRecord:
    found = dict(zip(_FIELDS, row, strict=True))
    return ErasureRecord(**found | {"receipt": json.loads(found["receipt"] or "{}")})


def read_erasure_list(text: bytes) -> list[ErasureRecord]:
    """The records of a list that `ErasureRecord.to_json` wrote; raises ValueError for anything else."""
    found = json.loads(text)
    if not isinstance(found, list):
        raise ValueError("not a list")  # noqa: TRY004 - a wrong file, not a wrong call
    return [_read_listed_record(entry) for entry in found]


def _read_listed_record(entry: object) -> ErasureRecord:
    if not isinstance(entry, dict) or not {"id", "owner", "keychain", "begun"} <= entry.keys():
        raise ValueError("not a record of an erasure")
    return ErasureRecord(
        number=0,
        id=str(entry["id"]),
        owner=str(entry["owner"]),
        keychain=str(entry["keychain"]),
        begun=float(entry["begun"]),
        finished=float(entry["begun"]),
        receipt={},
    )
