"""Chooses which blocks of a page to keep, given the chance of each to be main content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.fetch.html.block_scoring import choose_threshold
from citewell.fetch.html.comment_threads import split_comments
from citewell.fetch.html.page_kind import PAGE_KINDS
from citewell.fetch.html.region_filling import (
    fill_even_gaps,
    keep_long_region,
    keep_page_title,
    keep_plain_structures,
)
from citewell.fetch.html.whole_structures import join_structure_chances

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citewell.fetch.html.block_features import PageHints
    from citewell.fetch.html.layout_blocks import LayoutBox, PageLayout, TextBlock

# An article ends where comments and teasers begin, so doubtful blocks are left out of it.
_ARTICLE_STRICTNESS = 1.2
_MIN_SURE_F1 = 0.6
_MIN_REGION_WORDS = 400
_MIN_REGION_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenBlocks:
    """The blocks to keep and those of the comments, in document order, and the F1 expected of it."""

    kept: list[TextBlock]
    comments: list[TextBlock]
    expected_f1: float


def choose_blocks(
    page: PageLayout, chances: Sequence[float], kinds: Sequence[float], hints: PageHints
) -> ChosenBlocks:
    """Keep the blocks with which the expected F1 over words is highest; `kinds` as of PAGE_KINDS."""
    joined = join_structure_chances(page, chances)
    cut, expected = choose_threshold(joined, [block.words for block in page.blocks])
    kind = PAGE_KINDS[kinds.index(max(kinds))]
    if kind == "article":
        cut *= _ARTICLE_STRICTNESS
    keeps = [chance > cut for chance in joined]
    keep_plain_structures(page, keeps)
    fill_even_gaps(page, keeps)
    keep_long_region(page, keeps, joined, kind)
    keep_page_title(page, keeps, hints.title_words)
    comments = split_comments(page, keeps, kinds)
    return ChosenBlocks(
        kept=[block for block, is_kept in zip(page.blocks, keeps, strict=True) if is_kept],
        comments=comments,
        expected_f1=expected,
    )


def find_likely_losses(page: PageLayout, chosen: ChosenBlocks) -> tuple[str, ...]:
    """Why text of the page may be missing from the choice; empty if nothing points to it."""
    notes: list[str] = []
    if page.is_cut:
        notes.append(f"only the first {len(page.blocks):,} blocks of the page were read")
    if chosen.expected_f1 < _MIN_SURE_F1:
        notes.append("it is uncertain which part of the page is its main text")
    region = _find_prose_region(page)
    kept = {id(block) for block in chosen.kept}
    inside = page.blocks[region.start : region.end]
    held = sum(block.words for block in inside if id(block) in kept)
    if region.words >= _MIN_REGION_WORDS and held < _MIN_REGION_SHARE * region.words:
        notes.append("less than half of the region with most of the prose was kept")
    return tuple(notes)


def _find_prose_region(page: PageLayout) -> LayoutBox:
    """The smallest box that holds most of the page's prose: the deepest on the line to the core."""
    region = page.boxes[0]
    for box in page.boxes:
        if box.parent is region and box.core == region.core - 1 and box.count:
            region = box
    return region
