"""haproxy in front of the instances: one after the other, and no session sticks to an instance."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.processes import ClusterProcess, can_connect, find_program

# The settings that operators get, with other servers and another address to listen on.
_SETTINGS = Path(__file__).parents[2] / "deploy" / "haproxy.cfg"


@dataclass(frozen=True, kw_only=True)
class Balancer:
    process: ClusterProcess
    url: str
    listening: socket.socket  # kept open, so that the balancer can start again at the same address


def start_balancer(folder: Path, instances: Mapping[str, int]) -> Balancer:
    """`instances` are the ports on loopback by name."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    port = listening.getsockname()[1]
    servers = [f"    server {name} 127.0.0.1:{number}" for name, number in instances.items()]
    kept = [
        line
        for line in _SETTINGS.read_text("utf-8").splitlines()
        if not line.startswith("    server ")
    ]
    path = folder / "haproxy.cfg"
    path.write_text("\n".join([*kept, *servers, ""]), encoding="utf-8")
    process = ClusterProcess(
        name="haproxy",
        command=[find_program("haproxy") or "", "-db", "-f", str(path)],
        log=folder / "haproxy.log",
        is_ready=lambda: can_connect(("127.0.0.1", port)),
        environ={"CITEWELL_BALANCER_BIND": f"fd@{listening.fileno()}"},
        files=(listening.fileno(),),
    )
    process.start()
    return Balancer(process=process, url=f"http://127.0.0.1:{port}", listening=listening)
