"""What the first search of a chat window costs: `python -m benchmarks.first_call [another checkout …]`.

From spawn to the answer of the first `web_search` over stdio, nothing cached: CPU time, time and
memory of the process. Each further argument is the root of another checkout, with its packages in
the same interpreter; all take turns, so that they can be compared.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

from benchmarks.clients import Piped, result
from tests.internet.serve import Internet

ROUNDS = 11
HERE = Path(__file__).parent.parent


def measure_first_call(
    root: Path, environ: Mapping[str, str], query: str
) -> tuple[float, float, float]:
    """Seconds of CPU, seconds and megabytes until the answer."""
    with tempfile.TemporaryDirectory() as folder:
        own = {
            "PYTHONPATH": f"{root / 'src'}",
            "HOME": folder,
            "CITEWELL_CONFIG": f"{folder}/none.toml",
            "CITEWELL_DATA_DIR": f"{folder}/data",
            "CITEWELL_STEALTH": "false",
            "CHROME_PATH": "disabled",
        }
        begun = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "citewell", "serve"],
            cwd=folder,
            env={**os.environ, **environ, **own},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        with process:
            client = Piped(process)
            client.open()
            result(client.ask("tools/call", {"name": "web_search", "arguments": {"query": query}}))
            seconds, measured = time.perf_counter() - begun, psutil.Process(process.pid)
            spent = measured.cpu_times()
            figures = (spent.user + spent.system, seconds, measured.memory_info().rss / 2**20)
            process.kill()
        return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("others", nargs="*", type=Path)
    roots = [HERE, *parser.parse_args().others]
    found: dict[Path, list[tuple[float, float, float]]] = {root: [] for root in roots}
    with Internet() as internet:
        for number in range(ROUNDS):
            for root in roots:
                query = f"http caching {number}"
                found[root].append(measure_first_call(root, internet.env(), query))
    for root, rows in found.items():
        best = [min(column) for column in zip(*rows, strict=True)]
        usual = [statistics.median(column) for column in zip(*rows, strict=True)]
        print(
            f"{root}: CPU {best[0]:.2f} / {usual[0]:.2f} s, "
            f"time {best[1]:.2f} / {usual[1]:.2f} s, memory {best[2]:.0f} / {usual[2]:.0f} MB"
        )


if __name__ == "__main__":
    main()
