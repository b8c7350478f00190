"""The whole reading of a page in one process: by stage, beside trafilatura, beside the earlier tree."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.report import Goal, table
from benchmarks.subjects import ROOT, installed

ROUNDS = 3
PAGES = 200
TRAFILATURA = "2.3.1"
EARLIER = "7b5e5da"  # the last commit in which the server itself read pages
_OURS, _EARLIER, _THEIRS, _THEIRS_WHOLE = "whole", "earlier", "trafilatura", "trafilatura_whole"
_LABELS = {
    _OURS: "citewell, whole reading",
    _EARLIER: "citewell, whole reading, earlier",
    _THEIRS: "trafilatura, text",
    _THEIRS_WHOLE: "trafilatura, markdown with links and metadata",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one subject made of all pages, and what it took."""

    cpu: float
    peak: float
    texts: Mapping[str, str] = field(repr=False)
    stages: Mapping[str, float] = field(default_factory=dict)  # CPU seconds

    @property
    def rate(self) -> float:
        return len(self.texts) / self.cpu

    @property
    def failed(self) -> int:
        return sum(not text for text in self.texts.values())


def measure_whole_reading(pages: Path) -> tuple[str, tuple[Goal, ...]]:
    """Tables and goals for some of the WCXB pages in a folder of score.py."""
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "pages.jsonl"
        kept.write_text("".join(_sample_pages(pages)))
        runs = _run_all(kept, Path(folder))
        staged = run_alone("stages", sys.executable, kept)
        bodies = [json.loads(line) for line in kept.read_text().splitlines()]
        rates = [asyncio.run(_measure_pool(bodies, count)) for count in (1, 2)]
    ours = _best_rate(runs[_OURS])
    beside = ours / _best_rate(runs[_THEIRS])
    memory = _least_peak(runs[_OURS]) / _least_peak(runs[_EARLIER])
    parts = (_show_subjects(runs), _show_stages(staged), _show_pool(rates))
    return "\n\n".join(parts), (
        Goal(
            text="whole reading in one process at least twice trafilatura's pages per CPU second",
            measured=f"{beside:.2f} times",
            met=beside >= 2,
        ),
        Goal(
            text=f"peak memory of the whole reading at most that of {EARLIER}",
            measured=f"{memory:.2f} of it",
            met=memory <= 1,
        ),
    )


def run_alone(name: str, python: str, pages: Path, *, source: Path | None = None) -> Run:
    """One extractor of alone.py in a process of its own; `source` takes the place of our own tree."""
    answers = pages.with_suffix(".answers")
    script = ROOT / "benchmarks" / "alone.py"
    env = dict(os.environ) | ({"PYTHONPATH": str(source)} if source else {})
    subprocess.run([python, str(script), name, str(pages), str(answers)], check=True, env=env)
    return Run(**json.loads(answers.read_text()))


def find_trafilatura() -> str:
    venv = installed("trafilatura", TRAFILATURA, needs=("lxml_html_clean",))
    return str(venv / "bin" / "python")


def _run_all(kept: Path, folder: Path) -> dict[str, list[Run]]:
    source, theirs = _unpack_earlier(folder), find_trafilatura()
    runs: dict[str, list[Run]] = {name: [] for name in _LABELS}
    for _ in range(ROUNDS):
        runs[_OURS].append(run_alone(_OURS, sys.executable, kept))
        runs[_EARLIER].append(run_alone(_EARLIER, sys.executable, kept, source=source))
        runs[_THEIRS].append(run_alone(_THEIRS, theirs, kept))
        runs[_THEIRS_WHOLE].append(run_alone(_THEIRS_WHOLE, theirs, kept))
    return runs


def _unpack_earlier(folder: Path) -> Path:
    packed = subprocess.run(
        ["git", "archive", EARLIER, "src"], check=True, capture_output=True, cwd=ROOT
    ).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed, check=True)
    return folder / "src"


def _sample_pages(pages: Path) -> list[str]:
    files = sorted((pages / "data" / "wcxb" / "dev" / "html").glob("*.html.gz"))
    random.Random(1).shuffle(files)
    lines = []
    for file in files[:PAGES]:
        name = file.name.partition(".")[0]
        body = base64.b64encode(gzip.decompress(file.read_bytes())).decode()
        lines.append(
            json.dumps({"id": name, "url": f"https://example.org/{name}", "body": body}) + "\n"
        )
    return lines


async def _measure_pool(pages: Sequence[Mapping[str, str]], count: int) -> float:
    """Pages per second of so many worker processes, transport included."""
    from citewell.core.errors import CitewellError
    from citewell.reading.extracted_page import PageResponse
    from citewell.reading.page_reading import read_page
    from citewell.workers.worker_pool import WorkerLimits, WorkerPool
    from citewell.workers.worker_tasks import run_function

    async def read(pool: WorkerPool, page: Mapping[str, str]) -> None:
        response = PageResponse(url=page["url"], final_url=page["url"])
        with contextlib.suppress(CitewellError):  # a wall
            await run_function(pool, read_page, base64.b64decode(page["body"]), response)

    async with WorkerPool(WorkerLimits(count=count)) as pool:
        await asyncio.gather(*(read(pool, page) for page in pages[:count]))
        begun = time.perf_counter()
        await asyncio.gather(*(read(pool, page) for page in pages))
        return len(pages) / (time.perf_counter() - begun)


def _best_rate(runs: Sequence[Run]) -> float:
    return max(run.rate for run in runs)


def _least_peak(runs: Sequence[Run]) -> float:
    return min(run.peak for run in runs)


def _show_subjects(runs: Mapping[str, Sequence[Run]]) -> str:
    ours, held = _best_rate(runs[_OURS]), _least_peak(runs[_OURS])
    rows = [
        [label, f"{_best_rate(runs[name]) / ours:.2f}", f"{_least_peak(runs[name]) / held:.2f}"]
        for name, label in _LABELS.items()
    ]
    head = (f"{PAGES} pages of WCXB, one process", "pages per CPU second", "peak resident")
    return table(head, rows)


def _show_stages(run: Run) -> str:
    rows = [[name, f"{spent / run.cpu:.3f}"] for name, spent in run.stages.items()]
    return table(("stage of the whole reading", "share of its CPU time"), rows)


def _show_pool(rates: Sequence[float]) -> str:
    rows = [[f"{count}", f"{rate / rates[0]:.2f}"] for count, rate in enumerate(rates, start=1)]
    return table(("worker processes", "pages per second beside one"), rows)
