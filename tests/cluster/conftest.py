"""The cluster that tests share: its parts may be killed, and must serve again when a test ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.backing_services import list_missing_programs
from tests.cluster.cluster import Cluster, run_cluster
from tests.services import absent


@pytest.fixture(scope="session")
def shared_cluster() -> Iterator[Cluster]:
    if missing := list_missing_programs():
        absent(f"A cluster needs {', '.join(missing)}.")
    with run_cluster(instances=2, workers=1, pooled=True) as cluster:
        yield cluster


@pytest.fixture
def cluster(shared_cluster: Cluster) -> Iterator[Cluster]:
    yield shared_cluster
    for process in shared_cluster.list_processes():
        if not process.is_alive():
            process.begin()
    for process in shared_cluster.list_processes():
        process.await_ready()
