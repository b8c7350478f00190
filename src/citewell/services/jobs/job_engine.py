"""What runs queued jobs: the embedded engine on a SQLite file, DBOS on a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from citewell.model.durable_job import Job
from citewell.store.sql.database import SqlStatement


class JobEngine(Protocol):
    """Jobs can be created without a running loop; the loop of any process on the store runs them."""

    @property
    def running_count(self) -> int:
        """How many jobs run in this process."""
        ...

    async def build_queueing(
        self, job_id: str, providers: Collection[str]
    ) -> Sequence[SqlStatement]:
        """Statements that put a job with these providers into the queue, for the batch that creates it."""
        ...

    def build_first_claim(self, job_id: str, *, seconds: float) -> SqlStatement:
        """A statement that gives this process the job for `seconds`, for the batch that creates it."""
        ...

    async def run_new_job(self, job: Job) -> None:
        """Start a job here that `build_first_claim` gave to this process, however many others run."""
        ...

    def start_loop(self) -> None:
        """Start running queued jobs in this process."""
        ...

    def wake_loop(self) -> None:
        """Have the loop look at the queue and at cancellations now."""
        ...

    def end_cancelled_job(self, job: str) -> None:
        """End the job if it runs here; the cancellation is stored already."""
        ...

    async def stop_loop(self, *, grace_seconds: float) -> None:
        """Stop every job so that another process can continue it at once, and end the loop."""
        ...
