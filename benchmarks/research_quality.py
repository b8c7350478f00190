"""Does research answer? Our own questions on the bundled web and, where they are, others on saved real pages.

`python -m benchmarks research-quality` makes the section of RESULTS.md; `python -m
benchmarks.research_quality --set web --failures` shows which questions miss facts, and --out keeps the reports.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.answer_scoring import EvaluationQuestion, read_questions
from benchmarks.quality_summary import (
    COLUMNS,
    summarize_judgements,
    summarize_kinds,
)
from benchmarks.report import Goal, Section, table
from benchmarks.research_runs import EvaluationRun, run_on_library, run_on_web
from benchmarks.subjects import ROOT

OWN_QUESTIONS = ROOT / "tests" / "evaluation" / "research_questions.jsonl"
SAVED_SET = ROOT.parent / "shared" / "research-eval"  # real pages, which are not ours to keep here
SAVED_PAGES = SAVED_SET.parent / "extraction" / "data" / "wcxb" / "dev" / "html"


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityFloors:
    """What a set demands of the product, in percent where nothing else is said."""

    short_facts: float = 62
    long_facts: float = 78
    first_line: float = 88
    lead: float = 10  # points of g250 ahead of BM25
    false_refusals: float = 3.1  # of answerable questions, which is 2 of 65
    true_refusals: float = 55  # of unanswerable ones
    faults: float = 2  # lines with debris, and dangling ones, of a hundred
    both_parts: float = 60
    list_facts: float = 50
    cpu_seconds: float = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSet:
    """Questions and what they are asked about."""

    name: str
    questions: tuple[EvaluationQuestion, ...]
    floors: QualityFloors
    saved_pages: tuple[Path, ...] = ()  # none: the bundled web

    def run_questions(self) -> EvaluationRun:
        if self.saved_pages:
            return run_on_library(self.questions, self.saved_pages)
        return run_on_web(self.questions)


def load_sets() -> dict[str, QuestionSet]:
    """Our own set, and the one of saved pages where it lies beside the repository."""
    sets = {
        # BM25 is strong where each topic has few pages, so it only has to be matched here.
        "web": QuestionSet(
            name="our web",
            questions=read_questions(OWN_QUESTIONS),
            floors=QualityFloors(lead=0),
        )
    }
    listing = SAVED_SET / "pages.txt"
    if listing.exists() and SAVED_PAGES.exists():
        names = [line.partition("\t")[0] for line in listing.read_text("utf-8").splitlines()]
        sets["saved"] = QuestionSet(
            name="saved pages",
            questions=read_questions(SAVED_SET / "questions.jsonl"),
            floors=QualityFloors(),
            saved_pages=tuple(_find_saved_page(name) for name in names),
        )
    return sets


def research_quality() -> Section:
    """Every set that is there, each beside BM25 in the same run."""
    rows: list[list[str]] = []
    goals: list[Goal] = []
    for one in load_sets().values():
        run = one.run_questions()
        rows += list_table_rows(one.name, run)
        goals += check_floors(one, run)
    return Section(
        title="Research: what it answers, beside BM25",
        command="python -m benchmarks research-quality",
        body=table(("questions", *COLUMNS), rows),
        notes=_NOTES,
        goals=tuple(goals),
    )


def list_table_rows(name: str, run: EvaluationRun, *, kinds: bool = False) -> list[list[str]]:
    """The product's row and the baseline's, and with `kinds` the product's for each kind before them."""
    rows = (
        [
            [f"{name}: {kind}", *row.render_cells()]
            for kind, row in summarize_kinds(run.product).items()
        ]
        if kinds
        else []
    )
    for label, pairs in (("citewell", run.product), ("BM25, top 3", run.baseline)):
        rows.append([f"{name}, {label}", *summarize_judgements(pairs).render_cells()])
    return rows


def check_floors(asked: QuestionSet, run: EvaluationRun) -> list[Goal]:
    """Each demand of the set, and whether the product meets it."""
    ours, bar = summarize_judgements(run.product), summarize_judgements(run.baseline)
    lists = summarize_kinds(run.product).get("list")
    floors = asked.floors
    least = [
        ("g100", ours.short_facts, floors.short_facts),
        ("g250", ours.long_facts, floors.long_facts),
        ("first line from a gold page", ours.first_line, floors.first_line),
        ("g250 ahead of BM25", ours.long_facts - bar.long_facts, floors.lead),
        ("true refusals", _share(ours.true_refusals, ours.unanswerable), floors.true_refusals),
        ("both parts answered", _share(ours.both_parts, ours.parted), floors.both_parts),
        ("g250 of list questions", lists.long_facts if lists else 0.0, floors.list_facts),
    ]
    most = [
        ("jobs without a report", ours.failed, 0),
        ("false refusals", _share(ours.false_refusals, ours.answerable), floors.false_refusals),
        ("lines with debris", ours.debris, floors.faults),
        ("dangling lines", ours.dangling, floors.faults),
        ("CPU seconds a job", ours.cpu_seconds, floors.cpu_seconds),
    ]
    return [
        *(_state_goal(asked.name, what, "at least", seen, at) for what, seen, at in least),
        *(_state_goal(asked.name, what, "at most", seen, at) for what, seen, at in most),
    ]


_NOTES = (
    "g100, g250: gold facts in the first 100 and 250 words of the Answer, counted only in lines that cite a gold page."
    " any250: questions with at least one. top1: the first line cites a gold page. read: a gold page is among the"
    " sources. Or told in part: true refusals, and questions whose subject is there but not what is asked of it, where"
    " the report says under Not found what is missing. Copies, dangling and debris: of a hundred quoted lines. Shares in percent of the answerable questions."
    " Provider `local`, tier S. *Our web*: the questions of tests/evaluation on the bundled web, searched and read over"
    " HTTP. *Saved pages*: real pages in the library as the only source; left out where they are not beside the"
    " repository. BM25 has passages of 500 characters of the same texts."
)


def _find_saved_page(name: str) -> Path:
    packed = SAVED_PAGES / f"{name}.html.gz"
    return packed if packed.exists() else SAVED_PAGES / f"{name}.html"


def _share(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _state_goal(name: str, what: str, bound: str, seen: float, limit: float) -> Goal:
    met = seen >= limit if bound == "at least" else seen <= limit
    digits = 2 if "seconds" in what else 0
    return Goal(
        text=f"research on {name}: {what} {bound} {limit:g}", measured=f"{seen:.{digits}f}", met=met
    )


def _print_failures(run: EvaluationRun) -> None:
    for question, judged in run.product:
        if judged.refused == (not question.facts) and all(judged.in_long):
            continue
        found = f"{sum(judged.in_long)}/{len(judged.in_long)}"
        notes = [
            name
            for name, yes in (
                ("FAILED", judged.failed),
                ("REFUSED", judged.refused),
                ("not read", not judged.gold_read),
            )
            if yes
        ]
        print(f"{question.id} {question.kind:9} {found} {' '.join(notes)} | {question.text}")


def _write_answers(run: EvaluationRun, path: Path) -> None:
    """The reports as lines of JSON, in the form that the scorer of the saved set reads."""
    lines = [
        json.dumps(
            {
                "id": key,
                "report": one.report,
                "sources": dict(one.pages),
                "seconds": one.cpu_seconds,
            },
            ensure_ascii=False,
        )
        for key, one in run.answers.items()
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.research_quality", description=__doc__
    )
    sets = load_sets()
    parser.add_argument("--set", choices=list(sets), default="web", dest="chosen")
    parser.add_argument("--failures", action="store_true", help="list questions that miss facts")
    parser.add_argument("--out", type=Path, help="write the product's reports to this file")
    options = parser.parse_args(arguments)
    asked = sets[options.chosen]
    run = asked.run_questions()
    print(table(("questions", *COLUMNS), list_table_rows(asked.name, run, kinds=True)))
    for goal in check_floors(asked, run):
        print(f"{'met   ' if goal.met else 'MISSED'} {goal.text}: {goal.measured}")
    if options.failures:
        _print_failures(run)
    if options.out:
        _write_answers(run, options.out)


if __name__ == "__main__":
    main()
