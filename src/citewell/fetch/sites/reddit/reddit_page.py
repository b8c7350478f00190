"""Reads a thread from the custom elements of a page of www.reddit.com."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from citewell.fetch.sites.reddit.reddit_threads import (
    RedditComment,
    RedditPost,
    build_reddit_permalink,
)
from citewell.fetch.sites.site_kit import normalize_iso_time
from citewell.text.safety.markup_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_COMMENT_PATH_PATTERN = re.compile(r"/([a-z0-9]{2,12})/?$")


def find_reddit_post(html: str) -> RedditPost | None:
    """The post; None if the page shows none, such as a bot wall, a login or another layout."""
    node = parse_reddit_html(html).css_first("shreddit-post[post-title]")
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
        labels=tuple(one for one in labels if one),
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
    for node in parse_reddit_html(html).css("shreddit-comment[author]"):
        body = _find_comment_body(node)
        if body is None:
            continue
        found.append(
            RedditComment(
                id=_find_comment_id(node),
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


def _find_comment_id(node: LexborNode) -> str:
    named = find_node_attribute(node, "thingid").removeprefix("t1_").lower()
    in_path = _COMMENT_PATH_PATTERN.search(find_node_attribute(node, "permalink")[-40:].lower())
    return named or (in_path[1] if in_path else "")


def _find_comment_body(node: LexborNode) -> LexborNode | None:
    """The comment's own text element, not that of a reply nested in it."""
    for body in node.css('[slot="comment"]'):
        parent = body.parent
        while parent is not None and parent.tag != "shreddit-comment":
            parent = parent.parent
        if parent is not None and parent.mem_id == node.mem_id:
            return body
    return None


def parse_reddit_html(html: str) -> LexborHTMLParser:
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.markup_limits import limit_markup

    return LexborHTMLParser(limit_markup(html))


def find_node_attribute(node: LexborNode, name: str) -> str:
    return node.attributes.get(name) or ""


def parse_number_attribute(node: LexborNode, name: str) -> int:
    text = find_node_attribute(node, name).strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 12 else 0
