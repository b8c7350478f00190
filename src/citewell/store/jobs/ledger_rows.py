"""SQL and encryption of account and ledger rows; the arithmetic is done inside the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citewell.model.credit_ledger import CreditBalance, LedgerEntry, LedgerEntryType
from citewell.model.research import TICKS_PER_CENT
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.sql.database import SqlRow, SqlScalar, SqlStatement

_LEDGER_TABLE = "ledger"

INSERT_ACCOUNT = """
INSERT INTO account (owner, limited, allowance, credited, reserved, settled, entries)
VALUES (:owner, 0, 0, 0, 0, 0, 0) ON CONFLICT (owner) DO NOTHING
"""
SELECT_ACCOUNT = """
SELECT limited, allowance, credited, reserved, settled, entries FROM account WHERE owner = :owner
"""
SELECT_LATEST_ENTRIES = """
SELECT id, entered, type, cents, remainder, job, provider, source, note FROM ledger
WHERE owner = :owner ORDER BY number DESC LIMIT :limit
"""
SELECT_PROVIDER_SPENDING = """
SELECT provider, SUM(cents), SUM(remainder), COUNT(DISTINCT job) FROM ledger
WHERE owner = :owner AND type = 'settle' AND entered >= :since GROUP BY provider
"""
DELETE_OWNER_LEDGER = (
    "DELETE FROM ledger WHERE owner = :owner",
    "DELETE FROM account WHERE owner = :owner",
)

_CREDIT_ACCOUNT = """
UPDATE account SET limited = 1, allowance = :allowance, credited = credited + :ticks
WHERE owner = :owner AND entries = :entries AND reserved = :reserved AND settled = :settled
"""
_RESERVE_TICKS = """
UPDATE account SET reserved = reserved + :ticks
WHERE owner = :owner AND (limited = 0 OR credited - settled - reserved >= :ticks)
"""
# The job row already counts the cost. The reserve shrinks by the part of the cost it covers.
_SETTLE_TICKS = """
UPDATE account SET settled = settled + CAST(:ticks AS BIGINT), reserved = reserved - (
    SELECT CASE WHEN finished IS NOT NULL THEN 0 ELSE
        CASE WHEN cap - spent + CAST(:ticks AS BIGINT) > 0
            THEN cap - spent + CAST(:ticks AS BIGINT) ELSE 0 END
        - CASE WHEN cap > spent THEN cap - spent ELSE 0 END
    END FROM job WHERE id = :job
)
WHERE owner = :owner
"""
_RELEASE_RESERVE = """
UPDATE account SET reserved = reserved - (
    SELECT CASE WHEN cap > spent THEN cap - spent ELSE 0 END FROM job WHERE id = :job
)
WHERE owner = :owner
"""
_ADVANCE_ENTRY_NUMBER = "UPDATE account SET entries = entries + 1 WHERE owner = :owner"
_INSERT_LEDGER_LINE = """
INSERT INTO ledger
    (id, owner, number, entered, type, cents, remainder, job, provider, source, note)
VALUES (:id, :owner, (SELECT entries FROM account WHERE account.owner = :owner), :entered, :type,
    :cents, :remainder, :job, :provider, :source, :note)
"""
_INSERT_RELEASE_LINE = f"""
INSERT INTO ledger (id, owner, number, entered, type, cents, remainder, job)
SELECT CAST(:id AS TEXT), account.owner, entries, CAST(:entered AS DOUBLE PRECISION), 'release',
    (cap - spent) / {TICKS_PER_CENT}, (cap - spent) % {TICKS_PER_CENT}, job.id
FROM account, job WHERE account.owner = :owner AND job.id = :job AND cap > spent
"""  # noqa: S608 - a constant


@dataclass(frozen=True, slots=True)
class LedgerAccount:
    """The columns of SELECT_ACCOUNT, in their order."""

    limited: int
    allowance: int
    credited: int
    reserved: int
    settled: int
    entries: int

    @property
    def balance(self) -> CreditBalance:
        return CreditBalance(
            limited=bool(self.limited),
            credited=self.credited,
            reserved=self.reserved,
            settled=self.settled,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLine:
    """A ledger entry that is to be written."""

    id: str
    entered: float
    type: LedgerEntryType
    ticks: int
    job: str | None
    provider: str | None
    source: str | None
    note: str


def build_credit_statement(
    chain: OwnerKeychain, account: LedgerAccount, lines: Sequence[LedgerLine], *, allowance: int
) -> SqlStatement:
    """A statement that credits these lines, if the account has not changed since it was read."""
    params: dict[str, SqlScalar] = {
        "owner": chain.tag,
        "allowance": allowance,
        "ticks": sum(line.ticks for line in lines),
        "entries": account.entries,
        "reserved": account.reserved,
        "settled": account.settled,
    }
    return SqlStatement(sql=_CREDIT_ACCOUNT, params=params, expected_rows=1)


def build_reserve_statements(chain: OwnerKeychain, line: LedgerLine) -> list[SqlStatement]:
    params: dict[str, SqlScalar] = {"owner": chain.tag, "ticks": line.ticks}
    return [
        SqlStatement(sql=_RESERVE_TICKS, params=params, expected_rows=1),
        *build_line_insert(chain, line),
    ]


def build_settle_statements(chain: OwnerKeychain, line: LedgerLine) -> list[SqlStatement]:
    params: dict[str, SqlScalar] = {"owner": chain.tag, "ticks": line.ticks, "job": line.job}
    return [
        SqlStatement(sql=_SETTLE_TICKS, params=params, expected_rows=1),
        *build_line_insert(chain, line),
    ]


def build_release_statements(chain: OwnerKeychain, line: LedgerLine) -> list[SqlStatement]:
    params = _build_line_params(chain, line)
    return [
        SqlStatement(sql=_RELEASE_RESERVE, params=params),
        SqlStatement(sql=_ADVANCE_ENTRY_NUMBER, params=params),
        SqlStatement(sql=_INSERT_RELEASE_LINE, params=params),
    ]


def build_line_insert(chain: OwnerKeychain, line: LedgerLine) -> list[SqlStatement]:
    """Statements that insert a line under the next entry number of the account."""
    params = _build_line_params(chain, line)
    return [
        SqlStatement(sql=_ADVANCE_ENTRY_NUMBER, params=params, expected_rows=1),
        SqlStatement(sql=_INSERT_LEDGER_LINE, params=params, expected_rows=1),
    ]


def decrypt_ledger_entry(chain: OwnerKeychain, row: SqlRow) -> LedgerEntry:
    entry_id, entered, kind, cents, remainder, job, provider, source, note = row
    return LedgerEntry(
        id=entry_id,
        entered=entered,
        type=LedgerEntryType(kind),
        ticks=cents * TICKS_PER_CENT + remainder,
        job=job,
        provider=provider,
        source=source,
        note="" if note is None else _decode_note(chain.decrypt_row(_LEDGER_TABLE, entry_id, note)),
    )


def _build_line_params(chain: OwnerKeychain, line: LedgerLine) -> dict[str, SqlScalar]:
    cents, remainder = divmod(line.ticks, TICKS_PER_CENT)
    note = line.note.encode("utf-8", "surrogatepass")
    return {
        "id": line.id,
        "owner": chain.tag,
        "entered": line.entered,
        "type": line.type.value,
        "cents": cents,
        "remainder": remainder,
        "job": line.job,
        "provider": line.provider,
        "source": line.source,
        "note": chain.encrypt_row(_LEDGER_TABLE, line.id, note) if note else None,
    }


def _decode_note(plain: bytes) -> str:
    return plain.decode("utf-8", "surrogatepass")
