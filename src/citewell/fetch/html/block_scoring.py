"""Scores blocks with the learned model, and chooses the threshold for keeping them."""

from __future__ import annotations

import functools
import json
import math
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from citewell.fetch.html.trees import sum_first_trees, sum_guess_trees, sum_later_trees

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Beyond this margin the later trees do not change the decision; half of all blocks are beyond it.
SURE_MARGIN = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringModel:
    """The learned tables; see training/README.md."""

    name_odds: Mapping[str, float]
    word_odds: Mapping[str, float]
    kind_weights: Mapping[str, Sequence[float]]
    columns: tuple[str, ...]


@functools.cache
def load_scoring_model() -> ScoringModel:
    """The model in weights.json beside this file; cached."""
    text = resources.files(__package__).joinpath("weights.json").read_text("utf-8")
    raw: dict[str, Any] = json.loads(text)
    return ScoringModel(
        name_odds=raw["names"],
        word_odds=raw["words"],
        kind_weights=raw["kinds"],
        columns=tuple(raw["columns"]),
    )


def guess_blocks(rows: Iterable[Sequence[float]]) -> list[float]:
    """A first guess of each block's probability, from its own features alone."""
    return [_apply_sigmoid(sum_guess_trees(row)) for row in rows]


def score_blocks(rows: Iterable[Sequence[float]]) -> list[float]:
    """The probability of each block to be main content; `rows` hold its features and its context."""
    chances: list[float] = []
    for row in rows:
        margin = sum_first_trees(row)
        if -SURE_MARGIN < margin < SURE_MARGIN:
            margin += sum_later_trees(row)
        chances.append(_apply_sigmoid(margin))
    return chances


def _apply_sigmoid(value: float) -> float:
    if value < 0:
        power = math.exp(value)
        return power / (1.0 + power)
    return 1.0 / (1.0 + math.exp(-value))


def choose_threshold(chances: Sequence[float], sizes: Sequence[int]) -> tuple[float, float]:
    """The threshold with the highest expected F1 over words, and that F1.

    If the probabilities are right, keeping every block above half the best reachable F1 is
    optimal. So the threshold is one half on a page of clear cases, and lower on a doubtful one.
    """
    ranked = sorted(zip(chances, sizes, strict=True), reverse=True)
    wanted = sum(chance * size for chance, size in ranked)
    hit = taken = best = 0.0
    for chance, size in ranked:
        hit += chance * size
        taken += size
        if taken:
            best = max(best, 2 * hit / (taken + wanted))
    return best / 2, best
