"""How long the tortures last: one bounded round by default, long ones where TORTURE_SEEDS is set.

`TORTURE_SEEDS=5 .venv/bin/python -m pytest tests/e2e -m slow` adds five long rounds to each torture,
with another seed every time.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import pytest


@dataclass(frozen=True, slots=True, kw_only=True)
class TortureRound:
    """What the dice of a round are seeded with, and how often it kills."""

    seed: int
    kills: int


def torture_rounds(*, usual: int, long: int) -> pytest.MarkDecorator:
    """The parameter `dealt`: a round with `usual` kills, and each long one that was asked for."""
    seeds = range(2, 2 + int(os.environ.get("TORTURE_SEEDS", "0")))
    rounds = [pytest.param(TortureRound(seed=1, kills=usual), id="bounded")]
    rounds += [
        pytest.param(
            TortureRound(seed=seed, kills=long),
            id=f"long-{seed}",
            marks=[pytest.mark.slow, pytest.mark.timeout(900)],
        )
        for seed in seeds
    ]
    return pytest.mark.parametrize("dealt", rounds)
