"""Compare main-content extractors on WCXB pages: F1 by kind, pages per CPU second.

Our own score is out of fold when the report of training/train.py is given; without it the pages
were trained on and the number flatters.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from selectolax.lexbor import LexborHTMLParser

from citewell.fetch.html import extract as ours
from citewell.fetch.html.blocks import walk
from citewell.fetch.markdown.writer import write

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
    body = LexborHTMLParser(ours.tame(html)).body
    if body is None:
        return ""
    page = walk(body, {})
    if len(page.blocks) != len(chances):
        raise SystemExit("the report was made by other code: train again")
    kept, _ = ours.choose(page.blocks, chances)
    nodes, boxes = ours.selection(page, kept)
    return write(body, base=url, nodes=nodes, boxes=boxes)


def trafilatura(html: str, url: str) -> str:
    import trafilatura as library

    return library.extract(html, url=url or None, include_links=False) or ""


def trafilatura_fast(html: str, url: str) -> str:
    import trafilatura as library

    return library.extract(html, url=url or None, fast=True) or ""


def resiliparse(html: str, _url: str) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    return extract_plain_text(html, main_content=True, links=False)


def readability(html: str, _url: str) -> str:
    from readability import Document

    return LexborHTMLParser(Document(html).summary()).text(separator=" ")


OTHERS: dict[str, Extractor] = {
    "trafilatura": trafilatura,
    "trafilatura fast": trafilatura_fast,
    "resiliparse": resiliparse,
    "readability-lxml": readability,
}


def measure(name: str, run: Extractor, pages: list, scorer: ModuleType, *, markdown: bool) -> dict:
    by_kind: dict[str, list[float]] = defaultdict(list)
    failures: Counter[str] = Counter()
    cpu = 0.0
    for page in pages:
        html, url = page.html, page.url or ""
        start = time.process_time()
        try:
            text = run(html, url)
        except Exception as error:  # noqa: BLE001 - another library's crash is its miss
            failures[type(error).__name__] += 1
            text = ""
        cpu += time.process_time() - start
        plain = scorer.md_to_plain(text) if markdown else text
        by_kind[page.type].append(scorer.score_page("wcxb_dev", page, plain)["f1"])
    every = [value for values in by_kind.values() for value in values]
    row = {kind: sum(values) / len(values) for kind, values in by_kind.items()}
    return {
        "name": name,
        "all": sum(every) / len(every),
        "mean": sum(row.values()) / len(row),
        "kinds": row,
        "rate": len(pages) / cpu,
        "failures": dict(failures),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, help="folder with score.py and data/")
    arguments.add_argument("--out-of-fold", type=Path, help="report written by training/train.py")
    arguments.add_argument("--dataset", default="wcxb_devs")
    arguments.add_argument("--limit", type=int)
    arguments.add_argument("--others", default="trafilatura,trafilatura fast,resiliparse")
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    scorer = load_scorer(options.folder)
    pages = [p for p in scorer.load(options.dataset, options.folder / "data") if p.gt]
    if options.limit:
        pages = random.Random(1).sample(pages, min(options.limit, len(pages)))
    ours.extract(pages[0].html)  # the model is read once per process
    rows = [measure("citewell", ours.to_markdown, pages, scorer, markdown=True)]
    if options.out_of_fold:
        known = json.loads(options.out_of_fold.read_text("utf-8"))["chances"]
        by_html = {page.html: known[page.id] for page in pages}
        row = measure(
            "citewell, out of fold",
            lambda html, url: out_of_fold(by_html[html], html, url),
            pages,
            scorer,
            markdown=True,
        )
        rows[0] |= {"name": "citewell, trained on these", "out": True}
        rows.append(row)
    names = filter(None, options.others.split(","))
    rows += [measure(name, OTHERS[name], pages, scorer, markdown=False) for name in names]
    kinds = sorted(rows[0]["kinds"])
    print(f"{len(pages)} pages of {options.dataset}")
    print("| extractor | all | mean of kinds | " + " | ".join(kinds) + " | pages per CPU second |")
    print("|" + " --- |" * (len(kinds) + 4))
    for row in rows:
        cells = [f"{row['kinds'][kind]:.3f}" for kind in kinds]
        print(
            f"| {row['name']} | {row['all']:.3f} | {row['mean']:.3f} | "
            + " | ".join(cells)
            + f" | {row['rate']:.1f} |"
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
