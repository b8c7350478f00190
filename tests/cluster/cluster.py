"""Starts the whole topology and keeps its parts by name."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.cluster.backing_services import (
    POOLER_PORT,
    ROOT,
    DatabaseServer,
    LoopbackInternet,
    start_database,
    start_internet,
    start_pooler,
    start_redis,
)
from tests.cluster.balancer import Balancer, start_balancer
from tests.cluster.processes import ClusterProcess, choose_free_port

MASTER_KEY = "5a" * 32
DRAIN_SECONDS = 3  # twice what the balancer needs to notice it
_SETTINGS = {
    "CITEWELL_MASTER_KEY": MASTER_KEY,
    "CITEWELL_PROFILE": "all",
    "CITEWELL_STEALTH": "false",
    "CHROME_PATH": "disabled",
    "CITEWELL_HTTP_SHUTDOWN_DELAY": f"{DRAIN_SECONDS}s",
    "CITEWELL_RESEARCH_POLL": "0.1",
    "CITEWELL_ALLOWED_HOSTS": "127.0.0.1",
    "OPENAI_API_KEY": "sk-test",
    "PERPLEXITY_API_KEY": "pplx-test",
    "XAI_API_KEY": "xai-test",
}


@dataclass(kw_only=True)
class Cluster:
    folder: Path
    database: DatabaseServer
    internet: LoopbackInternet
    environ: dict[str, str]
    pooler: ClusterProcess | None = None
    redis: ClusterProcess | None = None
    instances: dict[str, ClusterProcess] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    workers: dict[str, ClusterProcess] = field(default_factory=dict)
    balancer: Balancer | None = None

    @property
    def url(self) -> str:
        assert self.balancer is not None
        return self.balancer.url

    def find_instance_url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.ports[name]}"

    def add_instance(self, name: str, settings: Mapping[str, str] | None = None) -> ClusterProcess:
        """An HTTP instance that is not started yet; `settings` are its own."""
        port = choose_free_port()
        self.ports[name] = port
        self.instances[name] = ClusterProcess(
            name=name,
            command=[
                *(sys.executable, "-m", "citewell", "serve", "--http"),
                *("--host", "127.0.0.1", "--port", str(port)),
            ],
            log=self.folder / f"{name}.log",
            is_ready=lambda: is_instance_ready(port),
            environ=self._build_environ(name, settings),
        )
        return self.instances[name]

    def add_worker(self, name: str, settings: Mapping[str, str] | None = None) -> ClusterProcess:
        process = ClusterProcess(
            name=name,
            command=[sys.executable, "-m", "citewell", "worker"],
            log=self.folder / f"{name}.log",
            is_ready=lambda: "running research jobs" in process.read_log_end(),
            environ=self._build_environ(name, settings),
        )
        self.workers[name] = process
        return process

    def flush_redis(self) -> None:
        """Empty Redis while it serves."""
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as link:
            link.settimeout(10)
            link.connect(str(self.folder / "redis.socket"))
            link.sendall(b"FLUSHALL\r\n")
            assert link.recv(100).startswith(b"+OK")

    def list_processes(self) -> list[ClusterProcess]:
        """All of them, those that others need last."""
        balancer = [self.balancer.process] if self.balancer else []
        services = [part for part in (self.pooler, self.redis) if part is not None]
        users = [*balancer, *self.instances.values(), *self.workers.values()]
        return [*users, *services, self.internet.process, self.database.process]

    def _build_environ(self, name: str, settings: Mapping[str, str] | None) -> dict[str, str]:
        """Every machine has a data folder of its own, and nothing in it that another one needs."""
        return self.environ | {"CITEWELL_DATA_DIR": str(self.folder / name)} | dict(settings or {})


@contextlib.contextmanager
def run_cluster(
    *,
    instances: int = 2,
    workers: int = 1,
    pooled: bool = False,
    redis: bool = True,
    settings: Mapping[str, str] | None = None,
    latency: str = "none",
    disk: Path | None = None,
) -> Iterator[Cluster]:
    """A cluster that serves; every process of it has ended when the block ends.

    The database is on the `disk`, if one is given.
    """
    folder = Path(tempfile.mkdtemp(prefix="cw-cluster-"))
    folder.chmod(0o755)
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        cluster = _start_services(folder, pooled=pooled, redis=redis, latency=latency, disk=disk)
        stack.callback(_kill_all, cluster)
        cluster.environ |= settings or {}
        for number in range(1, instances + 1):
            cluster.add_instance(f"instance-{number}").begin()
        for number in range(1, workers + 1):
            cluster.add_worker(f"worker-{number}").begin()
        for process in (*cluster.instances.values(), *cluster.workers.values()):
            process.await_ready()
        cluster.balancer = start_balancer(folder, cluster.ports)
        yield cluster


def _start_services(
    folder: Path, *, pooled: bool, redis: bool, latency: str, disk: Path | None
) -> Cluster:
    internet = start_internet(folder, latency=latency)
    database = start_database(folder / "postgresql", disk=disk)
    environ = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        **internet.environ,
        **_SETTINGS,
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        "CITEWELL_CONFIG": str(folder / "none.toml"),
        "CITEWELL_DATABASE_URL": database.build_url(),
    }
    cluster = Cluster(folder=folder, database=database, internet=internet, environ=environ)
    if pooled:
        cluster.pooler = start_pooler(database)
        environ["CITEWELL_DATABASE_URL"] = database.build_url(port=POOLER_PORT)
        environ["CITEWELL_DATABASE_DIRECT_URL"] = database.build_url()
    if redis:
        cluster.redis = start_redis(folder)
        environ["REDIS_URL"] = f"unix://{folder}/redis.socket"
    return cluster


def is_instance_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=5):
            return True
    except (OSError, urllib.error.HTTPError):
        return False


def _kill_all(cluster: Cluster) -> None:
    for process in cluster.list_processes():
        process.kill()
    if cluster.balancer is not None:
        cluster.balancer.listening.close()
