"""What an artifact costs in the database and in an object store: `python -m benchmarks objects`."""

from __future__ import annotations

import asyncio
import base64
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.report import Section, table
from citewell.core.config import Settings
from citewell.store import object_entry_tier
from citewell.store.cache_store import CacheStore, open_cache_store
from tests.object_servers import BUCKET, object_settings, start_object_server
from tests.services import postgres_or_skip

SIZES_KB = (32, 128, 256, 1024, 4096)
ROUNDS = 15
# A fresh interpreter, so that nothing is loaded already; the last line is what is measured.
_LOAD_CLIENT = """
import sys, time
def resident(): return int(open("/proc/self/statm").read().split()[1]) * 4096 / 2**20
modules, memory, begun = len(sys.modules), resident(), time.perf_counter()
from obstore.store import S3Store
S3Store("bucket", endpoint="https://localhost", region="r", access_key_id="a", secret_access_key="b")
print((time.perf_counter() - begun) * 1000, len(sys.modules) - modules, resident() - memory)
"""


def objects() -> Section:
    """Storing and loading one artifact of random text, nothing of it in memory."""
    rows = asyncio.run(_measure_all())
    took, modules, memory = _measure_client()
    return Section(
        title="Artifacts in an object store",
        command="python -m benchmarks objects",
        body=table(["size", *rows], _turn_rows(rows)),
        notes=(
            f"Milliseconds to store / to load one artifact, medians of {ROUNDS}; the object server is s3rver "
            "on the same machine, without the way over a network. "
            f"The client loads in {took:.0f} ms with {modules:.0f} modules and {memory:.0f} MB, once an "
            "object store is set; a server without one loads nothing of it."
        ),
    )


async def _measure_all() -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        start_object_server(Path(folder) / "objects") as server,
    ):
        kinds: dict[str, dict[str, Any]] = {
            "SQLite": {},
            "PostgreSQL": {"database_url": postgres_or_skip().new(), "master_key": "0a" * 32},
            "objects": {"object_store_url": f"s3://{BUCKET}/bench", **object_settings(server)},
        }
        for name, options in kinds.items():
            store = open_cache_store(
                Settings(data_dir=Path(folder) / name, cache_max_memory_mb=0, **options)
            )
            # So that the small sizes are measured as objects too.
            object_entry_tier.MIN_OBJECT_BYTES = 0
            rows[name] = [await _measure_size(store, size) for size in SIZES_KB]
            await store.aclose()
    return rows


async def _measure_size(store: CacheStore, size_kb: int) -> str:
    put, got = [], []
    for number in range(ROUNDS):
        body = base64.b64encode(random.Random(number).randbytes(size_kb * 768))
        begun = time.perf_counter()
        kept = await store.artifacts.store_artifact("owner", body, "text/plain")
        put.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        assert (await store.artifacts.load_artifact("owner", kept.id)).body == body
        got.append(time.perf_counter() - begun)
    return f"{statistics.median(put) * 1000:.1f} / {statistics.median(got) * 1000:.1f}"


def _turn_rows(rows: dict[str, list[str]]) -> list[list[str]]:
    return [
        [f"{size} KiB", *(cells[place] for cells in rows.values())]
        for place, size in enumerate(SIZES_KB)
    ]


def _measure_client() -> tuple[float, ...]:
    """Milliseconds, modules and megabytes, each the median of five."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", _LOAD_CLIENT],
            check=True,
            capture_output=True,
            text=True,
            env=dict(os.environ),
        ).stdout.split()
        for _ in range(5)
    ]
    return tuple(statistics.median(map(float, column)) for column in zip(*runs, strict=True))
