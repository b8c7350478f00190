"""Reads a thread from the pages of old.reddit.com and www.reddit.com."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from citewell.reading.sites.reddit.reddit_threads import (
    RedditComment,
    RedditPost,
    RedditThread,
    build_reddit_permalink,
)
from citewell.reading.sites.site_kit import format_epoch_time, normalize_iso_time
from citewell.reading.sites.site_markdown import find_node_attribute, parse_site_html
from citewell.text.addresses import is_web_address
from citewell.text.safety.text_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_COMMENT_PATH_PATTERN = re.compile(r"/([a-z0-9]{2,12})/?$")

_COUNT_PATTERN = re.compile(r"\d{1,7}")
_MAX_PAGE_COMMENTS = 2000


def parse_old_thread(html: str) -> RedditThread | None:
    """The thread; None if the page shows none, such as a bot wall, a login or another layout."""
    tree = parse_site_html(html)
    post = tree.css_first("#siteTable .thing.link")
    if post is None or post.css_first("a.title") is None:
        return None
    found: list[RedditComment] = []
    places: dict[int, int] = {}  # the place in `found` of each comment's element
    unsent = 0
    for node in tree.css(".commentarea .thing")[:_MAX_PAGE_COMMENTS]:
        parent = _find_parent_thing(node)
        above = places.get(parent.mem_id, -1) if parent is not None else -1
        classes = find_node_attribute(node, "class").split()
        if "comment" in classes:
            places[node.mem_id] = len(found)
            found.append(_build_old_comment(node, found[above].depth + 1 if above >= 0 else 0))
        elif "morechildren" in classes or "morerecursion" in classes:
            # How many comments a `load more comments (12 replies)` link stands for; at least one.
            match = _COUNT_PATTERN.search(node.text(separator=" ")[:200])
            count = max(1, int(match[0])) if match else 1
            if above >= 0:
                known = found[above].unsent_replies
                found[above] = replace(found[above], unsent_replies=known + count)
            else:
                unsent += count
    return RedditThread(post=_build_old_post(post), comments=tuple(found), unsent_comments=unsent)


def _find_parent_thing(node: LexborNode) -> LexborNode | None:
    parent = node.parent
    while parent is not None:
        if "thing" in find_node_attribute(parent, "class").split():
            return parent
        parent = parent.parent
    return None


def _build_old_post(node: LexborNode) -> RedditPost:
    title = node.css_first("a.title")
    body = node.css_first(".usertext-body .md")
    target = find_node_attribute(node, "data-url")
    own = not is_web_address(target) or "/comments/" in target
    flair = node.css_first(".linkflairlabel")
    labels = (
        "spoiler" if find_node_attribute(node, "data-spoiler") == "true" else "",
        "NSFW" if find_node_attribute(node, "data-nsfw") == "true" else "",
        clean_markup(flair.text()) if flair is not None else "",
    )
    stamp = find_node_attribute(node, "data-timestamp")
    seconds = int(stamp) / 1000 if stamp.isascii() and stamp.isdigit() and len(stamp) < 16 else None
    return RedditPost(
        title=clean_markup(title.text()) if title is not None else "",
        author=clean_markup(find_node_attribute(node, "data-author")) or "[deleted]",
        html=(body.html or "") if body is not None else "",
        labels=tuple(filter(None, labels)),
        score=parse_number_attribute(node, "data-score"),
        comments=parse_number_attribute(node, "data-comments-count"),
        created=format_epoch_time(seconds) or _find_entry_time(node),
        community=clean_markup(find_node_attribute(node, "data-subreddit")),
        link=None if own else target,
        permalink=build_reddit_permalink(find_node_attribute(node, "data-permalink")),
    )


def _build_old_comment(node: LexborNode, depth: int) -> RedditComment:
    entry = _find_own_entry(node)
    body = entry.css_first(".usertext-body .md") if entry is not None else None
    score = entry.css_first(".score.unvoted") if entry is not None else None
    return RedditComment(
        id=find_node_attribute(node, "data-fullname").removeprefix("t1_").lower(),
        author=clean_markup(find_node_attribute(node, "data-author")) or "[deleted]",
        html=(body.html or "") if body is not None else "",
        plain_text=clean_markup(body.text(separator=" ")) if body is not None else "",
        score=parse_number_attribute(score, "title") if score is not None else None,
        created=_find_entry_time(entry) if entry is not None else None,
        permalink=build_reddit_permalink(find_node_attribute(node, "data-permalink")),
        depth=depth,
        pinned="stickied" in find_node_attribute(node, "class").split(),
    )


def _find_own_entry(node: LexborNode) -> LexborNode | None:
    """The part of a comment's element that is not its replies."""
    child = node.child
    while child is not None:
        if "entry" in find_node_attribute(child, "class").split():
            return child
        child = child.next
    return None


def _find_entry_time(node: LexborNode) -> str | None:
    stamp = node.css_first("time[datetime]")
    return normalize_iso_time(find_node_attribute(stamp, "datetime")) if stamp is not None else None


# Reads a thread from the custom elements of a page of www.reddit.com.


def find_reddit_post(html: str) -> RedditPost | None:
    """The post; None if the page shows none, such as a bot wall, a login or another layout."""
    node = parse_site_html(html).css_first("shreddit-post[post-title]")
    if node is None:
        return None
    body = node.css_first('[slot="text-body"]')
    target = find_node_attribute(node, "content-href")
    own = not target or "/comments/" in target
    labels = ("spoiler" if "spoiler" in node.attributes else "", "NSFW" if "nsfw" in node.attributes else "")  # fmt: skip
    return RedditPost(
        title=clean_markup(find_node_attribute(node, "post-title")),
        author=clean_markup(find_node_attribute(node, "author")),
        html=(body.html or "") if body is not None else "",
        labels=tuple(filter(None, labels)),
        score=parse_number_attribute(node, "score"),
        comments=parse_number_attribute(node, "comment-count"),
        created=normalize_iso_time(find_node_attribute(node, "created-timestamp")),
        community=clean_markup(find_node_attribute(node, "subreddit-prefixed-name")).removeprefix(
            "r/"
        ),
        link=None if own else target,
        permalink=build_reddit_permalink(find_node_attribute(node, "permalink")),
    )


def read_reddit_comments(html: str) -> tuple[RedditComment, ...]:
    found: list[RedditComment] = []
    for node in parse_site_html(html).css("shreddit-comment[author]"):
        body = _find_comment_body(node)
        if body is None:
            continue
        named = find_node_attribute(node, "thingid").removeprefix("t1_").lower()
        path_end = find_node_attribute(node, "permalink")[-40:].lower()
        in_path = _COMMENT_PATH_PATTERN.search(path_end)
        found.append(
            RedditComment(
                id=named or (in_path[1] if in_path else ""),
                author=clean_markup(find_node_attribute(node, "author")) or "[deleted]",
                html=body.html or "",
                plain_text=clean_markup(body.text(separator=" ")),
                score=parse_number_attribute(node, "score"),
                created=normalize_iso_time(find_node_attribute(node, "created")),
                permalink=build_reddit_permalink(find_node_attribute(node, "permalink")),
                depth=max(0, parse_number_attribute(node, "depth")),
            )
        )
    return tuple(found)


def _find_comment_body(node: LexborNode) -> LexborNode | None:
    """The comment's own text element, not that of a reply nested in it."""
    for body in node.css('[slot="comment"]'):
        parent = body.parent
        while parent is not None and parent.tag != "shreddit-comment":
            parent = parent.parent
        if parent is not None and parent.mem_id == node.mem_id:
            return body
    return None


def parse_number_attribute(node: LexborNode, name: str) -> int:
    text = find_node_attribute(node, name).strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 12 else 0
