"""What the audit log costs a call: cached web_search over HTTP with the log, beside the same without it.

Run: PYTHONPATH=src:. python benchmarks/audit_log.py [--seconds 4]. A server process for each case, in
turns, on SQLite and, where it is installed, on PostgreSQL, both with fsync. Trust the ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from benchmarks.clients import Link

ROUNDS = 3
CONNECTIONS = (1, 16)
SERVER = """
from citewell.core import config
from citewell.server.http import hosting

hosting.DEFAULT_PORT = 0  # the system's choice
raise SystemExit(hosting.serve_http(config.load_settings()))
"""


@contextmanager
def server(env: dict[str, str]) -> Iterator[tuple[psutil.Process, int]]:
    child = subprocess.Popen(
        [sys.executable, "-c", SERVER], env=os.environ | env, stderr=subprocess.PIPE
    )
    assert child.stderr
    try:
        line = b""
        while b"citewell serves" not in line:
            line = child.stderr.readline()
            if not line:
                raise RuntimeError("the server did not start")
        port = int(line.rsplit(b":", 1)[1].split(b"/")[0])
        yield psutil.Process(child.pid), port
    finally:
        child.kill()
        child.wait()
        child.stderr.close()


async def measure(
    port: int, process: psutil.Process, links: int, seconds: float
) -> tuple[float, float]:
    """Calls in a second, and microseconds of the server's processor for each."""
    opened = [Link(port, "/mcp") for _ in range(links)]
    for link in opened:
        await link.open()
        await link.call()
    used, begun = sum(process.cpu_times()[:2]), time.perf_counter()
    done = sum(await asyncio.gather(*(link.repeat(begun + seconds) for link in opened)))
    wall, cpu = time.perf_counter() - begun, sum(process.cpu_times()[:2]) - used
    for link in opened:
        link.close()
    return done / wall, 1e6 * cpu / done


def run_case(env: dict[str, str], links: int, seconds: float) -> tuple[float, float]:
    with (
        tempfile.TemporaryDirectory() as folder,
        server(env | {"CITEWELL_DATA_DIR": folder}) as (process, port),
    ):
        return asyncio.run(measure(port, process, links, seconds))


def compare(engine: str, base: dict[str, str], stored: dict[str, str], seconds: float) -> None:
    quiet = {"AUDIT_OUTPUT_PATH": os.devnull}
    cases = {"off": base | {"AUDIT_ENABLED": "false"}, "on": base | quiet | stored}
    for links in CONNECTIONS:
        found = [
            {name: run_case(env, links, seconds) for name, env in cases.items()}
            for _ in range(ROUNDS)
        ]
        rates = {name: max(one[name][0] for one in found) for name in cases}
        costs = {name: min(one[name][1] for one in found) for name in cases}
        print(
            f"| {engine} | {links} | {rates['off']:,.0f} | {rates['on']:,.0f} "
            f"| {rates['on'] / rates['off']:.2f} | {costs['off']:.0f} | {costs['on']:.0f} "
            f"| {costs['on'] / costs['off']:.2f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0)
    seconds = parser.parse_args().seconds
    sys.path.insert(0, str(Path(__file__).parents[1]))
    os.environ["CITEWELL_TEST_FSYNC"] = "on"
    from tests.internet.serve import Internet
    from tests.services import found_postgres

    with Internet() as internet:
        base = internet.env() | {
            "LOG_LEVEL": "error",
            "CITEWELL_CONFIG": os.devnull,
            "CITEWELL_MASTER_KEY": "0a" * 32,
        }
        compare("SQLite", base, {}, seconds)
        postgres = found_postgres()
        if isinstance(postgres, str):
            print(postgres)
        else:
            compare("PostgreSQL", base, {"CITEWELL_DATABASE_URL": postgres.new()}, seconds)


if __name__ == "__main__":
    main()
