"""Adds to each block's features what the first trees think of the blocks and boxes around it."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citewell.reading.html.layout_blocks import LayoutBox, PageLayout

_LIST_TAGS = frozenset(("ul", "ol", "menu", "dir"))
_CELL_TAGS = frozenset(("td", "th"))
_ITEM_TAGS = frozenset(("li",))
_DEFINITION_TAGS = frozenset(("dt", "dd"))
_WHOLE_TAGS = _LIST_TAGS | {"table", "dl", "pre"}
# Cells and items of more words and blocks than this lay out a page rather than say one thing.
_MAX_UNIT_WORDS = 80
_MAX_UNIT_BLOCKS = 3
_MIN_UNITS = 2

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

# Keeps or drops a table, a list, a code block or a definition list as a whole.


def join_structure_chances(page: PageLayout, chances: Sequence[float]) -> list[float]:
    """The chances, with one for all blocks of a structure: their mean, weighted by words."""
    joined = list(chances)
    for box in find_structures(page):
        size = box.words
        if size and box.end - box.start > 1:
            blocks = page.blocks[box.start : box.end]
            pairs = zip(blocks, chances[box.start : box.end], strict=True)
            mean = sum(block.words * chance for block, chance in pairs) / size
            joined[box.start : box.end] = [mean] * (box.end - box.start)
    return joined


def find_structures(page: PageLayout) -> list[LayoutBox]:
    """The outermost boxes that are one structure each, in document order; found once per page."""
    if page.structures is not None:
        return page.structures
    is_whole = _judge_holders(page)
    found: list[LayoutBox] = []
    end = 0
    for box in page.boxes:
        if box.start < end or box.tag not in _WHOLE_TAGS or not box.count:
            continue
        if box.tag == "pre" or is_whole.get(box.id, False):
            found.append(box)
            end = box.end
    page.structures = found
    return found


def _judge_holders(page: PageLayout) -> dict[int, bool]:
    """Whether each table and list has at least two units, none of which lays out a page."""
    units: dict[int, int] = {}
    broken: set[int] = set()
    nested: dict[int, list[int]] = {}
    for box in reversed(page.boxes):  # inner boxes before outer ones
        if not box.count:
            continue
        if box.tag in _LIST_TAGS or box.tag == "dl":
            item = _add_to_item(box, nested)
            holder = _find_holder(item) if item is not None and box.id in broken else None
            if holder is not None:
                broken.add(holder.id)
        holder = _find_holder(box)
        if holder is None:
            continue
        units[holder.id] = units.get(holder.id, 0) + 1
        inner_words, inner_count = nested.get(box.id, (0, 0))
        if box.words - inner_words > _MAX_UNIT_WORDS or box.count - inner_count > _MAX_UNIT_BLOCKS:
            broken.add(holder.id)
    return {key: count >= _MIN_UNITS and key not in broken for key, count in units.items()}


def _add_to_item(box: LayoutBox, nested: dict[int, list[int]]) -> LayoutBox | None:
    """Add the size of a list to the item around it, which does not count as the item's own."""
    outer = box.parent
    while outer is not None and outer.tag not in _ITEM_TAGS:
        outer = outer.parent
    if outer is not None:
        held = nested.setdefault(outer.id, [0, 0])
        held[0] += box.words
        held[1] += box.count
    return outer


def _find_holder(box: LayoutBox) -> LayoutBox | None:
    """The table or list that a cell or item belongs to; None for any other box."""
    if box.tag in _CELL_TAGS:
        wanted = frozenset(("table",))
    elif box.tag in _ITEM_TAGS:
        wanted = _LIST_TAGS
    elif box.tag in _DEFINITION_TAGS:
        wanted = frozenset(("dl",))
    else:
        return None
    outer = box.parent
    while outer is not None and outer.tag not in wanted:
        outer = outer.parent
    return outer
