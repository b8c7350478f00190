"""The queue of the embedded engine: claim a job, renew its lease, release it.

It serves a SQLite file, which several processes of one machine may share. A claim raises the fence
number of the job, and every write of a worker names the fence of its claim. So a worker that lost
its lease can change nothing. A lease or wait that ends later than possible is shortened, because
then the clock of the machine was set back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from citewell.store.jobs.held_jobs import CLAIM_COLUMNS, HeldJob, HeldJobReader
from citewell.store.jobs.ledger_store import SqlLedgerStore
from citewell.store.keys.key_vault import KeyVault
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement

_CLOCK_SLACK_SECONDS = 1.0  # difference allowed between two readings of the clock

_IS_TOO_FAR_AHEAD = f"""
finished IS NULL AND (
    (status = 'pending' AND due > :now + delay + {_CLOCK_SLACK_SECONDS})
    OR (status <> 'pending' AND expires > :now + delay + {_CLOCK_SLACK_SECONDS})
)
"""
_IS_READY = """
finished IS NULL AND kind IN ({kinds}) AND holder <> :holder AND (
    (status = 'pending' AND due <= :now) OR (status <> 'pending' AND expires <= :now)
)
"""
_SELECT_ANY_CLAIMABLE = "SELECT 1 FROM job WHERE ({ready}) OR ({ahead}) LIMIT 1"
_SHORTEN_WAITS = f"""
UPDATE job SET
    due = CASE WHEN status = 'pending' THEN :now + delay ELSE due END,
    expires = CASE WHEN status <> 'pending' THEN :now + delay ELSE expires END
WHERE {_IS_TOO_FAR_AHEAD}
"""  # noqa: S608 - constants
# Started jobs go first, because upstreams keep their answers for minutes only.
_CLAIM_NEXT_JOB = f"""
UPDATE job SET
    status = CASE WHEN status = 'pending' THEN 'running' ELSE status END,
    started = COALESCE(started, :now), holder = :holder, fence = fence + 1,
    expires = :now + :term, delay = :term, attempts = attempts + 1
WHERE id = (
    SELECT id FROM job WHERE {{ready}} AND (
        SELECT COUNT(*) FROM job AS other
        WHERE other.owner = job.owner AND other.finished IS NULL AND other.holder <> ''
            AND other.expires > :now
    ) < :per_owner
    ORDER BY CASE WHEN fence > 0 THEN 0 ELSE 1 END, priority DESC, created, id LIMIT 1
)
RETURNING {CLAIM_COLUMNS}
"""  # noqa: S608 - constants
_IS_HELD_BY_US = "finished IS NULL AND holder = :holder AND fence = :fence AND id = :id"
_RENEW_LEASE = (
    f"UPDATE job SET expires = :now + :term, delay = :term WHERE {_IS_HELD_BY_US} RETURNING cancel"  # noqa: S608 - constants
)
_RELEASE_JOB = (
    f"UPDATE job SET holder = '', expires = 0, attempts = attempts - :spared WHERE {_IS_HELD_BY_US}"  # noqa: S608 - constants
)
_POSTPONE_JOB = f"""
UPDATE job SET status = 'pending', holder = '', expires = 0, due = :now + :delay, delay = :delay
WHERE {_IS_HELD_BY_US}
"""  # noqa: S608 - constants


class SqlJobQueue(HeldJobReader):
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
        super().__init__(database, vault, ledger, holder=holder, clock=clock)
        self._term = lease_seconds
        self._per_owner = per_owner

    async def claim_job(self, kinds: Collection[str]) -> HeldJob | None:
        """Take the lease of the next job that can run; None if there is none."""
        if not kinds:
            return None
        names, params = self._build_claim_params(kinds)
        ready = _IS_READY.format(kinds=names)
        search = _SELECT_ANY_CLAIMABLE.format(ready=ready, ahead=_IS_TOO_FAR_AHEAD)
        if not await self._database.select_rows(search, params):
            return None
        outcomes = await self._database.execute_batch(
            [
                SqlStatement(sql=_SHORTEN_WAITS, params=params),
                SqlStatement(sql=_CLAIM_NEXT_JOB.format(ready=ready), params=params),
            ]
        )
        found = outcomes[-1].rows
        return await self.read_claimed_row(found[0]) if found else None

    async def renew_leases(self, held: Sequence[HeldJob]) -> dict[str, bool]:
        """Renew leases; returns the ids of jobs still held, each with whether its cancellation was requested."""
        batch = [
            SqlStatement(sql=_RENEW_LEASE, params=self._build_lease_params(one)) for one in held
        ]
        outcomes = await self._database.execute_batch(batch) if batch else ()
        return {
            one.job.id: bool(outcome.rows[0][0])
            for one, outcome in zip(held, outcomes, strict=True)
            if outcome.rows
        }

    async def release_job(self, held: HeldJob, *, orderly: bool) -> None:
        """Let another worker claim the job at once; if `orderly`, the claim does not count as an attempt."""
        params = self._build_lease_params(held) | {"spared": int(orderly)}
        await self._database.execute_batch([SqlStatement(sql=_RELEASE_JOB, params=params)])

    async def postpone_job(self, held: HeldJob, *, seconds: float) -> None:
        """Put the job back into the queue, to be claimed again after `seconds`."""
        params = self._build_lease_params(held) | {"delay": float(seconds)}
        await self._database.execute_batch([SqlStatement(sql=_POSTPONE_JOB, params=params)])

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
