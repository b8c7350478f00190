"""Items of Hacker News as its two APIs describe them, and a whole thread as markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from citewell.net.upstream.json_responses import (
    HttpLink,
    OptionalField,
    ResponsePart,
    TolerantItems,
)
from citewell.reading.sites import site_markdown
from citewell.reading.sites.site_kit import format_epoch_time, trim_to_date
from citewell.reading.sites.site_markdown import RenderedThread, ThreadComment

HACKERNEWS_ADDRESS = "https://news.ycombinator.com"
HACKERNEWS_USER_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,32}")


class HackerNewsItem(ResponsePart):
    """One item in the form of Hacker News's own API."""

    id: int
    type: OptionalField[str] = None
    by: OptionalField[str] = None
    time: OptionalField[int] = None
    title: OptionalField[str] = None
    text: OptionalField[str] = None
    url: OptionalField[HttpLink] = None
    score: OptionalField[int] = None
    descendants: OptionalField[int] = None
    parent: OptionalField[int] = None
    kids: TolerantItems[int] = ()
    parts: TolerantItems[int] = ()
    deleted: OptionalField[bool] = None
    dead: OptionalField[bool] = None

    @property
    def is_gone(self) -> bool:
        return bool(self.deleted) or (bool(self.dead) and not (self.text or self.url))


class _IndexedItem(ResponsePart):
    """One item in the form of the search index; of a deleted one only `id` and `children` are sent."""

    id: int
    type: OptionalField[str] = None
    author: OptionalField[str] = None
    created_at_i: OptionalField[int] = None
    title: OptionalField[str] = None
    text: OptionalField[str] = None
    url: OptionalField[HttpLink] = None
    points: OptionalField[int] = None
    parent_id: OptionalField[int] = None
    story_id: OptionalField[int] = None
    children: Any = None
    options: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HackerNewsThread:
    """A story or comment with its poll options and all comments below it, in page order."""

    item: HackerNewsItem
    options: tuple[HackerNewsItem, ...] = ()
    comments: tuple[tuple[int, HackerNewsItem], ...] = ()  # each with its depth
    unsent_counts: Mapping[int, int] | None = None  # replies that were not fetched, by item
    story: int | None = None  # the story that a comment belongs to


def parse_indexed_thread(answer: Any) -> HackerNewsThread | None:
    """The thread in an answer of the index; None if it is not one or its item was deleted."""
    root = _parse_indexed_item(answer)
    if root is None or not (root.author or root.title or root.text):
        return None
    comments: list[tuple[int, HackerNewsItem]] = []
    waiting = [(0, child) for child in _reverse_list(root.children)]
    while waiting:
        depth, value = waiting.pop()
        if (item := _parse_indexed_item(value)) is not None and item.type != "pollopt":
            comments.append((depth, _convert_indexed_item(item)))
            waiting += [(depth + 1, child) for child in _reverse_list(item.children)]
    options = map(_parse_indexed_item, reversed(_reverse_list(root.options)))
    return HackerNewsThread(
        item=_convert_indexed_item(root),
        options=tuple(_convert_indexed_item(option) for option in options if option is not None),
        comments=tuple(comments),
        story=root.story_id if root.story_id != root.id else None,
    )


def build_thread_of_items(
    item: HackerNewsItem,
    found: Mapping[int, HackerNewsItem],
    *,
    options: Sequence[HackerNewsItem] = (),
) -> HackerNewsThread:
    """The thread below `item`, of the items that were fetched; those that were not are counted."""
    comments: list[tuple[int, HackerNewsItem]] = []
    waiting = [(0, kid) for kid in reversed(item.kids)]
    seen: set[int] = set()
    while waiting:
        depth, number = waiting.pop()
        if number not in found or number in seen:
            continue
        seen.add(number)
        comments.append((depth, found[number]))
        waiting += [(depth + 1, kid) for kid in reversed(found[number].kids)]
    parents = (item, *(comment for _, comment in comments))
    unsent = {parent.id: sum(kid not in found for kid in parent.kids) for parent in parents}
    # The site counts all comments; those that nobody fetched are below the ones we know.
    live = sum(_is_live_comment(comment) for _, comment in comments)
    unknown = (item.descendants or 0) - live - sum(unsent.values())
    unsent[item.id] += max(0, unknown)
    return HackerNewsThread(
        item=item, options=tuple(options), comments=tuple(comments), unsent_counts=unsent
    )


def _is_live_comment(item: HackerNewsItem) -> bool:
    return bool(item.text) and not item.dead and not item.is_gone


def _parse_indexed_item(value: Any) -> _IndexedItem | None:
    try:
        return _IndexedItem.model_validate(value)
    except ValidationError:
        return None


def _reverse_list(values: Any) -> list[Any]:
    return values[::-1] if isinstance(values, list) else []


def _convert_indexed_item(item: _IndexedItem) -> HackerNewsItem:
    return HackerNewsItem(
        id=item.id,
        type=item.type,
        by=item.author,
        time=item.created_at_i,
        title=item.title,
        text=item.text,
        url=item.url,
        score=item.points,
        parent=item.parent_id,
        deleted=not (item.author or item.text or item.title),
    )


def _render_item_comments(thread: HackerNewsThread, linked: str) -> RenderedThread:
    unsent = thread.unsent_counts or {}
    comments = [
        _build_thread_comment(depth, item, unsent.get(item.id, 0), linked)
        for depth, item in thread.comments
    ]
    return site_markdown.render_comment_thread(
        comments, base=HACKERNEWS_ADDRESS, unsent_comments=unsent.get(thread.item.id, 0)
    )


def _build_thread_comment(
    depth: int, item: HackerNewsItem, unsent: int, linked: str
) -> ThreadComment:
    if not _is_live_comment(item) or not item.text:
        return ThreadComment(depth=depth, head="*a deleted comment*", unsent_replies=unsent)
    who = format_profile_link(item.by) if item.by else "somebody"
    when = site_markdown.format_markdown_link(
        trim_to_date(format_epoch_time(item.time)), build_item_address(item.id)
    )
    head = site_markdown.join_facts(f"**{who}**", when)
    return ThreadComment(
        depth=depth,
        head=head,
        html=item.text,
        unsent_replies=unsent,
        is_linked=str(item.id) == linked,
    )


def render_hackernews_thread(thread: HackerNewsThread, *, linked: str = "") -> RenderedThread:
    """The whole page as markdown: the item, its poll options and its comments.

    `linked` is the number of the comment to mark, if the address names one.
    """
    item, replies = thread.item, _render_item_comments(thread, linked)
    counts = f"{replies.shown:,}"
    if replies.shown != replies.total:
        counts += f" of {replies.total:,}"
    options: list[str] = []
    for option in thread.options:
        text = site_markdown.convert_html_text(option.text, base=HACKERNEWS_ADDRESS)
        points = site_markdown.format_count(option.score, "point")
        options.append(f"- {site_markdown.join_facts(text, points)}")
    markdown = site_markdown.join_blocks(
        [
            site_markdown.format_heading(name_item(item)),
            _format_item_line(item, replies.total),
            _format_parent_links(thread),
            site_markdown.convert_html_text(item.text, base=HACKERNEWS_ADDRESS),
            "\n".join(options),
            f"## Comments ({counts})" if replies.shown else "",
            replies.markdown,
        ]
    )
    return RenderedThread(markdown=markdown, shown=replies.shown, total=replies.total)


def name_item(item: HackerNewsItem) -> str:
    return item.title or f"Comment by {item.by or 'somebody'}"


def _format_parent_links(thread: HackerNewsThread) -> str:
    item, story = thread.item, thread.story
    if not item.parent:
        return ""
    return site_markdown.join_facts(
        site_markdown.format_markdown_link("In reply to", build_item_address(item.parent)),
        site_markdown.format_markdown_link("The whole discussion", build_item_address(story))
        if story and story != item.parent
        else "",
    )


def _format_item_line(item: HackerNewsItem, total: int) -> str:
    return site_markdown.join_facts(
        site_markdown.format_markdown_link(item.url, item.url) if item.url else "",
        site_markdown.format_count(item.score, "point"),
        f"by {format_profile_link(item.by)}" if item.by else "",
        trim_to_date(format_epoch_time(item.time)),
        site_markdown.format_count(total, "comment"),
        "marked dead" if item.dead else "",
    )


def format_story_entry(story: HackerNewsItem) -> str:
    goal = story.url or build_item_address(story.id)
    comments = site_markdown.format_count(story.descendants, "comment")
    return site_markdown.join_facts(
        site_markdown.format_markdown_link(story.title, goal),
        site_markdown.format_count(story.score, "point"),
        f"by {format_profile_link(story.by)}" if story.by else "",
        trim_to_date(format_epoch_time(story.time)),
        site_markdown.format_markdown_link(comments, build_item_address(story.id))
        if comments
        else "",
    )


def format_profile_link(user: str | None) -> str:
    known = user and HACKERNEWS_USER_PATTERN.fullmatch(user)
    return site_markdown.format_markdown_link(
        user, f"{HACKERNEWS_ADDRESS}/user?id={user}" if known else None
    )


def build_item_address(number: int | None) -> str:
    return f"{HACKERNEWS_ADDRESS}/item?id={number}"
