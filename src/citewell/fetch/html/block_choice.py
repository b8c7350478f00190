"""Chooses which blocks of a page to keep, given the chance of each to be main content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.fetch.html.block_scoring import choose_threshold
from citewell.fetch.html.comment_threads import split_comments
from citewell.fetch.html.layout_blocks import COMMENTS
from citewell.fetch.html.page_kind import PAGE_KINDS
from citewell.fetch.html.region_filling import (
    fill_even_gaps,
    keep_long_region,
    keep_page_title,
    keep_plain_structures,
)
from citewell.fetch.html.whole_structures import join_structure_chances
from citewell.model.counted_words import pluralize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citewell.fetch.html.block_features import PageHints
    from citewell.fetch.html.layout_blocks import PageLayout, TextBlock

# An article ends where comments and teasers begin, so doubtful blocks are left out of it.
_ARTICLE_STRICTNESS = 1.2
# Out of fold, these find two thirds of the pages that lose a fifth of their text or more, and say
# the same of a tenth of the others.
_MIN_SURE_F1 = 0.6
_MIN_SURE_RECALL = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenBlocks:
    """The blocks to keep and those of the comments, in document order, and what is expected of it.

    `expected_recall` is the share of the likely main text that is kept.
    """

    kept: list[TextBlock]
    comments: list[TextBlock]
    expected_f1: float
    expected_recall: float


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
        expected_recall=_estimate_recall(page, keeps, joined),
    )


def _estimate_recall(page: PageLayout, keeps: Sequence[bool], chances: Sequence[float]) -> float:
    likely = kept = 0.0
    for block, is_kept, chance in zip(page.blocks, keeps, chances, strict=True):
        if is_kept:
            kept += chance * block.words
        if is_kept or not block.box.flags & COMMENTS:
            likely += chance * block.words
    return kept / likely if likely else 0.0


def find_likely_losses(page: PageLayout, chosen: ChosenBlocks) -> tuple[str, ...]:
    """Why text of the page may be missing from the choice; empty if nothing points to it."""
    notes: list[str] = []
    if page.is_cut:
        notes.append(
            f"Only the first {len(page.blocks):,} {pluralize(len(page.blocks), 'block of the page was', 'blocks of the page were')} read."
        )
    if chosen.expected_recall < _MIN_SURE_RECALL:
        notes.append("Parts of the page that may belong to its main text were left out.")
    elif chosen.expected_f1 < _MIN_SURE_F1:
        notes.append("The main text of the page is hard to tell from the rest of it.")
    return tuple(notes)
