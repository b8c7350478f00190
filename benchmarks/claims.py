"""What words alone say of claims that others labelled: supported, refuted or neither by their source.

The claims are not in this repository, and none of those counted here was learned from.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import Goal, Section, table
from citewell.core.values.research import ClaimRelation
from citewell.evidence.signs.claim_support import SourceText, assess_support

_KEPT_APART = frozenset({"wice_dev", "wice_nst", "scifact"})
_UNLICENSED = "unstated"  # licence of the sets that nothing may be learned from
_RELATIONS = (
    ClaimRelation.SUPPORTS,
    ClaimRelation.CONTRADICTS,
    ClaimRelation.QUALIFIES,
    ClaimRelation.MENTIONS,
)
_SUPPORTED, _REFUTED = "S", "R"
_GOLD_WORDS = {_SUPPORTED: "supported", _REFUTED: "refuted", "N": "neither"}
_MAX_CONFIRMED_REFUTED, _MIN_CONFIRMED, _MIN_FOUND, _MIN_PRECISION = 0.06, 0.33, 0.15, 0.85

Counts = Counter[tuple[str, str, ClaimRelation]]


def claims(truth: Path) -> Section:
    """`truth` is the folder with the labelled pairs."""
    counts: Counts = Counter()
    for row in _read_judging_rows(truth / "entailment.jsonl.gz"):
        source = SourceText(text=row["source"], language="en")
        counts[row["set"], row["gold"], assess_support(row["claim"], source).relation] += 1
    return Section(
        title="Claims: words alone on what others labelled",
        command="python -m benchmarks claims --truth ../shared/truth-eval",
        body=_show_counts(counts),
        notes="Sources are excerpts of one to eight sentences. `neither` of RTE, AttributionBench and WiCE includes refuted claims. The threshold and the doubts that forbid support were chosen with these sets in view; the trees were learned from others.",
        goals=tuple(_list_goals(counts)),
    )


def _read_judging_rows(file: Path) -> Iterator[dict[str, str]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["licence"] == _UNLICENSED or row["set"] in _KEPT_APART:
                yield row


def _show_counts(counts: Counts) -> str:
    rows = []
    for name, gold in sorted({(name, gold) for name, gold, _ in counts}):
        found = [counts[name, gold, relation] for relation in _RELATIONS]
        shares = [f"{one / sum(found):.3f}" for one in found]
        rows.append([name, _GOLD_WORDS[gold], str(sum(found)), *shares])
    return table(["set", "label", "claims", *(one.value for one in _RELATIONS)], rows)


def _list_goals(counts: Counts) -> Iterator[Goal]:
    refuted = _count(counts, gold=_REFUTED)
    confirmed_refuted = _count(counts, gold=_REFUTED, relation=ClaimRelation.SUPPORTS)
    supported = _count(counts, gold=_SUPPORTED)
    confirmed = _count(counts, gold=_SUPPORTED, relation=ClaimRelation.SUPPORTS)
    found = _count(counts, gold=_REFUTED, relation=ClaimRelation.CONTRADICTS)
    alarms = found + _count(counts, gold=_SUPPORTED, relation=ClaimRelation.CONTRADICTS)
    for text, part, whole, is_met in (
        (f"refuted claims called supported: at most {_MAX_CONFIRMED_REFUTED:.0%}",
         confirmed_refuted, refuted, confirmed_refuted <= _MAX_CONFIRMED_REFUTED * refuted),
        (f"supported claims confirmed: at least {_MIN_CONFIRMED:.0%}",
         confirmed, supported, confirmed >= _MIN_CONFIRMED * supported),
        (f"refuted claims called contradicted: at least {_MIN_FOUND:.0%}",
         found, refuted, found >= _MIN_FOUND * refuted),
        (f"contradictions that are right, beside supported claims: at least {_MIN_PRECISION:.0%}",
         found, alarms, found >= _MIN_PRECISION * alarms),
    ):  # fmt: skip
        yield Goal(text=text, measured=f"{part} of {whole}", met=is_met)


def _count(counts: Counts, *, gold: str, relation: ClaimRelation | None = None) -> int:
    return sum(
        count
        for (_, label, found), count in counts.items()
        if label == gold and relation in (None, found)
    )
