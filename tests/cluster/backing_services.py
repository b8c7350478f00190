"""The services behind the instances: PostgreSQL, PgBouncer, Redis and a small loopback internet."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.processes import ClusterProcess, can_connect, find_program

ROOT = Path(__file__).resolve().parents[2]
DATABASE_PORT, POOLER_PORT = 5432, 6432  # parts of socket names; nothing listens on the network
_MAX_POOLED = 20  # connections of PgBouncer to the server
_BOUNCER_SETTINGS = """
[databases]
* = host={folder} port={database_port} user=citewell
[pgbouncer]
listen_addr =
listen_port = {pooler_port}
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = {pooled}
max_client_conn = 500
server_idle_timeout = 60
"""


@dataclass(frozen=True, kw_only=True)
class DatabaseServer:
    process: ClusterProcess
    folder: Path
    psql: str

    def build_url(self, *, port: int = DATABASE_PORT, database: str = "citewell") -> str:
        return f"postgresql:///{database}?host={self.folder}&port={port}&user=citewell"

    def run_sql(self, sql: str, *, database: str = "citewell") -> str:
        """What the statement returns, a line for each row."""
        done = subprocess.run(
            [
                *(self.psql, "-h", str(self.folder), "-p", str(DATABASE_PORT), "-U", "citewell"),
                *("-d", database, "-v", "ON_ERROR_STOP=1", "-Atqc", sql),
            ],
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.stdout

    def list_connections(self) -> list[int]:
        """The processes of the server that serve a client, ours excepted."""
        told = self.run_sql(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
            " AND pid <> pg_backend_pid()"
        )
        return [int(line) for line in told.split()]

    def end_connection(self, number: int) -> None:
        self.run_sql(f"SELECT pg_terminate_backend({number})")


def find_database_programs() -> Path | None:
    """The folder with the programs of the newest PostgreSQL that is installed."""
    found = [one for one in Path("/usr/lib/postgresql").glob("*/bin") if (one / "initdb").exists()]
    return max(found, default=None, key=lambda one: int(one.parent.name))


def list_missing_programs() -> list[str]:
    """What a cluster needs and this machine lacks."""
    missing = [
        name
        for name in ("redis-server", "pgbouncer", "haproxy", "setpriv")
        if not find_program(name)
    ]
    return missing if find_database_programs() else ["postgresql", *missing]


def start_database(folder: Path, *, disk: Path | None = None) -> DatabaseServer:
    """A server whose data is on the disk, or else in the folder of its socket."""
    programs = find_database_programs()
    assert programs is not None
    folder.mkdir()
    become = build_user_change(folder)
    if disk is not None:
        build_user_change(disk)
    data = str((disk or folder) / "data")
    subprocess.run(
        [
            *(*become, str(programs / "initdb"), "-D", data, "-U", "citewell"),
            *("-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(folder),
        "fsync": "off",  # processes are killed here, the machine is not
        "max_connections": "200",
        "shared_buffers": "64MB",
    }
    flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    database = DatabaseServer(
        process=ClusterProcess(
            name="postgresql",
            command=[*become, str(programs / "postgres"), "-D", data, *flags],
            log=folder.parent / "postgresql.log",
            is_ready=lambda: _answers_sql(database),
            end_signal=signal.SIGINT,
        ),
        folder=folder,
        psql=str(programs / "psql"),
    )
    database.process.start()
    database.run_sql("CREATE DATABASE citewell", database="postgres")
    return database


def start_pooler(database: DatabaseServer) -> ClusterProcess:
    """PgBouncer in transaction mode; its address is that of the database at another port."""
    settings = database.folder / "pgbouncer.ini"
    text = _BOUNCER_SETTINGS.format(
        folder=database.folder,
        database_port=DATABASE_PORT,
        pooler_port=POOLER_PORT,
        pooled=_MAX_POOLED,
    )
    settings.write_text(text, encoding="utf-8")
    settings.chmod(0o644)
    become = build_user_change(database.folder)
    process = ClusterProcess(
        name="pgbouncer",
        command=[*become, find_program("pgbouncer") or "", str(settings)],
        log=database.folder.parent / "pgbouncer.log",
        is_ready=lambda: can_connect(f"{database.folder}/.s.PGSQL.{POOLER_PORT}"),
        end_signal=signal.SIGINT,
    )
    process.start()
    return process


def start_redis(folder: Path) -> ClusterProcess:
    """Keeps nothing: whoever kills it empties it."""
    path = str(folder / "redis.socket")
    flags = ["--port", "0", "--unixsocket", path, "--save", "", "--dir", str(folder)]
    process = ClusterProcess(
        name="redis",
        command=[find_program("redis-server") or "", *flags],
        log=folder / "redis.log",
        is_ready=lambda: can_connect(path),
    )
    process.start()
    return process


@dataclass(frozen=True, kw_only=True)
class LoopbackInternet:
    process: ClusterProcess
    url: str
    environ: dict[str, str]  # settings that point a citewell process at it


def start_internet(folder: Path, *, latency: str = "none") -> LoopbackInternet:
    told = folder / "internet.env"
    process = ClusterProcess(
        name="internet",
        command=[
            *(sys.executable, "-m", "tests.internet"),
            *("--print-env", "--latency", latency),
        ],
        log=told,
        is_ready=lambda: told.exists() and "\n\n" in told.read_text(encoding="utf-8"),
        environ=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
    )
    process.start()
    lines = told.read_text(encoding="utf-8").partition("\n\n")[0].splitlines()
    environ = dict(line.split("=", 1) for line in lines)
    hosts = environ["CITEWELL_ALLOW_PRIVATE_HOSTS"].split(",")
    return LoopbackInternet(process=process, url=f"http://{hosts[0]}", environ=environ)


def build_user_change(folder: Path) -> list[str]:
    """Before the command of a program that refuses to run as root; the folder is given to that user."""
    if os.geteuid() != 0:
        return []
    user = _find_service_user()
    os.chown(folder, user.pw_uid, user.pw_gid)
    folder.chmod(0o755)
    # A change of user forgets the signal that ends it with its parent, so it is asked for again.
    return [
        *("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"),
        *("setpriv", "--pdeathsig", "KILL"),
    ]


def _find_service_user() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def _answers_sql(database: DatabaseServer) -> bool:
    return does_succeed(lambda: database.run_sql("SELECT 1", database="postgres"))


def does_succeed(action: Callable[[], object]) -> bool:
    try:
        action()
    except (OSError, subprocess.SubprocessError):
        return False
    return True
