"""Measures the size and the names of the source tree, and fails when a figure gets worse.

`python -m tests.meta.tree_figures` prints the figures beside the committed ones and exits 1 if a size is
above its budget (`budget.json`) or a figure of names is worse (`tree_figures.json`). With `--write` it
commits the figures that are better, with `--raise "reason"` also those that are worse. `--all` also
traces a warm web_search, and `--list short_functions` names what a figure counts.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.meta import size_figures
from tests.meta.naming_figures import NameFigure, measure_names
from tests.meta.size_budget import SizeBudget
from tests.meta.source_tree import SourceModule, load_source_tree
from tests.meta.tree_names import PACKAGE

ROOT = Path(__file__).resolve().parents[2]
SOURCE, TESTS = ROOT / "src", ROOT / "tests"
BUDGET = Path(__file__).with_name("budget.json")
COMMITTED_NAMES = Path(__file__).with_name("tree_figures.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeFigure:
    title: str
    value: int
    names: tuple[str, ...] = ()  # what is counted, where it can be named
    note: str = ""


def measure_sizes(modules: tuple[SourceModule, ...], tests: Path) -> dict[str, SizeFigure]:
    rooms = size_figures.count_room_lines(modules)
    largest, largest_lines = rooms.most_common(1)[0]
    implementers = size_figures.count_protocol_implementers(modules)
    wiring = size_figures.find_wiring_modules(modules)
    domain = size_figures.find_domain_files(modules)
    ordinary = sum(not module.is_dunder for module in modules)
    untested = size_figures.find_untested_modules(modules, tests)
    return {
        "code_lines": SizeFigure(title="code lines", value=size_figures.count_code_lines(modules)),
        "files": SizeFigure(title="files", value=len(modules)),
        "domain_files": count_names(
            "files in which one domain (trials) is written", [module.name for module in domain]
        ),
        "filter_lines": count_names(
            "lines in which one of its filters is written", size_figures.find_filter_lines(domain)
        ),
        "one_importer_modules": count_names(
            "modules with one importer", size_figures.find_one_importer_modules(modules)
        ),
        "one_implementer_protocols": count_names(
            "Protocols with one implementer",
            [name for name, count in implementers.items() if count == 1],
            note=f"of {len(implementers)}",
        ),
        "short_functions": count_names(
            "functions of at most 4 lines used once", size_figures.find_short_functions(modules)
        ),
        "wiring_modules": count_names(
            "wiring modules",
            [module.name for module in wiring],
            note=f"{size_figures.count_code_lines(wiring):,} code lines",
        ),
        "untested_modules": count_names(
            "modules without a test file of their name",
            untested,
            note=f"{100 * (1 - len(untested) / ordinary):.0f} % of {ordinary:,} have it",
        ),
        "capability_folders": count_names(
            "top-level folders that hold one capability (drafts)",
            size_figures.find_capability_folders(modules),
        ),
        "largest_room_lines": SizeFigure(
            title="code lines of the largest room (top-level folder)",
            value=largest_lines,
            names=tuple(f"{room} {lines:,}" for room, lines in rooms.most_common()),
            note=largest,
        ),
    }


def measure_search() -> dict[str, SizeFigure]:
    """What a warm web_search goes through; takes seconds."""
    from tests.meta.search_trace import trace_warm_search

    trace = trace_warm_search(SOURCE / PACKAGE)
    return {
        "search_files": count_names("files crossed by a warm web_search", sorted(trace.files)),
        "search_frames": count_names(
            "own frames on its deepest stack", list(reversed(trace.deepest))
        ),
    }


def count_names(title: str, names: list[str], *, note: str = "") -> SizeFigure:
    return SizeFigure(title=title, value=len(names), names=tuple(names), note=note)


def render_sizes(figures: Mapping[str, SizeFigure], budget: SizeBudget) -> list[str]:
    lines = []
    for key, figure in figures.items():
        limit = f"budget {budget.limits[key]:9,}" if key in budget.limits else ""
        row = f"{key:27} {figure.title:52} {figure.value:9,}  {limit:16}  {figure.note}"
        lines.append(row.rstrip())
    rooms = ", ".join(figures["largest_room_lines"].names)
    return [*lines, f"code lines of each room: {rooms}"]


def render_names(figures: Mapping[str, NameFigure], committed: Mapping[str, float]) -> list[str]:
    return [
        f"{key:27} {figure.title:52} {figure.value:9.3f}  was    {committed[key]:9.3f}"
        + ("  WORSE" if figure.is_worse_than(committed[key]) else "")
        for key, figure in figures.items()
    ]


def commit_names(
    figures: Mapping[str, NameFigure], committed: Mapping[str, float], *, also_worse: bool
) -> dict[str, float]:
    """The committed figures with those that are better now and, if wanted, those that are worse."""
    return {
        key: round(figure.value, 3)
        if figure.is_better_than(committed[key])
        or (also_worse and figure.is_worse_than(committed[key]))
        else committed[key]
        for key, figure in figures.items()
    }


def list_counted_names(figures: Mapping[str, SizeFigure], key: str) -> int:
    if key not in figures:
        sys.stderr.write(f"No figure {key!r}. There are: {', '.join(figures)}\n")
        return 2
    sys.stdout.write("".join(f"{name}\n" for name in figures[key].names))
    return 0


def parse_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tree_figures", description=__doc__)
    parser.add_argument("--all", action="store_true", help="trace a warm web_search too")
    parser.add_argument("--list", metavar="FIGURE", help="name what this figure counts")
    parser.add_argument("--write", action="store_true", help="commit what is better")
    parser.add_argument("--raise", dest="reason", metavar="REASON", help="commit what is worse too")
    options = parser.parse_args(arguments)
    if options.reason is not None and not options.reason.strip():
        parser.error("--raise needs a reason.")
    return options


def main(arguments: list[str]) -> int:
    options = parse_options(arguments)
    modules = load_source_tree(SOURCE)
    figures = measure_sizes(modules, TESTS) | (measure_search() if options.all else {})
    if options.list:
        return list_counted_names(figures, options.list)
    sizes = {key: figure.value for key, figure in figures.items()}
    names = measure_names(modules)
    budget = SizeBudget.load_budget(BUDGET)
    committed: dict[str, float] = json.loads(COMMITTED_NAMES.read_text(encoding="utf-8"))
    if options.write or options.reason:
        before, committed = (
            committed,
            commit_names(names, committed, also_worse=bool(options.reason)),
        )
        COMMITTED_NAMES.write_text(json.dumps(committed, indent=2) + "\n", encoding="utf-8")
        worse = [key for key, figure in names.items() if figure.is_worse_than(before[key])]
        budget = (
            budget.raise_limits(sizes, options.reason, worse_names=worse)
            if options.reason
            else budget.lower_limits(sizes)
        )
        budget.save_budget(BUDGET)
    overruns = budget.list_overruns(sizes)
    sys.stdout.write(
        "\n".join((*render_sizes(figures, budget), *render_names(names, committed), ""))
    )
    for sentence in overruns.values():
        sys.stdout.write(f"{sentence}\n")
    is_worse = any(figure.is_worse_than(committed[key]) for key, figure in names.items())
    return 1 if overruns or is_worse else 0


if __name__ == "__main__":
    gc.disable()  # the millions of nodes live until the end; collecting takes longer than measuring
    sys.exit(main(sys.argv[1:]))
