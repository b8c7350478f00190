"""Keeps or drops a table, a list, a code block or a definition list as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citewell.fetch.html.layout_blocks import LayoutBox, PageLayout

_LIST_TAGS = frozenset(("ul", "ol", "menu", "dir"))
_CELL_TAGS = frozenset(("td", "th"))
_ITEM_TAGS = frozenset(("li",))
_DEFINITION_TAGS = frozenset(("dt", "dd"))
_WHOLE_TAGS = _LIST_TAGS | {"table", "dl", "pre"}
# Cells and items of more words and blocks than this lay out a page rather than say one thing.
_MAX_UNIT_WORDS = 80
_MAX_UNIT_BLOCKS = 3
_MIN_UNITS = 2


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
