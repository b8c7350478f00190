"""Reddit's own page elements: the post and the comments with their votes in attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.fetch.sites import prose
from citewell.fetch.sites.kit import from_iso
from citewell.text.markup import clean

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_SITE = "https://www.reddit.com"
_DEEPEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
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
class Comment:
    author: str
    markdown: str
    plain: str
    score: int
    created: str | None = None
    permalink: str | None = None
    depth: int = 0
    pinned: bool = False


def read_post(html: str) -> Post | None:
    """None where the page shows no post: a wall, a login or another design."""
    node = _tree(html).css_first("shreddit-post[post-title]")
    if node is None:
        return None
    body = node.css_first('[slot="text-body"]')
    target = _attribute(node, "content-href")
    own = not target or "/comments/" in target
    return Post(
        title=clean(_attribute(node, "post-title")),
        author=clean(_attribute(node, "author")),
        markdown=prose.from_html(body.html, base=_SITE) if body is not None else "",
        score=_number(node, "score"),
        comments=_number(node, "comment-count"),
        created=from_iso(_attribute(node, "created-timestamp")),
        community=clean(_attribute(node, "subreddit-prefixed-name")).removeprefix("r/"),
        link=None if own else target,
        permalink=_permalink(node),
    )


def read_comments(html: str) -> tuple[Comment, ...]:
    found: list[Comment] = []
    for node in _tree(html).css("shreddit-comment[author]"):
        depth = _number(node, "depth")
        body = _own_body(node)
        if body is None or depth > _DEEPEST:
            continue
        markdown = prose.from_html(body.html, base=_SITE)
        if markdown:
            found.append(
                Comment(
                    author=clean(_attribute(node, "author")) or "[deleted]",
                    markdown=markdown,
                    plain=clean(body.text(separator=" ")),
                    score=_number(node, "score"),
                    created=from_iso(_attribute(node, "created")),
                    permalink=_permalink(node),
                    depth=max(0, depth),
                )
            )
    return tuple(found)


def _own_body(node: LexborNode) -> LexborNode | None:
    """The comment's text; replies are nested elements with texts of their own."""
    for body in node.css('[slot="comment"]'):
        parent = body.parent
        while parent is not None and parent.tag != "shreddit-comment":
            parent = parent.parent
        if parent is not None and parent.mem_id == node.mem_id:
            return body
    return None


def _tree(html: str) -> LexborHTMLParser:
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.limits import tame

    return LexborHTMLParser(tame(html))


def _attribute(node: LexborNode, name: str) -> str:
    return node.attributes.get(name) or ""


def _number(node: LexborNode, name: str) -> int:
    text = _attribute(node, name).strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 12 else 0


def _permalink(node: LexborNode) -> str | None:
    path = clean(_attribute(node, "permalink"))
    return f"{_SITE}{path}" if path.startswith("/") and not path.startswith("//") else None
