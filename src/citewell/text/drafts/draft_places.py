"""Places in a draft: offsets as lines and columns, in the file that they came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from citewell.model.draft import DraftPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSegment:
    """A part of the draft's text that came from one file, from `start` on to the next segment."""

    start: int
    file: str
    first_line: int  # the line of the file in which the segment begins, from 1
    first_column: int


class PlaceIndex:
    """Makes places of offsets; with `counts_paragraphs` only lines that are not blank are counted."""

    def __init__(
        self,
        text: str,
        *,
        segments: Sequence[TextSegment] = (),
        counts_paragraphs: bool = False,
    ) -> None:
        lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)][: len(lines)]
        self._numbers: Sequence[int] = range(1, len(lines) + 1)
        if counts_paragraphs:
            self._numbers = [
                # A line of marks only, such as that below the head of a table, is none of the document.
                max(1, count)
                for count in accumulate(bool(one.strip("|:-` \t")) for one in lines)
            ]
        self._segments = segments
        self._segment_starts = [segment.start for segment in segments]

    def build_place(self, start: int, end: int) -> DraftPlace:
        row = bisect_right(self._starts, start) - 1
        line, column, file = self._numbers[row], start - self._starts[row] + 1, ""
        at = bisect_right(self._segment_starts, start) - 1
        if at >= 0:
            segment = self._segments[at]
            first = bisect_right(self._starts, segment.start) - 1
            file, line = segment.file, segment.first_line + row - first
            if row == first:
                column = segment.first_column + start - segment.start
        return DraftPlace(start=start, end=end, line=line, column=column, file=file)
