"""Stores and workflows for the suites of jobs on DBOS."""

from __future__ import annotations

from typing import Any

from citewell.jobs.job_engine import WorkflowRun
from citewell.server.state.state_store import StateStore
from citewell.store.sql.database import SqlStatement


async def nothing(run: WorkflowRun) -> Any:
    return "done"


async def write(state: StateStore, sql: str) -> None:
    await state.database.execute_batch([SqlStatement(sql=sql)])
