"""Two hundred research jobs queued at once: whether all end, what they hold, how quick a look is."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.clients import Link, result
from benchmarks.measures import resident
from benchmarks.report import Goal, Section, table
from benchmarks.subjects import Subject
from tests.internet.world import corpus

JOBS = 200
WINDOWS = 8  # that order the jobs
PAUSE = 0.05  # seconds between two looks of the one who watches
LONGEST = 900.0  # seconds for all of them
SLOWEST = 100.0  # milliseconds, at the 95th percentile
MOST = 150.0  # megabytes that the jobs may add at their worst
SIDES = ("How does it work", "What does it cost", "What are its risks", "How has it changed")


@dataclass(slots=True)
class Run:
    """What was seen of one run."""

    before: float = 0.0  # megabytes, after one job
    peak: float = 0.0
    after: float = 0.0
    queued: float = 0.0  # seconds until all were accepted
    wall: float = 0.0
    looks: list[float] = field(default_factory=list)  # milliseconds
    ends: Counter[str] = field(default_factory=Counter)
    claims: int = 0


def research(subjects: tuple[Subject, ...]) -> Section:
    ours = subjects[0]
    with tempfile.TemporaryDirectory() as folder:
        env = {**ours.env, "CITEWELL_DATA_DIR": folder, "AUDIT_ENABLED": "false"}
        with replace(ours, env=env).listening() as (process, port):
            seen = asyncio.run(_measured(port, process))
    slow = statistics.quantiles(seen.looks, n=100)[94]
    added = seen.peak - seen.before
    return Section(
        title=f"Research: {JOBS} jobs queued at once",
        command="python -m benchmarks research",
        body=_body(seen, slow),
        notes=_NOTES,
        goals=(
            Goal(
                text=f"all of {JOBS} research jobs queued at once complete",
                measured=f"{seen.ends['completed']} completed",
                met=seen.ends["completed"] == JOBS,
            ),
            Goal(
                text=f"research_status within {SLOWEST:.0f} ms at the 95th percentile meanwhile",
                measured=f"{slow:.0f} ms",
                met=slow < SLOWEST,
            ),
            Goal(
                text=f"{JOBS} research jobs add less than {MOST:.0f} MB at their worst",
                measured=f"{added:.0f} MB",
                met=added < MOST,
            ),
        ),
    )


_NOTES = (
    "One HTTP server with its defaults, of which four jobs run at a time; provider `local`, tier S, on the loopback"
    " web without delays. Every job asks something else, so searches are not found in the cache; pages are, once they"
    " were read. Looks are research_status of jobs that are open, one after another with a pause between them, from the"
    " first job accepted to the last one ended."
)


def _body(seen: Run, slow: float) -> str:
    middle = statistics.median(seen.looks)
    rows = [
        ["jobs completed", f"{seen.ends['completed']} of {JOBS}"],
        ["claims made", f"{seen.claims:,}"],
        ["seconds until all were accepted", f"{seen.queued:.1f}"],
        ["seconds until all had ended", f"{seen.wall:.1f}"],
        ["jobs a second", f"{JOBS / seen.wall:.1f}"],
        [
            "a look, median / 95th percentile / worst",
            f"{middle:.1f} / {slow:.1f} / {max(seen.looks):.1f} ms",
        ],
        ["memory after one job / at most / at the end", f"{seen.before:.0f} / {seen.peak:.0f} / {seen.after:.0f} MB"],
    ]  # fmt: skip
    return table(("", "measured"), rows)


async def _measured(port: int, process: subprocess.Popen[bytes]) -> Run:
    seen = Run()
    links = [Link(port, "/mcp/all") for _ in range(WINDOWS + 1)]
    for link in links:
        await link.open()
    watcher = links.pop()
    await _watched(watcher, [await _ordered(watcher, "How do tides work?")], Run(), process)
    seen.before = resident(process)
    begun = time.perf_counter()
    ordering = asyncio.gather(*(_ordered_all(link, place) for place, link in enumerate(links)))
    jobs = [job for part in await ordering for job in part]
    seen.queued = time.perf_counter() - begun
    async with asyncio.timeout(LONGEST):
        await _watched(watcher, jobs, seen, process)
    seen.wall = time.perf_counter() - begun
    seen.after = resident(process)
    for link in (*links, watcher):
        link.close()
    return seen


async def _ordered_all(link: Link, place: int) -> list[str]:
    numbers = range(place, JOBS, WINDOWS)
    return [await _ordered(link, _question(number)) for number in numbers]


def _question(number: int) -> str:
    pages = corpus()
    page = pages[number % len(pages)]
    return f"{page.title}: {SIDES[number // len(pages) % len(SIDES)]}?"


async def _ordered(link: Link, query: str) -> str:
    told = await _asked(
        link, "research", {"query": query, "providers": ["local"], "budgetTier": "S"}
    )
    return str(told["jobId"])


async def _watched(
    link: Link, jobs: list[str], seen: Run, process: subprocess.Popen[bytes]
) -> None:
    """Look at one open job after another until none is left."""
    open_jobs = list(jobs)
    while open_jobs:
        job = open_jobs.pop(0)
        begun = time.perf_counter()
        told = await _asked(link, "research_status", {"jobId": job})
        seen.looks.append(1000 * (time.perf_counter() - begun))
        if told["status"] in {"completed", "failed", "cancelled"}:
            seen.ends[told["status"]] += 1
            seen.claims += told["claimsFound"]
        else:
            open_jobs.append(job)
        seen.peak = max(seen.peak, resident(process))
        await asyncio.sleep(PAUSE)


async def _asked(link: Link, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    found = result(await link.call({"name": name, "arguments": arguments}))
    told: dict[str, Any] = found.get("structuredContent") or json.loads(found["content"][0]["text"])
    return told
