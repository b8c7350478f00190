"""The reference tagger: makes references to learn from, learns, and judges.

    python training/references.py make  STYLES LOCALES CITEPROC WORK   formats recorded works into WORK
    python training/references.py train TRUTH WORK                     writes the shipped weights
    python training/references.py folds TRUTH WORK [--folds 3]         writes weights for each fold into WORK
    python training/references.py score TRUTH WORK                     prints the figures

TRUTH is the folder of truth-eval (references.jsonl and score.py), WORK any folder for what is made.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from reference_gold import Labelled, read_gold
from reference_items import make_far_item, recorded_items, vary_item
from reference_noise import damage_parts, label_parts
from reference_shapes import shape_reference
from reference_styles import format_items, list_styles, pick_jobs

from citewell.citations.references import reference_tagger
from citewell.citations.references.prose_references import (
    blank_reference_noise,
    parse_prose_reference,
)
from citewell.citations.references.reference_fields import clean_reference_value
from citewell.citations.references.reference_tagger import split_reference_tokens

WEIGHTS = Path(reference_tagger.__file__).with_name(reference_tagger.WEIGHTS_FILE)
JUDGED_STYLES = 60  # styles that nothing is learned from
LEARNED_STYLES, EACH_LEARNED, SHAPED = 400, 9, 2500
EACH_JUDGED = 10
FAR_SHARE = 0.05  # of works not in Latin letters
SEED = 12
FOLDS = 3


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("step", choices=("make", "train", "folds", "score"))
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--folds", type=int, default=FOLDS)
    args = parser.parse_args()
    if args.step == "make":
        make_references(*args.folders)
    elif args.step == "score":
        for line in score_references(*args.folders, folds=args.folds):
            sys.stdout.write(f"{line}\n")
    else:
        learn_references(*args.folders, folds=args.folds if args.step == "folds" else 0)


def make_references(folder: Path, locales: Path, citeproc: Path, work: Path) -> None:
    """Writes made.jsonl, to learn from, and judged.jsonl: other works in other styles."""
    styles = list_styles(folder)
    random.Random(SEED).shuffle(styles)
    judged, learned = styles[:JUDGED_STYLES], styles[JUDGED_STYLES:][:LEARNED_STYLES]
    for name, part, each, shaped in (
        ("judged", judged, EACH_JUDGED, 200), ("made", learned, EACH_LEARNED, SHAPED),
    ):  # fmt: skip
        rng = random.Random(f"{SEED}{name}")
        items = [item for item in recorded_items() if is_judged(item) == (name == "judged")]
        varied = [make_item(items, rng) for _ in range(4000)]
        rows = []
        for style, _, parts in format_items(
            pick_jobs(part, varied, each, rng), citeproc=citeproc, locales=locales
        ):
            first = next((at for at, (label, _) in enumerate(parts) if label != "?"), 0)
            kept = (
                parts[first:] if rng.random() < 0.7 else parts
            )  # lists are split at their numbers
            rows.append(label_parts(style, damage_parts(kept, rng)))
        rows += [
            label_parts("by hand", damage_parts(shape_reference(make_item(items, rng), rng), rng))
            for _ in range(shaped)
        ]
        lines = [
            json.dumps({"style": row.source, "raw": row.raw, "labels": "".join(row.labels), "gold": row.gold}, ensure_ascii=False)
            for row in rows
            if len(row.tokens) > 3
        ]  # fmt: skip
        (work / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def is_judged(item: dict[str, Any]) -> bool:
    return zlib.crc32(item["id"].encode()) % 3 == 0


def make_item(items: list[dict[str, Any]], rng: random.Random) -> dict[str, Any]:
    return (
        make_far_item(rng) if rng.random() < FAR_SHARE else vary_item(rng.choice(items), items, rng)
    )


def read_made(path: Path) -> Iterator[Labelled]:
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        tokens = split_reference_tokens(" ".join(blank_reference_noise(row["raw"]).split()))
        yield Labelled(row["style"], row["raw"], row["gold"], tokens, list(row["labels"]))


def learn_references(truth: Path, work: Path, *, folds: int) -> None:
    """Learns from all references, or, with folds, from all but those of each fold in turn."""
    from reference_model import learn_weights, write_weights

    rows, made = read_gold(truth / "references.jsonl"), list(read_made(work / "made.jsonl"))
    for fold in range(folds):
        kept = [row for row in rows if row.group % folds != fold]
        write_weights(learn_weights([*kept, *made], work / "model.crf"), work / f"fold{fold}.json")
    if not folds:
        write_weights(learn_weights([*rows, *made], work / "model.crf"), WEIGHTS)


def score_references(truth: Path, work: Path, *, folds: int) -> Iterator[str]:
    """Micro-F1 of fields by the measure of truth-eval: its sets out of fold, and the made gold."""
    judge = load_judge(truth / "score.py")
    rows = read_gold(truth / "references.jsonl")
    outs = [load_weights(work / f"fold{fold}.json") for fold in range(folds)]
    pairs = [(row, parse_fields(row.raw, outs[row.group % folds])) for row in rows]
    yield f"out of fold ({folds} folds):"
    yield from score_pairs(judge, ((row.source, row.gold, said) for row, said in pairs))
    yield f"made gold (works and {JUDGED_STYLES} styles that were not learned from), shipped weights:"
    shipped = reference_tagger.load_tagger_weights()
    yield from score_pairs(
        judge,
        (
            ("by hand" if row.source == "by hand" else "CSL styles", row.gold, parse_fields(row.raw, shipped))
            for row in read_made(work / "judged.jsonl")
        ),
    )  # fmt: skip


def load_judge(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("truth_score", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_weights(path: Path) -> reference_tagger.TaggerWeights:
    return reference_tagger.parse_tagger_weights(json.loads(path.read_text("utf-8")))


def parse_fields(raw: str, weights: reference_tagger.TaggerWeights) -> dict[str, str]:
    found = parse_prose_reference(clean_reference_value(raw), weights=weights)
    return {
        "author": " and ".join(person.name for person in found.authors), "title": found.title,
        "venue": found.venue, "year": str(found.year or ""), "volume": found.volume, "issue": found.issue,
        "pages": found.pages, "publisher": found.publisher, "doi": found.doi or "",
    }  # fmt: skip


def score_pairs(
    judge: ModuleType, rows: Iterable[tuple[str, dict[str, str], dict[str, str]]]
) -> Iterator[str]:
    tables: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for name, gold, said in rows:
        for field in judge.FIELDS:
            counts = tables[name][field]
            wanted, got = gold.get(field), said.get(field)
            if wanted and got:
                counts["right" if judge.agree(field, wanted, got) else "wrong"] += 1
            elif wanted:
                counts["missed"] += 1
            elif got and field in {"author", "title", "venue", "year", "volume", "pages"}:
                counts["invented"] += 1
    for name, fields in tables.items():
        cells = ", ".join(f"{field} {micro_f1([fields[field]]):.2f}" for field in judge.FIELDS)
        yield f"  {name}: micro-F1 {micro_f1(fields.values()):.3f}; {cells}"


def micro_f1(counts: Iterable[Counter[str]]) -> float:
    total: Counter[str] = sum(counts, Counter())
    twice = 2 * total["right"]
    return twice / max(1, twice + 2 * total["wrong"] + total["missed"] + total["invented"])


if __name__ == "__main__":
    main()
