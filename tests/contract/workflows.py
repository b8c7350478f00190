"""Small workflows for the suites of the job engine."""

from __future__ import annotations

from typing import Any

from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.job_service import JobService
from citewell.jobs.store.thread_store import (
    UnknownJob,
)
from tests.conditions import until
from tests.contract.offices import (
    OWNER,
)


async def nothing(run: WorkflowRun) -> Any:
    return None


def counting(times: Any) -> Any:
    async def work(run: WorkflowRun) -> Any:
        async def once() -> Any:
            times.append(1)
            return {"times": len(times)}

        return await run.run_step("once", once)

    return work


async def first_step_stored(jobs: JobService, job: str) -> None:
    """Wait for the row of a step; `wait_for_news` also ends when a busy worker seems to be lost."""

    async def is_stored() -> bool:
        return bool((await jobs.store.require_job_view(OWNER, job)).steps)

    await until(is_stored)


async def gone(jobs: Any, job_id: Any) -> Any:
    try:
        await jobs.store.require_job_view(OWNER, job_id)
    except UnknownJob:
        return True
    return False
