"""What the first call of a chat window costs: `python -m benchmarks.first_call [another checkout …]`.

From spawn to the answer of the first tool call over stdio, nothing cached: CPU time, time and memory
of the process and its workers. Each further argument is the root of another checkout, with its
packages in the same interpreter; all take turns, so that they can be compared.
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
from itertools import product
from pathlib import Path
from typing import Any

import psutil

from benchmarks.clients import Piped, result
from tests.internet.serve import Internet

ROUNDS = 11
HERE = Path(__file__).parent.parent
DRAFT = """Caching reduces the latency of most pages [1]. HTTP caches store 40 % of responses [1].
Lithium batteries degrade with heat [2]. They lose 20 % of their capacity in 500 cycles [2].
Proxies may share caches [1].

References
[1] HTTP Caching. RFC 9111. https://example.org/a
[2] Smith J. Lithium battery degradation. J Power 2019.
"""
CALLS: dict[str, dict[str, Any]] = {
    "web_search": {"query": "http caching"},
    "check_draft": {"text": DRAFT},  # five statements
}


def measure_first_call(
    root: Path, environ: Mapping[str, str], tool: str
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
            result(client.ask("tools/call", {"name": tool, "arguments": CALLS[tool]}))
            seconds, server = time.perf_counter() - begun, psutil.Process(process.pid)
            family = [server, *server.children(recursive=True)]
            spent = sum(sum(member.cpu_times()[:2]) for member in family)
            held = sum(member.memory_info().rss for member in family) / 2**20
            process.kill()
        return spent, seconds, held


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("others", nargs="*", type=Path)
    roots = [HERE, *parser.parse_args().others]
    found: dict[tuple[str, Path], list[tuple[float, float, float]]] = {}
    with Internet() as internet:
        for _ in range(ROUNDS):
            for case in product(CALLS, roots):
                found.setdefault(case, []).append(
                    measure_first_call(case[1], internet.env(), case[0])
                )
    for (tool, root), rows in found.items():
        best = [min(column) for column in zip(*rows, strict=True)]
        usual = [statistics.median(column) for column in zip(*rows, strict=True)]
        print(
            f"{tool}, {root}: CPU {best[0]:.2f} / {usual[0]:.2f} s, "
            f"time {best[1]:.2f} / {usual[1]:.2f} s, memory {best[2]:.0f} / {usual[2]:.0f} MB"
        )


if __name__ == "__main__":
    main()
