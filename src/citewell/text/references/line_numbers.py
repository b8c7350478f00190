"""Line numbers of offsets in a document."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate


class LineIndex:
    def __init__(self, text: str) -> None:
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def find_line_number(self, offset: int) -> int:
        """The line of an offset, counted from 1."""
        return bisect_right(self._starts, offset)
