"""Labels the tokens of a reference with the field that each belongs to.

A linear-chain model: every feature of a token speaks for or against each label, every pair of
neighbouring labels is more or less likely, and the best sequence as a whole is chosen. training/
has the scripts that learn the weights.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TypedDict

from citewell.text.references.reference_tokens import ReferenceToken
from citewell.text.references.token_features import extract_token_features

OTHER_LABEL = "O"
WEIGHTS_FILE = "reference_weights.json"
_WEIGHT_STEPS = 100  # weights are whole numbers of this part of one, to keep the file small


class StoredWeights(TypedDict):
    """The weights as their file has them, in whole steps."""

    labels: str
    transitions: list[list[int]]
    features: dict[str, list[int]]  # label number, weight, label number, weight


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggerWeights:
    labels: str  # one letter for each field; O is none
    transitions: tuple[tuple[float, ...], ...]  # of a label, by the label before it
    features: dict[str, tuple[tuple[int, float], ...]]  # label numbers with their weights


@cache
def load_tagger_weights() -> TaggerWeights:
    """The weights in the file beside this module; cached."""
    text = resources.files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8")
    return parse_tagger_weights(json.loads(text))


def parse_tagger_weights(stored: StoredWeights) -> TaggerWeights:
    return TaggerWeights(
        labels=stored["labels"],
        transitions=tuple(
            tuple(weight / _WEIGHT_STEPS for weight in row) for row in stored["transitions"]
        ),
        features={
            name: tuple((row[at], row[at + 1] / _WEIGHT_STEPS) for at in range(0, len(row), 2))
            for name, row in stored["features"].items()
        },
    )


def tag_reference_tokens(
    tokens: list[ReferenceToken],
    weights: TaggerWeights | None = None,
    *,
    other_penalty: float = 0.0,
) -> str:
    """The most likely labels, one letter for each token; a penalty leaves fewer without a field."""
    weights = weights or load_tagger_weights()
    if not tokens:
        return ""
    count = len(weights.labels)
    places = range(count)
    other = weights.labels.index(OTHER_LABEL)
    scores = [0.0] * count
    came_from: list[list[int]] = []
    table = weights.features
    for at, names in enumerate(extract_token_features(tokens)):
        own = [0.0] * count
        own[other] = -other_penalty
        for name in names:
            if (row := table.get(name)) is not None:
                for label, weight in row:
                    own[label] += weight
        if at == 0:
            scores = own
            continue
        best: list[int] = []
        reached: list[float] = []
        for label in places:
            sums = [
                score + step for score, step in zip(scores, weights.transitions[label], strict=True)
            ]
            top = max(sums)
            reached.append(top + own[label])
            best.append(sums.index(top))
        scores = reached
        came_from.append(best)
    label = scores.index(max(scores))
    path = [label]
    for best in reversed(came_from):
        label = best[label]
        path.append(label)
    return "".join(weights.labels[label] for label in reversed(path))
