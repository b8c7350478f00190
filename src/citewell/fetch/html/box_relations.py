"""Relates the boxes of a page: what each holds, which are alike, and where most of the prose is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.fetch.html.layout_blocks import collect_page_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from selectolax.lexbor import LexborNode

    from citewell.fetch.html.layout_blocks import LayoutBox, PageLayout


def read_page_layout(body: LexborNode) -> PageLayout:
    """The blocks and boxes under `body`, with what each box holds and how they are related."""
    page = collect_page_blocks(body)
    relate_boxes(page)
    return page


def relate_boxes(page: PageLayout) -> None:
    """Set the sums, the number of like siblings and the distance from the core of every box."""
    _sum_box_words(page)
    _mark_repeated_boxes(page)
    _mark_core_distance(page)
    page.group_ids = _group_like_blocks(page)


def _group_like_blocks(page: PageLayout) -> list[int]:
    """For each block a number that it shares with the blocks of the same tag and classes."""
    numbers: dict[tuple[str, str, str], int] = {}
    found: list[int] = []
    for block in page.blocks:
        box = block.box
        key = (box.tag, box.style, box.parent.style if box.parent is not None else "")
        found.append(numbers.setdefault(key, len(numbers)))
    return found


def score_box_names(page: PageLayout, names: Mapping[str, float]) -> None:
    """Give every box the learned odds of its class and id words, its ancestors' included."""
    odds_by_tokens: dict[tuple[str, ...], float] = {}
    for box in page.boxes:
        if not box.count:
            continue
        tokens = box.tokens
        odds = odds_by_tokens.get(tokens)
        if odds is None:
            scores = [*filter(None, map(names.get, tokens))]
            odds = odds_by_tokens[tokens] = sum(scores) / len(scores) ** 0.5 if scores else 0.0
        parent = box.parent
        box.own = odds
        if parent is None:
            box.path = box.near = odds
            box.low, box.high = min(odds, 0.0), max(odds, 0.0)
        else:
            box.path = parent.path + odds
            box.near = odds or parent.near
            box.low = min(odds, parent.low)
            box.high = max(odds, parent.high)


def _sum_box_words(page: PageLayout) -> None:
    for block in page.blocks:
        box = block.box
        box.words += block.words
        box.linked += block.linked
        box.count += 1
        if block.long:
            box.long += block.words
    for box in reversed(page.boxes):
        parent = box.parent
        if parent is not None and box.count:
            parent.words += box.words
            parent.linked += box.linked
            parent.long += box.long
            parent.count += box.count


def _mark_repeated_boxes(page: PageLayout) -> None:
    """Give every box its number of like siblings, and the nearest enclosing box that is repeated."""
    kin: dict[tuple[int, str, str], int] = {}
    keyed: list[tuple[LayoutBox, LayoutBox, tuple[int, str, str]]] = []
    for box in page.boxes:
        parent = box.parent
        if parent is not None and box.count:
            key = (parent.id, box.tag, box.style)
            kin[key] = kin.get(key, 0) + 1
            keyed.append((box, parent, key))
    for box, parent, key in keyed:
        box.alike = kin[key]
        # Not the box itself: a reference cycle would keep the page in memory until garbage collection.
        box.outer = parent if parent.alike > 2 else parent.outer


def _mark_core_distance(page: PageLayout) -> None:
    """Set each box's distance from the smallest box with most of the prose; inside it is 0."""
    heaviest: dict[int, LayoutBox] = {}
    for box in page.boxes:
        if box.parent is not None and box.long:
            best = heaviest.get(box.parent.id)
            if best is None or box.long > best.long:
                heaviest[box.parent.id] = box
    core = page.boxes[0]
    line = {core.id: core}
    while True:
        child = heaviest.get(core.id)
        if child is None or child.long * 10 < page.boxes[0].long * 6:
            break
        core = child
        line[core.id] = core
    for box in page.boxes:
        if box.id in line:
            box.core = core.depth - box.depth
        elif box.parent is not None:
            box.core = box.parent.core
