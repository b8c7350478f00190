"""PDFs of every kind beside pypdf, pdfminer.six and markitdown: words and runs of four words kept.

`python -m benchmarks.documents [--root DIR …] [--peers PYTHON]`, or `python -m benchmarks documents`.
Headings and cells of tables are counted for Citewell alone: the others write plain text.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import tempfile
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.document_corpus import Sample, installed, printed, scanned
from benchmarks.report import Goal, Section, table
from citewell.core.errors import CitewellError
from citewell.reading.documents.document_reader import read_document
from citewell.reading.documents.document_text import DocumentLimits
from citewell.reading.documents.text_recognition import (
    RecognitionLimits,
    RecognizingRunner,
    TextRecognizer,
)
from citewell.workers.worker_pool import WorkerLimits, WorkerPool

PEERS = ("pypdf", "pdfminer.six", "markitdown")
PEERS_VARIABLE = "CITEWELL_PDF_PEERS"  # a Python that has them
OURS = "citewell"
PATIENCE = RecognitionLimits(total_seconds=900.0, page_seconds=300.0)  # quality, not speed
_WORD = re.compile(r"\w+(?:[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]+\w*)*")
_CONTROLS = re.compile("[\u00ad\u0640\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_ADDRESS = re.compile(r"\]\((?:[^()\s]|\\.)*\)")
_MARKS = re.compile(r"^```\w*$|^\|(?: ?--- ?\|)+$", re.MULTILINE)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")


def plain(markdown: str) -> str:
    return _ESCAPED.sub(r"\1", _MARKS.sub("", _ADDRESS.sub("]", markdown)))


def words(text: str) -> list[str]:
    folded = _CONTROLS.sub("", unicodedata.normalize("NFKC", text)).lower()
    return _WORD.findall(folded.replace("_", " "))


def f1(found: Iterable[Any], true: Iterable[Any]) -> float:
    one, other = Counter(found), Counter(true)
    return 2 * (one & other).total() / max(one.total() + other.total(), 1)


def shingles(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(tokens[n : n + 4]) for n in range(len(tokens) - 3)]


def text_scores(text: str, sample: Sample) -> tuple[float, float]:
    found, true = words(plain(text)), words(sample.truth)
    return f1(found, true), f1(shingles(found), shingles(true))


def structure_scores(markdown: str, sample: Sample) -> tuple[float | None, float | None]:
    """F1 of headings and of table cells; None where the sample does not know its own."""
    titles = [line.lstrip("# ") for line in markdown.splitlines() if line.startswith("#")]
    rows = [line for line in markdown.splitlines() if line.startswith("| ")]
    cells = [cell for row in rows if "---" not in row for cell in row.strip("| ").split(" | ")]

    def keyed(texts: Iterable[str]) -> list[str]:
        return [" ".join(words(plain(text))) for text in texts if words(plain(text))]

    heads = f1(keyed(titles), keyed(sample.headings)) if sample.headings else None
    return heads, f1(keyed(cells), keyed(sample.cells)) if sample.cells else None


async def read_ours(samples: Sequence[Sample]) -> dict[str, tuple[str, float]]:
    texts: dict[str, tuple[str, float]] = {}
    limits = DocumentLimits(timeout=120.0)
    workers = RecognizingRunner(WorkerPool(WorkerLimits(count=1)), TextRecognizer(PATIENCE))
    for sample in samples:
        start = time.monotonic()
        body, address = sample.path.read_bytes(), sample.path.as_uri()
        try:
            read = await read_document(
                body, url=address, content_type="", limits=limits, workers=workers
            )
            text = read.markdown
        except CitewellError as error:
            print(f"{sample.name}: {error.message}")
            text = ""
        texts[str(sample.path)] = (text, time.monotonic() - start)
    await workers.aclose()
    return texts


def read_theirs(python: str, library: str, samples: Sequence[Sample]) -> dict[str, Any]:
    script = Path(__file__).with_name("document_peers.py")
    paths = [str(sample.path) for sample in samples]
    done = subprocess.run(
        [python, str(script), library, *paths], check=True, capture_output=True, text=True
    )
    return dict(json.loads(done.stdout))


def compare(samples: Sequence[Sample], python: str | None) -> Section:
    texts = {OURS: asyncio.run(read_ours(samples))}
    for library in PEERS if python else ():
        texts[library] = read_theirs(python or "", library, samples)
    kinds: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        kinds[sample.kind].append(sample)
    rows, goals = [], []
    for kind, held in kinds.items():
        means = {name: mean_scores(found, held) for name, found in texts.items()}
        rows.append([f"{kind} ({len(held)})", *(f"{w:.3f} / {s:.3f}" for w, s in means.values())])
        rows[-1] += [structure_mean(texts[OURS], held, place) for place in (0, 1)]
        best = max((means[name] for name in means if name != OURS), default=(0.0, 0.0))
        goals.append(
            Goal(
                text=f"PDFs, {kind}: words and shingles ahead of the others",
                measured=f"{means[OURS][0]:.3f} / {means[OURS][1]:.3f}, best other {best[0]:.3f} / {best[1]:.3f}",
                met=all(
                    means[OURS][n]
                    >= max((m[n] for k, m in means.items() if k != OURS), default=0.0)
                    for n in (0, 1)
                ),
            )
        )
    return Section(
        title="Text of PDFs, beside other readers",
        command="python -m benchmarks documents",
        body=table(("F1 of words / of four words in a row", *texts, "headings", "cells"), rows),
        notes=(
            "Printed by Chromium from translations installed on the machine, every second one tagged; "
            "scans are the same pages as pictures, read where tesseract is installed. "
            f"The others run in the Python that {PEERS_VARIABLE} names."
        ),
        goals=tuple(goals),
    )


def mean_scores(found: dict[str, Any], held: Sequence[Sample]) -> tuple[float, float]:
    scores = [text_scores(found[str(sample.path)][0], sample) for sample in held]
    return (
        sum(one for one, _ in scores) / len(scores),
        sum(other for _, other in scores) / len(scores),
    )


def structure_mean(found: dict[str, Any], held: Sequence[Sample], place: int) -> str:
    scores = [structure_scores(found[str(sample.path)][0], sample)[place] for sample in held]
    known = [score for score in scores if score is not None]
    return f"{sum(known) / len(known):.3f}" if known else ""


def collect(folder: Path, roots: Iterable[Path]) -> list[Sample]:
    samples = list(printed(folder))
    scans = [sample for sample in samples if sample.name in {"manual-de", "manual-fr"}]
    samples += scanned(scans, folder)
    for root in roots:
        samples += installed(root, folder)
    return samples


def documents(_: object) -> Section:
    """The section of RESULTS.md: PDFs, then office files where any are named."""
    from benchmarks.office_documents import office_documents  # which measures as this module does

    with tempfile.TemporaryDirectory() as folder:
        made = compare(collect(Path(folder), ()), os.environ.get(PEERS_VARIABLE))
    office = office_documents()
    if office is None:
        return made
    body = f"{made.body}\n\n{made.notes}\n\n{office.body}\n\n{office.notes}"
    return replace(made, body=body, notes="", goals=(*made.goals, *office.goals))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.documents", description=__doc__)
    parser.add_argument("--folder", type=Path, help="where PDFs are kept for the next run")
    parser.add_argument("--root", type=Path, action="append", default=[], help="unpacked packages")
    parser.add_argument("--peers", default=os.environ.get(PEERS_VARIABLE), metavar="PYTHON")
    parser.add_argument("--each", action="store_true", help="also print every file's scores")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        samples = collect(folder, options.root)
        if options.each:
            for path, (text, seconds) in asyncio.run(read_ours(samples)).items():
                sample = next(one for one in samples if str(one.path) == path)
                shown = " ".join(f"{score:.3f}" for score in text_scores(text, sample))
                heads, cells = structure_scores(text, sample)
                print(f"{shown} headings {heads} cells {cells} {seconds:.1f} s {sample.name}")
        print(compare(samples, options.peers).markdown())


if __name__ == "__main__":
    main()
