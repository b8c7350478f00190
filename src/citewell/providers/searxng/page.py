"""Reads SearXNG's own results page, for instances that do not offer JSON."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from citewell.errors import BadShape, Blocked
from citewell.net.message import Response
from citewell.providers.searxng.answer import Answer, Result, moment
from citewell.text.markup import visible
from citewell.text.urls import readable

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_CATEGORY = "category-"


def read_page(response: Response) -> Answer:
    """The results on the page; anything but a results page is no answer, and surely not an empty one."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(response.text())
    if tree.css_first("#results, #urls, article.result") is None:
        raise _stranger(tree, response)
    found = (_result(node) for node in tree.css("article.result"))
    return Answer(
        results=tuple(result for result in found if result is not None),
        unresponsive=tuple(_unresponsive(tree)),
    )


def _stranger(tree: LexborHTMLParser, response: Response) -> BadShape | Blocked:
    if tree.css_first("form#search, #main_index") is not None:
        message = (
            "The instance showed its start page instead of results: its bot check turned us away."
        )
        return Blocked(message, provider=response.provider)
    message = "The instance answered with a page that is not a SearXNG results page."
    return BadShape(message, provider=response.provider)


def _result(node: LexborNode) -> Result | None:
    """A picture has its image and its page in places of their own."""
    url = _link(node, "h3 a") or _link(node, "p.result-url a")
    if url is None:
        return None
    return Result(
        title=_text(node, "h3 a") or _text(node, "h4") or url,
        url=url,
        snippet=_text(node, "p.content"),
        engines=tuple(name for span in node.css("div.engines span") if (name := _line(span))),
        category=_category(node),
        published=_published(node),
        image=_link(node, "a.result-images-source"),
    )


def _link(node: LexborNode, selector: str) -> str | None:
    found = node.css_first(selector)
    url = (found.attributes.get("href") or "").strip() if found else ""
    return url if readable(url) else None


def _text(node: LexborNode, selector: str) -> str:
    found = node.css_first(selector)
    return _line(found) if found else ""


def _line(node: LexborNode) -> str:
    return " ".join(visible(node.text()).split())


def _category(node: LexborNode) -> str | None:
    names = (node.attributes.get("class") or "").split()
    found = (name.removeprefix(_CATEGORY) for name in names if name.startswith(_CATEGORY))
    return next(found, None)


def _published(node: LexborNode) -> datetime | None:
    time = node.css_first("time.published_date")
    written = time.attributes.get("datetime") if time else None
    return moment(written) if written else None


def _unresponsive(tree: LexborHTMLParser) -> list[tuple[str, str]]:
    """The side bar's table: an engine's name beside its fault, or beside its time when it is well."""
    rows = []
    for row in tree.css("#engines_msg-table tr"):
        reason = _text(row, ".response-error")
        if reason:
            rows.append((_text(row, ".engine-name"), reason))
    return rows
