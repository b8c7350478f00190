"""`python -m benchmarks [section …]`: all of them into RESULTS.md, or the named ones to the terminal.

With --write the named ones take the place of what RESULTS.md says under their titles.
"""

from __future__ import annotations

import argparse
import contextlib
import os
from functools import partial
from pathlib import Path

from benchmarks.audit import audit
from benchmarks.connections import connections
from benchmarks.documents import documents
from benchmarks.hostile import hostile
from benchmarks.load import load
from benchmarks.reading import gathering, reading
from benchmarks.report import document, merged
from benchmarks.research import research
from benchmarks.research_quality import research_quality
from benchmarks.sections import SECTIONS, extraction
from benchmarks.subjects import ROOT, compared
from benchmarks.trust import trust

NAMES = (
    *SECTIONS,
    "reading",
    "gathering",
    "hostile",
    "documents",
    "trust",
    "audit",
    "research",
    "research-quality",
    "connections",
    "load",
)
WITHOUT_PEER = {
    "research-quality": research_quality,
    "connections": connections,
    "load": load,
}  # these start what they need themselves
RESULTS = ROOT / "benchmarks" / "RESULTS.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(NAMES))
    parser.add_argument(
        "--pages", type=Path, help="folder for extraction.py, which is left out without it"
    )
    parser.add_argument("--write", action="store_true", help="put named sections into RESULTS.md")
    options = parser.parse_args()
    chosen = options.sections
    if unknown := set(chosen) - set(NAMES):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    sections = SECTIONS | {
        "reading": partial(reading, pages=options.pages),
        "gathering": gathering,
        "hostile": hostile,
        "documents": documents,
        "trust": trust,
        "audit": audit,
        "research": research,
    }
    before = os.getloadavg()[0]
    made = []
    with contextlib.ExitStack() as stack:
        subjects = None
        for name in chosen or NAMES:
            if name in WITHOUT_PEER:
                made.append(WITHOUT_PEER[name]())
            else:
                subjects = subjects or stack.enter_context(compared())
                made.append(sections[name](subjects))
            print(made[-1].markdown(), end="\n\n", flush=True)
            for goal in made[-1].goals:
                print(
                    f"{'met' if goal.met else 'MISSED'}: {goal.text}: {goal.measured}", flush=True
                )
    if options.pages and not chosen:
        made.append(extraction(options.pages))
        print(made[-1].markdown(), flush=True)
    machine_load = (before, os.getloadavg()[0])
    if not RESULTS.exists():
        RESULTS.write_text(document(made, load=machine_load), encoding="utf-8")
    elif options.write or not chosen:
        RESULTS.write_text(
            merged(RESULTS.read_text("utf-8"), made, load=machine_load), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
