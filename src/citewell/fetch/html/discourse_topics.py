"""Reads a topic of a Discourse forum, on any host: every post with its author, date and likes.

The page that the server sends shows nothing until its scripts run; the posts are in a `noscript`
element for search engines. A post may be three words long, so none is left to the scorer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from citewell.fetch.markdown.markdown_text import escape_markdown
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.web.addresses import is_web_address

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# The text of a post: for search engines, in older versions, and as a browser shows it.
_BODY_SELECTOR = ".post[itemprop=text], .post[itemprop=articleBody], article[data-post-id] .cooked"
_AUTHOR_SELECTOR = (
    "[itemprop=name], [itemprop=author] b, .creator b, .creator a, .names a, .username"
)
_LIKES_SELECTOR = ".post-likes, .like-count"
_POST_NUMBER_PATTERN = re.compile(r"\d{1,6}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscourseTopic:
    markdown: str
    posts: int
    next_page: str | None = None  # the address of the posts that follow

    @property
    def word_count(self) -> int:
        return len(self.markdown.split())

    @property
    def notes(self) -> tuple[str, ...]:
        said = f"The topic goes on at {self.next_page}; {self.posts} posts were read here."
        return (said,) if self.next_page else ()


def unwrap_crawler_view(tree: LexborHTMLParser) -> None:
    """Put the posts of a Discourse page where a reader sees them, out of their `noscript` element."""
    if not _is_discourse_page(tree):
        return
    for node in tree.css("body noscript"):
        if node.css_first(_BODY_SELECTOR) is not None:
            node.unwrap()


def find_discourse_topic(tree: LexborHTMLParser, *, url: str) -> DiscourseTopic | None:
    """The topic; None if the page is not of Discourse, or has no posts, like a list of topics."""
    if not _is_discourse_page(tree):
        return None
    posts = [text for body in tree.css(_BODY_SELECTOR) for text in _render_post(body, url)]
    if not posts:
        return None
    heading = tree.css_first("#topic-title h1, h1")
    title = clean_markup(heading.text(separator=" ")) if heading is not None else ""
    blocks = [f"# {escape_markdown(title)}"] if title else []
    return DiscourseTopic(
        markdown="\n\n".join([*blocks, *posts]),
        posts=len(posts),
        next_page=_find_next_page(tree, url),
    )


def _is_discourse_page(tree: LexborHTMLParser) -> bool:
    node = tree.css_first("meta[name=generator]")
    return node is not None and (node.attributes.get("content") or "").startswith("Discourse ")


def _render_post(body: LexborNode, url: str) -> Iterator[str]:
    """The post as markdown; nothing if it has no text."""
    from citewell.fetch.markdown.markdown_writer import render_markdown

    text = render_markdown(body, base=url).strip()
    if text:
        yield f"{_format_post_head(_find_post_element(body))}\n\n{text}"


def _find_post_element(body: LexborNode) -> LexborNode:
    """The element around the text of a post and the facts about it."""
    node = body.parent
    while node is not None and node.tag != "body":
        classes = (node.attributes.get("class") or "").split()
        if "crawler-post" in classes or "itemtype" in node.attributes or node.tag == "article":
            return node
        node = node.parent
    return body


def _format_post_head(node: LexborNode) -> str:
    author = _find_text(node, _AUTHOR_SELECTOR)
    stamp = node.css_first("time[datetime]")
    date = clean_markup((stamp.attributes.get("datetime") or "")[:10]) if stamp is not None else ""
    number = _POST_NUMBER_PATTERN.search(_find_text(node, "[itemprop=position]"))
    facts = (
        f"**{escape_markdown(author)}**" if author else "**somebody**",
        f"#{number[0]}" if number else "",
        escape_markdown(date),
        escape_markdown(_find_text(node, _LIKES_SELECTOR)),
    )
    return " · ".join(fact for fact in facts if fact)


def _find_text(node: LexborNode, selector: str) -> str:
    found = node.css_first(selector)
    return clean_markup(found.text(separator=" "))[:200] if found is not None else ""


def _find_next_page(tree: LexborHTMLParser, url: str) -> str | None:
    node = tree.css_first("a[rel=next], link[rel=next]")
    target = node.attributes.get("href") if node is not None else None
    try:
        address = urljoin(url, target or "")
    except ValueError:
        return None
    return address if target and is_web_address(address) else None
