"""Separates what readers wrote under an article from the article."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.fetch.html import layout_blocks as b
from citewell.fetch.html.page_kind import PAGE_KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citewell.fetch.html.layout_blocks import PageLayout, TextBlock

_FORUM = PAGE_KINDS.index("forum")
_MIN_FORUM_CHANCE = 0.3
_MAX_COMMENT_SHARE = 0.6


def split_comments(page: PageLayout, keeps: list[bool], kinds: Sequence[float]) -> list[TextBlock]:
    """Take the comments out of `keeps` and return them; none where they are the content itself."""
    marked = [bool(block.box.flags & b.COMMENTS) for block in page.blocks]
    if not any(marked) or kinds[_FORUM] >= _MIN_FORUM_CHANCE:
        return []
    kept_words = kept_marked = 0
    for block, is_kept, is_marked in zip(page.blocks, keeps, marked, strict=True):
        if is_kept:
            kept_words += block.words
            kept_marked += block.words if is_marked else 0
    if kept_marked > _MAX_COMMENT_SHARE * kept_words:
        return []
    comments: list[TextBlock] = []
    for index, (block, is_marked) in enumerate(zip(page.blocks, marked, strict=True)):
        if is_marked:
            keeps[index] = False
            if not block.box.flags & (b.FORM | b.BUTTON) and block.linked * 2 <= block.words:
                comments.append(block)
    # A heading and a count without a comment is an empty thread.
    return comments if any(block.long for block in comments) else []
