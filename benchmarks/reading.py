"""Reading pages: scrape_page beside a library and the peer, search_and_scrape beside its slowest page."""

from __future__ import annotations

import base64
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from benchmarks import measures
from benchmarks.clients import Piped, result
from benchmarks.report import Goal, Section, table
from benchmarks.subjects import Subject, free_port
from benchmarks.whole_reading import Run, find_trafilatura, measure_whole_reading, run_alone
from tests.internet.serve import Internet
from tests.internet.world import World

ROUNDS = 3
DATASET = "wcxb_devs"
LONGEST = 5_000_000
LATENCY = 0.2
WIDTHS = ("", "10")  # MAX_SCRAPE_CONCURRENCY; the first is the server's own choice
QUERY = "how energy, sleep and memory change health"
WARMING = "compound interest"  # finds a page that is none of the ten

Three = tuple[Subject, Subject, Subject]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One page to read, wherever it is served."""

    id: str
    url: str


def reading(subjects: Three, *, pages: Path | None = None) -> Section:
    """Pages of the loopback web and, where a folder of score.py is given, its pages with their F1."""
    ours, _, bare = subjects
    runs = _all(ours, bare, _own(ours), rounds=ROUNDS)
    parts = [_shown("pages of the loopback web", runs)]
    goals = [_goal("the loopback web's pages", runs)]
    if pages is not None:
        with _scored_web(pages) as leaves:
            found = _all(ours, bare, leaves, rounds=1)
        scores = {name: _f1(pages, one[0].texts, name=name) for name, one in found.items()}
        parts.append(_shown(f"pages of {DATASET}", found, scores))
        goals.append(_goal(f"the pages of {DATASET}", found))
        whole, further = measure_whole_reading(pages)
        parts.append(whole)
        goals.extend(further)
    return Section(
        title="Reading pages",
        command="python -m benchmarks reading" + (" --pages PAGES" if pages else ""),
        body="\n\n".join(parts),
        notes=_NOTES + (_F1_NOTES if pages else ""),
        goals=tuple(goals),
    )


_NOTES = (
    "One page at a time over stdio, every page for the first time, with the processor time and the peak "
    "resident memory of the server and all its processes; one page is read before, so that what is "
    "loaded once does not count. Fetch, robots.txt, cleaning, metadata, citation, JSON and the cache are "
    f"in the rows of servers. The rows named alone are extraction without fetch. The peer is its bare Go "
    f"binary. Browser off for both. Best rate and highest peak of {ROUNDS} runs of the loopback web."
)
_F1_NOTES = (
    f" F1 is score.py's for {DATASET}, with an unread page counted as 0. Citewell's scorer was trained on "
    "these pages, so its F1 here flatters; the section on extraction has the figure out of fold."
)


def gathering(subjects: Three) -> Section:
    """Ten pages that each take 200 ms, none of them in the cache."""
    world = World(latency=lambda name: LATENCY if name == "pages" else 0.0)
    found: dict[tuple[str, str], list[float]] = {}
    with Internet(world) as internet:
        for _ in range(ROUNDS):
            for width in WIDTHS:
                for subject in (subjects[0], subjects[2]):
                    spent = _gathered(_at(subject, internet, width), internet)
                    found.setdefault((subject.name, width), []).append(spent)
    names = (subjects[0].name, subjects[2].name)
    rows = [
        [
            width or "default",
            *(_wall(found[name, width]) for name in names),
            _times(found, names, width),
        ]
        for width in WIDTHS
    ]
    ratio = min(found[names[0], "10"]) / LATENCY
    return Section(
        title="search_and_scrape on ten cold pages",
        command="python -m benchmarks gathering",
        body=table(("MAX_SCRAPE_CONCURRENCY, best / median", *names, "ratio"), rows),
        notes=(
            f"Each page takes {1000 * LATENCY:.0f} ms to answer, the search and robots.txt nothing, so "
            f"{1000 * LATENCY:.0f} ms is the least possible with ten at a time and {2000 * LATENCY:.0f} ms with "
            f"Citewell's five. In brackets: times the slowest page. {ROUNDS} runs, each with a server and a cache "
            "of its own that has searched and read one other page before. Ten pages were read in every run of either server "
            "or the run does not count. What a process loads once, at its first search_and_scrape, is not in it."
        ),
        goals=(
            Goal(
                text="search_and_scrape of ten pages at a time within twice the slowest page",
                measured=f"{ratio:.2f} times",
                met=ratio <= 2,
            ),
        ),
    )


def _all(
    ours: Subject, peer: Subject, leaves: Sequence[Leaf], *, rounds: int
) -> dict[str, list[Run]]:
    """Every subject in turns; the libraries get the very bytes that the servers fetch."""
    found: dict[str, list[Run]] = {}
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "pages.jsonl"
        kept.write_text("".join(_fetched(leaf) for leaf in leaves))
        for _ in range(rounds):
            for subject in (ours, peer):
                found.setdefault(f"{subject.name}, scrape_page", []).append(
                    _served(subject, leaves)
                )
            for name, python in (("citewell", sys.executable), ("trafilatura", find_trafilatura())):
                found.setdefault(f"{name}, alone", []).append(run_alone(name, python, kept))
    return found


def _served(subject: Subject, leaves: Sequence[Leaf]) -> Run:
    with _fresh(subject, leaves[0].url) as piped, piped.piped() as process:
        client = Piped(process)
        client.open()
        _text(client, leaves[0].url + "?warm")
        family, peaks = _Peaks(process.pid), []
        before = measures.processor(process)
        texts = {}
        for leaf in leaves:
            texts[leaf.id] = _text(client, leaf.url)
            peaks.append(family.now())
        return Run(cpu=measures.processor(process) - before, peak=max(peaks), texts=texts)


def _text(client: Piped, url: str) -> str:
    """What scrape_page gives; nothing where it gives an error."""
    arguments = {"url": url, "max_length": LONGEST}
    answer = json.loads(client.ask("tools/call", {"name": "scrape_page", "arguments": arguments}))
    found = answer.get("result", {})
    if "result" not in answer or found.get("isError"):
        return ""
    content = found.get("structuredContent") or json.loads(found["content"][0]["text"])
    return str(content.get("content", ""))


class _Peaks:
    """The sum of the most that each process of a family ever held, in megabytes."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)

    def now(self) -> float:
        total = 0
        for member in (self._root, *self._root.children(recursive=True)):
            with contextlib.suppress(OSError, IndexError):
                status = Path(f"/proc/{member.pid}/status").read_text()
                total += int(status.split("VmHWM:")[1].split()[0])
        return total / 1024


@contextlib.contextmanager
def _fresh(subject: Subject, url: str) -> Iterator[Subject]:
    """The subject with a home and a cache of its own, and leave to read from loopback."""
    host = url.split("/")[2]
    allowed = ",".join(filter(None, (subject.env.get("CITEWELL_ALLOW_PRIVATE_HOSTS"), host)))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        own = {
            "HOME": home,
            "CITEWELL_DATA_DIR": f"{home}/data",
            "CACHE_DIR": f"{home}/cache",
            "CITEWELL_ALLOW_PRIVATE_HOSTS": allowed,
            "CITEWELL_LINK_THRESHOLD": str(100 * LONGEST),
            "CHROME_PATH": "disabled",
        }
        yield replace(subject, env={**subject.env, **own})


def _own(subject: Subject) -> list[Leaf]:
    """The loopback web's pages, without the site that asks not to be read."""
    base = subject.env["SEARXNG_URL"].rsplit("/", 1)[0]
    pages = [page for page in World().pages if page.host != "forbidden.example.org"]
    return [
        Leaf(id=f"{page.host}/{page.path}", url=f"{base}/site/{page.host}/{page.path}")
        for page in pages
    ]


def _fetched(leaf: Leaf) -> str:
    with urllib.request.urlopen(leaf.url) as answer:
        body = base64.b64encode(answer.read()).decode()
    return json.dumps({"id": leaf.id, "url": leaf.url, "body": body}) + "\n"


@contextlib.contextmanager
def _scored_web(folder: Path) -> Iterator[list[Leaf]]:
    """score.py serving its own pages."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, str(folder / "score.py"), "--serve", str(port), "--datasets", DATASET],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # it complains of every caller that has seen enough
        text=True,
    )
    try:
        assert process.stdout
        process.stdout.readline()
        yield _index(port)
    finally:
        process.terminate()
        process.wait()


def _index(port: int) -> list[Leaf]:
    base, deadline = f"http://127.0.0.1:{port}", time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(f"{base}/index.jsonl") as answer:
                lines = [json.loads(line) for line in answer.read().splitlines()]
                return [Leaf(id=line["id"], url=base + line["path"]) for line in lines]
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _f1(folder: Path, texts: Mapping[str, str], *, name: str) -> float:
    """score.py's verdict; only trafilatura's text here has no markup to take off."""
    markdown = () if name.startswith("trafilatura") else ("--markdown",)
    with tempfile.TemporaryDirectory() as made:
        outputs, scores = Path(made) / "outputs.json", Path(made) / "scores.json"
        outputs.write_text(json.dumps({DATASET: texts}))
        command = [
            sys.executable,
            str(folder / "score.py"),
            "--datasets",
            DATASET,
            "--quiet",
            *markdown,
        ]
        subprocess.run(
            [*command, "--outputs", str(outputs), "--json", str(scores)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return float(json.loads(scores.read_text())[DATASET]["f1"])


def _shown(
    label: str, runs: Mapping[str, Sequence[Run]], scores: Mapping[str, float] | None = None
) -> str:
    rates = {name: max(run.rate for run in each) for name, each in runs.items()}
    first = next(iter(runs))
    rows = []
    for name, each in runs.items():
        row = [name, f"{rates[name]:,.0f}", f"{rates[name] / rates[first]:.2f}"]
        row += [f"{max(run.peak for run in each):.0f} MB", str(each[0].failed)]
        rows.append(row + ([f"{scores[name]:.3f}"] if scores else []))
    head = [
        f"{len(runs[first][0].texts)} {label}", "pages per CPU second", "beside the first", "peak resident", "unread",
    ]  # fmt: skip
    return table(head + (["F1"] if scores else []), rows)


def _goal(label: str, runs: Mapping[str, Sequence[Run]]) -> Goal:
    rates = {name: max(run.rate for run in each) for name, each in runs.items()}
    ratio = rates["citewell, scrape_page"] / rates["trafilatura, alone"]
    return Goal(
        text=f"scrape_page of {label} no dearer than trafilatura alone",
        measured=f"{ratio:.2f} of its pages per CPU second",
        met=ratio >= 1,
    )


def _at(subject: Subject, internet: Internet, width: str) -> Subject:
    """The subject pointed at this web, with so many pages at a time."""
    env = {**subject.env, **internet.env()}
    return replace(subject, env=env | ({"MAX_SCRAPE_CONCURRENCY": width} if width else {}))


def _gathered(subject: Subject, internet: Internet) -> float:
    """Seconds for the call; the run ends when not all ten were read."""
    with _fresh(subject, internet.url) as own, own.piped() as process:
        client = Piped(process)
        client.open()
        result(client.ask("tools/call", _asked(WARMING, 1)))
        begun = time.perf_counter()
        answer = client.ask("tools/call", _asked(QUERY, 10))
        spent = time.perf_counter() - begun
    found = result(answer)
    bundle = found.get("structuredContent") or json.loads(found["content"][0]["text"])
    if (read := bundle["summary"]["urlsScraped"]) != 10:
        raise RuntimeError(f"{subject.name} read {read} of ten pages")
    return spent


def _asked(query: str, count: int) -> dict[str, object]:
    return {"name": "search_and_scrape", "arguments": {"query": query, "num_results": count}}


def _wall(times: Sequence[float]) -> str:
    best = min(times)
    return (
        f"{1000 * best:,.0f} / {1000 * statistics.median(times):,.0f} ms (× {best / LATENCY:.2f})"
    )


def _times(
    found: Mapping[tuple[str, str], Sequence[float]], names: tuple[str, str], width: str
) -> str:
    return f"{min(found[names[0], width]) / min(found[names[1], width]):.2f}"
