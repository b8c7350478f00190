"""The job queue from a worker's side: claim a job, renew its lease, release it.

A claim raises the fence number of the job, and every write of a worker names the fence of its
claim. So a worker that lost its lease can change nothing. Times are those of the database server,
if there is one. A lease or wait that ends later than possible is shortened, because then the
clock was set back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from citewell.model.durable_job import Job
from citewell.model.research import ResearchStatus
from citewell.store.failures import DecryptionFailed
from citewell.store.jobs import job_rows as rows
from citewell.store.jobs.ledger_store import SqlLedgerStore
from citewell.store.keys.key_vault import KeyVault
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

logger = logging.getLogger(__name__)
_CLOCK_SLACK_SECONDS = 1.0  # difference allowed between two readings of the clock
_CLAIM_LOCK_ID = 0x6A6F6273  # advisory lock: claims count an owner's running jobs under it

_IS_TOO_FAR_AHEAD = f"""
finished IS NULL AND (
    (status = 'pending' AND due > {{now}} + delay + {_CLOCK_SLACK_SECONDS})
    OR (status <> 'pending' AND expires > {{now}} + delay + {_CLOCK_SLACK_SECONDS})
)
"""
_IS_READY = """
finished IS NULL AND kind IN ({kinds}) AND holder <> :holder AND (
    (status = 'pending' AND due <= {now}) OR (status <> 'pending' AND expires <= {now})
)
"""
_SELECT_ANY_CLAIMABLE = "SELECT 1 FROM job WHERE ({ready}) OR ({ahead}) LIMIT 1"
_SHORTEN_WAITS = """
UPDATE job SET
    due = CASE WHEN status = 'pending' THEN {now} + delay ELSE due END,
    expires = CASE WHEN status <> 'pending' THEN {now} + delay ELSE expires END
WHERE {ahead}
"""
# Started jobs go first, because upstreams keep their answers for minutes only.
_CLAIM_NEXT_JOB = """
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
_CLAIM_NEW_JOB = """
UPDATE job SET status = 'running', started = {now}, holder = :holder, fence = 1,
    expires = {now} + :term, delay = :term, attempts = 1
WHERE id = :id AND fence = 0
"""
_IS_HELD_BY_US = "finished IS NULL AND holder = :holder AND fence = :fence AND id = :id"
_RENEW_LEASE = f"UPDATE job SET expires = {{now}} + :term, delay = :term WHERE {_IS_HELD_BY_US} RETURNING cancel"  # noqa: S608 - constants
_SELECT_HELD_JOBS = "SELECT id, fence, cancel FROM job WHERE holder = :holder AND finished IS NULL"
_RELEASE_JOB = (
    f"UPDATE job SET holder = '', expires = 0, attempts = attempts - :spared WHERE {_IS_HELD_BY_US}"  # noqa: S608 - constants
)
_POSTPONE_JOB = f"""
UPDATE job SET status = 'pending', holder = '', expires = 0, due = {{now}} + :delay, delay = :delay
WHERE {_IS_HELD_BY_US}
"""  # noqa: S608 - constants
_FAIL_UNREADABLE_JOB = """
UPDATE job SET status = 'failed', finished = :now, holder = ''
WHERE id = :id AND fence = :fence AND finished IS NULL
"""
_DELETE_ORPHAN_JOB = "DELETE FROM job WHERE id = :id AND fence = :fence"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldJob:
    """A job whose lease this worker holds."""

    job: Job
    keychain: OwnerKeychain
    fence: int
    status: ResearchStatus
    attempts: int  # claims since the last recorded step, including this one
    cancelling: bool

    @property
    def is_recovered(self) -> bool:
        return self.fence > 1


class SqlJobQueue:
    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        ledger: SqlLedgerStore,
        *,
        holder: str,
        lease_seconds: float,
        per_owner: int,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._vault = vault
        self._ledger = ledger
        self._holder = holder
        self._term = lease_seconds
        self._per_owner = per_owner
        self._clock = clock

    async def claim_job(self, kinds: Collection[str]) -> HeldJob | None:
        """Take the lease of the next job that can run; None if there is none."""
        if not kinds or not await self._database.select_rows(*self._build_claimable_query(kinds)):
            return None
        outcomes = await self._database.execute_batch(self._build_claim_batch(kinds))
        found = outcomes[-1].rows
        return await self._build_held_job(found[0]) if found else None

    def build_first_claim(self, job_id: str, *, seconds: float) -> SqlStatement:
        """A statement that gives this worker the lease of a job that is created in the same batch."""
        sql = _CLAIM_NEW_JOB.format(now=self._database.dialect.now_expression)
        params: dict[str, SqlScalar] = {
            "id": job_id,
            "holder": self._holder,
            "term": max(self._term, float(seconds)),
            "now": self._clock(),
        }
        return SqlStatement(sql=sql, params=params, expected_rows=1)

    async def load_first_claim(self, job: Job) -> HeldJob:
        """The job that `build_first_claim` gave to this worker."""
        return HeldJob(
            job=job,
            keychain=await self._vault.ensure_keychain(job.owner),
            fence=1,
            status=ResearchStatus.RUNNING,
            attempts=1,
            cancelling=False,
        )

    async def renew_leases(self, held: Sequence[HeldJob]) -> dict[str, bool]:
        """Renew leases; returns the ids of jobs still held, each with whether its cancellation was requested."""
        sql = _RENEW_LEASE.format(now=self._database.dialect.now_expression)
        batch = [SqlStatement(sql=sql, params=self._build_lease_params(one)) for one in held]
        outcomes = await self._database.execute_batch(batch) if batch else ()
        return {
            one.job.id: bool(outcome.rows[0][0])
            for one, outcome in zip(held, outcomes, strict=True)
            if outcome.rows
        }

    async def list_held_jobs(self) -> dict[str, tuple[int, bool]]:
        """Fence and cancellation request of every job this worker holds, by id; writes nothing."""
        found = await self._database.select_rows(_SELECT_HELD_JOBS, {"holder": self._holder})
        return {job: (fence, bool(cancel)) for job, fence, cancel in found}

    async def release_job(self, held: HeldJob, *, orderly: bool) -> None:
        """Let another worker claim the job at once; if `orderly`, the claim does not count as an attempt."""
        params = self._build_lease_params(held) | {"spared": int(orderly)}
        await self._database.execute_batch([SqlStatement(sql=_RELEASE_JOB, params=params)])

    async def postpone_job(self, held: HeldJob, *, seconds: float) -> None:
        """Put the job back into the queue, to be claimed again after `seconds`."""
        sql = _POSTPONE_JOB.format(now=self._database.dialect.now_expression)
        params = self._build_lease_params(held) | {"delay": float(seconds)}
        await self._database.execute_batch([SqlStatement(sql=sql, params=params)])

    async def _build_held_job(self, row: SqlRow) -> HeldJob | None:
        job_id, *_, tag, status, fence, attempts, cancel = row
        params: dict[str, SqlScalar] = {"id": job_id, "fence": fence, "now": self._clock()}
        chain = await self._vault.load_tagged_keychain(tag)
        if chain is None:
            await self._database.execute_batch(
                [SqlStatement(sql=_DELETE_ORPHAN_JOB, params=params)]
            )
            return None
        try:
            job = rows.decrypt_claimed_job(chain, row[:6])
        except DecryptionFailed as error:
            logger.warning("A job cannot be decrypted and is marked as failed. %s", error.message)
            spoilt = SqlStatement(sql=_FAIL_UNREADABLE_JOB, params=params, expected_rows=1)
            await self._database.execute_batch([spoilt, *self._ledger.build_release(chain, job_id)])
            return None
        return HeldJob(
            job=job,
            keychain=await self._vault.find_keychain(job.owner) or chain,
            fence=fence,
            status=ResearchStatus(status),
            attempts=attempts,
            cancelling=bool(cancel),
        )

    def _build_claimable_query(self, kinds: Collection[str]) -> tuple[str, dict[str, SqlScalar]]:
        names, params = self._build_claim_params(kinds)
        now = self._database.dialect.now_expression
        ready = _IS_READY.format(now=now, kinds=names)
        return _SELECT_ANY_CLAIMABLE.format(
            ready=ready, ahead=_IS_TOO_FAR_AHEAD.format(now=now)
        ), params

    def _build_claim_batch(self, kinds: Collection[str]) -> list[SqlStatement]:
        names, params = self._build_claim_params(kinds)
        now = self._database.dialect.now_expression
        ahead = _IS_TOO_FAR_AHEAD.format(now=now)
        clamp = SqlStatement(sql=_SHORTEN_WAITS.format(now=now, ahead=ahead), params=params)
        shared = self._database.dialect.name == "postgres"
        ready = _IS_READY.format(now=now, kinds=names)
        lock = "FOR UPDATE SKIP LOCKED" if shared else ""
        claim = SqlStatement(
            sql=_CLAIM_NEXT_JOB.format(now=now, ready=ready, lock=lock), params=params
        )
        gate = SqlStatement(sql=f"SELECT pg_advisory_xact_lock({_CLAIM_LOCK_ID})")
        return [gate, clamp, claim] if shared else [clamp, claim]

    def _build_claim_params(self, kinds: Collection[str]) -> tuple[str, dict[str, SqlScalar]]:
        named: dict[str, SqlScalar] = {
            f"kind_{place}": kind for place, kind in enumerate(sorted(kinds))
        }
        params = named | {
            "holder": self._holder,
            "now": self._clock(),
            "term": self._term,
            "per_owner": self._per_owner,
        }
        return ", ".join(f":{name}" for name in named), params

    def _build_lease_params(self, held: HeldJob) -> dict[str, SqlScalar]:
        return {
            "id": held.job.id,
            "fence": held.fence,
            "holder": self._holder,
            "term": self._term,
            "now": self._clock(),
        }
