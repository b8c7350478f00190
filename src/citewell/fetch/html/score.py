"""Judge blocks with the learned model: its tables, its trees, and the choice they lead to."""

from __future__ import annotations

import functools
import json
import math
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from citewell.fetch.html.trees import first, rest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# A block this clear after the first trees stays on its side of any cut; half the blocks are.
SURE = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What training left behind; see training/README.md."""

    names: Mapping[str, float]
    words: Mapping[str, float]
    kinds: Mapping[str, Sequence[float]]
    columns: tuple[str, ...]


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
    )


def probabilities(rows: Iterable[Sequence[float]]) -> list[float]:
    """How likely each block is to be main content."""
    chances: list[float] = []
    for row in rows:
        margin = first(row)
        if -SURE < margin < SURE:
            margin += rest(row)
        chances.append(_sigmoid(margin))
    return chances


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
