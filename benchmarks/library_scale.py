"""Libraries of several sizes: `LIBRARY_DOCUMENTS=10000,1000000 python -m benchmarks library-scale`.

The same questions are asked at each size, on PostgreSQL and on SQLite. What counts is how many times
longer a query takes in the largest library than in the smallest, and whether both find as well.
LIBRARY_FOLDER and LIBRARY_DATABASE_URL, with SIZE in the name of the database, keep what is written
for another run.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from benchmarks.report import Goal, Section, table
from benchmarks.scale_corpus import PASSAGE_WORDS, QUESTIONS, Corpus, load_corpus, score_ranking
from citewell.core.config import Settings
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.server.state.state_store import StateStore
from citewell.store.settings import StoreSettings

DEFAULT_DOCUMENTS = "10000,100000"
OWNER, LEAVING = "someone", "somebody leaving"
WRITE_GROUP = 2_048
REPEATS = 3
MAX_KIND_SECONDS = 60.0  # for one kind of made queries; the rest of them is left out
SLOW_SECONDS = 0.5  # a query that took longer is not asked again
LEAVING_DOCUMENTS = (1_000, 10_000)
MAX_SLOWDOWN, MAX_QUALITY_LOSS = 2.0, 0.02


@dataclass(slots=True)
class SizeFigures:
    """What was measured at one size on one engine."""

    documents: int
    microseconds: float  # to write one document
    grown_mb: float
    times: dict[str, list[float]] = field(default_factory=dict)
    rankings: dict[str, list[str]] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)

    def find_percentile(self, kinds: Iterable[str] | None = None) -> float:
        chosen = [one for kind in kinds or self.times for one in self.times[kind]]
        return sorted(chosen)[int(len(chosen) * 0.95)]


@dataclass(slots=True)
class EngineFigures:
    sizes: list[SizeFigures] = field(default_factory=list)
    upkeep: dict[str, float] = field(default_factory=dict)


def library_scale() -> Section:
    sizes = [int(one) for one in os.environ.get("LIBRARY_DOCUMENTS", DEFAULT_DOCUMENTS).split(",")]
    corpus = load_corpus()
    with contextlib.ExitStack() as stack:
        kept = os.environ.get("LIBRARY_FOLDER")
        folder = Path(kept or stack.enter_context(tempfile.TemporaryDirectory()))
        made = {
            "PostgreSQL": asyncio.run(
                _measure_engine(corpus, sizes, partial(_set_postgres, folder))
            ),
            "SQLite": asyncio.run(_measure_engine(corpus, sizes, partial(_set_sqlite, folder))),
        }
    return _build_section(corpus, made)


def _set_sqlite(folder: Path, size: int) -> Settings:
    return Settings(data_dir=folder / f"sqlite-{size}")


def _set_postgres(folder: Path, size: int) -> Settings:
    from tests.services import found_postgres

    address = os.environ.get("LIBRARY_DATABASE_URL", "").replace("SIZE", str(size))
    if not address:
        server = found_postgres()
        if isinstance(server, str):
            raise SystemExit(server)
        address = server.new()
    return Settings(data_dir=folder / f"postgres-{size}", database_url=address)


async def _measure_engine(
    corpus: Corpus, sizes: list[int], choose: Callable[[int], Settings]
) -> EngineFigures:
    figures = EngineFigures()
    async with contextlib.AsyncExitStack() as stack:
        states = []
        for size in sizes:
            settings = choose(size)
            state = StateStore(settings)
            stack.push_async_callback(state.aclose)
            report = settings[StoreSettings].data_path / "written.json"
            figures.sizes.append(await _fill_library(state, corpus, size, report))
            states.append(state)
        await _ask_everything(states, corpus, figures.sizes)
        for found in figures.sizes:
            print(_describe_size(found), flush=True)
        figures.upkeep = await _measure_upkeep(states[-1], corpus)
    return figures


async def _fill_library(state: StateStore, corpus: Corpus, size: int, report: Path) -> SizeFigures:
    """Write the documents that are not there yet; what it took is kept beside them."""
    start = await state.library.count_stored_documents(OWNER)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    spent = 0.0
    for group in _split_groups(corpus.list_documents(start, size)):
        begun = time.perf_counter()
        await state.library.store_documents(OWNER, group)
        spent += time.perf_counter() - begun
    if start < size:
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - memory
        written = {"microseconds": spent / (size - start) * 1e6, "grown_mb": grown}
        _keep_figures(report, written)
    took = _load_figures(report)
    return SizeFigures(documents=size, microseconds=took["microseconds"], grown_mb=took["grown_mb"])


def _keep_figures(report: Path, took: dict[str, float]) -> None:
    report.write_text(json.dumps(took), encoding="utf-8")


def _load_figures(report: Path) -> dict[str, float]:
    found: dict[str, float] = json.loads(report.read_text("utf-8"))
    return found


async def _ask_everything(
    states: list[StateStore], corpus: Corpus, figures: list[SizeFigures]
) -> None:
    """Each query in all libraries in turn, because others use the machine too; the fastest turn counts."""
    for kind, queries in corpus.list_queries().items():
        end = time.monotonic() + MAX_KIND_SECONDS
        for query in queries:
            turns: list[list[float]] = []
            while len(turns) < REPEATS and sum(map(sum, turns)) < SLOW_SECONDS:
                turns.append(
                    [
                        await _time_search(state, query, found)
                        for state, found in zip(states, figures, strict=True)
                    ]
                )
            for found, times in zip(figures, zip(*turns, strict=True), strict=True):
                found.times.setdefault(kind, []).append(min(times))
            if time.monotonic() > end and kind != QUESTIONS:
                break


async def _time_search(state: StateStore, query: str, figures: SizeFigures) -> float:
    begun = time.perf_counter()
    found = await state.library.search_library(OWNER, query)
    spent = time.perf_counter() - begun
    figures.rankings[query] = [match.card.id for match in found]
    figures.scores[query] = sum(match.score for match in found)
    return spent


async def _measure_upkeep(state: StateStore, corpus: Corpus) -> dict[str, float]:
    """How many times longer the larger thing takes, for each document or page."""
    erasures = [await _measure_erasure(state, corpus, count) for count in LEAVING_DOCUMENTS]
    cards = await state.library.list_cards(OWNER, limit=1)
    last = DocumentCard(
        id="", row=cards[0].row + await state.library.count_stored_documents(OWNER) - 500
    )
    first_page = await _time_fastest(lambda: state.library.list_cards(OWNER, limit=200))
    last_page = await _time_fastest(lambda: state.library.list_cards(OWNER, limit=200, after=last))
    small, large = LEAVING_DOCUMENTS
    return {
        f"erasing an owner of {large:,} documents, for each, to one of {small:,}": erasures[1]
        / erasures[0],
        "the last page of the list, to the first": last_page / first_page,
    }


async def _measure_erasure(state: StateStore, corpus: Corpus, count: int) -> float:
    await state.library.store_documents(LEAVING, corpus.list_documents(0, count))
    begun = time.perf_counter()
    assert await state.library.clear_library(LEAVING) == count
    return (time.perf_counter() - begun) / count


async def _time_fastest(work: Callable[[], Awaitable[object]]) -> float:
    spent = []
    for _ in range(5):
        begun = time.perf_counter()
        await work()
        spent.append(time.perf_counter() - begun)
    return min(spent)


def _split_groups(documents: Iterator[LibraryDocument]) -> Iterator[list[LibraryDocument]]:
    while group := list(islice(documents, WRITE_GROUP)):
        yield group


def _describe_size(figures: SizeFigures) -> str:
    kinds = ", ".join(
        f"{kind} {statistics.median(times) * 1e3:.1f}/{figures.find_percentile([kind]) * 1e3:.1f} ms"
        for kind, times in figures.times.items()
    )
    return f"{figures.documents:,} documents, {figures.microseconds:.0f} µs each: {kinds}"


def _build_section(corpus: Corpus, made: dict[str, EngineFigures]) -> Section:
    postgres, sqlite = made["PostgreSQL"].sizes, made["SQLite"].sizes
    small, large = postgres[0], postgres[-1]
    slowdown = large.find_percentile() / small.find_percentile()
    frequent = [kind for kind in large.times if "half of" in kind]
    slowdown_frequent = large.find_percentile(frequent) / small.find_percentile(frequent)
    quality = [
        (_rate_engine(corpus, ours, theirs.rankings), _rate_engine(corpus, theirs, ours.rankings))
        for ours, theirs in zip(postgres, sqlite, strict=True)
    ]
    loss = max(theirs - ours for ours, theirs in quality)
    size = f"{large.documents:,} documents to {small.documents:,}"
    return Section(
        title="Library at scale",
        command=f"LIBRARY_DOCUMENTS={','.join(str(one.documents) for one in postgres)} python -m benchmarks library-scale",
        body="\n\n".join(
            [
                table(
                    [
                        "query p95, 1 = the smallest library of the engine",
                        *(f"{one.documents:,}" for one in postgres),
                    ],
                    _build_time_rows(made),
                ),
                table(
                    [
                        "found, on PostgreSQL and on SQLite",
                        *(f"{one.documents:,}" for one in postgres),
                    ],
                    _build_quality_rows(corpus, postgres, sqlite, quality),
                ),
                table(["upkeep beside the largest library", *made], _build_upkeep_rows(made)),
            ]
        ),
        notes=_build_notes(corpus, made),
        goals=(
            Goal(
                text=f"query p95 on PostgreSQL, {size}, at most {MAX_SLOWDOWN:.0f} times",
                measured=f"{slowdown:.2f}",
                met=slowdown <= MAX_SLOWDOWN,
            ),
            Goal(
                text=f"the same for words of half of all documents, at most {MAX_SLOWDOWN:.0f} times",
                measured=f"{slowdown_frequent:.2f}",
                met=slowdown_frequent <= MAX_SLOWDOWN,
            ),
            Goal(
                text=f"nDCG@10 on PostgreSQL at most {MAX_QUALITY_LOSS} below SQLite's at each size",
                measured=f"{loss:.3f}",
                met=loss <= MAX_QUALITY_LOSS,
            ),
        ),
    )


def _rate_engine(corpus: Corpus, figures: SizeFigures, asked: Collection[str]) -> float:
    """The mean nDCG of those of the questions that were asked."""
    return statistics.fmean(
        score_ranking(figures.rankings[question], grades)
        for question, grades in corpus.grades.items()
        if question in asked
    )


def _build_time_rows(made: dict[str, EngineFigures]) -> list[list[str]]:
    rows = []
    for name, engine in made.items():
        first = engine.sizes[0]
        for kind in [*first.times, None]:
            kinds = [kind] if kind else None
            base = first.find_percentile(kinds)
            ratios = [f"{one.find_percentile(kinds) / base:.2f}" for one in engine.sizes]
            rows.append([f"{name}, {kind or 'all'}", *ratios])
    return rows


def _build_quality_rows(
    corpus: Corpus,
    ours: list[SizeFigures],
    theirs: list[SizeFigures],
    quality: list[tuple[float, float]],
) -> list[list[str]]:
    rows = [
        [
            f"nDCG@10 of {len(corpus.grades)} questions",
            *(f"{one:.3f}, {other:.3f}" for one, other in quality),
        ]
    ]
    for kind, queries in corpus.list_queries().items():
        shares = [
            sum(one.scores[query] for query in queries if query in both)
            / max(sum(other.scores[query] for query in queries if query in both), 1e-9)
            for one, other in zip(ours, theirs, strict=True)
            for both in [one.scores.keys() & other.scores.keys()]
        ]
        rows.append(
            [f"BM25 of the first ten to SQLite's, {kind}", *(f"{share:.3f}" for share in shares)]
        )
    return rows


def _build_upkeep_rows(made: dict[str, EngineFigures]) -> list[list[str]]:
    labels = next(iter(made.values())).upkeep
    return [
        [label, *(f"{engine.upkeep[label]:.2f}" for engine in made.values())] for label in labels
    ]


def _build_notes(corpus: Corpus, made: dict[str, EngineFigures]) -> str:
    writing = "; ".join(
        f"{name}: "
        + ", ".join(f"{one.microseconds:.0f} µs" for one in engine.sizes)
        + f", memory of the process grown by at most {max(one.grown_mb for one in engine.sizes):.0f} MB"
        for name, engine in made.items()
    )
    last = made["PostgreSQL"].sizes[-1]
    return (
        f"{len(corpus.passages):,} passages of {PASSAGE_WORDS} words, the others made of 8 to 32 words as frequent as in those and of "
        f"six words that each stand in five documents of nine. Wall time of writing a document while the library grew to each size: "
        f"{writing}. p95 of all queries on PostgreSQL in the largest: {last.find_percentile() * 1e3:.0f} ms. "
        f"PostgreSQL has 64 MB of shared buffers and no fsync. Each query was asked in all libraries of an engine in turn, up to {REPEATS} times, of which the fastest counts; a kind of made queries for {MAX_KIND_SECONDS:.0f} seconds at most."
    )
