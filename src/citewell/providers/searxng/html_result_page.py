"""Reads SearXNG's HTML results page, for instances that do not offer JSON."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from citewell.errors import Blocked, MalformedResponse
from citewell.net.http.messages import HttpResponse
from citewell.providers.searxng.result_page import SearxngPage, SearxngResult, parse_searxng_date
from citewell.text.safety.markup_cleaning import extract_visible_text
from citewell.text.web.addresses import is_web_address
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, WorkerTask

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_CATEGORY_CLASS_PREFIX = "category-"
_PARSE_PAGE: WorkerTask[SearxngPage] = WorkerTask(
    "citewell.providers.searxng.html_result_page:parse_searxng_html", SearxngPage
)


async def read_html_page(response: HttpResponse, workers: TaskRunner) -> SearxngPage:
    """The results on the page. Raises for any other page, so that it is not taken for an empty result."""
    try:
        return await workers.run_task(_PARSE_PAGE, body=response.body, provider=response.provider)
    except TaskFailure as failure:
        raise MalformedResponse(failure.message, provider=response.provider) from None


def parse_searxng_html(body: bytes, provider: str | None) -> SearxngPage:
    """The results on the page; a worker does this."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(body.decode("utf-8", "replace"))
    if tree.css_first("#results, #urls, article.result") is None:
        raise _build_wrong_page_error(tree, provider)
    found = (_parse_html_result(node) for node in tree.css("article.result"))
    return SearxngPage(
        results=tuple(result for result in found if result is not None),
        unresponsive=tuple(_list_failed_engines(tree)),
    )


def _build_wrong_page_error(
    tree: LexborHTMLParser, provider: str | None
) -> MalformedResponse | Blocked:
    if tree.css_first("form#search, #main_index") is not None:
        message = "The instance showed its start page instead of results: its bot check refused us."
        return Blocked(message, provider=provider)
    message = "The instance answered with a page that is not a SearXNG results page."
    return MalformedResponse(message, provider=provider)


def _parse_html_result(node: LexborNode) -> SearxngResult | None:
    """The result; None if it has no address. Image results have their own markup."""
    url = _find_node_link(node, "h3 a") or _find_node_link(node, "p.result-url a")
    if url is None:
        return None
    return SearxngResult(
        title=_find_node_text(node, "h3 a") or _find_node_text(node, "h4") or url,
        url=url,
        snippet=_find_node_text(node, "p.content"),
        engines=tuple(
            name for span in node.css("div.engines span") if (name := _read_node_line(span))
        ),
        category=_find_category_class(node),
        published=_find_searxng_date(node),
        image=_find_node_link(node, "a.result-images-source"),
    )


def _find_node_link(node: LexborNode, selector: str) -> str | None:
    found = node.css_first(selector)
    url = (found.attributes.get("href") or "").strip() if found else ""
    return url if is_web_address(url) else None


def _find_node_text(node: LexborNode, selector: str) -> str:
    found = node.css_first(selector)
    return _read_node_line(found) if found else ""


def _read_node_line(node: LexborNode) -> str:
    return " ".join(extract_visible_text(node.text()).split())


def _find_category_class(node: LexborNode) -> str | None:
    names = (node.attributes.get("class") or "").split()
    found = (
        name.removeprefix(_CATEGORY_CLASS_PREFIX)
        for name in names
        if name.startswith(_CATEGORY_CLASS_PREFIX)
    )
    return next(found, None)


def _find_searxng_date(node: LexborNode) -> datetime | None:
    time = node.css_first("time.published_date")
    written = time.attributes.get("datetime") if time else None
    return parse_searxng_date(written) if written else None


def _list_failed_engines(tree: LexborHTMLParser) -> list[tuple[str, str]]:
    """The engines that failed and why, from the side bar's table, which lists the others as well."""
    rows = []
    for row in tree.css("#engines_msg-table tr"):
        reason = _find_node_text(row, ".response-error")
        if reason:
            rows.append((_find_node_text(row, ".engine-name"), reason))
    return rows
