"""Fifty thousand documents in the library, beside a plain FTS5 table and, where installed, tantivy.

Run: python benchmarks/library.py [--documents 50000] [--postgres]. The documents are made of words
with a natural spread of frequencies, two hundred to a document. Trust the ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import bisect
import itertools
import random
import resource
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from citewell.core.config import Settings
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.server.state.state_store import StateStore
from citewell.store.settings import StoreSettings

LENGTH, VOCABULARY, QUERIES = 200, 40_000, 200


def words() -> list[str]:
    """Pronounceable, all different, so that stemming has something to do."""
    dice = random.Random(7)
    parts = ["ta", "ri", "mo", "len", "sha", "vor", "kin", "du", "pel", "nor", "be", "zan"]
    made: dict[str, None] = {}
    while len(made) < VOCABULARY:
        stem = "".join(dice.choice(parts) for _ in range(dice.randint(2, 4)))
        made[stem + dice.choice(["", "s", "ing", "ed", "ation"])] = None
    return list(made)


class Corpus:
    def __init__(self, count: int) -> None:
        self.count = count
        self._words = words()
        weights = itertools.accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY))
        self._sums = list(weights)
        self.making = 0.0
        making = Spent()
        for _ in self.texts():
            pass
        making.stop(self)
        self.making = making.processor

    def texts(self) -> Iterator[str]:
        dice = random.Random(1)
        for _ in range(self.count):
            yield " ".join(self._word(dice) for _ in range(LENGTH))

    def queries(self) -> list[str]:
        """Two or three words each, neither the most common nor the rarest."""
        dice = random.Random(2)
        chosen = self._words[30:8000]
        return [" ".join(dice.sample(chosen, dice.randint(2, 3))) for _ in range(QUERIES)]

    def _word(self, dice: random.Random) -> str:
        return self._words[bisect.bisect(self._sums, dice.random() * self._sums[-1])]


class Spent:
    """Seconds since it was made; those of the processor are less what making the texts takes."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()
        self.wall = self.processor = 0.0

    def stop(self, corpus: Corpus) -> None:
        self.wall = time.perf_counter() - self._wall
        self.processor = time.process_time() - self._processor - corpus.making


class Figures:
    def __init__(self, name: str, spent: Spent, times: list[float], megabytes: float) -> None:
        self.name, self.spent, self.megabytes = name, spent, megabytes
        self.middle = statistics.median(times) * 1000
        self.high = sorted(times)[int(len(times) * 0.95)] * 1000


async def ours(corpus: Corpus, settings: Settings, name: str) -> Figures:
    state = StateStore(settings)
    spent = Spent()
    group: list[LibraryDocument] = []
    for number, text in enumerate(corpus.texts()):
        group.append(LibraryDocument(card=DocumentCard(id=str(number), title=text[:40]), text=text))
        if len(group) == 256:
            await state.library.store_documents("someone", group)
            group = []
    await state.library.store_documents("someone", group)
    spent.stop(corpus)
    times = []
    for query in corpus.queries():
        start = time.perf_counter()
        await state.library.search_library("someone", query)
        times.append(time.perf_counter() - start)
    await state.aclose()
    return Figures(name, spent, times, size(settings[StoreSettings].data_path))


def plain(corpus: Corpus, folder: Path) -> Figures:
    link = sqlite3.connect(folder / "plain.db", isolation_level=None)
    link.execute("PRAGMA journal_mode = WAL")
    link.execute("CREATE VIRTUAL TABLE page USING fts5(title, body, tokenize='porter unicode61')")
    spent = Spent()
    for group in _groups(corpus.texts()):
        link.execute("BEGIN")
        link.executemany("INSERT INTO page VALUES (?, ?)", [(text[:40], text) for text in group])
        link.execute("COMMIT")
    spent.stop(corpus)
    sql = (
        "SELECT rowid, snippet(page, 1, '', '', '…', 40) FROM page WHERE page MATCH ? "
        "ORDER BY rank LIMIT 10"
    )

    def ask(query: str) -> list[Any]:
        return link.execute(sql, (" OR ".join(query.split()),)).fetchall()

    times = [timed(partial(ask, query)) for query in corpus.queries()]
    link.close()
    return Figures("plain FTS5", spent, times, size(folder))


def tantivy(corpus: Corpus, folder: Path) -> Figures | None:
    try:
        import tantivy as engine
    except ImportError:
        return None
    builder = engine.SchemaBuilder()
    builder.add_text_field("title", stored=True, tokenizer_name="en_stem")
    builder.add_text_field("body", stored=True, tokenizer_name="en_stem")
    index = engine.Index(builder.build(), path=str(folder))
    writer = index.writer(64_000_000, 1)
    spent = Spent()
    for text in corpus.texts():
        writer.add_document(engine.Document(title=text[:40], body=text))
    writer.commit()
    writer.wait_merging_threads()
    spent.stop(corpus)
    index.reload()
    searcher = index.searcher()

    def ask(query: str) -> None:
        parsed = index.parse_query(query, ["title", "body"])
        for _, address in searcher.search(parsed, 10).hits:
            searcher.doc(address)

    times = [timed(partial(ask, query)) for query in corpus.queries()]
    return Figures("tantivy", spent, times, size(folder))


def timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def size(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20


def _groups(texts: Iterator[str]) -> Iterator[list[str]]:
    while group := list(itertools.islice(texts, 256)):
        yield group


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=50_000)
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL too")
    options = parser.parse_args()
    corpus = Corpus(options.documents)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    folder = Path(tempfile.mkdtemp())
    try:
        rows = [asyncio.run(ours(corpus, Settings(data_dir=folder / "ours"), "library, SQLite"))]
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
        (folder / "plain").mkdir()
        (folder / "tantivy").mkdir()
        rows += [plain(corpus, folder / "plain")]
        rows += [one for one in [tantivy(corpus, folder / "tantivy")] if one]
        if options.postgres:
            rows += postgres(corpus, folder)
    finally:
        shutil.rmtree(folder)
    print(f"{options.documents:,} documents of {LENGTH} words, {QUERIES} queries, ten results each")
    base = next(row for row in rows if row.name == "plain FTS5")
    for row in rows:
        rate, cost = corpus.count / row.spent.wall, row.spent.processor / corpus.count * 1e6
        ratio = row.spent.processor / base.spent.processor
        print(
            f"{row.name:<20}| {rate:6,.0f} documents/s, {cost:5.0f} µs of processor each (× {ratio:.2f}) "
            f"| query p50 {row.middle:6.2f} ms p95 {row.high:6.2f} ms (p50 × {row.middle / base.middle:.2f}) "
            f"| {row.megabytes:4.0f} MB"
        )
    print(f"Memory grew by {grown:.0f} MB while the library was filled and asked.")


def postgres(corpus: Corpus, folder: Path) -> list[Figures]:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.services import found_postgres

    server = found_postgres()
    if isinstance(server, str):
        print(server)
        return []
    chosen = Settings(data_dir=folder / "pg", database_url=server.new())
    return [asyncio.run(ours(corpus, chosen, "library, PostgreSQL"))]


if __name__ == "__main__":
    main()
