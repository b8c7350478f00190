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
from benchmarks.capacity import capacity
from benchmarks.claims import claims
from benchmarks.cluster import cluster
from benchmarks.connections import connections
from benchmarks.documents import documents
from benchmarks.draft_check.draft_gold import HALVES
from benchmarks.draft_check.section import draft_check
from benchmarks.false_statements import false_statements
from benchmarks.false_syntheses import false_syntheses
from benchmarks.hostile import hostile
from benchmarks.job_engines import job_engines
from benchmarks.jobs import job_kills, job_workers
from benchmarks.library_scale import library_scale
from benchmarks.load import load
from benchmarks.long_drafts import long_draft
from benchmarks.objects import objects
from benchmarks.page_identity import page_identity
from benchmarks.page_values.section import page_values
from benchmarks.reading import gathering, reading
from benchmarks.report import document, merged
from benchmarks.research import research
from benchmarks.research_quality import research_quality
from benchmarks.sections import SECTIONS, extraction
from benchmarks.subjects import ROOT, compared
from benchmarks.takeovers import job_takeovers
from benchmarks.trust import trust
from benchmarks.wakeups import wakeups

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
    "draft-check",
    "page-values",
    "false-statements",
    "false-syntheses",
    "claims",
    "long-draft",
    "load",
    "objects",
    "library-scale",
    "wakeups",
    "cluster",
    "job-kills",
    "job-workers",
    "job-takeovers",
    "job-engines",
    "capacity",
    "page-identity",
)
WITHOUT_PEER = {
    "trust": trust,
    "research-quality": research_quality,
    "connections": connections,
    "load": load,
    "long-draft": long_draft,
    "objects": objects,
    "library-scale": library_scale,
    "wakeups": wakeups,
    "job-kills": job_kills,
    "job-workers": job_workers,
    "job-takeovers": job_takeovers,
    "job-engines": job_engines,
    "capacity": capacity,
    "page-identity": page_identity,
}  # these start what they need themselves
RESULTS = ROOT / "benchmarks" / "RESULTS.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(NAMES))
    parser.add_argument(
        "--pages",
        type=Path,
        help="folder for extraction.py, page-values, false-statements and false-syntheses, which are left out without it",
    )
    parser.add_argument(
        "--truth", type=Path, help="folder for claims, which is left out without it"
    )
    parser.add_argument("--minutes", type=float, default=30.0, help="how long cluster runs")
    parser.add_argument("--seed", type=int, default=1, help="of the faults of cluster")
    parser.add_argument("--write", action="store_true", help="put named sections into RESULTS.md")
    parser.add_argument("--half", choices=HALVES, help="for draft-check: one half of its texts")
    options = parser.parse_args()
    chosen = options.sections
    if unknown := set(chosen) - set(NAMES):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    sections = SECTIONS | {
        "reading": partial(reading, pages=options.pages),
        "gathering": gathering,
        "hostile": hostile,
        "documents": documents,
        "audit": audit,
        "research": research,
    }
    without_peer = WITHOUT_PEER | {
        "cluster": partial(cluster, minutes=options.minutes, seed=options.seed),
        "page-values": partial(page_values, options.pages),
        "false-statements": partial(false_statements, options.pages),
        "false-syntheses": partial(false_syntheses, options.pages),
        "claims": partial(claims, options.truth),
    }
    left_out = set() if options.pages else {"page-values", "false-statements", "false-syntheses"}
    left_out |= set() if options.truth else {"claims"}
    before = os.getloadavg()[0]
    made = []
    with contextlib.ExitStack() as stack:
        subjects = None
        for name in (one for one in chosen or NAMES if one not in left_out):
            if name == "draft-check":
                made.append(draft_check(options.half))
            elif name in without_peer:
                made.append(without_peer[name]())
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
