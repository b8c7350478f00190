"""Compare main-content extractors on gold pages: F1 by set and kind, pages per CPU second, peak memory.

Our own score is out of fold when the report of training/train.py is given; without it the pages
were trained on and the number flatters.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from citewell.reading.html import main_content as ours
from citewell.reading.html.block_choice import read_page_head
from citewell.reading.html.main_content import choose_blocks, read_page_layout
from citewell.reading.html.markup_limits import limit_markup
from citewell.reading.markdown.markdown_writer import render_markdown

Extractor = Callable[[str, str], str]


def load_scorer(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("wcxb_score", folder / "score.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"no score.py in {folder}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def extract_out_of_fold(judged: dict[str, list[float]], html: str, url: str) -> str:
    """What we would have written had this page's site never been seen."""
    tree = LexborHTMLParser(limit_markup(html))
    if tree.body is None:
        return ""
    page = read_page_layout(tree.body)
    if len(page.blocks) != len(judged["chances"]):
        raise SystemExit("the report was made by other code: train again")
    hints = read_page_head(tree).build_page_hints()
    kept = choose_blocks(page, judged["chances"], judged["kinds"], hints).kept
    nodes, boxes = ours.collect_chosen_nodes(page, kept)
    return render_markdown(tree.body, base=url, nodes=nodes, boxes=boxes)


def trafilatura(html: str, url: str) -> str:
    import trafilatura as library

    return library.extract(html, url=url or None, include_links=False) or ""


def trafilatura_fast(html: str, url: str) -> str:
    import trafilatura as library

    return library.extract(html, url=url or None, fast=True) or ""


def resiliparse(html: str, _url: str) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(html, main_content=True, links=False))


def readability(html: str, _url: str) -> str:
    from readability import Document

    return LexborHTMLParser(Document(html).summary()).text(separator=" ")


OTHERS: dict[str, Extractor] = {
    "trafilatura": trafilatura,
    "trafilatura fast": trafilatura_fast,
    "resiliparse": resiliparse,
    "readability-lxml": readability,
}


@dataclass(kw_only=True)
class Tally:
    """What one extractor has done so far; `scores` are by set, and by kind within WCXB."""

    name: str
    run: Extractor
    markdown: bool = False
    cpu: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    scores: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    def take(self, dataset: str, page: Any, html: str, scorer: ModuleType) -> None:
        start = time.process_time()
        try:
            text = self.run(html, page.url or "")
        except Exception as error:  # noqa: BLE001 - another library's crash is its miss
            self.failures[type(error).__name__] += 1
            text = ""
        self.cpu += time.process_time() - start
        plain = scorer.md_to_plain(text) if self.markdown else text
        score = scorer.score_page(dataset, page, plain)
        self.scores[dataset].append(score)
        if dataset.startswith("wcxb"):
            self.scores[page.type].append(score)

    def summary(self, datasets: list[str], scorer: ModuleType) -> dict[str, Any]:
        means = {
            name: scorer.summarize(name if name in datasets else datasets[0], rows)
            for name, rows in self.scores.items()
        }
        pages = sum(len(self.scores[name]) for name in datasets)
        return {
            "name": self.name,
            "means": means,
            "rate": pages / self.cpu,
            "failures": dict(self.failures),
        }


def compare(
    tallies: list[Tally], pages: list[tuple[str, Any]], scorer: ModuleType
) -> list[dict[str, Any]]:
    """One page after another through every extractor, so that all share the machine's moods."""
    for dataset, page in pages:
        html = page.html
        for tally in tallies:
            tally.take(dataset, page, html, scorer)
    datasets = list(dict.fromkeys(dataset for dataset, _ in pages))
    return [tally.summary(datasets, scorer) for tally in tallies]


def peak(name: str) -> float:
    """Most memory, in MB, of a fresh process that runs one extractor over the same pages."""
    command = [sys.executable, *sys.argv, "--peak", name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def print_peak(run: Extractor, pages: list[tuple[str, Any]]) -> None:
    for _, page in pages:
        with contextlib.suppress(Exception):
            run(page.html, page.url or "")
    # Not getrusage: its figure starts from that of the process that started this one.
    status = Path("/proc/self/status").read_text("utf-8")
    print(int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024)


def build_own_tallies(known: dict[str, Any], pages: list[tuple[str, Any]]) -> list[Tally]:
    tallies = [Tally(name="citewell", run=ours.extract_markdown, markdown=True)]
    if known:
        by_html = {page.html: read_judgement(known, dataset, page) for dataset, page in pages}
        tallies[0].name = "citewell, trained on these"
        tallies.append(
            Tally(
                name="citewell, out of fold",
                run=lambda html, url: extract_out_of_fold(by_html[html], html, url),
                markdown=True,
            )
        )
    return tallies


def read_judgement(known: dict[str, Any], dataset: str, page: Any) -> dict[str, list[float]]:
    key = f"{dataset.replace('devs', 'dev')}/{page.id}"
    return {"chances": known["chances"][key], "kinds": known["kinds"][key]}


def print_table(rows: list[dict[str, Any]], peaks: dict[str, float]) -> None:
    names = list(rows[0]["means"])
    print(f"| extractor | {' | '.join(names)} | pages per CPU second | peak MB |")
    print("|" + " --- |" * (len(names) + 3))
    for row in rows:
        numbers = " | ".join(f"{row['means'][name]['f1']:.3f}" for name in names)
        memory = f"{peaks[row['name']]:.0f}" if row["name"] in peaks else ""
        print(f"| {row['name']} | {numbers} | {row['rate']:.1f} | {memory} |")


def read_options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, help="folder with score.py and data/")
    arguments.add_argument("--out-of-fold", type=Path, help="report written by training/train.py")
    arguments.add_argument("--datasets", default="wcxb_dev,aeb,magic_article,magic_forum")
    arguments.add_argument("--limit", type=int, help="pages of each set")
    arguments.add_argument("--others", default=",".join(OTHERS))
    arguments.add_argument("--memory", action="store_true", help="also measure peak memory")
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--peak", help=argparse.SUPPRESS)
    return arguments.parse_args()


def list_pages(options: argparse.Namespace, scorer: ModuleType) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for dataset in options.datasets.split(","):
        pages = [page for page in scorer.load(dataset, options.folder / "data") if page.gt]
        if options.limit:
            pages = random.Random(1).sample(pages, min(options.limit, len(pages)))
        found += [(dataset, page) for page in pages]
    return found


def main() -> None:
    options = read_options()
    scorer = load_scorer(options.folder)
    known = json.loads(options.out_of_fold.read_text("utf-8")) if options.out_of_fold else {}
    pages = list_pages(options, scorer)
    if options.peak:
        print_peak(OTHERS.get(options.peak, ours.extract_markdown), pages)
        return
    names = [name for name in options.others.split(",") if name]
    tallies = build_own_tallies(known, pages)
    tallies += [Tally(name=name, run=OTHERS[name]) for name in names]
    for tally in tallies:
        if not tally.name.endswith("fold"):
            tally.run(pages[0][1].html, "")  # models and imports are loaded once per process
    peaks = {}
    if options.memory:
        peaks = {name: peak(name) for name in (tallies[0].name, *names)}
    rows = compare(tallies, pages, scorer)
    print(f"{len(pages)} pages of {options.datasets}")
    print_table(rows, peaks)
    if options.json:
        options.json.write_text(json.dumps({"rows": rows, "peaks": peaks}, indent=1), "utf-8")


if __name__ == "__main__":
    main()
