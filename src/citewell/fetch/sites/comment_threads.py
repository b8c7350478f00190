"""Renders a tree of comments as nested quotes, within a budget, and says what it leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.fetch.sites import markdown_parts

MAX_THREAD_COMMENTS = 1000
_MAX_QUOTE_DEPTH = 10  # deeper replies are shown at this depth, with their level in words


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadComment:
    """One comment of a thread whose comments are listed in page order, each before its replies."""

    depth: int
    head: str  # the line above its text, as markdown
    html: str = ""
    markdown: str = ""  # used if there is no HTML
    unsent_replies: int = 0  # replies below it that the site counts but did not send
    is_linked: bool = False  # the comment that the address names

    @property
    def is_empty(self) -> bool:
        return not self.html and not self.markdown


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedThread:
    markdown: str
    shown: int
    total: int  # with those that the site did not send


def render_comment_thread(
    comments: Sequence[ThreadComment],
    *,
    base: str,
    limit: int = MAX_THREAD_COMMENTS,
    unsent_comments: int = 0,
) -> RenderedThread:
    """The thread as markdown.

    If there are more comments than `limit`, those of the upper levels are kept, so that every
    branch is begun; a linked comment and those above it are always kept. `unsent_comments` are
    comments of the first level that the site counts but did not send.
    """
    wanted = _drop_bare_placeholders(comments)
    kept = _choose_comments(wanted, limit)
    omitted = _count_omitted_replies(wanted, kept)
    blocks: list[str] = []
    open_counts: list[tuple[int, int]] = []  # depth and number of replies to report, innermost last
    for place, comment in enumerate(wanted):
        if place not in kept:
            continue
        while open_counts and open_counts[-1][0] > comment.depth:
            blocks.append(_render_omission(*open_counts.pop()))
        blocks.append(_render_thread_comment(comment, base))
        if missing := omitted[place] + comment.unsent_replies:
            open_counts.append((comment.depth + 1, missing))
    blocks += [_render_omission(*one) for one in reversed(open_counts)]
    first_level = omitted[_ROOT_PLACE] + unsent_comments
    blocks += [_render_omission(0, first_level)] if first_level else []
    shown = sum(1 for place in kept if not wanted[place].is_empty)
    total = sum(1 for one in wanted if not one.is_empty)
    unsent = unsent_comments + sum(one.unsent_replies for one in wanted)
    return RenderedThread(
        markdown=markdown_parts.join_blocks(blocks), shown=shown, total=total + unsent
    )


_ROOT_PLACE = -1


def _drop_bare_placeholders(comments: Sequence[ThreadComment]) -> list[ThreadComment]:
    """The comments without those that were deleted and have no replies."""
    kept: list[ThreadComment] = []
    for comment in reversed(comments):
        has_reply = bool(kept) and kept[-1].depth > comment.depth
        if not comment.is_empty or comment.unsent_replies or has_reply:
            kept.append(comment)
    kept.reverse()
    return kept


def _find_parent_places(comments: Sequence[ThreadComment]) -> list[int]:
    """For each comment the place of the comment it replies to; -1 on the first level."""
    parents: list[int] = []
    branch: list[int] = []
    for place, comment in enumerate(comments):
        while branch and comments[branch[-1]].depth >= comment.depth:
            branch.pop()
        parents.append(branch[-1] if branch else _ROOT_PLACE)
        branch.append(place)
    return parents


def _choose_comments(comments: Sequence[ThreadComment], limit: int) -> frozenset[int]:
    parents = _find_parent_places(comments)
    kept: set[int] = set()
    for place, comment in enumerate(comments):
        if comment.is_linked:
            while place != _ROOT_PLACE:
                kept.add(place)
                place = parents[place]  # noqa: PLW2901 - climbs to the first level
    by_level = sorted(range(len(comments)), key=lambda place: comments[place].depth)
    for place in by_level:
        if len(kept) >= limit:
            break
        if parents[place] == _ROOT_PLACE or parents[place] in kept:
            kept.add(place)
    return frozenset(kept)


def _count_omitted_replies(comments: Sequence[ThreadComment], kept: frozenset[int]) -> Counter[int]:
    """How many comments are left out below each kept comment, by its place."""
    counts: Counter[int] = Counter()
    parents = _find_parent_places(comments)
    owners: list[int] = []  # the nearest kept comment above each comment
    for place, parent in enumerate(parents):
        owner = parent if parent == _ROOT_PLACE or parent in kept else owners[parent]
        owners.append(owner)
        if place not in kept and not comments[place].is_empty:
            counts[owner] += 1
    return counts


def _render_thread_comment(comment: ThreadComment, base: str) -> str:
    body = markdown_parts.convert_html_text(comment.html, base=base) or comment.markdown
    level = f"level {comment.depth + 1}" if comment.depth > _MAX_QUOTE_DEPTH else ""
    mark = "**the linked comment**" if comment.is_linked else ""
    head = markdown_parts.join_facts(comment.head, level, mark)
    return _quote_by_depth(markdown_parts.join_blocks([head, body]), comment.depth)


def _render_omission(depth: int, count: int) -> str:
    noun = "reply" if depth else "comment"
    plural = "replies" if depth else "comments"
    return _quote_by_depth(f"*{count:,} more {noun if count == 1 else plural} not shown*", depth)


def _quote_by_depth(markdown: str, depth: int) -> str:
    prefix = "> " * min(depth, _MAX_QUOTE_DEPTH)
    return "\n".join(f"{prefix}{line}".rstrip() for line in markdown.split("\n"))
