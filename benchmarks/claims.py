"""What the lexical judge says of labelled claims: `python -m benchmarks.claims claims.jsonl`.

Each line of the file is {"set", "claim", "source", "gold"}, with gold S for supported, P for partly,
N for not supported and R for refuted. Prints macro-F1 of supported or not, by the score and by the
relation shown, how often CONTRADICTS is right, and how often `contrastSignal` is set on each label.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import table
from citewell.model.research import ClaimRelation
from citewell.services.trust.claim_coverage import measure_claim_coverage
from citewell.text.evidence.claim_support import MIN_SUPPORTED_SCORE, SourceText, assess_support

REFUTED, SUPPORTED = "R", "S"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaim:
    gold: str
    by_score: bool
    by_relation: bool
    contradicts: bool
    contrast: bool


def judge_claim(row: dict[str, str]) -> JudgedClaim:
    found = assess_support(row["claim"], SourceText(text=row["source"]))
    covered = measure_claim_coverage(row["claim"], row["source"])
    return JudgedClaim(
        gold=row["gold"],
        by_score=found.score >= MIN_SUPPORTED_SCORE,
        by_relation=found.relation is ClaimRelation.SUPPORTS,
        contradicts=found.relation is ClaimRelation.CONTRADICTS,
        contrast=covered.has_contrast,
    )


def measure_macro_f1(pairs: Iterable[tuple[bool, bool]]) -> float:
    """The mean of F1 for True and for False, of pairs of what is so and what was said."""
    counts = Counter(pairs)
    scores = []
    for side in (True, False):
        right = counts[side, side]
        total = 2 * right + counts[side, not side] + counts[not side, side]
        scores.append(2 * right / total if total else 0.0)
    return sum(scores) / 2


def describe_claims(rows: Sequence[JudgedClaim]) -> list[str]:
    alarms = [row for row in rows if row.contradicts]
    right = sum(row.gold == REFUTED for row in alarms)
    refuted = sum(row.gold == REFUTED for row in rows)
    return [
        str(len(rows)),
        f"{measure_macro_f1((row.gold == SUPPORTED, row.by_score) for row in rows):.3f}",
        f"{measure_macro_f1((row.gold == SUPPORTED, row.by_relation) for row in rows):.3f}",
        f"{len(alarms)}, of them {sum(row.gold == SUPPORTED for row in alarms)} on supported",
        f"{right / refuted:.3f}" if refuted else "–",
        ", ".join(_list_contrasts(rows)),
    ]


def _list_contrasts(rows: Sequence[JudgedClaim]) -> Iterable[str]:
    for gold in sorted({row.gold for row in rows}):
        told = [row.contrast for row in rows if row.gold == gold]
        yield f"{gold} {sum(told) / len(told):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.claims", description=__doc__)
    parser.add_argument("claims", type=Path, help="the file of labelled claims")
    options = parser.parse_args()
    sets: dict[str, list[JudgedClaim]] = defaultdict(list)
    with options.claims.open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            sets[row["set"]].append(judge_claim(row))
    head = ("set", "claims", "F1 by score", "by relation", "contradicts", "recall on refuted", "contrastSignal")  # fmt: skip
    print(table(head, [[name, *describe_claims(rows)] for name, rows in sets.items()]))


if __name__ == "__main__":
    main()
