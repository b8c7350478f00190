"""The ledger as rows: the statements, and the arithmetic that happens inside the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citewell.model.ledger import Balance, Entry, EntryType
from citewell.model.research import TICKS_PER_CENT
from citewell.store.keychain import Keychain
from citewell.store.sql import Row, Scalar, Statement

_TABLE = "ledger"

OPEN = """
INSERT INTO account (owner, limited, allowance, credited, reserved, settled, entries)
VALUES (:owner, 0, 0, 0, 0, 0, 0) ON CONFLICT (owner) DO NOTHING
"""
ACCOUNT = """
SELECT limited, allowance, credited, reserved, settled, entries FROM account WHERE owner = :owner
"""
LATEST = """
SELECT id, entered, type, cents, remainder, job, provider, source, note FROM ledger
WHERE owner = :owner ORDER BY number DESC LIMIT :limit
"""
USAGE = """
SELECT provider, SUM(cents), SUM(remainder), COUNT(DISTINCT job) FROM ledger
WHERE owner = :owner AND type = 'settle' AND entered >= :since GROUP BY provider
"""
ERASE = ("DELETE FROM ledger WHERE owner = :owner", "DELETE FROM account WHERE owner = :owner")

_CREDIT = """
UPDATE account SET limited = 1, allowance = :allowance, credited = credited + :ticks
WHERE owner = :owner AND entries = :entries AND reserved = :reserved AND settled = :settled
"""
_RESERVE = """
UPDATE account SET reserved = reserved + :ticks
WHERE owner = :owner AND (limited = 0 OR credited - settled - reserved >= :ticks)
"""
# The job's row counts the cost already. What it had set aside covers as much as it can.
_SETTLE = """
UPDATE account SET settled = settled + CAST(:ticks AS BIGINT), reserved = reserved - (
    SELECT CASE WHEN finished IS NOT NULL THEN 0 ELSE
        CASE WHEN cap - spent + CAST(:ticks AS BIGINT) > 0
            THEN cap - spent + CAST(:ticks AS BIGINT) ELSE 0 END
        - CASE WHEN cap > spent THEN cap - spent ELSE 0 END
    END FROM job WHERE id = :job
)
WHERE owner = :owner
"""
_RELEASE = """
UPDATE account SET reserved = reserved - (
    SELECT CASE WHEN cap > spent THEN cap - spent ELSE 0 END FROM job WHERE id = :job
)
WHERE owner = :owner
"""
_NUMBER = "UPDATE account SET entries = entries + 1 WHERE owner = :owner"
_BOOK = """
INSERT INTO ledger
    (id, owner, number, entered, type, cents, remainder, job, provider, source, note)
VALUES (:id, :owner, (SELECT entries FROM account WHERE account.owner = :owner), :entered, :type,
    :cents, :remainder, :job, :provider, :source, :note)
"""
_BOOK_RELEASE = f"""
INSERT INTO ledger (id, owner, number, entered, type, cents, remainder, job)
SELECT CAST(:id AS TEXT), account.owner, entries, CAST(:entered AS DOUBLE PRECISION), 'release',
    (cap - spent) / {TICKS_PER_CENT}, (cap - spent) % {TICKS_PER_CENT}, job.id
FROM account, job WHERE account.owner = :owner AND job.id = :job AND cap > spent
"""  # noqa: S608 - a constant


@dataclass(frozen=True, slots=True)
class Account:
    """The columns of ACCOUNT, in their order."""

    limited: int
    allowance: int
    credited: int
    reserved: int
    settled: int
    entries: int

    @property
    def balance(self) -> Balance:
        return Balance(
            limited=bool(self.limited),
            credited=self.credited,
            reserved=self.reserved,
            settled=self.settled,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An entry on its way into the book."""

    id: str
    entered: float
    type: EntryType
    ticks: int
    job: str | None
    provider: str | None
    source: str | None
    note: str


def credited(
    chain: Keychain, account: Account, lines: Sequence[Line], *, allowance: int
) -> Statement:
    """Raise the account by these lines, if it is still as it was read."""
    params: dict[str, Scalar] = {
        "owner": chain.tag,
        "allowance": allowance,
        "ticks": sum(line.ticks for line in lines),
        "entries": account.entries,
        "reserved": account.reserved,
        "settled": account.settled,
    }
    return Statement(sql=_CREDIT, params=params, expect=1)


def reserve(chain: Keychain, line: Line) -> list[Statement]:
    params: dict[str, Scalar] = {"owner": chain.tag, "ticks": line.ticks}
    return [Statement(sql=_RESERVE, params=params, expect=1), *booked(chain, line)]


def settle(chain: Keychain, line: Line) -> list[Statement]:
    params: dict[str, Scalar] = {"owner": chain.tag, "ticks": line.ticks, "job": line.job}
    return [Statement(sql=_SETTLE, params=params, expect=1), *booked(chain, line)]


def release(chain: Keychain, line: Line) -> list[Statement]:
    params = _params(chain, line)
    return [
        Statement(sql=_RELEASE, params=params),
        Statement(sql=_NUMBER, params=params),
        Statement(sql=_BOOK_RELEASE, params=params),
    ]


def booked(chain: Keychain, line: Line) -> list[Statement]:
    """Write a line under the account's next number."""
    params = _params(chain, line)
    return [
        Statement(sql=_NUMBER, params=params, expect=1),
        Statement(sql=_BOOK, params=params, expect=1),
    ]


def opened(chain: Keychain, row: Row) -> Entry:
    entry_id, entered, kind, cents, remainder, job, provider, source, note = row
    return Entry(
        id=entry_id,
        entered=entered,
        type=EntryType(kind),
        ticks=cents * TICKS_PER_CENT + remainder,
        job=job,
        provider=provider,
        source=source,
        note="" if note is None else _text(chain.open(_TABLE, entry_id, note)),
    )


def _params(chain: Keychain, line: Line) -> dict[str, Scalar]:
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
        "note": chain.seal(_TABLE, line.id, note) if note else None,
    }


def _text(plain: bytes) -> str:
    return plain.decode("utf-8", "surrogatepass")
