"""Every table of RESULTS.md: what is run in turns, and how it is put down."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import measures
from benchmarks.clients import CALL, Piped, result
from benchmarks.evidence import evidence
from benchmarks.report import Goal, Section, spread, table
from benchmarks.subjects import PEER, ROOT, Subject, with_oauth

STARTS = 11  # of each server
ROUNDS = 5
SECONDS = 1.5  # of each measurement of a rate
WIDTHS = (1, 16)
TOKEN = 4  # bytes

Three = tuple[Subject, Subject, Subject]


def command(name: str) -> str:
    return f"python -m benchmarks {name}"


def start(subjects: Three) -> Section:
    found: dict[tuple[str, bool], list[float]] = {}
    for _ in range(STARTS):
        for call in (False, True):
            for subject in subjects:
                found.setdefault((subject.name, call), []).append(
                    measures.start(subject, call=call)
                )
    ours, peer, bare = (subject.name for subject in subjects)
    rows = [
        [
            label,
            *(spread(found[name, call], unit=" ms") for name in (ours, peer, bare)),
            f"{min(found[ours, call]) / min(found[peer, call]):.2f}",
        ]
        for label, call in (("to tools/list", False), ("to the first tools/call", True))
    ]
    ratio = min(found[ours, False]) / min(found[peer, False])
    slower = min(found[ours, True]) / min(found[peer, True])
    return Section(
        title="Cold start over stdio",
        command=command("start"),
        body=table(("from spawn, best / median", ours, peer, bare, "ratio to the peer"), rows),
        notes=(
            f"{STARTS} starts of each. Citewell answers `tools/list` from its baked manifest. A first "
            "`tools/call` waits until the modules of the session and of the search are imported, but not "
            f"for the SDK: it takes {slower:.1f} times as long as the peer's. All calls but each server's "
            "very first find their answer in its cache on disk. The third column is the peer's Go binary "
            "without the Python launcher that the package installs."
        ),
        goals=(
            Goal(
                text="cold start to tools/list no slower than the peer",
                measured=f"{ratio:.2f} of its time",
                met=ratio <= 1,
            ),
        ),
    )


def memory(subjects: Three) -> Section:
    ours, peer, _ = subjects
    found = {subject.name: measures.memory(subject) for subject in (ours, peer)}
    labels = {
        "listed": "after tools/list",
        "called": f"after {measures.CACHED_CALLS} cached calls, stdio",
        "http": f"after {measures.CACHED_CALLS} cached calls, HTTP",
    }
    rows = [
        [
            label,
            f"{found[ours.name][key]:.0f} MB",
            f"{found[peer.name][key]:.0f} MB",
            f"{found[ours.name][key] / found[peer.name][key]:.2f}",
        ]
        for key, label in labels.items()
    ]
    most = max(found[ours.name].values())
    return Section(
        title="Memory",
        command=command("memory"),
        body=table(("resident, children included", ours.name, peer.name, "ratio"), rows),
        notes="Citewell's first row is taken before the SDK is loaded; the others are what it costs to keep.",
        goals=(
            Goal(text="resident memory at most 90 MB", measured=f"{most:.0f} MB", met=most <= 90),
        ),
    )


def stdio(subjects: Three) -> Section:
    compared = subjects[:2]
    found: dict[tuple[str, int], list[float]] = {}
    with contextlib.ExitStack() as stack:
        clients = {}
        for subject in compared:
            client = clients[subject.name] = Piped(stack.enter_context(subject.piped()))
            client.open()
            result(client.ask("tools/call", CALL))
        for _ in range(ROUNDS):
            for width in WIDTHS:
                for name, client in clients.items():
                    rate = client.rate(SECONDS, in_flight=width)
                    found.setdefault((name, width), []).append(rate)
    sizes = {subject.name: measures.answer_size(subject) for subject in compared}
    return Section(
        title="Cached web_search over stdio",
        command=command("stdio"),
        body=_rates(found, compared, "in flight"),
        notes=_sizes(sizes),
    )


def http(subjects: Three) -> Section:
    found: dict[tuple[str, int], list[float]] = {}
    spent: dict[tuple[str, int], list[float]] = {}
    with contextlib.ExitStack() as stack:
        guarded = stack.enter_context(with_oauth(subjects[0]))
        compared = (subjects[0], guarded, subjects[1])
        running = [(subject, *stack.enter_context(subject.listening())) for subject in compared]
        for _ in range(ROUNDS):
            for width in WIDTHS:
                for subject, process, port in running:
                    before = measures.processor(process)
                    rate = measures.http_rate(subject, port, connections=width, seconds=SECONDS)
                    used = (measures.processor(process) - before) / (rate * SECONDS)
                    found.setdefault((subject.name, width), []).append(rate)
                    spent.setdefault((subject.name, width), []).append(1e6 * used)
    ours, oauth, peer = (subject.name for subject in compared)
    costs = "; ".join(
        f"{name} {min(spent[name, 1]):.0f} µs at one connection and {min(spent[name, 16]):.0f} µs at sixteen"
        for name in (ours, oauth, peer)
    )
    return Section(
        title="Cached web_search over HTTP",
        command=command("http"),
        body="\n\n".join(
            _rates(found, (subject, subjects[1]), "connections") for subject in compared[:2]
        ),
        notes=(
            "Keep-alive, a session for each connection, one call at a time on it. "
            f"Processor time of the server for a call, best: {costs}. Citewell runs in one process on "
            "one core; the peer spreads over all cores and hands out no session ids. Only answers that "
            "are in the cache are measured. Citewell commits a row of its audit log before each "
            "answer; the peer writes a line. With OAuth every request has a signed token (RS256), and "
            "calls are counted against the limits of user, tenant and day."
        ),
        goals=tuple(
            _throughput(found, name, peer, width) for name in (ours, oauth) for width in WIDTHS
        ),
    )


def tokens(subjects: Three) -> Section:
    ours, peer, _ = subjects
    default, everything = measures.listing(ours), measures.listing(ours, "--profile=all")
    theirs = measures.listing(peer)
    columns = {
        "citewell, default": default,
        "citewell, everything": everything,
        PEER: theirs,
    }
    rows = [
        ["tools", *(str(len(sizes) - 1) for sizes in columns.values())],
        ["tokens of tools/list", *(f"{sizes[''] / TOKEN:,.0f}" for sizes in columns.values())],
        [
            "tokens a tool",
            *(f"{sizes[''] / TOKEN / (len(sizes) - 1):,.0f}" for sizes in columns.values()),
        ],
        ["tokens of web_search", *(f"{s['web_search'] / TOKEN:,.0f}" for s in columns.values())],
    ]
    share = everything[""] / theirs[""]
    alone = everything["web_search"] / theirs["web_search"]
    each = share * (len(theirs) - 1) / (len(everything) - 1)
    return Section(
        title="What tools/list costs a model",
        command=command("tokens"),
        body=table(("four bytes a token", *columns), rows),
        notes=(
            "The peer has one list and Citewell does not have all of its tools yet, so the fair figures "
            f"are those a tool: {each:.2f} of the peer's on average, and {alone:.2f} for web_search itself."
        ),
        goals=(
            Goal(
                text="tools/list at most a third of the peer's tokens",
                measured=f"{default[''] / theirs['']:.2f} by default, {share:.2f} for everything, {each:.2f} a tool",
                met=max(share, each) <= 1 / 3,
            ),
        ),
    )


def store(_: Three) -> Section:
    return _printed("Cache, beside the least that could do it", "store")


def text(_: Three) -> Section:
    return _printed("Text engine, beside plain BM25", "engine")


def extraction(folder: Path) -> Section:
    """Needs pages that are not ours to keep in the repository."""
    return _printed("Text of a page, beside other extractors", "extraction", str(folder))


def _printed(title: str, name: str, *further: str) -> Section:
    """What another file of this folder prints."""
    path = Path("benchmarks") / f"{name}.py"
    done = subprocess.run(
        [sys.executable, str(path), *further],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    shown = done.stdout.strip("\n")
    body = f"```\n{shown}\n```"
    return Section(title=title, command=f"python {path}{' PAGES' if further else ''}", body=body)


def _rates(
    found: dict[tuple[str, int], list[float]], compared: tuple[Subject, ...], unit: str
) -> str:
    ours, peer = (subject.name for subject in compared)
    rows = [
        [
            str(width),
            *(spread(found[name, width], unit="/s", most=True) for name in (ours, peer)),
            f"{max(found[ours, width]) / max(found[peer, width]):.2f}",
        ]
        for width in WIDTHS
    ]
    return table((f"{unit}, best / median of {ROUNDS}", ours, peer, "ratio of the best"), rows)


def _sizes(sizes: dict[str, int]) -> str:
    return f"Bytes of an answer: {', '.join(f'{name} {size:,}' for name, size in sizes.items())}."


def _throughput(
    found: dict[tuple[str, int], list[float]], ours: str, peer: str, width: int
) -> Goal:
    ratio = max(found[ours, width]) / max(found[peer, width])
    connections = "one connection" if width == 1 else f"{width} connections"
    return Goal(
        text=f"HTTP throughput of {ours} at least the peer's, {connections}",
        measured=f"{ratio:.2f} of it",
        met=ratio >= 1,
    )


SECTIONS: dict[str, Callable[[Three], Section]] = {
    "start": start,
    "memory": memory,
    "stdio": stdio,
    "http": http,
    "tokens": tokens,
    "store": store,
    "text": text,
    "evidence": evidence,
}
