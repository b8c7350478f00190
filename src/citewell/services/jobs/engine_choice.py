"""Chooses the engine that runs the jobs of a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from citewell.services.jobs.engine_timing import EngineTiming
from citewell.services.jobs.job_engine import JobEngine
from citewell.services.jobs.job_execution import WorkflowFunction
from citewell.services.jobs.job_runner import JobRunner
from citewell.services.jobs.run_record import PerformStep, RunRecord
from citewell.store.jobs.held_jobs import HeldJob
from citewell.store.jobs.job_queue import SqlJobQueue
from citewell.store.state_store import StateStore


def build_job_engine(
    state: StateStore,
    build_run_record: Callable[[HeldJob, PerformStep], RunRecord],
    workflows: Mapping[str, WorkflowFunction],
    *,
    at_once: int,
    per_owner: int,
    rates: Mapping[str, int],
    timing: EngineTiming,
    clock: Callable[[], float],
    monotonic: Callable[[], float],
    new_id: Callable[[], str],
) -> JobEngine:
    """DBOS for a PostgreSQL store, the embedded engine for a file."""
    if state.database.dialect.name == "postgres":
        # Loaded only here, so that a server with a file does without them.
        from citewell.services.jobs.dbos_engine import DbosEngine, name_worker
        from citewell.store.jobs.workflow_queue import SqlWorkflowQueue
        from citewell.store.sql.postgres_database import PostgresDatabase

        assert isinstance(state.database, PostgresDatabase)  # noqa: S101 - the only one of its dialect
        worker = name_worker(new_id)
        return DbosEngine(
            state.database,
            SqlWorkflowQueue(
                state.database, state.vault, state.ledger, holder=worker.executor, clock=clock
            ),
            build_run_record,
            workflows,
            worker=worker,
            max_concurrent=at_once,
            per_owner=per_owner,
            rates=rates,
            timing=timing,
            monotonic=monotonic,
        )
    queue = SqlJobQueue(
        *(state.database, state.vault, state.ledger),
        holder=new_id(),
        lease_seconds=timing.lease_seconds,
        per_owner=per_owner,
        clock=clock,
    )
    return JobRunner(
        queue,
        build_run_record,
        workflows,
        max_concurrent=at_once,
        timing=timing,
        monotonic=monotonic,
    )
