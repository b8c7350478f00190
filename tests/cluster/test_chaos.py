"""A few seconds of what `python -m benchmarks cluster` does for half an hour."""

from __future__ import annotations

import asyncio

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.load_run import LoadPlan, run_load
from tests.cluster.workload import WorkloadPace

pytestmark = [pytest.mark.process, pytest.mark.timeout(600)]
FAULTS = ("stop_instance", "kill_instance", "end_connections", "flush_redis", "kill_worker")

# Research takes longest, and what is queued at the end is waited for.
PACE = WorkloadPace(
    shares=(("search", 6), ("read", 3), ("session", 4), ("document", 2), ("research", 1))
)


def test_nothing_acknowledged_is_lost_while_parts_are_stopped_and_killed(cluster: Cluster) -> None:
    """Calls fail only where they were under way on what died, and none when an instance is asked to end."""
    plan = LoadPlan(sequence=FAULTS, seed=5, users=4, is_identified=False, pace=PACE)

    outcome = asyncio.run(run_load(cluster, plan))

    assert [event.kind for event in outcome.events] == list(FAULTS)
    assert outcome.findings.list_violations() == {}
    assert outcome.unexplained == []
    assert outcome.sessions_opened == outcome.sessions_needed
