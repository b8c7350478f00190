"""A whole deployment under mixed load while its parts are killed: what is lost, paid twice or refused?

`python -m benchmarks cluster --minutes 30 --seed 1`: three instances, two workers, PostgreSQL, Redis,
PgBouncer and haproxy as processes on this machine, see `tests/cluster`.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
from collections import Counter

from benchmarks.report import Goal, Section, table
from tests.cluster.backing_services import list_missing_programs
from tests.cluster.cluster import run_cluster
from tests.cluster.load_run import (
    IDENTITY_SETTINGS,
    UNLIMITED_SETTINGS,
    LoadOutcome,
    LoadPlan,
    run_load,
)

INSTANCES, WORKERS, USERS = 3, 2, 12
NEAR_SECONDS = 15.0  # faults told with a failure that none of them explains


def cluster(minutes: float = 30.0, seed: int = 1) -> Section:
    if missing := list_missing_programs():
        raise SystemExit(f"A cluster needs {', '.join(missing)}; see .ci/services.")
    plan = LoadPlan(seconds=60 * minutes, seed=seed, users=USERS)
    with run_cluster(
        instances=INSTANCES,
        workers=WORKERS,
        pooled=True,
        settings=IDENTITY_SETTINGS | UNLIMITED_SETTINGS,
    ) as started:
        outcome = asyncio.run(run_load(started, plan))
    for failed in outcome.unexplained:
        near = [event for event in outcome.events if abs(event.began - failed.ended) < NEAR_SECONDS]
        sys.stderr.write(f"unexplained: {failed} near {near}\n")
    for name, found in outcome.findings.list_violations().items():
        sys.stderr.write(f"{name}: {found}\n")
    return describe_outcome(outcome, minutes, seed)


def describe_outcome(outcome: LoadOutcome, minutes: float, seed: int) -> Section:
    told, found = outcome.told, outcome.findings
    kinds = Counter(event.kind for event in outcome.events)
    violations = found.list_violations()
    lost = sum(len(violations.get(name, [])) for name in _LOSSES)
    rows = [
        ["calls answered", f"{sum(told.answered.values()):,}"],
        [
            "of which",
            ", ".join(f"{name} {count:,}" for name, count in sorted(told.answered.items())),
        ],
        ["median and p95 of a search", _describe_times(told.seconds["search"])],
        ["median and p95 of a step of a session", _describe_times(told.seconds["session"])],
        ["faults", ", ".join(f"{name} {count}" for name, count in sorted(kinds.items()))],
        ["calls that failed", f"{len(told.failed):,}"],
        ["of which not under way on what died", f"{len(outcome.unexplained):,}"],
        ["MCP sessions lost", f"{outcome.sessions_opened - outcome.sessions_needed}"],
        [
            "jobs acknowledged, and their states",
            f"{len(told.jobs):,}: {_describe_counts(found.states)}",
        ],
        ["steps of sessions acknowledged", f"{sum(map(len, told.steps.values())):,}"],
        ["documents acknowledged", f"{len(told.documents):,}"],
        ["charges of providers", f"{found.charges:,}"],
        ["calls that may or may not have been charged, reported as such", f"{found.uncertain:,}"],
        ["lost, or paid twice", f"{lost:,} / {len(found.paid_twice):,}"],
    ]
    return Section(
        title="A cluster whose parts are killed",
        command=f"python -m benchmarks cluster --minutes {minutes:g} --seed {seed}",
        body=table(("what", "measured"), rows),
        notes=(
            f"{INSTANCES} instances behind haproxy without sticky sessions, {WORKERS} workers, "
            f"PostgreSQL behind PgBouncer in transaction mode, Redis; {USERS} users of 3 tenants, half of "
            "them with MCP sessions, half without, each pausing up to half a second between calls. "
            "Instances, workers and Redis are killed with -9 and started again, instances are also "
            "stopped with SIGTERM, Redis is emptied, and half of the connections of PostgreSQL are "
            "ended at once, one fault every few seconds. A failure counts as under way on what died if "
            "the call ran at that moment on that instance, or while connections of the database were "
            "ended. Afterwards every acknowledged job, step, charge and document is looked for, and the "
            "ledger is added up."
        ),
        goals=(
            Goal(text="nothing acknowledged is lost", measured=f"{lost} lost", met=not lost),
            Goal(
                text="no call is paid twice",
                measured=f"{len(found.paid_twice)} of {found.charges}",
                met=not found.paid_twice,
            ),
            Goal(
                text="calls fail only where they were under way on what died",
                measured=f"{len(outcome.unexplained)} others",
                met=not outcome.unexplained,
            ),
            Goal(
                text="no MCP session is lost",
                measured=f"{outcome.sessions_opened - outcome.sessions_needed}",
                met=outcome.sessions_opened == outcome.sessions_needed,
            ),
        ),
    )


_LOSSES = (
    "lost_jobs",
    "unfinished_jobs",
    "failed_jobs",
    "lost_steps",
    "lost_documents",
    "lost_charges",
    "unknown_charges",
    "unbalanced",
)


def _describe_times(seconds: list[float]) -> str:
    if len(seconds) < 2:
        return "too few"
    return f"{1000 * statistics.median(seconds):,.0f} / {1000 * statistics.quantiles(seconds, n=20)[-1]:,.0f} ms"


def _describe_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items())) or "none"
