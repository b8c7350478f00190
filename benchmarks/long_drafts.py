"""What the check of a draft with 500 citations takes: time, memory, gaps between reports of progress.

Run: python -m benchmarks long-draft. The loopback web runs in a process of its own and answers after
100 ms; once nobody need be slow, once the registries are asked at the pace that they ask for. Each
check begins with an empty cache; a second one in a new server has what the first has stored.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.alone import peak
from benchmarks.audit import Web, web
from benchmarks.report import Goal, Section, table
from benchmarks.subjects import ROOT
from citewell import providers
from citewell.core import config
from citewell.drafts.draft_check import DraftCheck
from citewell.drafts.draft_reading import DraftSource, read_draft_source
from citewell.server.app import App
from tests.internet.papers import register
from tests.internet.world import corpus

CITATIONS = 500
_SMALL_CITATIONS = 100
_MAX_GAP_SECONDS = 5.0
_MAX_REPEAT_SHARE = 0.1  # of the first check's time, for the second
_MAX_PACE_RATIO = 2.0
_MAX_GROWTH_MB = 60.0
_OWNER = "default/anonymous"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRun:
    """One check and its repetition."""

    first_seconds: float
    second_seconds: float
    longest_gap: float  # seconds without a report of progress
    peak_mb: float
    verdicts: Mapping[str, int]
    calls: Mapping[str, int]
    second_calls: Mapping[str, int]


def compose_draft(found: Web, count: int) -> str:
    """A draft of `count` citations: works by their DOI, and pages by their address."""
    works = _list_work_entries()
    pages = _list_page_entries(found)
    every = [one for pair in zip(works, pages, strict=False) for one in pair]
    # Long drafts cite their main sources again: what is left is cited a second time.
    chosen = [every[at % len(every)] for at in range(count)]
    distinct = list(dict.fromkeys(entry for _, entry in chosen))
    numbers = {entry: number for number, entry in enumerate(distinct, start=1)}
    said = "\n\n".join(f"{text} [{numbers[entry]}]." for text, entry in chosen)
    listed = "\n".join(f"{number}. {entry}" for entry, number in numbers.items())
    return f"# A long draft\n\n{said}\n\n## References\n\n{listed}\n"


def _list_work_entries() -> list[tuple[str, str]]:
    found = []
    for one in register().works:
        if one.authors and one.year and len(one.title.split()) > 5:
            entry = (
                f"{one.names[0]} ({one.year}). {one.title}. {one.venue}. https://doi.org/{one.doi}"
            )
            found.append((f"The work on {one.title.lower()} is well known", entry))
    return found


def _list_page_entries(found: Web) -> list[tuple[str, str]]:
    made = []
    for page in corpus():
        sentence = page.text.replace("\n", " ").partition(". ")[0][:300]
        made.append((sentence, found.address(page.host, page.path)))
    return made


def run_check(found: Web, count: int) -> DraftRun:
    """The check and its repetition, in a process of their own."""
    given = json.dumps({"env": found.env, "text": compose_draft(found, count)})
    command = [sys.executable, "-m", "benchmarks.long_drafts", "--child"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        found.calls()
        child.stdin.write(given + "\n")
        child.stdin.flush()
        first = json.loads(child.stdout.readline())
        calls = found.calls()
        second = json.loads(child.communicate("\n")[0])
    return DraftRun(
        first_seconds=first["seconds"],
        second_seconds=second["seconds"],
        longest_gap=max(first["gap"], second["gap"]),
        peak_mb=second["peak"],
        verdicts=first["verdicts"],
        calls=calls,
        second_calls=found.calls(),
    )


async def _check_twice() -> None:
    given = json.loads(sys.stdin.readline())
    draft = read_draft_source(DraftSource(text=given["text"]))
    with tempfile.TemporaryDirectory() as folder:
        env = given["env"] | {
            "CITEWELL_CONFIG": f"{folder}/none.toml",
            "CITEWELL_DATA_DIR": f"{folder}/data",
            "HOME": folder,
        }
        for _ in range(2):
            app = App(config.load_settings(env))
            gaps = _ProgressGaps()
            begun = time.perf_counter()
            report = await app.require_service(DraftCheck).check_draft(
                draft, owner=_OWNER, progress=gaps.note_report, max_statements=5000
            )
            seconds = time.perf_counter() - begun
            gaps.close_gap()
            print(
                json.dumps(
                    {
                        "seconds": seconds,
                        "gap": gaps.longest,
                        "peak": peak(),
                        "verdicts": report.summary.verdicts,
                    }
                ),
                flush=True,
            )
            await app.aclose()
            if _ == 0:
                await asyncio.to_thread(sys.stdin.readline)


class _ProgressGaps:
    def __init__(self) -> None:
        self.longest = 0.0
        self._last = time.perf_counter()

    def close_gap(self) -> None:
        now = time.perf_counter()
        self.longest, self._last = max(self.longest, now - self._last), now

    async def note_report(self, _done: float, _total: float | None, _message: str | None) -> None:
        self.close_gap()


def measure_least_seconds(calls: Mapping[str, int]) -> tuple[float, str]:
    """The time that the slowest registry's own pace takes for these requests, and its name."""
    return max(_iterate_paces(calls), default=(0.0, ""))


def _iterate_paces(calls: Mapping[str, int]) -> Iterator[tuple[float, str]]:
    for name, count in calls.items():
        if name in providers.NAMES and (pace := providers.load(name).SPEC.per_second):
            yield count / pace, name


def long_draft() -> Section:
    with web() as found:
        small = run_check(found, _SMALL_CITATIONS)
        large = run_check(found, CITATIONS)
    with web(unhurried=False) as slow:
        paced = run_check(slow, CITATIONS)
    least, slowest = measure_least_seconds(paced.calls)
    growth = large.peak_mb - small.peak_mb
    rows = [
        _show_run(f"{_SMALL_CITATIONS} citations", small),
        _show_run(f"{CITATIONS} citations", large),
        _show_run(f"{CITATIONS} citations at the pace each registry asks for", paced),
    ]
    asked = [
        [name, str(large.calls[name]), str(large.second_calls.get(name, 0)), str(paced.calls.get(name, 0))]
        for name in sorted(large.calls)
    ]  # fmt: skip
    share = paced.second_seconds / paced.first_seconds
    ratio = paced.first_seconds / least if least else 0.0
    gap = max(one.longest_gap for one in (small, large, paced))
    heads = ("every answer after 100 ms", "first", "second", "longest gap of progress", "peak")
    body = table(heads, rows)
    body += "\n\n" + table(("requests", "first", "second", "paced"), asked)
    return Section(
        title=f"check_draft of {CITATIONS} citations",
        command="python -m benchmarks long-draft",
        body=body,
        notes=(
            "Works by their DOI and pages of the loopback web in turns, all sources read and all"
            " statements judged by words. The second check runs in a new server with the first one's"
            f" stored answers. The least time at the registries' pace is that of {slowest}:"
            f" {least:.0f} s for its requests. Verdicts: {_show_verdicts(large)}."
        ),
        goals=(
            Goal(
                text="progress at least every 5 s",
                measured=f"at most {gap:.1f} s apart",
                met=gap <= _MAX_GAP_SECONDS,
            ),
            Goal(
                text="a second check of 500 citations in under a tenth of the time",
                measured=f"{share:.3f} of the first at the registries' pace, {large.second_seconds / large.first_seconds:.3f} of one that nobody slows down",
                met=share < _MAX_REPEAT_SHARE,
            ),
            Goal(
                text="500 citations within twice the pace that the registries allow",
                measured=f"{ratio:.2f} times",
                met=ratio <= _MAX_PACE_RATIO,
            ),
            Goal(
                text="memory bounded: at most 60 MB more for 500 citations than for 100",
                measured=f"{growth:.0f} MB more",
                met=growth <= _MAX_GROWTH_MB,
            ),
        ),
    )


def _show_run(label: str, one: DraftRun) -> list[str]:
    return [
        label,
        f"{one.first_seconds:.1f} s",
        f"{one.second_seconds:.1f} s",
        f"{one.longest_gap:.1f} s",
        f"{one.peak_mb:.0f} MB",
    ]


def _show_verdicts(one: DraftRun) -> str:
    return ", ".join(f"{count} {name}" for name, count in one.verdicts.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", action="store_true")
    parser.add_argument("--draft", type=Path, help="write the draft to a file, to look at it")
    options = parser.parse_args()
    if options.child:
        asyncio.run(_check_twice())
    elif options.draft:
        with web() as found:
            options.draft.write_text(compose_draft(found, CITATIONS), encoding="utf-8")
    else:
        print(long_draft().markdown())


if __name__ == "__main__":
    main()
