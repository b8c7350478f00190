"""Which line of a document a place in it is on."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate


class Lines:
    def __init__(self, text: str) -> None:
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def at(self, place: int) -> int:
        """Counted from 1."""
        return bisect_right(self._starts, place)
