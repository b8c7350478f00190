"""The disk of the PostgreSQL server is full for a while: every refusal says so, and nothing that was told is lost."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from citewell.core import config
from citewell.server.state.state_store import StateStore
from tests.cluster.backing_services import list_missing_programs
from tests.cluster.cluster import Cluster, run_cluster
from tests.cluster.mcp_caller import McpCaller
from tests.cluster.small_disk import SmallDisk, mount_small_disk
from tests.cluster.verification import ClusterFindings, verify_cluster
from tests.cluster.workload import Acknowledged, ClusterUser, FailedCall, WorkloadPace
from tests.services import absent

pytestmark = [pytest.mark.process, pytest.mark.timeout(600)]
OWNER = "default/anonymous"
STORING = ("research", "session", "document")
PACE = WorkloadPace(pause_seconds=0.05, shares=tuple((name, 1) for name in STORING))
_DISK_MEGABYTES = 150


@dataclass(kw_only=True)
class FullDiskRun:
    told: Acknowledged = field(default_factory=Acknowledged)
    refused: list[FailedCall] = field(default_factory=list)  # while the disk was full
    failed_later: list[FailedCall] = field(default_factory=list)
    imported: subprocess.CompletedProcess[str] | None = None
    diagnosed: subprocess.CompletedProcess[str] | None = None
    audited: subprocess.CompletedProcess[str] | None = None
    findings: ClusterFindings = field(default_factory=ClusterFindings)
    are_alive: bool = False


@pytest.fixture
def full_disk_run() -> Iterator[FullDiskRun]:
    if missing := list_missing_programs():
        absent(f"A cluster needs {', '.join(missing)}.")
    # Not below pytest's own folder, which the server, another user, may not enter.
    with tempfile.TemporaryDirectory(prefix="citewell-disk-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with (
            mount_small_disk(folder / "small", megabytes=_DISK_MEGABYTES) as disk,
            run_cluster(instances=1, workers=1, redis=False, disk=disk.folder) as cluster,
        ):
            yield asyncio.run(_use_full_disk(cluster, disk, folder))


async def _use_full_disk(cluster: Cluster, disk: SmallDisk, folder: Path) -> FullDiskRun:
    run = FullDiskRun()
    settings = config.load_settings(_build_environ(cluster))
    state = StateStore(settings)
    try:
        async with httpx2.AsyncClient() as http:
            users = [_build_user(cluster, http, state, run.told, number) for number in range(2)]
            await _act(users, lambda: all(run.told.answered[name] > 1 for name in STORING))
            disk.fill()
            await _act(users, lambda: {one.action for one in run.told.failed} >= {*STORING})
            run.imported = await asyncio.to_thread(_import_notes, cluster, folder)
            run.diagnosed = await asyncio.to_thread(_run_citewell, cluster, "doctor", "--json")
            run.refused = list(run.told.failed)
            disk.clear()
            answered = run.told.answered.copy()
            await _act(
                users, lambda: all(run.told.answered[name] > answered[name] for name in STORING)
            )
            run.failed_later = run.told.failed[len(run.refused) :]
        run.findings = await verify_cluster(state, run.told, [OWNER], cluster.internet.url)
    finally:
        await state.aclose()
    run.audited = await asyncio.to_thread(_run_citewell, cluster, "audit-log", "verify")
    run.are_alive = all(one.is_alive() and one.starts == 1 for one in cluster.list_processes())
    return run


async def _act(users: list[ClusterUser], is_over: Callable[[], bool]) -> None:
    await asyncio.gather(*(user.act_until(is_over) for user in users))


def _build_user(
    cluster: Cluster, http: httpx2.AsyncClient, state: StateStore, told: Acknowledged, number: int
) -> ClusterUser:
    url = cluster.find_instance_url("instance-1")
    return ClusterUser(
        caller=McpCaller(http=http, url=url, is_modern=number == 0),
        owner=OWNER,
        library=state.library,
        internet_url=cluster.internet.url,
        dice=random.Random(number),
        told=told,
        pace=PACE,
    )


def _build_environ(cluster: Cluster) -> dict[str, str]:
    return cluster.environ | {"CITEWELL_DATA_DIR": str(cluster.folder / "commands")}


def _import_notes(cluster: Cluster, folder: Path) -> subprocess.CompletedProcess[str]:
    notes = folder / "notes"
    notes.mkdir()
    for number in range(20):
        text = " ".join(f"Cell {number} aged by {step} cycles." for step in range(2000))
        (notes / f"{number}.md").write_text(f"# Note {number}\n\n{text}\n", encoding="utf-8")
    return _run_citewell(cluster, "library", "add", str(notes))


def _run_citewell(cluster: Cluster, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "citewell", *arguments],
        env=_build_environ(cluster),
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def test_a_full_disk_is_told_and_costs_nothing_that_was_acknowledged(
    full_disk_run: FullDiskRun,
) -> None:
    """Jobs from before and during the full disk complete, each paid for once; nobody restarts anything."""
    _check_refusals(full_disk_run.refused)
    _check_commands(full_disk_run)
    assert full_disk_run.failed_later == []
    assert full_disk_run.findings.list_violations() == {}
    assert full_disk_run.findings.states["completed"] == len(full_disk_run.told.jobs)
    assert full_disk_run.are_alive


def _check_refusals(refused: list[FailedCall]) -> None:
    assert refused
    for one in refused:
        assert "The database's disk is full" in one.detail, one
        assert "Free space" in one.detail, one


def _check_commands(run: FullDiskRun) -> None:
    assert run.imported is not None
    assert run.imported.returncode == 2
    assert "The database's disk is full" in run.imported.stderr
    assert run.diagnosed is not None
    assert run.diagnosed.returncode == 1
    checks = {one["name"]: one for one in json.loads(run.diagnosed.stdout)["checks"]}
    assert checks["stored state"]["state"] == "failed"
    assert "The database's disk is full" in checks["stored state"]["detail"]
    assert "free space" in checks["stored state"]["change"]
    assert run.audited is not None
    assert run.audited.returncode == 0, run.audited.stderr
