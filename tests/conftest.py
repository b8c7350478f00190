"""What every test shares: the loopback web, a clean environment, and no way out to the real one."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from citewell.net.network import Network
from citewell.scholar.registry_records import WorkRecords
from citewell.server import app
from tests import parsing_guard
from tests.command_runs import logs_restored, run
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.skipped_pauses import SkippedPauses
from tests.task_thread import ThreadTasks

__all__ = ["logs_restored", "run"]  # fixtures of the tests of commands, in any room

parsing_guard.install_guard()  # before any module of ours takes the parser

# An example may take long on a busy machine; pytest's time limit ends the ones that hang.
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")

SERVERS = frozenset({"postgres", "redis", "stdio"})  # parameters that stand for another process


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark with `process` all of e2e, and every case on a real server."""
    for item in items:
        chosen = getattr(item, "callspec", None)
        named = (
            {value for value in chosen.params.values() if isinstance(value, str)}
            if chosen
            else set()
        )
        if "e2e" in item.path.parts or named & SERVERS:
            item.add_marker(pytest.mark.process)


@pytest.fixture(scope="session", autouse=True)
def few_authorities() -> Iterator[None]:
    """Trust one authority, which nobody uses: the system's hundreds cost each client 30 ms to load."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(Path(__file__).parent / "authority.pem"))
        yield


@pytest.fixture(scope="session")
def loopback_web() -> Iterator[Internet]:
    """One running web for each worker; tests take `internet`, which is clean."""
    with Internet() as internet:
        yield internet


@pytest.fixture
def internet(loopback_web: Internet) -> Iterator[Internet]:
    """The loopback web without faults, recorded requests or added pages."""
    loopback_web.world.reset()
    yield loopback_web
    loopback_web.world.reset()


@pytest.fixture
def world(internet: Internet) -> World:
    """The state of the loopback web: search it, make it fail, see what it was asked."""
    return internet.world


@pytest.fixture
def environ(internet: Internet, tmp_path: Path) -> dict[str, str]:
    """An environment without keys that points at the loopback web and keeps its data here."""
    return (
        internet.env()
        | {
            "CITEWELL_CONFIG": str(tmp_path / "no-such-config.toml"),
            "CITEWELL_DATA_DIR": str(tmp_path / "data"),
            "HOME": str(tmp_path),
            "CITEWELL_STEALTH": "false",
            "CHROME_PATH": "disabled",  # tests of the browser ask for it; the others need not wait for it
        }
    )


@pytest.fixture(autouse=True)
def tasks_in_threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Apps in this process parse in a thread; tests marked `real_workers` have real worker processes."""
    if request.node.get_closest_marker("real_workers") is None:
        monkeypatch.setattr(app, "build_worker_pool", lambda _settings: ThreadTasks())


@pytest.fixture
def skipped_pauses(monkeypatch: pytest.MonkeyPatch) -> SkippedPauses:
    """Apps in this process wait for no pace, retry or pause: their clock is set ahead instead."""
    pauses = SkippedPauses()
    for build, times in (
        (Network.__init__, {"clock": pauses.clock, "sleep": pauses.sleep}),
        (WorkRecords.__init__, {"pause": pauses.sleep}),
    ):
        usual = build.__kwdefaults__ or {}
        assert usual.keys() >= times.keys()
        monkeypatch.setattr(build, "__kwdefaults__", usual | times)
    return pauses


@pytest.fixture(autouse=True)
def no_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to anything but loopback or a local socket fails the test that makes it."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded_connect(self: socket.socket, address: Any) -> None:
        _allow(self, address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> int:
        _allow(self, address)
        return connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_connect_ex)


def _allow(sock: socket.socket, address: Any) -> None:
    if sock.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    host = str(address[0]).partition("%")[0]
    if host == "localhost" or ipaddress.ip_address(host).is_loopback:
        return
    pytest.fail(f"The test reached out to {host}; only loopback is allowed.")
