"""Reads a topic of a Discourse forum, on any host: every post with its author and date.

The page that the server sends shows nothing until its scripts run; the posts are in a `noscript`
element for search engines. A post may be three words long, so none is left to the scorer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import takewhile
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from citewell.core.values.counted_words import pluralize
from citewell.reading.html.markup_limits import limit_markup
from citewell.reading.markdown.markdown_text import escape_markdown
from citewell.reading.page_nodes import iterate_upwards
from citewell.text.addresses import is_web_address
from citewell.text.safety.text_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# The text of a post: for search engines, in older versions, and as a browser shows it.
_BODY_SELECTOR = ".post[itemprop=text], .post[itemprop=articleBody], article[data-post-id] .cooked"
_AUTHOR_SELECTOR = (
    "[itemprop=name], [itemprop=author] b, .creator b, .creator a, .names a, .username"
)


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
        note = f"The topic goes on at {self.next_page}; {self.posts} {pluralize(self.posts, 'post was', 'posts were')} read here."
        return (note,) if self.next_page else ()


def show_crawler_view(tree: LexborHTMLParser) -> LexborHTMLParser:
    """The tree with the posts where a reader sees them; any other page is returned as it is.

    They are taken out of their `noscript` element or, if there is none, out of the data that the
    page's scripts would show.
    """
    if not _is_discourse_page(tree):
        return tree
    for node in tree.css("body noscript"):
        if node.css_first(_BODY_SELECTOR) is not None:
            node.unwrap()
    if tree.css_first(_BODY_SELECTOR) is not None:
        return tree
    from selectolax.lexbor import LexborHTMLParser

    page = _build_preloaded_view(tree)
    return LexborHTMLParser(limit_markup(page)) if page else tree


def _build_preloaded_view(tree: LexborHTMLParser) -> str:
    """A page of the posts in the data for the scripts; "" if there are none."""
    node = tree.css_first("[data-preloaded]")
    stores = _parse_json_object(node.attributes.get("data-preloaded") if node is not None else None)
    texts = (value for key, value in stores.items() if key.startswith("topic_"))
    topic = _parse_json_object(next(texts, None))
    stream = topic.get("post_stream")
    posts = stream.get("posts") if isinstance(stream, dict) else None
    shown = [_build_preloaded_post(post) for post in posts or () if isinstance(post, dict)]
    if not any(shown):
        return ""
    total = topic.get("posts_count")
    has_more = isinstance(total, int) and total > len(shown)
    following = "<a rel=next href='?page=2'></a>" if has_more else ""
    title = escape(str(topic.get("title") or ""))
    return (
        f'<html><head><title>{title}</title><meta name="generator" content="Discourse -"></head>'
        f"<body><main><h1>{title}</h1>{''.join(shown)}</main>"
        f"{following}</body></html>"
    )


def _build_preloaded_post(post: Mapping[str, Any]) -> str:
    cooked = post.get("cooked")
    if not isinstance(cooked, str) or not cooked.strip():
        return ""
    author, stamp = (escape(str(post.get(name) or "")) for name in ("username", "created_at"))
    return (
        f'<div class="crawler-post"><span itemprop="name">{author}</span>'
        f'<time datetime="{stamp}"></time><div class="post" itemprop="text">{cooked}</div></div>'
    )


def _parse_json_object(text: Any) -> dict[str, Any]:
    """A JSON object in a text; empty if it is something else."""
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


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
    from citewell.reading.markdown.markdown_writer import render_markdown

    _simplify_post(body)
    text = render_markdown(body, base=url).strip()
    if text:
        yield f"{_format_post_head(_find_post_element(body))}\n\n{text}"


def _simplify_post(body: LexborNode) -> None:
    """Take out what is not the author's: previews of linked pages, down to their link, and icons."""
    for preview in body.css("aside.onebox"):
        for part in preview.css(".onebox-body p, .onebox-metadata, .aspect-image, img, svg"):
            part.decompose()
        heading = preview.css_first("h3 a, h4 a")
        source = preview.css_first("header.source")
        if heading is not None and source is not None:
            source.decompose()
    for icon in body.css("img.emoji"):
        icon.replace_with(icon.attributes.get("alt") or "")


def _find_post_element(body: LexborNode) -> LexborNode:
    """The element around the text of a post and the facts about it."""
    for node in takewhile(lambda above: above.tag != "body", iterate_upwards(body.parent)):
        classes = (node.attributes.get("class") or "").split()
        if "crawler-post" in classes or "itemtype" in node.attributes or node.tag == "article":
            return node
    return body


def _format_post_head(node: LexborNode) -> str:
    name = node.css_first(_AUTHOR_SELECTOR)
    author = clean_markup(name.text(separator=" "))[:200] if name is not None else ""
    stamp = node.css_first("time[datetime]")
    date = clean_markup((stamp.attributes.get("datetime") or "")[:10]) if stamp is not None else ""
    facts = (f"**{escape_markdown(author)}**" if author else "**somebody**", escape_markdown(date))
    return " · ".join(fact for fact in facts if fact)


def _find_next_page(tree: LexborHTMLParser, url: str) -> str | None:
    node = tree.css_first("a[rel=next], link[rel=next]")
    target = node.attributes.get("href") if node is not None else None
    try:
        address = urljoin(url, target or "")
    except ValueError:
        return None
    return address if target and is_web_address(address) else None
