"""Real PostgreSQL, PgBouncer and Redis servers for tests, started from Debian's packages where they are."""

from __future__ import annotations

import atexit
import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import pytest

# A worker may end without a word. Its servers hang on its pipe, so they end with it.
GUARDIAN = """
import shutil, signal, subprocess, sys
folder, how, *command = sys.argv[1:]
signal.signal(signal.SIGINT, signal.SIG_IGN)
child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
sys.stdin.read()
child.send_signal(int(how))
try:
    child.wait(10)
except subprocess.TimeoutExpired:
    child.kill()
shutil.rmtree(folder, ignore_errors=True)
"""


@dataclass(frozen=True)
class Postgres:
    folder: Path
    psql: str  # the program itself: Debian's wrapper around it costs five times as much

    def url(self, database: str) -> str:
        return f"postgresql:///{database}?host={self.folder}&port=5432&user=citewell"

    def new(self) -> str:
        """The address of an empty database of its own."""
        name = f"t{uuid.uuid4().hex}"
        self.ask(f"CREATE DATABASE {name}", database="postgres")
        return self.url(name)

    def copy(self, template: str) -> str:
        """The address of a copy of the database of that name, to which nobody may be connected."""
        name = f"t{uuid.uuid4().hex}"
        self.ask(f"CREATE DATABASE {name} TEMPLATE {template}", database="postgres")
        return self.url(name)

    def ask(self, sql: str, *, database: str) -> str:
        done = subprocess.run(
            [
                *(self.psql, "-h", str(self.folder), "-p", "5432", "-U", "citewell"),
                *("-d", database, "-v", "ON_ERROR_STOP=1", "-Atqc", sql),
            ],
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.stdout


@dataclass(frozen=True)
class PgBouncer:
    """A pooler in transaction mode before the PostgreSQL server of this process."""

    folder: Path

    def through(self, url: str) -> str:
        """The address of the same database by way of the pooler."""
        database = url.split("/")[3].partition("?")[0]
        return f"postgresql:///{database}?host={self.folder}&port=6432&user=citewell"


def absent(reason: str) -> NoReturn:
    """Where CI is set nothing may be missing."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason} It is required in CI; see .ci/services.")
    pytest.skip(f"{reason} See .ci/services.")


def postgres_or_skip() -> Postgres:
    found = found_postgres()
    if isinstance(found, str):
        absent(found)
    return found


def postgres_settings(template: str = "") -> dict[str, Any]:
    """Settings that name a database of its own, which is empty or a copy of the template.

    With THROUGH_PGBOUNCER=1 by way of the pooler, as the whole contract suite can be run; with
    THROUGH_PGBOUNCER=alone there is no direct way beside it.
    """
    server = postgres_or_skip()
    url = server.copy(template) if template else server.new()
    chosen = os.environ.get("THROUGH_PGBOUNCER")
    if not chosen:
        return {"database_url": url}
    direct = {} if chosen == "alone" else {"database_direct_url": url}
    return {"database_url": pgbouncer_or_skip().through(url)} | direct


def pgbouncer_or_skip() -> PgBouncer:
    postgres_or_skip()
    found = found_pgbouncer()
    if isinstance(found, str):
        absent(found)
    return found


def redis_or_skip() -> str:
    """The address of a Redis of this process's own."""
    found = _redis()
    if not found.startswith("unix:"):
        absent(found)
    return found


@cache
def found_postgres() -> Postgres | str:
    folders = [
        *Path("/usr/lib/postgresql").glob("*/bin"),
        Path(shutil.which("initdb") or "x").parent,
    ]
    programs = [folder for folder in folders if (folder / "initdb").exists()]
    psql = next((str(one / "psql") for one in programs[::-1] if (one / "psql").exists()), None)
    psql = psql or shutil.which("psql")
    if not programs or not psql:
        return "PostgreSQL is not installed."
    folder = Path(tempfile.mkdtemp(prefix="cw-pg-"))
    become = _become(folder)
    run(
        [*become, str(programs[-1] / "initdb"), "-D", str(folder / "data"), "-U", "citewell"],
        "-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8",
    )  # fmt: skip
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(folder),
        "fsync": os.environ.get("CITEWELL_TEST_FSYNC", "off"),
        "max_connections": "200",
        "shared_buffers": "64MB",
        "log_min_messages": "panic",
    }
    flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    server = [*become, str(programs[-1] / "postgres"), "-D", str(folder / "data"), *flags]
    child = _started(server, folder, signal.SIGQUIT)
    found = Postgres(folder, psql)
    _await(lambda: found.ask("SELECT 1", database="postgres"), child)
    return found


# Two connections to the server for each database: what needs its own session does not get it.
BOUNCER_SETTINGS = """
[databases]
* = host={server} port=5432 user=citewell
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = {folder}
auth_type = any
pool_mode = {mode}
default_pool_size = {size}
max_client_conn = 1000
server_idle_timeout = 60
query_wait_timeout = 20
"""


@cache
def found_pgbouncer(mode: str = "transaction", size: int = 2) -> PgBouncer | str:
    server = found_postgres()
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if isinstance(server, str) or program is None:
        return "PgBouncer is not installed."
    folder = Path(tempfile.mkdtemp(prefix="cw-pool-"))
    become = _become(folder)
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        BOUNCER_SETTINGS.format(server=server.folder, folder=folder, mode=mode, size=size),
        encoding="utf-8",
    )
    settings.chmod(0o644)
    child = _started([*become, program, "-q", str(settings)], folder, signal.SIGINT)
    _await(lambda: _connect_to_socket(folder / ".s.PGSQL.6432"), child)
    return PgBouncer(folder)


@cache
def _redis() -> str:
    program = shutil.which("redis-server")
    if program is None:
        return "The Redis server is not installed."
    folder = Path(tempfile.mkdtemp(prefix="cw-redis-"))
    path = folder / "socket"
    flags = ["--port", "0", "--unixsocket", str(path), "--save", "", "--dir", str(folder)]
    child = _started([program, *flags], folder, signal.SIGKILL)

    _await(lambda: _connect_to_socket(path), child)
    return f"unix://{path}"


def _connect_to_socket(path: Path) -> None:
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as probe:
        probe.connect(str(path))


def run(command: list[str], *flags: str) -> None:
    subprocess.run([*command, *flags], check=True, capture_output=True, timeout=120)


def _become(folder: Path) -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return []
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        user = pwd.getpwnam("nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    folder.chmod(0o755)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def _await(ready: Callable[..., Any], child: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 30
    while True:
        try:
            ready()
        except (OSError, subprocess.CalledProcessError):
            assert child.poll() is None, "the server ended by itself"
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.05)
        else:
            return


def _started(server: list[str], folder: Path, how: int) -> subprocess.Popen[bytes]:
    child = subprocess.Popen(
        [sys.executable, "-c", GUARDIAN, str(folder), str(int(how)), *server],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(_stop, child)
    return child


def _stop(child: subprocess.Popen[bytes]) -> None:
    if child.stdin is not None:
        child.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(15)
