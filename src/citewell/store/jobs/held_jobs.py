"""A job in the hands of a worker, and how it is read from the row that a claim returns."""

from __future__ import annotations

import logging
from collections.abc import Callable
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

CLAIM_COLUMNS = "id, thread, kind, created, cap, body, owner, status, fence, attempts, cancel, run"
_CLAIM_NEW_JOB = """
UPDATE job SET status = 'running', started = {now}, holder = :holder, fence = 1,
    expires = {now} + :term, delay = :term, attempts = 1
WHERE id = :id AND fence = 0
"""
_FAIL_UNREADABLE_JOB = """
UPDATE job SET status = 'failed', finished = :now, holder = ''
WHERE id = :id AND fence = :fence AND finished IS NULL
"""
_DELETE_ORPHAN_JOB = "DELETE FROM job WHERE id = :id AND fence = :fence"
_SELECT_HELD_JOBS = "SELECT id, fence, cancel FROM job WHERE holder = :holder AND finished IS NULL"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldJob:
    """A job that this worker has claimed."""

    job: Job
    keychain: OwnerKeychain
    fence: int
    status: ResearchStatus
    attempts: int  # claims since the last recorded step, including this one
    cancelling: bool
    run: int = 0  # how often it was put into the queue of workflows

    @property
    def is_recovered(self) -> bool:
        return self.fence > 1


class HeldJobReader:
    """Claims new jobs for one worker, and reads what it holds."""

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        ledger: SqlLedgerStore,
        *,
        holder: str,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._vault = vault
        self._ledger = ledger
        self._holder = holder
        self._clock = clock

    def build_first_claim(self, job_id: str, *, seconds: float) -> SqlStatement:
        """A statement that gives this worker a job for `seconds` that is created in the same batch."""
        sql = _CLAIM_NEW_JOB.format(now=self._database.dialect.now_expression)
        params: dict[str, SqlScalar] = {
            "id": job_id,
            "holder": self._holder,
            "term": float(seconds),
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

    async def list_held_jobs(self) -> dict[str, tuple[int, bool]]:
        """Fence and cancellation request of every job this worker holds, by id; writes nothing."""
        found = await self._database.select_rows(_SELECT_HELD_JOBS, {"holder": self._holder})
        return {job: (fence, bool(cancel)) for job, fence, cancel in found}

    async def read_claimed_row(self, row: SqlRow) -> HeldJob | None:
        """The claimed job; None if its owner was erased, or if it cannot be decrypted and has failed."""
        job_id, *_, tag, status, fence, attempts, cancel, run = row
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
            run=run,
        )
