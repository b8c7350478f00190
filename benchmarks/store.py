"""What a cached answer costs: each tier beside the least that could do the same in this very run.

Run: python benchmarks/store.py [--rounds 5]. Trust the ratios, not the microseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from citewell.core.config import Settings
from citewell.store.cache_store import open_cache_store

SIZES = {"1.5 KB": 1_500, "20 KB": 20_000}
COUNT = 300


def text(size: int) -> bytes:
    """JSON that compresses about as well as search results do."""
    rows = [
        {"title": f"Result {n}", "url": f"https://example.org/{n * 7919}", "n": n}
        for n in range(999)
    ]
    return json.dumps(rows).encode()[:size]


async def timed(work: Callable[[int], Awaitable[object]]) -> float:
    """Microseconds for each of COUNT calls, one after another."""
    begun = time.perf_counter()
    for number in range(COUNT):
        await work(number)
    return (time.perf_counter() - begun) / COUNT * 1e6


def bare(folder: Path) -> sqlite3.Connection:
    link = sqlite3.connect(folder / "bare.db", isolation_level=None)
    link.execute("PRAGMA journal_mode = WAL")
    link.execute("PRAGMA synchronous = NORMAL")
    link.execute("CREATE TABLE IF NOT EXISTS entry (id TEXT PRIMARY KEY, body BLOB)")
    return link


async def measure(folder: Path, value: bytes) -> dict[str, float]:
    held: dict[tuple[str, str], bytes] = {("o", str(n)): value for n in range(COUNT)}
    link = bare(folder)
    warm = open_cache_store(Settings(data_dir=folder))
    cold = open_cache_store(Settings(data_dir=folder, cache_max_memory_mb=0))

    async def dict_get(n: int) -> bytes:
        return held["o", str(n)]

    async def commit(n: int) -> None:
        link.execute("INSERT OR REPLACE INTO entry VALUES (?, ?)", (str(n), value))

    async def select(n: int) -> None:
        link.execute("SELECT body FROM entry WHERE id = ?", (str(n),)).fetchone()

    async def together() -> float:
        begun = time.perf_counter()
        await asyncio.gather(
            *(warm.cache.store_entry("o", str(n), value, ttl=600) for n in range(COUNT))
        )
        return (time.perf_counter() - begun) / COUNT * 1e6

    await warm.cache.store_entry(
        "o", "first", value, ttl=600
    )  # opens the file, loads the libraries
    await cold.cache.look_up_entry("o", "first")
    found = {
        "dict": await timed(dict_get),
        "commit": await timed(commit),
        "select": await timed(select),
        "put": await timed(lambda n: warm.cache.store_entry("o", str(n), value, ttl=600)),
        "put, 300 at once": await together(),
        "hit in memory": await timed(lambda n: warm.cache.look_up_entry("o", str(n))),
        "hit on disk": await timed(lambda n: cold.cache.look_up_entry("o", str(n))),
    }
    assert cold.health.list_event_counts().get("disk", 0) >= COUNT
    link.close()
    await warm.aclose()
    await cold.aclose()
    return found


BESIDE = {
    "hit in memory": "dict",
    "hit on disk": "select",
    "put": "commit",
    "put, 300 at once": "commit",
}


def report(label: str, best: dict[str, float]) -> None:
    for name, base in BESIDE.items():
        line = f"{label:>7} | {name:<17}| {best[name]:8.1f} µs | bare {base:<7}{best[base]:7.1f} µs"
        print(f"{line} | × {best[name] / best[base]:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    for label, size in SIZES.items():
        with tempfile.TemporaryDirectory() as folder:
            runs = [asyncio.run(measure(Path(folder), text(size))) for _ in range(rounds)]
        report(label, {name: min(run[name] for run in runs) for name in runs[0]})


if __name__ == "__main__":
    main()
