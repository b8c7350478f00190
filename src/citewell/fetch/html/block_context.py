"""Adds to each block's features what the first trees think of the blocks and boxes around it."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from citewell.fetch.html.whole_structures import find_structures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citewell.fetch.html.layout_blocks import LayoutBox, PageLayout

_FAR_BLOCKS = 60  # a distance beyond every limit, for what is not there
_WINDOW_BLOCKS = 4
_LIKELY = 0.5
_MIN_LIKELY_WORDS = 10


def add_context_columns(
    page: PageLayout, rows: Sequence[list[float]], guesses: Sequence[float]
) -> None:
    """Append the columns of `CONTEXT_COLUMNS` to each row."""
    for row, context in zip(rows, build_context_rows(page, guesses), strict=True):
        row.extend(context)


def build_context_rows(page: PageLayout, chances: Sequence[float]) -> list[tuple[float, ...]]:
    """One row for each block, with the columns of `CONTEXT_COLUMNS`; `chances` are the first guess."""
    sizes = [block.words for block in page.blocks]
    taken = [0.0, *accumulate(c * size for c, size in zip(chances, sizes, strict=True))]
    words = [0, *accumulate(sizes)]
    whole = taken[-1] or 1.0
    padded = [0.0, 0.0, *chances, 0.0, 0.0]
    boxes = _average_boxes(page, taken, words)
    groups = _average_groups(page, chances)
    structures = _average_structures(page, taken, words, chances)
    gaps = _measure_likely_gaps(chances, sizes)
    last = len(sizes)
    rows: list[tuple[float, ...]] = []
    for i, block in enumerate(page.blocks):
        low, high = max(0, i - _WINDOW_BLOCKS), min(last, i + _WINDOW_BLOCKS + 1)
        rows.append(
            (
                chances[i],
                padded[i],
                padded[i + 1],
                padded[i + 3],
                padded[i + 4],
                (taken[high] - taken[low]) / (words[high] - words[low] or 1),
                *boxes[block.box.id],
                groups[i],
                structures[i],
                taken[i] / whole,
                (whole - taken[i + 1]) / whole,
                *gaps[i],
                whole / (words[-1] or 1),
            )
        )
    return rows


def _average_boxes(
    page: PageLayout, taken: Sequence[float], words: Sequence[int]
) -> dict[int, tuple[float, ...]]:
    """The mean chance in each box with text, in the boxes around it and in its repeated box."""
    means: dict[int, float] = {}

    def find_mean(box: LayoutBox) -> float:
        mean = means.get(box.id)
        if mean is None:
            size = words[box.end] - words[box.start] or 1
            mean = means[box.id] = (taken[box.end] - taken[box.start]) / size
        return mean

    rows: dict[int, tuple[float, ...]] = {}
    for block in page.blocks:
        box = block.box
        if box.id not in rows:
            up = box.parent or box
            upper = up.parent or up
            top = upper.parent or upper
            top = top.parent or top
            item = box.outer or box
            rows[box.id] = (
                find_mean(box),
                find_mean(up),
                find_mean(upper),
                find_mean(top),
                find_mean(item),
            )
    return rows


def _average_groups(page: PageLayout, chances: Sequence[float]) -> list[float]:
    """For each block, the mean chance of all blocks with the same tag and classes."""
    ids = page.group_ids
    count = max(ids, default=-1) + 1
    taken, words = [0.0] * count, [0.0] * count
    for key, block, chance in zip(ids, page.blocks, chances, strict=True):
        taken[key] += chance * block.words
        words[key] += block.words
    means = [share / (size or 1) for share, size in zip(taken, words, strict=True)]
    return [means[key] for key in ids]


def _average_structures(
    page: PageLayout, taken: Sequence[float], words: Sequence[int], chances: Sequence[float]
) -> list[float]:
    """For each block, the mean chance of its table, list or code; its own outside of them."""
    found = list(chances)
    for box in find_structures(page):
        size = words[box.end] - words[box.start] or 1
        mean = (taken[box.end] - taken[box.start]) / size
        found[box.start : box.end] = [mean] * (box.end - box.start)
    return found


def _measure_likely_gaps(chances: Sequence[float], sizes: Sequence[int]) -> list[tuple[int, int]]:
    """For each block, the number of blocks since the last that is likely content, and until the next."""
    likely = [
        chance > _LIKELY and size >= _MIN_LIKELY_WORDS
        for chance, size in zip(chances, sizes, strict=True)
    ]
    until: list[int] = []
    gap = _FAR_BLOCKS
    for is_likely in reversed(likely):
        gap = 0 if is_likely else gap + 1
        until.append(gap)
    until.reverse()
    since: list[int] = []
    gap = _FAR_BLOCKS
    for is_likely in likely:
        gap = 0 if is_likely else gap + 1
        since.append(gap)
    return list(zip(since, until, strict=True))


_COLUMN_NAMES = (
    "guess guess_prev2 guess_prev guess_next guess_next2 guess_window guess_box guess_up "
    "guess_upper guess_top guess_item guess_group guess_structure guess_before guess_after "
    "likely_since likely_until guess_page"
)
CONTEXT_COLUMNS = tuple(_COLUMN_NAMES.split())
