"""The pinned Node packages of tests/node, and programs that run on them."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.services import absent

FOLDER = Path(__file__).parent / "node"
_PINNED_NODE = FOLDER / "node_modules" / "node" / "bin" / "node"


def find_package(name: str) -> Path:
    """The folder of an installed package; in CI a missing one is a failure."""
    folder = FOLDER / "node_modules" / name
    if not folder.is_dir():
        absent("The Node packages of tests/node are not installed; run tests/node/install.sh.")
    return folder


def node_or_skip() -> str:
    """The Node that runs the packages; in CI a missing one is a failure."""
    find_package("oidc-provider")
    node = str(_PINNED_NODE) if _PINNED_NODE.exists() else shutil.which("node")
    if node is None:
        absent("Node is not installed.")
    return node


def run_script(name: str, *arguments: str, seconds: float = 60) -> Any:
    """The JSON that a script of tests/node prints."""
    done = subprocess.run(
        [node_or_skip(), str(FOLDER / name), *arguments],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@contextlib.contextmanager
def authorization_server(resource: str, scopes: tuple[str, ...]) -> Iterator[str]:
    """oidc-provider on a loopback port; yields its issuer."""
    issuer = f"http://127.0.0.1:{find_free_port()}"
    command = [node_or_skip(), str(FOLDER / "authorization_server.mjs"), issuer, resource, *scopes]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            while "ready" not in (line := process.stdout.readline()):
                assert line, "the authorization server did not start"
            yield issuer
        finally:
            process.stdin.close()
            process.wait(10)


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        port: int = chosen.getsockname()[1]
        return port
