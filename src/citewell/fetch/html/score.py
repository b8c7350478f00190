"""Judge blocks with the learned model: its file, its trees, and the choice they lead to."""

from __future__ import annotations

import functools
import json
import math
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A leaf is its value; a split is (column, threshold, at most, above).
Tree: TypeAlias = "float | tuple[int, float, Tree, Tree]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What training left behind; see training/README.md."""

    names: Mapping[str, float]
    words: Mapping[str, float]
    kinds: Mapping[str, Sequence[float]]
    columns: tuple[str, ...]
    trees: tuple[Tree, ...]


@functools.cache
def load() -> Model:
    """The model in weights.json beside this file, read once."""
    text = resources.files(__package__).joinpath("weights.json").read_text("utf-8")
    raw: dict[str, Any] = json.loads(text)
    return Model(
        names=raw["names"],
        words=raw["words"],
        kinds=raw["kinds"],
        columns=tuple(raw["columns"]),
        trees=tuple(_freeze(tree) for tree in raw["trees"]),
    )


def _freeze(tree: Any) -> Tree:
    if not isinstance(tree, list):
        return float(tree)
    column, threshold, below, above = tree
    return int(column), float(threshold), _freeze(below), _freeze(above)


def probabilities(trees: Sequence[Tree], rows: Sequence[Sequence[float]]) -> list[float]:
    """How likely each block is to be main content."""
    return [_sigmoid(_margin(trees, row)) for row in rows]


def _margin(trees: Sequence[Tree], row: Sequence[float]) -> float:
    total = 0.0
    for tree in trees:
        node: Any = tree
        while node.__class__ is tuple:
            column, threshold, below, above = node
            node = below if row[column] <= threshold else above
        total += node
    return total


def _sigmoid(value: float) -> float:
    if value < 0:
        power = math.exp(value)
        return power / (1.0 + power)
    return 1.0 / (1.0 + math.exp(-value))


def best_cut(chances: Sequence[float], sizes: Sequence[int]) -> tuple[float, float]:
    """The threshold with the highest expected F1 over words, and that F1.

    Keeping every block above half the best reachable F1 is optimal when the chances are true,
    so a page of clear cases is cut at one half and a page of doubtful ones lower.
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
