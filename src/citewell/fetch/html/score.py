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

# A block this clear after the first trees stays on its side of any cut; half the blocks are.
_FIRST = 20
_SURE = 1.5


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


def probabilities(
    trees: Sequence[Tree], rows: Sequence[Sequence[float]], shared: int
) -> list[float]:
    """How likely each block is to be main content; columns from `shared` on are the page's own."""
    if not rows:
        return []
    mine = [_specialise(tree, rows[0], shared) for tree in trees]
    first, rest = mine[:_FIRST], mine[_FIRST:]
    chances: list[float] = []
    for row in rows:
        total = _margin(first, row)
        if -_SURE < total < _SURE:
            total += _margin(rest, row)
        chances.append(_sigmoid(total))
    return chances


def _specialise(tree: Tree, row: Sequence[float], shared: int) -> Tree:
    """The tree without the splits that come out the same for every block of a page."""
    if not isinstance(tree, tuple):
        return tree
    column, threshold, below, above = tree
    if column >= shared:
        return _specialise(below if row[column] <= threshold else above, row, shared)
    return column, threshold, _specialise(below, row, shared), _specialise(above, row, shared)


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
