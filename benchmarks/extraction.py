"""Compare main-content extractors on WCXB pages: F1 by kind, pages per CPU second, peak memory.

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

from citewell.fetch.html import main_content as ours
from citewell.fetch.html.layout_blocks import collect_page_blocks
from citewell.fetch.html.markup_limits import limit_markup
from citewell.fetch.markdown.markdown_writer import render_markdown

Extractor = Callable[[str, str], str]


def load_scorer(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("wcxb_score", folder / "score.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"no score.py in {folder}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def out_of_fold(chances: list[float], html: str, url: str) -> str:
    """What we would have written had this page's site never been seen."""
    body = LexborHTMLParser(limit_markup(html)).body
    if body is None:
        return ""
    page = collect_page_blocks(body, {})
    if len(page.blocks) != len(chances):
        raise SystemExit("the report was made by other code: train again")
    kept, _ = ours.choose_blocks(page.blocks, chances)
    nodes, boxes = ours.collect_chosen_nodes(page, kept)
    return render_markdown(body, base=url, nodes=nodes, boxes=boxes)


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
    """What one extractor has done so far."""

    name: str
    run: Extractor
    markdown: bool = False
    cpu: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    by_kind: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    def take(self, page: Any, html: str, scorer: ModuleType) -> None:
        start = time.process_time()
        try:
            text = self.run(html, page.url or "")
        except Exception as error:  # noqa: BLE001 - another library's crash is its miss
            self.failures[type(error).__name__] += 1
            text = ""
        self.cpu += time.process_time() - start
        plain = scorer.md_to_plain(text) if self.markdown else text
        self.by_kind[page.type].append(scorer.score_page("wcxb_dev", page, plain))

    def summary(self) -> dict[str, Any]:
        kinds = {kind: _means(rows) for kind, rows in sorted(self.by_kind.items())}
        every = [row for rows in self.by_kind.values() for row in rows]
        return {
            "name": self.name,
            "all": _means(every),
            "mean": sum(row["f1"] for row in kinds.values()) / len(kinds),
            "kinds": kinds,
            "rate": len(every) / self.cpu,
            "failures": dict(self.failures),
        }


def _means(rows: list[dict[str, Any]]) -> dict[str, float]:
    return {name: sum(row[name] for row in rows) / len(rows) for name in ("p", "r", "f1", "sh4")}


def compare(tallies: list[Tally], pages: list[Any], scorer: ModuleType) -> list[dict[str, Any]]:
    """One page after another through every extractor, so that all share the machine's moods."""
    for page in pages:
        html = page.html
        for tally in tallies:
            tally.take(page, html, scorer)
    return [tally.summary() for tally in tallies]


def peak(name: str) -> float:
    """Most memory, in MB, of a fresh process that runs one extractor over the same pages."""
    command = [sys.executable, *sys.argv, "--peak", name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def print_peak(run: Extractor, pages: list[Any]) -> None:
    for page in pages:
        with contextlib.suppress(Exception):
            run(page.html, page.url or "")
    # Not getrusage: its figure starts from that of the process that started this one.
    status = Path("/proc/self/status").read_text("utf-8")
    print(int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024)


def own(known: dict[str, list[float]], pages: list[Any]) -> list[Tally]:
    tallies = [Tally(name="citewell", run=ours.extract_markdown, markdown=True)]
    if known:
        by_html = {page.html: known[page.id] for page in pages}
        tallies[0].name = "citewell, trained on these"
        tallies.append(
            Tally(
                name="citewell, out of fold",
                run=lambda html, url: out_of_fold(by_html[html], html, url),
                markdown=True,
            )
        )
    return tallies


def print_table(rows: list[dict[str, Any]], peaks: dict[str, float]) -> None:
    kinds = list(rows[0]["kinds"])
    heads = ("extractor", "all", "mean of kinds", *kinds, "article P", "R", "4-word F1")
    print(f"| {' | '.join(heads)} | pages per CPU second | peak MB |")
    print("|" + " --- |" * (len(heads) + 2))
    for row in rows:
        cells = [row["all"]["f1"], row["mean"], *(row["kinds"][kind]["f1"] for kind in kinds)]
        if "article" in kinds:
            cells += [row["kinds"]["article"][name] for name in ("p", "r", "sh4")]
        numbers = " | ".join(f"{cell:.3f}" for cell in cells)
        memory = f"{peaks[row['name']]:.0f}" if row["name"] in peaks else ""
        print(f"| {row['name']} | {numbers} | {row['rate']:.1f} | {memory} |")


def read_options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, help="folder with score.py and data/")
    arguments.add_argument("--out-of-fold", type=Path, help="report written by training/train.py")
    arguments.add_argument("--dataset", default="wcxb_devs")
    arguments.add_argument("--limit", type=int)
    arguments.add_argument("--others", default=",".join(OTHERS))
    arguments.add_argument("--memory", action="store_true", help="also measure peak memory")
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--peak", help=argparse.SUPPRESS)
    return arguments.parse_args()


def main() -> None:
    options = read_options()
    scorer = load_scorer(options.folder)
    known: dict[str, list[float]] = {}
    if options.out_of_fold:
        known = json.loads(options.out_of_fold.read_text("utf-8"))["chances"]
    pages = [p for p in scorer.load(options.dataset, options.folder / "data") if p.gt]
    pages = [page for page in pages if not known or page.id in known]
    if options.limit:
        pages = random.Random(1).sample(pages, min(options.limit, len(pages)))
    if options.peak:
        print_peak(OTHERS.get(options.peak, ours.extract_markdown), pages)
        return
    names = [name for name in options.others.split(",") if name]
    tallies = own(known, pages)
    tallies += [Tally(name=name, run=OTHERS[name]) for name in names]
    for tally in tallies:
        if not tally.name.endswith("fold"):
            tally.run(pages[0].html, "")  # models and imports are loaded once per process
    peaks = {}
    if options.memory:
        peaks = {name: peak(name) for name in (tallies[0].name, *names)}
    rows = compare(tallies, pages, scorer)
    print(f"{len(pages)} pages of {options.dataset}")
    print_table(rows, peaks)
    if options.json:
        options.json.write_text(json.dumps({"rows": rows, "peaks": peaks}, indent=1), "utf-8")


if __name__ == "__main__":
    main()
