"""What auditing 200 entries takes, beside the slowest chain of requests that must follow one another.

Run: python -m benchmarks.audit. The loopback web answers everything after 100 ms and runs in a
process of its own; every audit starts with an empty cache in a process that has audited before.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count as count_from
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection

from benchmarks.alone import peak
from benchmarks.report import Goal, Section, table
from benchmarks.subjects import ROOT
from citewell.core import config
from citewell.links import link_checks
from citewell.server.app import App
from tests.internet import papers
from tests.internet.papers import Work, register
from tests.internet.serve import Internet
from tests.internet.world import World, corpus

LATENCY = 0.1  # seconds before any answer begins
ROUNDS = 5
SMALL, LARGE = 50, 200
SHARES = {
    "DOI, title, author and year": 70, "arXiv paper by its DOI": 40, "title, author and year": 40,
    "live web page": 30, "invented DOI": 8, "neighbour's DOI": 4, "invented title": 6, "dead link": 2,
}  # fmt: skip
_NUMERALS = ("Single", "Double", "Triple", "Fourfold", "Quintuple", "Sixfold")
LINKED = ("pages", "wayback")  # what checking links asks for
Entry = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    entry: Entry
    kind: str = ""
    flags: frozenset[str] = frozenset()  # that it must get; none where it is sound


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    seconds: float
    cpu: float
    peak: float  # megabytes
    flags: tuple[tuple[str, ...], ...]
    calls: Mapping[str, int]


def bibliography(count: int, address: Callable[[str, str], str]) -> list[Case]:
    """So many entries with the same shares of every kind, in an order that is always the same."""
    journal, arxiv = _works("crossref"), _works("datacite")
    kinds: dict[str, Iterator[Case]] = {
        "DOI, title, author and year": _named(journal[:70]),
        "arXiv paper by its DOI": _named(arxiv[:40]),
        "title, author and year": _in_words([*journal[70:90], *arxiv[40:60]]),
        "live web page": _pages(address),
        "invented DOI": _invented(arxiv[60:68]),
        "neighbour's DOI": _neighbours(journal[90:]),
        "invented title": _unheard_of(),
        "dead link": _dead(address),
    }
    chosen = [
        replace(case, kind=kind)
        for kind, cases in kinds.items()
        for case in islice(cases, max(1, SHARES[kind] * count // LARGE))
    ]
    random.Random(5).shuffle(chosen)
    return chosen[:count]


def _works(agency: str) -> list[Work]:
    """Works of the register that a title tells apart."""
    works = {one.title.lower(): one for one in register().works if one.authors and one.year}
    return [
        one
        for title, one in works.items()
        if len(title.split()) > 5 and one.agency == agency and not one.doi.startswith("10.50505/")
    ]


def _entry(work: Work, **changes: str) -> Entry:
    first = work.authors[0]
    author = first if isinstance(first, str) else ", ".join(part for part in first[::-1] if part)
    given = {"title": work.title, "author": author, "date": str(work.year), "doi": work.doi}
    return {name: value for name, value in (given | changes).items() if value}


def _named(works: Sequence[Work]) -> Iterator[Case]:
    for work in works:
        yield Case(entry=_entry(work), flags=_standing(work))


def _standing(work: Work) -> frozenset[str]:
    return frozenset({"retracted"}) if work.retracted else frozenset()


def _in_words(works: Sequence[Work]) -> Iterator[Case]:
    for work in works:
        yield Case(entry=_entry(work, doi=""), flags=_standing(work))


def _pages(address: Callable[[str, str], str]) -> Iterator[Case]:
    for page in corpus():
        if page.kind in {"article", "news"}:
            url = address(page.host, page.path)
            yield Case(entry={"title": page.title, "url": url, "site": page.site})


def _dead(address: Callable[[str, str], str]) -> Iterator[Case]:
    for number in count_from(1):
        url = address("sleep.example.org", f"no/{number}")
        entry = {"title": f"Notes of meeting {number}", "url": url}
        yield Case(entry=entry, flags=frozenset({"dead_link", "unchecked"}))


def _invented(works: Sequence[Work]) -> Iterator[Case]:
    for number, work in enumerate(works):
        doi = f"10.1016/j.nowhere.2031.{10700 + number}"
        yield Case(entry=_entry(work, doi=doi), flags=frozenset({"not_found"}))


def _neighbours(works: Sequence[Work]) -> Iterator[Case]:
    for work, other in zip(works[::2], works[1::2], strict=False):
        yield Case(entry=_entry(work, doi=other.doi), flags=_standing(other) | {"mismatch"})


def _unheard_of() -> Iterator[Case]:
    for number in range(len(_NUMERALS)):
        title = f"{_NUMERALS[number]} parsimony of lunar beekeeping across imaginary provinces"
        entry = {"title": title, "author": "Ada Example", "date": "2021"}
        yield Case(entry=entry, flags=frozenset({"unchecked"}))


class Web:
    """The loopback web in another process: where it is, and what it was asked since the last time."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self.env: dict[str, str] = pipe.recv()

    def calls(self) -> dict[str, int]:
        self._pipe.send("calls")
        found: dict[str, int] = self._pipe.recv()
        return found

    def address(self, host: str, path: str) -> str:
        root = self.env["CITEWELL_CROSSREF_BASE_URL"].removesuffix("/crossref")
        return f"{root}/site/{host}/{path}"


@contextlib.contextmanager
def web(*, unhurried: bool = True) -> Iterator[Web]:
    ours, theirs = get_context("spawn").Pipe()
    process = get_context("spawn").Process(
        target=_serve, args=(theirs,), kwargs={"unhurried": unhurried}, daemon=True
    )
    process.start()
    try:
        yield Web(ours)
    finally:
        ours.send("stop")
        process.join(10)


def _serve(pipe: Connection, *, unhurried: bool) -> None:
    if not unhurried:  # nobody states a pace: those that the providers' own pages ask for hold
        papers.UNHURRIED.clear()
    with Internet(World(latency=lambda _name: LATENCY)) as internet:
        wayback = {"WAYBACK_API_URL": f"{internet.url}/wayback/available"}
        pipe.send(internet.env() | wayback)
        while pipe.recv() == "calls":
            pipe.send(dict(internet.world.calls))
            internet.world.calls.clear()


def audited(env: Mapping[str, str], cases: Sequence[Case], web: Web) -> Run:
    """One audit in a process of its own, which has made another before."""
    given = json.dumps(
        {"env": env, "entries": [case.entry for case in cases], "warming": _warming(web)}
    )
    command = [sys.executable, "-m", "benchmarks.audit", "--child"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(given + "\n")
        child.stdin.flush()
        child.stdout.readline()  # it has warmed up
        web.calls()
        made = json.loads(child.communicate("\n")[0])
    flags = tuple(tuple(flags) for flags in made["flags"])
    return Run(**(made | {"flags": flags}), calls=web.calls())


def _warming(web: Web) -> list[Entry]:
    """What makes a process load everything once, and every registry state its pace."""
    work = _works("crossref")[-1]
    unheard = "Hexagonal etiquette of subterranean kites during fictional monsoons"
    return [
        _entry(work),
        _entry(work, doi="10.1016/j.nowhere.2030.1"),
        {"title": unheard, "author": "Ada Example", "date": "2020"},
        {"url": web.address("sleep.example.org", "nothing"), "title": "Nothing of note"},
    ]


async def _child() -> None:
    given = json.loads(sys.stdin.readline())
    with tempfile.TemporaryDirectory() as folder:
        env = given["env"] | {
            "CITEWELL_CONFIG": f"{folder}/none.toml",
            "CITEWELL_DATA_DIR": f"{folder}/data",
            "HOME": folder,
            "CITEWELL_PROFILE": "all",
            "CITEWELL_ANSWER_LIMIT": "100000000",
        }
        app = App(config.load_settings(env))
        await app.call_tool("audit_bibliography", {"entries": given["warming"]})
        print("warm", flush=True)
        sys.stdin.readline()
        begun, spent = time.perf_counter(), time.process_time()
        outcome = await app.call_tool("audit_bibliography", {"entries": given["entries"]})
        seconds, spent = time.perf_counter() - begun, time.process_time() - spent
        if outcome.body is None:
            raise RuntimeError(outcome.text)
        flags = [entry["flags"] for entry in outcome.body["entries"]]
        print(json.dumps({"seconds": seconds, "cpu": spent, "peak": peak(), "flags": flags}))
        await app.aclose()


def wrong(cases: Sequence[Case], run: Run) -> list[str]:
    """Entries that got another flag than they should; what could not be checked accuses nobody."""
    return [
        f"{case.kind}: {sorted(flags)} instead of {sorted(case.flags)}: {case.entry}"
        for case, flags in zip(cases, run.flags, strict=True)
        if set(flags) != case.flags
    ]


def alone(env: Mapping[str, str], cases: Sequence[Case], web: Web) -> dict[str, Run]:
    """The best of a few runs of one entry of each kind, by itself."""
    first = {case.kind: case for case in reversed(cases)}
    return {
        kind: min((audited(env, [case], web) for _ in range(ROUNDS)), key=lambda run: run.seconds)
        for kind, case in first.items()
    }


def at_a_time(run: Run) -> float:
    """Seconds that the rule of so many links at a time takes by itself, were they all alike."""
    asked = sum(run.calls.get(name, 0) for name in LINKED)
    return math.ceil(asked / link_checks.MAX_CONCURRENT_CHECKS) * LATENCY


def audit(_subjects: object = None) -> Section:
    with web() as found:
        cases = bibliography(LARGE, found.address)
        few = bibliography(SMALL, found.address)
        singles = alone(found.env, cases, found)
        runs = [audited(found.env, cases, found) for _ in range(ROUNDS)]
        small = [audited(found.env, few, found) for _ in range(ROUNDS)]
    with web(unhurried=False) as slow:
        paced = audited(slow.env, bibliography(LARGE, slow.address), slow)
    return _section(cases, singles, runs, small, paced)


def _section(
    cases: Sequence[Case],
    singles: Mapping[str, Run],
    runs: Sequence[Run],
    small: Sequence[Run],
    paced: Run,
) -> Section:
    best = min(runs, key=lambda run: run.seconds)
    kind = max(singles, key=lambda name: singles[name].seconds)
    chain, linked = singles[kind].seconds, at_a_time(best)
    least = max(chain, linked)
    growth = min(run.peak for run in runs) - min(run.peak for run in small)
    rows = [
        [f"{LARGE} entries at once", _ms(best.seconds), f"{best.seconds / least:.2f}"],
        [f"slowest entry alone ({kind})", _ms(chain), f"{chain / least:.2f}"],
        [
            f"its links, {link_checks.MAX_CONCURRENT_CHECKS} at a time",
            _ms(linked),
            f"{linked / least:.2f}",
        ],
        [f"{SMALL} entries at once", _ms(min(run.seconds for run in small)), ""],
        [f"{LARGE} entries at the pace each registry asks for", _ms(paced.seconds), ""],
    ]
    asked = [
        [name, str(best.calls[name]), str(paced.calls.get(name, 0))] for name in sorted(best.calls)
    ]
    mistakes = wrong(cases, best)
    body = table(("every answer after 100 ms", "wall time", "to the least possible"), rows)
    body += "\n\n" + table(("requests for 200 entries", "unhurried", "paced"), asked)
    shares = ", ".join(f"{share} {name}" for name, share in SHARES.items())
    return Section(
        title="audit_bibliography of 200 entries",
        command="python -m benchmarks audit",
        body=body,
        notes=(
            f"Best of {ROUNDS}. The entries: {shares}. "
            f"The audit took {best.cpu:.1f} s of processor time. "
            "The least possible is the longer of the slowest entry by itself and the waves that links take when "
            f"{link_checks.MAX_CONCURRENT_CHECKS} are checked at a time. In the first rows the loopback registries state that nobody need be slow; "
            "in the last they state nothing, so that Crossref is asked five times a second and Semantic Scholar once, "
            f"and {sum('unchecked' in flags for flags in paced.flags)} entries are left unchecked. "
            f"Entries flagged otherwise than they should be: {len(mistakes)} unhurried, {len(wrong(cases, paced))} paced. "
            f"Peak resident memory: {min(run.peak for run in small):.0f} MB with {SMALL} entries, "
            f"{min(run.peak for run in runs):.0f} MB with {LARGE}."
        ),
        goals=(
            Goal(
                text="audit of 200 entries within twice the slowest chain of dependent requests",
                measured=f"{best.seconds / least:.2f} times, links {link_checks.MAX_CONCURRENT_CHECKS} at a time among them; {best.seconds / chain:.2f} times the slowest entry alone",
                met=best.seconds <= 2 * least,
            ),
            Goal(
                text="audit's memory flat from 50 to 200 entries (at most 10 MB more)",
                measured=f"{growth:.0f} MB more",
                met=growth <= 10,
            ),
        ),
    )


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:,.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", action="store_true")
    if parser.parse_args().child:
        asyncio.run(_child())
    else:
        print(audit().markdown())


if __name__ == "__main__":
    main()
