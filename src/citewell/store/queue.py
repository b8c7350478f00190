"""The queue of jobs as a worker sees it: claim one, keep the lease, let go.

A claim raises the job's fence, and every write of a worker names the fence it claimed under, so
one that was thought dead and comes back changes nothing. Times are the database's where it has a
clock. A lease or a wait that lies farther ahead than it can is shortened: the clock went back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from citewell.model.job import Job
from citewell.model.research import Status
from citewell.store import job_rows as rows
from citewell.store.failures import Unreadable
from citewell.store.keychain import Keychain
from citewell.store.ledger import SqlLedger
from citewell.store.sql import Database, Row, Scalar, Statement
from citewell.store.vault import Vault

_log = logging.getLogger(__name__)
_SLACK = 1.0  # seconds that clocks of one machine may differ between two readings
_GATE = 0x6A6F6273  # the advisory lock under which claims count an owner's running jobs

_AHEAD = f"""
finished IS NULL AND (
    (status = 'pending' AND due > {{now}} + delay + {_SLACK})
    OR (status <> 'pending' AND expires > {{now}} + delay + {_SLACK})
)
"""
_READY = """
finished IS NULL AND kind IN ({kinds}) AND holder <> :holder AND (
    (status = 'pending' AND due <= {now}) OR (status <> 'pending' AND expires <= {now})
)
"""
_ANY = "SELECT 1 FROM job WHERE ({ready}) OR ({ahead}) LIMIT 1"
_CLAMP = """
UPDATE job SET
    due = CASE WHEN status = 'pending' THEN {now} + delay ELSE due END,
    expires = CASE WHEN status <> 'pending' THEN {now} + delay ELSE expires END
WHERE {ahead}
"""
# Jobs that somebody had begun go first: answers upstream are kept for minutes only.
_CLAIM = """
UPDATE job SET
    status = CASE WHEN status = 'pending' THEN 'running' ELSE status END,
    started = COALESCE(started, {now}), holder = :holder, fence = fence + 1,
    expires = {now} + :term, delay = :term, attempts = attempts + 1
WHERE id = (
    SELECT id FROM job WHERE {ready} AND (
        SELECT COUNT(*) FROM job AS other
        WHERE other.owner = job.owner AND other.finished IS NULL AND other.holder <> ''
            AND other.expires > {now}
    ) < :per_owner
    ORDER BY CASE WHEN fence > 0 THEN 0 ELSE 1 END, priority DESC, created, id LIMIT 1 {lock}
)
RETURNING id, thread, kind, created, cap, body, owner, status, fence, attempts, cancel
"""
_MINE = "finished IS NULL AND holder = :holder AND fence = :fence AND id = :id"
_BEAT = f"UPDATE job SET expires = {{now}} + :term, delay = :term WHERE {_MINE} RETURNING cancel"  # noqa: S608 - constants
_WATCH = "SELECT id, fence, cancel FROM job WHERE holder = :holder AND finished IS NULL"
_RELEASE = f"UPDATE job SET holder = '', expires = 0, attempts = attempts - :spared WHERE {_MINE}"  # noqa: S608 - constants
_POSTPONE = f"""
UPDATE job SET status = 'pending', holder = '', expires = 0, due = {{now}} + :delay, delay = :delay
WHERE {_MINE}
"""  # noqa: S608 - constants
_SPOILT = """
UPDATE job SET status = 'failed', finished = :now, holder = ''
WHERE id = :id AND fence = :fence AND finished IS NULL
"""
_ORPHAN = "DELETE FROM job WHERE id = :id AND fence = :fence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A job under our lease."""

    job: Job
    chain: Keychain
    fence: int
    status: Status
    attempts: int  # claims since a step was last recorded, this one included
    cancelling: bool

    @property
    def recovered(self) -> bool:
        return self.fence > 1


class SqlQueue:
    def __init__(
        self,
        database: Database,
        vault: Vault,
        ledger: SqlLedger,
        *,
        holder: str,
        term: float,
        per_owner: int,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._vault = vault
        self._ledger = ledger
        self._holder = holder
        self._term = term
        self._per_owner = per_owner
        self._clock = clock

    async def claim(self, kinds: Collection[str]) -> Held | None:
        """The next job that nobody runs, now ours for the term of the lease; None without any."""
        if not kinds or not await self._database.fetch(*self._any(kinds)):
            return None
        outcomes = await self._database.execute(self._claiming(kinds))
        found = outcomes[-1].rows
        return await self._held(found[0]) if found else None

    async def beat(self, held: Sequence[Held]) -> dict[str, bool]:
        """Renew the leases; those still ours, and whether their cancellation was asked for."""
        sql = _BEAT.format(now=self._database.dialect.now)
        batch = [Statement(sql=sql, params=self._params(one)) for one in held]
        outcomes = await self._database.execute(batch) if batch else ()
        return {
            one.job.id: bool(outcome.rows[0][0])
            for one, outcome in zip(held, outcomes, strict=True)
            if outcome.rows
        }

    async def watch(self) -> dict[str, tuple[int, bool]]:
        """Fence and wish for cancellation of every job under our name, without a write."""
        found = await self._database.fetch(_WATCH, {"holder": self._holder})
        return {job: (fence, bool(cancel)) for job, fence, cancel in found}

    async def release(self, held: Held, *, orderly: bool) -> None:
        """Let another worker take the job at once; stopping in good order is no failed attempt."""
        params = self._params(held) | {"spared": int(orderly)}
        await self._database.execute([Statement(sql=_RELEASE, params=params)])

    async def postpone(self, held: Held, *, seconds: float) -> None:
        """Put the job back, to be tried again later."""
        sql = _POSTPONE.format(now=self._database.dialect.now)
        params = self._params(held) | {"delay": float(seconds)}
        await self._database.execute([Statement(sql=sql, params=params)])

    async def _held(self, row: Row) -> Held | None:
        job_id, *_, tag, status, fence, attempts, cancel = row
        params: dict[str, Scalar] = {"id": job_id, "fence": fence, "now": self._clock()}
        chain = await self._vault.tagged(tag)
        if chain is None:
            await self._database.execute([Statement(sql=_ORPHAN, params=params)])
            return None
        try:
            job = rows.open_job(chain, row[:6])
        except Unreadable as error:
            _log.warning("A job cannot be run. %s", error.message)
            spoilt = Statement(sql=_SPOILT, params=params, expect=1)
            await self._database.execute([spoilt, *self._ledger.releasing(chain, job_id)])
            return None
        return Held(
            job=job,
            chain=await self._vault.find(job.owner) or chain,
            fence=fence,
            status=Status(status),
            attempts=attempts,
            cancelling=bool(cancel),
        )

    def _any(self, kinds: Collection[str]) -> tuple[str, dict[str, Scalar]]:
        names, params = self._kinds(kinds)
        now = self._database.dialect.now
        ready = _READY.format(now=now, kinds=names)
        return _ANY.format(ready=ready, ahead=_AHEAD.format(now=now)), params

    def _claiming(self, kinds: Collection[str]) -> list[Statement]:
        names, params = self._kinds(kinds)
        now = self._database.dialect.now
        ahead = _AHEAD.format(now=now)
        clamp = Statement(sql=_CLAMP.format(now=now, ahead=ahead), params=params)
        shared = self._database.dialect.name == "postgres"
        ready = _READY.format(now=now, kinds=names)
        lock = "FOR UPDATE SKIP LOCKED" if shared else ""
        claim = Statement(sql=_CLAIM.format(now=now, ready=ready, lock=lock), params=params)
        gate = Statement(sql=f"SELECT pg_advisory_xact_lock({_GATE})")
        return [gate, clamp, claim] if shared else [clamp, claim]

    def _kinds(self, kinds: Collection[str]) -> tuple[str, dict[str, Scalar]]:
        named: dict[str, Scalar] = {
            f"kind_{place}": kind for place, kind in enumerate(sorted(kinds))
        }
        params = named | {
            "holder": self._holder,
            "now": self._clock(),
            "term": self._term,
            "per_owner": self._per_owner,
        }
        return ", ".join(f":{name}" for name in named), params

    def _params(self, held: Held) -> dict[str, Scalar]:
        return {
            "id": held.job.id,
            "fence": held.fence,
            "holder": self._holder,
            "term": self._term,
            "now": self._clock(),
        }
