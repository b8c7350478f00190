"""The servers that are compared, and the loopback web that both search."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from tests.issuers import run_issuer

ROOT = Path(__file__).resolve().parent.parent
PEER = "web-researcher-mcp"
PEER_VERSION = "1.50.4"
_ENDLESS = "100000000"  # a limit nobody meets


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One server: how it is started over stdio and over HTTP, and where its endpoint is."""

    name: str
    stdio: tuple[str, ...]
    http: tuple[str, ...]  # takes the port from PORT
    endpoint: str
    env: Mapping[str, str] = field(repr=False)
    token: str = field(default="", repr=False)  # what its HTTP clients prove themselves with

    @contextlib.contextmanager
    def piped(self, *further: str) -> Iterator[subprocess.Popen[bytes]]:
        """Running over stdio; `further` are arguments of its command."""
        process = subprocess.Popen(
            [*self.stdio, *further],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(self.env),
        )
        with _ended(process):
            yield process

    @contextlib.contextmanager
    def listening(self) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
        """Running over HTTP, once it answers; with its port."""
        port = free_port()
        process = subprocess.Popen(
            self.http,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**self.env, "PORT": str(port)},
        )
        with _ended(process):
            _await_live(process, port)
            yield process, port


@contextlib.contextmanager
def compared() -> Iterator[tuple[Subject, Subject, Subject]]:
    """Citewell, the peer as installed, and the peer's binary without its launcher."""
    with tempfile.TemporaryDirectory() as folder, loopback() as web:
        home = Path(folder)
        shared = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        ours = (
            shared
            | web
            | {
                "HOME": _made(home / "citewell"),
                "CITEWELL_DATA_DIR": _made(home / "citewell" / "data"),
                "SEARCH_PROVIDER": "searxng",
            }
        )
        theirs = shared | {
            "HOME": _made(home / "peer"),
            "CACHE_DIR": _made(home / "peer" / "cache"),
            "SEARCH_PROVIDER": "searxng",
            "SEARXNG_URL": web["SEARXNG_URL"],
            "ALLOW_PRIVATE_IPS": "true",
            "CHROME_PATH": "disabled",
            "JINA_READER_DISABLED": "true",
            "RATE_LIMIT_PER_TENANT": _ENDLESS,
            "RATE_LIMIT_GLOBAL": _ENDLESS,
            "DAILY_QUOTA_PER_TENANT": _ENDLESS,
        }
        command = str(Path(sys.executable).with_name("citewell"))
        launcher, binary = installed_peer()
        yield (
            Subject(
                name="citewell",
                stdio=(command, "serve"),
                http=(command, "serve", "--http"),
                endpoint="/mcp",
                env=ours,
            ),
            Subject(name=PEER, stdio=(launcher,), http=(launcher,), endpoint="/mcp/", env=theirs),
            Subject(
                name=f"{PEER}, bare binary",
                stdio=(binary,),
                http=(binary,),
                endpoint="/mcp/",
                env=theirs,
            ),
        )


@contextlib.contextmanager
def with_oauth(subject: Subject) -> Iterator[Subject]:
    """Citewell again, with an issuer whose signed tokens it verifies, and limits that nobody meets."""
    audience = "https://research.example.org/mcp"
    with run_issuer() as issuer, tempfile.TemporaryDirectory() as folder:
        allowed = subject.env.get("CITEWELL_ALLOW_PRIVATE_HOSTS", "")
        oauth = {
            "CITEWELL_DATA_DIR": folder,
            "CITEWELL_ALLOW_PRIVATE_HOSTS": f"{allowed},{urlsplit(issuer.issuer).netloc}",
            "OAUTH_ISSUER_URL": issuer.issuer,
            "OAUTH_AUDIENCE": audience,
            "RATE_LIMIT_PER_TENANT": _ENDLESS,
            "RATE_LIMIT_GLOBAL": _ENDLESS,
            "DAILY_QUOTA_PER_TENANT": _ENDLESS,
            "CITEWELL_RATE_LIMIT_PER_USER": _ENDLESS,
        }
        token = issuer.issue_token(audience, now=time.time(), exp=int(time.time()) + 3600)
        yield replace(
            subject,
            name=f"{subject.name}, OAuth on",
            env={**subject.env, **oauth},
            token=token,
        )


def installed_peer() -> tuple[str, str]:
    """The peer's command and the binary it starts."""
    venv = installed(PEER, PEER_VERSION, folder="peer")
    binary = next(venv.glob(f"lib/*/site-packages/*/bin/{PEER}"))
    binary.chmod(0o755)
    return str(venv / "bin" / PEER), str(binary)


def installed(name: str, version: str, *, folder: str = "", needs: tuple[str, ...] = ()) -> Path:
    """A venv with only this package, and what it does not itself ask for; made where it is missing."""
    venv = ROOT / ".run" / (folder or name)
    done = venv / f".{name}-{version}"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        pip = (str(venv / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check")
        subprocess.run([*pip, f"{name}=={version}", *needs], check=True)
        done.touch()
    return venv


@contextlib.contextmanager
def loopback() -> Iterator[dict[str, str]]:
    """The loopback web in a process of its own; the settings that point at it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.internet", "--print-env"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    with _ended(process):
        assert process.stdout
        lines = iter(process.stdout.readline, "\n")
        yield dict(line.strip().split("=", 1) for line in lines)


@contextlib.contextmanager
def _ended(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> Iterator[None]:
    try:
        yield
    finally:
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
        process.terminate()
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_live(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/live", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise RuntimeError(f"{process.args!r} did not come up")


def free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])


def _made(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)
