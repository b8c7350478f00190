"""Keeps what a reader would miss: the page's title, headings of kept text, gaps in an even region."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from citewell.fetch.html import layout_blocks as b
from citewell.fetch.html.block_features import split_text_words
from citewell.fetch.html.whole_structures import find_structures

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from citewell.fetch.html.layout_blocks import LayoutBox, PageLayout, TextBlock

_HEADING_TAGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_FURNITURE = b.NAV | b.FOOTER | b.ASIDE | b.FORM | b.BUTTON | b.DIALOG | b.HIDDEN
_NO_CONTENT = b.NAV | b.FOOTER | b.FORM | b.BUTTON | b.DIALOG | b.COMMENTS
_MIN_ALIKE_SHARE = 0.6
_REGION_SHARE = 0.9
_MIN_MANUAL_WORDS = 500
_MIN_MANUAL_BLOCKS = 30
_MIN_MANUAL_CHANCE = 0.3
_MIN_BOOK_WORDS = 6_000
_MIN_BOOK_CHANCE = 0.6
_MIN_KEPT_CHANCE = {"manual": 0.05, "book": 0.15}
_MIN_TITLE_SHARE = 0.5


def keep_long_region(
    page: PageLayout, keeps: list[bool], chances: Sequence[float], kind: str
) -> None:
    """Keep nearly all of the region of a manual or a book, where odd parts are content too."""
    region, mean = _find_content_region(page, chances)
    is_manual = kind == "documentation"
    if is_manual:
        if (
            region.words < _MIN_MANUAL_WORDS
            or region.count < _MIN_MANUAL_BLOCKS
            or mean < _MIN_MANUAL_CHANCE
        ):
            return
    elif region.words < _MIN_BOOK_WORDS or mean < _MIN_BOOK_CHANCE:
        return
    least = _MIN_KEPT_CHANCE["manual" if is_manual else "book"]
    for index in range(region.start, region.end):
        if chances[index] > least and not page.blocks[index].box.flags & _NO_CONTENT:
            keeps[index] = True


def _find_content_region(page: PageLayout, chances: Sequence[float]) -> tuple[LayoutBox, float]:
    """The smallest box with nearly all of the likely content, and the mean chance in it."""
    sizes = (block.words for block in page.blocks)
    taken = [0.0, *accumulate(c * size for c, size in zip(chances, sizes, strict=True))]
    region = page.boxes[0]
    for box in page.boxes:
        if (
            box.parent is region
            and box.count
            and taken[box.end] - taken[box.start] >= _REGION_SHARE * taken[-1]
        ):
            region = box
    return region, (taken[region.end] - taken[region.start]) / (region.words or 1)


def keep_plain_structures(page: PageLayout, keeps: list[bool]) -> None:
    """Keep tables, lists and code with few links that stand beside kept prose in the same box."""
    holders = {
        block.box.parent.id
        for block, is_kept in zip(page.blocks, keeps, strict=True)
        if is_kept and block.long and block.box.parent is not None
    }
    for box in find_structures(page):
        outer = box.parent
        while outer is not None and outer.count == box.count:  # wrappers that hold nothing else
            outer = outer.parent
        if keeps[box.start] or outer is None or outer.id not in holders:
            continue
        is_plain = box.linked * (2 if box.tag == "table" else 4) <= box.words
        if is_plain and not box.flags & (_FURNITURE | b.COMMENTS):
            keeps[box.start : box.end] = [True] * (box.end - box.start)


def fill_even_gaps(page: PageLayout, keeps: list[bool]) -> None:
    """Keep blocks between two kept ones if most of their like are kept, and headings of kept text."""
    kinds = [_describe_block(block) for block in page.blocks]
    tallies: dict[tuple[str, str, int], list[int]] = {}
    for kind, is_kept in zip(kinds, keeps, strict=True):
        tally = tallies.setdefault(kind, [0, 0])
        tally[0] += 1
        tally[1] += is_kept
    first = next((i for i, is_kept in enumerate(keeps) if is_kept), len(keeps))
    last = next((i for i in range(len(keeps) - 1, -1, -1) if keeps[i]), -1)
    for index in range(first, last):
        if not keeps[index]:
            total, kept = tallies[kinds[index]]
            keeps[index] = total > 1 and kept >= _MIN_ALIKE_SHARE * total
    for index in range(last - 1, first, -1):
        block = page.blocks[index]
        if (
            not keeps[index]
            and keeps[index + 1]
            and block.box.tag in _HEADING_TAGS
            and not block.box.flags & _FURNITURE
            and block.box.parent is page.blocks[index + 1].box.parent
        ):
            keeps[index] = True


def _describe_block(block: TextBlock) -> tuple[str, str, int]:
    """Blocks with equal descriptions are alike: the same tag and classes in the same box."""
    box = block.box
    return box.tag, box.style, box.parent.id if box.parent is not None else 0


def keep_page_title(page: PageLayout, keeps: list[bool], title: AbstractSet[str]) -> None:
    """Keep the first h1 that says what the title says, unless one is kept already."""
    if not title or not any(keeps):
        return
    best = None
    for index, block in enumerate(page.blocks):
        if block.box.tag == "h1":
            words = split_text_words(block.text)
            shared = len(words & title)
            if shared and shared >= _MIN_TITLE_SHARE * len(words) and shared * 3 >= len(title):
                if keeps[index]:
                    return
                best = index if best is None else best
    if best is not None:
        keeps[best] = True
