"""Vectors of an encoder in signed bytes, and how alike two of them are."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from operator import mul

_MAX_LEVEL = 127  # the largest value of a signed byte that has an opposite


def round_vector(values: Sequence[float]) -> bytes:
    """The direction of a vector in signed bytes; its length does not matter for a cosine."""
    largest = max(map(abs, values), default=0.0)
    factor = _MAX_LEVEL / largest if largest else 0.0
    return array("b", [round(value * factor) for value in values]).tobytes()


def measure_cosines(vector: bytes, others: Iterable[bytes]) -> tuple[float, ...]:
    """The cosine of `vector` with each of `others`, from -1 to 1; 0 for a vector without direction.

    Vectors are signed bytes, and all of the same length (ValueError otherwise).
    """
    mine = memoryview(vector).cast("b").tolist()
    length = math.sqrt(sum(map(mul, mine, mine)))
    return tuple(_measure_cosine(mine, length, other) for other in others)


def _measure_cosine(mine: list[int], length: float, other: bytes) -> float:
    theirs = memoryview(other).cast("b").tolist()
    if len(theirs) != len(mine):
        raise ValueError("vectors of different encoders cannot be compared")
    both = length * math.sqrt(sum(map(mul, theirs, theirs)))
    return sum(map(mul, mine, theirs)) / both if both else 0.0
