"""Learns the weights of the reference tagger with CRFsuite, and writes them as a small file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pycrfsuite
from reference_gold import Labelled

from citewell.citations.references.reference_tagger import extract_token_features

PARAMETERS = {"c1": 0.5, "c2": 0.01, "max_iterations": 70, "feature.minfreq": 3}
STEPS = 100
LEAST = 4  # weights nearer to zero than this many steps are left out


def learn_weights(rows: Iterable[Labelled], scratch: Path) -> dict[str, Any]:
    """The weights as they are stored; `scratch` is the file CRFsuite writes."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(PARAMETERS)
    for row in rows:
        trainer.append(extract_token_features(row.tokens), row.labels)
    trainer.train(str(scratch))
    return pack_weights(scratch)


def pack_weights(model: Path) -> dict[str, Any]:
    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    info = tagger.info()
    labels = sorted(info.labels)
    numbers = {label: number for number, label in enumerate(labels)}
    transitions = [[0] * len(labels) for _ in labels]
    for (before, after), weight in info.transitions.items():
        transitions[numbers[after]][numbers[before]] = round(weight * STEPS)
    features: dict[str, list[int]] = {}
    for (name, label), weight in sorted(info.state_features.items()):
        if abs(steps := round(weight * STEPS)) >= LEAST:
            features.setdefault(name, []).extend((numbers[label], steps))
    return {"labels": "".join(labels), "transitions": transitions, "features": features}


def write_weights(weights: dict[str, Any], path: Path) -> None:
    rows = ",\n".join(
        f"{json.dumps(name, ensure_ascii=False)}:{json.dumps(row, separators=(',', ':'))}"
        for name, row in weights["features"].items()
    )
    path.write_text(
        f'{{"labels":"{weights["labels"]}","transitions":{json.dumps(weights["transitions"])},"features":{{\n{rows}\n}}}}\n',
        encoding="utf-8",
    )
