"""The ledger's values, and SQL and encryption of its rows; the arithmetic is done inside the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from citewell.core.values.research import TICKS_PER_CENT
from citewell.store.encryption import OwnerKeychain
from citewell.store.sql.database import SqlRow, SqlScalar, SqlStatement


def round_up_cents(ticks: int) -> int:
    """Ticks as cents, rounded up."""
    return -(-ticks // TICKS_PER_CENT)


class LedgerEntryType(StrEnum):
    CREDIT = "credit"
    RESERVE = "reserve"  # reserved for a job, not yet spent
    SETTLE = "settle"  # spent
    RELEASE = "release"  # reserved and no longer needed


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditBalance:
    """The balance of one owner; if `limited` is False there is no budget and spending is only counted."""

    limited: bool
    credited: int = 0
    reserved: int = 0
    settled: int = 0
    credited_cents: int = 0
    reserved_cents: int = 0
    settled_cents: int = 0

    @property
    def ticks(self) -> int:
        """The exact balance; negative if a provider charged more than it estimated."""
        return self.credited - self.settled - self.reserved

    @property
    def cents(self) -> int:
        """Cents that may still be reserved; at most one cent a job less than the exact balance."""
        return self.credited_cents - self.settled_cents - self.reserved_cents


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One ledger entry, never changed after it was written; only corrections are negative."""

    id: str
    entered: float  # seconds since the epoch
    type: LedgerEntryType
    ticks: int
    cents: int  # what is shown of it
    job: str | None = None
    provider: str | None = None
    source: str | None = None  # top_up, budget or opening for a credit; or correction
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSpend:
    provider: str
    ticks: int
    cents: int
    jobs: int


_LEDGER_TABLE = "ledger"

INSERT_ACCOUNT = """
INSERT INTO account (owner, limited, allowance, credited, reserved, settled, entries)
VALUES (:owner, 0, 0, 0, 0, 0, 0) ON CONFLICT (owner) DO NOTHING
"""
ACCOUNT_AMOUNTS = (
    *("allowance", "entries", "credited", "reserved", "settled"),
    *("credited_cents", "reserved_cents", "settled_cents"),
)
SELECT_ACCOUNT = f"SELECT limited, {', '.join(ACCOUNT_AMOUNTS)} FROM account WHERE owner = :owner"  # noqa: S608 - constants
SELECT_LATEST_ENTRIES = """
SELECT id, entered, type, cents, remainder, job, provider, source, note FROM ledger
WHERE owner = :owner ORDER BY number DESC LIMIT :limit
"""
SELECT_PROVIDER_SPENDING = """
SELECT provider, SUM(cents), SUM(remainder), COUNT(DISTINCT job) FROM ledger
WHERE owner = :owner AND type = 'settle' AND entered >= :since GROUP BY provider
"""
SELECT_JOB_SPENDING = """
SELECT provider, SUM(cents), SUM(remainder), 1 FROM ledger
WHERE owner = :owner AND job = :job AND type = 'settle' GROUP BY provider
"""

_CREDIT_ACCOUNT = """
UPDATE account SET limited = 1, allowance = :allowance, credited = credited + :ticks,
    credited_cents = credited_cents + :cents
WHERE owner = :owner AND entries = :entries AND reserved = :reserved AND settled = :settled
"""
_RESERVE_TICKS = """
UPDATE account SET reserved = reserved + :ticks, reserved_cents = reserved_cents + :cents
WHERE owner = :owner
    AND (limited = 0 OR credited_cents - settled_cents - reserved_cents >= :cents)
"""


def _round_up(ticks: str) -> str:
    """SQL for ticks as cents, rounded up; the ticks must not be negative."""
    return f"(({ticks} + {TICKS_PER_CENT - 1}) / {TICKS_PER_CENT})"


def _subtract_to_zero(larger: str, smaller: str) -> str:
    """SQL for a difference that is zero instead of negative."""
    return f"CASE WHEN {larger} > {smaller} THEN {larger} - {smaller} ELSE 0 END"


# The job row counts the cost already; before it was counted the job had spent this much.
_SPENT_BEFORE = "(spent - CAST(:ticks AS BIGINT))"
COST_CENTS = f"({_round_up('spent')} - {_round_up(_SPENT_BEFORE)})"
_OPEN_TICKS = _subtract_to_zero("cap", "spent")
OPEN_CENTS = _subtract_to_zero(_round_up("cap"), _round_up("spent"))
# The reserve shrinks by the part of the cost it covers; that of a finished job is gone.
SETTLED_RESERVE_CENTS = f"""CASE WHEN finished IS NOT NULL THEN 0
    ELSE {_subtract_to_zero(_round_up("cap"), _round_up(_SPENT_BEFORE))} - {OPEN_CENTS} END"""
_SETTLE_TICKS = f"""
UPDATE account SET settled = settled + CAST(:ticks AS BIGINT),
    settled_cents = settled_cents + (SELECT {COST_CENTS} FROM job WHERE id = :job),
    reserved = reserved - (
        SELECT CASE WHEN finished IS NOT NULL THEN 0
            ELSE {_subtract_to_zero("cap", _SPENT_BEFORE)} - {_OPEN_TICKS} END
        FROM job WHERE id = :job
    ),
    reserved_cents = reserved_cents - (SELECT {SETTLED_RESERVE_CENTS} FROM job WHERE id = :job)
WHERE owner = :owner
"""  # noqa: S608 - constants
_RELEASE_RESERVE = f"""
UPDATE account SET
    reserved = reserved - (SELECT {_OPEN_TICKS} FROM job WHERE id = :job),
    reserved_cents = reserved_cents - (SELECT {OPEN_CENTS} FROM job WHERE id = :job)
WHERE owner = :owner
"""  # noqa: S608 - constants
_ADVANCE_ENTRY_NUMBER = "UPDATE account SET entries = entries + 1 WHERE owner = :owner"
_INSERT_LEDGER_LINE = """
INSERT INTO ledger
    (id, owner, number, entered, type, cents, remainder, job, provider, source, note)
VALUES (:id, :owner, (SELECT entries FROM account WHERE account.owner = :owner), :entered, :type,
    :cents, :remainder, :job, :provider, :source, :note)
"""
_INSERT_SETTLE_LINE = f"""
INSERT INTO ledger (id, owner, number, entered, type, cents, remainder, job, provider, source)
SELECT CAST(:id AS TEXT), account.owner, entries, CAST(:entered AS DOUBLE PRECISION), 'settle',
    {COST_CENTS}, CAST(:ticks AS BIGINT) - {COST_CENTS} * {TICKS_PER_CENT}, job.id,
    CAST(:provider AS TEXT), CAST(:source AS TEXT)
FROM account, job WHERE account.owner = :owner AND job.id = :job
"""  # noqa: S608 - constants
_INSERT_RELEASE_LINE = f"""
INSERT INTO ledger (id, owner, number, entered, type, cents, remainder, job)
SELECT CAST(:id AS TEXT), account.owner, entries, CAST(:entered AS DOUBLE PRECISION), 'release',
    {OPEN_CENTS}, cap - spent - ({OPEN_CENTS}) * {TICKS_PER_CENT}, job.id
FROM account, job WHERE account.owner = :owner AND job.id = :job AND cap > spent
"""  # noqa: S608 - constants
# An entry has the next number of the account.
ADD_ENTRY = (_ADVANCE_ENTRY_NUMBER, _INSERT_LEDGER_LINE)
RESERVE = (_RESERVE_TICKS, *ADD_ENTRY)
SETTLE = (_SETTLE_TICKS, _ADVANCE_ENTRY_NUMBER, _INSERT_SETTLE_LINE)
RELEASE = (_RELEASE_RESERVE, _ADVANCE_ENTRY_NUMBER, _INSERT_RELEASE_LINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerAccount(CreditBalance):
    """A balance, with what a credit must find unchanged."""

    allowance: int
    entries: int


def build_credit_statement(
    chain: OwnerKeychain, account: LedgerAccount, lines: Sequence[LedgerEntry], *, allowance: int
) -> SqlStatement:
    """A statement that credits these lines, if the account has not changed since it was read."""
    params: dict[str, SqlScalar] = {
        "owner": chain.tag,
        "allowance": allowance,
        "ticks": sum(line.ticks for line in lines),
        "cents": sum(line.cents for line in lines),
        "entries": account.entries,
        "reserved": account.reserved,
        "settled": account.settled,
    }
    return SqlStatement(sql=_CREDIT_ACCOUNT, params=params, expected_rows=1)


def build_entry_batch(
    chain: OwnerKeychain,
    entry: LedgerEntry,
    changes: Sequence[str],
    *,
    expected_rows: int | None = 1,
) -> list[SqlStatement]:
    """Statements that write an entry and its effect: one of the tuples of SQL above."""
    params = _build_line_params(chain, entry)
    return [SqlStatement(sql=sql, params=params, expected_rows=expected_rows) for sql in changes]


def decrypt_ledger_entry(chain: OwnerKeychain, row: SqlRow) -> LedgerEntry:
    entry_id, entered, kind, cents, remainder, job, provider, source, note = row
    plain = b"" if note is None else chain.decrypt_row(_LEDGER_TABLE, entry_id, note)
    return LedgerEntry(
        id=entry_id,
        entered=entered,
        type=LedgerEntryType(kind),
        ticks=cents * TICKS_PER_CENT + remainder,
        cents=cents,
        job=job,
        provider=provider,
        source=source,
        note=plain.decode("utf-8", "surrogatepass"),
    )


def _build_line_params(chain: OwnerKeychain, line: LedgerEntry) -> dict[str, SqlScalar]:
    note = line.note.encode("utf-8", "surrogatepass")
    return {
        "id": line.id,
        "owner": chain.tag,
        "entered": line.entered,
        "type": line.type.value,
        "ticks": line.ticks,
        "cents": line.cents,
        "remainder": line.ticks - line.cents * TICKS_PER_CENT,
        "job": line.job,
        "provider": line.provider,
        "source": line.source,
        "note": chain.encrypt_row(_LEDGER_TABLE, line.id, note) if note else None,
    }
