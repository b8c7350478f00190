"""`python -m benchmarks [section …]`: all of them into RESULTS.md, or the named ones to the terminal."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.report import document
from benchmarks.sections import SECTIONS, extraction
from benchmarks.subjects import ROOT, compared

RESULTS = ROOT / "benchmarks" / "RESULTS.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument(
        "--pages", type=Path, help="folder for extraction.py, which is left out without it"
    )
    options = parser.parse_args()
    chosen = options.sections
    if unknown := set(chosen) - set(SECTIONS):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    before = os.getloadavg()[0]
    made = []
    with compared() as subjects:
        for name in chosen or SECTIONS:
            made.append(SECTIONS[name](subjects))
            print(made[-1].markdown(), end="\n\n", flush=True)
    if options.pages:
        made.append(extraction(options.pages))
        print(made[-1].markdown(), flush=True)
    if not chosen:
        RESULTS.write_text(document(made, load=(before, os.getloadavg()[0])), encoding="utf-8")


if __name__ == "__main__":
    main()
