"""Reads the post and comments, with their votes, from the custom elements of a Reddit page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.site_kit import normalize_iso_time
from citewell.text.safety.markup_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_REDDIT_ADDRESS = "https://www.reddit.com"
_MAX_COMMENT_DEPTH = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RedditPost:
    title: str
    author: str
    markdown: str
    score: int
    comments: int
    created: str | None
    community: str
    link: str | None = None
    permalink: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RedditComment:
    author: str
    markdown: str
    plain_text: str
    score: int
    created: str | None = None
    permalink: str | None = None
    depth: int = 0
    pinned: bool = False


def find_reddit_post(html: str) -> RedditPost | None:
    """The post; None if the page shows none, such as a bot wall, a login or another layout."""
    node = _parse_reddit_html(html).css_first("shreddit-post[post-title]")
    if node is None:
        return None
    body = node.css_first('[slot="text-body"]')
    target = _find_node_attribute(node, "content-href")
    own = not target or "/comments/" in target
    return RedditPost(
        title=clean_markup(_find_node_attribute(node, "post-title")),
        author=clean_markup(_find_node_attribute(node, "author")),
        markdown=markdown_parts.convert_html_text(body.html, base=_REDDIT_ADDRESS)
        if body is not None
        else "",
        score=_parse_number_attribute(node, "score"),
        comments=_parse_number_attribute(node, "comment-count"),
        created=normalize_iso_time(_find_node_attribute(node, "created-timestamp")),
        community=clean_markup(_find_node_attribute(node, "subreddit-prefixed-name")).removeprefix(
            "r/"
        ),
        link=None if own else target,
        permalink=_find_permalink(node),
    )


def read_reddit_comments(html: str) -> tuple[RedditComment, ...]:
    found: list[RedditComment] = []
    for node in _parse_reddit_html(html).css("shreddit-comment[author]"):
        depth = _parse_number_attribute(node, "depth")
        body = _find_comment_body(node)
        if body is None or depth > _MAX_COMMENT_DEPTH:
            continue
        markdown = markdown_parts.convert_html_text(body.html, base=_REDDIT_ADDRESS)
        if markdown:
            found.append(
                RedditComment(
                    author=clean_markup(_find_node_attribute(node, "author")) or "[deleted]",
                    markdown=markdown,
                    plain_text=clean_markup(body.text(separator=" ")),
                    score=_parse_number_attribute(node, "score"),
                    created=normalize_iso_time(_find_node_attribute(node, "created")),
                    permalink=_find_permalink(node),
                    depth=max(0, depth),
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


def _parse_reddit_html(html: str) -> LexborHTMLParser:
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.markup_limits import limit_markup

    return LexborHTMLParser(limit_markup(html))


def _find_node_attribute(node: LexborNode, name: str) -> str:
    return node.attributes.get(name) or ""


def _parse_number_attribute(node: LexborNode, name: str) -> int:
    text = _find_node_attribute(node, name).strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 12 else 0


def _find_permalink(node: LexborNode) -> str | None:
    path = clean_markup(_find_node_attribute(node, "permalink"))
    return (
        f"{_REDDIT_ADDRESS}{path}" if path.startswith("/") and not path.startswith("//") else None
    )
