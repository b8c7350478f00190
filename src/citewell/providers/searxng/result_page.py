"""One page of SearXNG results, read from JSON or HTML, and its conversion to our hits and images."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from citewell.core.errors import Blocked, MalformedResponse
from citewell.core.values.search_queries import FoundImage, SearchHit
from citewell.net.http.messages import HttpResponse
from citewell.text.addresses import is_web_address
from citewell.text.safety.text_cleaning import clean_markup, extract_visible_text
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, WorkerTask

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode


@dataclass(frozen=True, slots=True, kw_only=True)
class SearxngResult:
    title: str
    url: str
    snippet: str = ""
    engines: tuple[str, ...] = ()
    category: str | None = None  # the first category of its engine, not always the requested one
    score: float | None = None  # without an upper limit
    published: datetime | None = None
    source: str | None = None
    image: str | None = None
    thumbnail: str | None = None
    resolution: str = ""
    file_size: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearxngPage:
    results: tuple[SearxngResult, ...] = ()
    total: int | None = None
    unresponsive: tuple[tuple[str, str], ...] = ()


def read_json_page(response: HttpResponse) -> SearxngPage:
    """The page of a JSON response. Results without an address, such as key-value ones, are left out."""
    body = response.parse_json()
    rows = body.get("results") if isinstance(body, dict) else None
    if not isinstance(rows, list):
        raise MalformedResponse("The response has no list of results.", provider=response.provider)
    found = (_parse_json_result(row) for row in rows if isinstance(row, dict))
    total = body.get("number_of_results")
    failed = body.get("unresponsive_engines")
    pairs = (
        row
        for row in (failed if isinstance(failed, list) else ())
        if isinstance(row, list | tuple) and len(row) >= 2
    )
    return SearxngPage(
        results=tuple(result for result in found if result is not None),
        total=total
        if isinstance(total, int) and not isinstance(total, bool) and total > 0
        else None,
        unresponsive=tuple((clean_markup(str(row[0])), clean_markup(str(row[1]))) for row in pairs),
    )


def parse_searxng_date(text: str) -> datetime | None:
    """The date in SearXNG's ISO format, taken as UTC if it has no zone; None if unreadable."""
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def convert_to_hits(results: Iterable[SearxngResult]) -> tuple[SearchHit, ...]:
    """Results as hits, with scores divided by the best one so that they lie between 0 and 1."""
    rows = tuple(results)
    best = max((row.score for row in rows if row.score), default=None)
    return tuple(_build_searxng_hit(row, best) for row in rows)


def convert_to_images(results: Iterable[SearxngResult]) -> tuple[FoundImage, ...]:
    return tuple(_build_searxng_image(row, row.image) for row in results if row.image)


def _build_searxng_hit(row: SearxngResult, best: float | None) -> SearchHit:
    return SearchHit(
        title=row.title,
        url=row.url,
        snippet=row.snippet,
        published=row.published,
        published_basis="provider" if row.published else None,
        score=round(row.score / best, 4) if best and row.score is not None else None,
        engine=row.engines[0] if row.engines else None,
        source=row.source,
    )


def _build_searxng_image(row: SearxngResult, image: str) -> FoundImage:
    width, height = _parse_resolution(row.resolution)
    return FoundImage(
        title=row.title,
        link=image,
        context=row.url,
        thumbnail=row.thumbnail,
        width=width,
        height=height,
        file_size=row.file_size,
    )


def _parse_json_result(row: Mapping[str, Any]) -> SearxngResult | None:
    url = _read_text_field(row, "url")
    if not is_web_address(url):
        return None
    return SearxngResult(
        title=clean_markup(_read_text_field(row, "title")) or url,
        url=url,
        snippet=clean_markup(_read_text_field(row, "content")),
        engines=_list_result_engines(row),
        category=_read_text_field(row, "category") or None,
        score=_parse_searxng_score(row.get("score")),
        published=parse_searxng_date(_read_text_field(row, "publishedDate"))
        or parse_searxng_date(_read_text_field(row, "pubdate")),
        source=clean_markup(_read_text_field(row, "source") or _read_text_field(row, "metadata"))
        or None,
        image=_normalize_image_url(_read_text_field(row, "img_src")),
        thumbnail=_normalize_image_url(
            _read_text_field(row, "thumbnail_src") or _read_text_field(row, "thumbnail")
        ),
        resolution=_read_text_field(row, "resolution"),
        file_size=clean_markup(_read_text_field(row, "filesize")) or None,
    )


def _read_text_field(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def _list_result_engines(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The engine that found it first, then the others that found it."""
    listed = row.get("engines")
    names = [row.get("engine"), *(listed if isinstance(listed, list) else ())]
    return tuple(
        dict.fromkeys(clean_markup(name) for name in names if isinstance(name, str) and name)
    )


def _parse_searxng_score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < math.inf else None


def _normalize_image_url(url: str) -> str | None:
    whole = f"https:{url}" if url.startswith("//") else url
    return whole if is_web_address(whole) else None


def _parse_resolution(resolution: str) -> tuple[int | None, int | None]:
    """Width and height from `1920 x 1080`, `1920×1080` and the like; None for both if unreadable."""
    parts = resolution.replace("×", "x").lower().split("x")
    numbers = [
        int(part)
        for part in map(str.strip, parts)
        if part.isascii() and part.isdigit() and len(part) < 7
    ]
    return (numbers[0], numbers[1]) if len(numbers) == len(parts) == 2 else (None, None)


# Reads SearXNG's HTML results page, for instances that do not offer JSON.

_CATEGORY_CLASS_PREFIX = "category-"
_PARSE_PAGE: WorkerTask[SearxngPage] = WorkerTask(
    "citewell.providers.searxng.result_page:parse_searxng_html", SearxngPage
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
    time = node.css_first("time.published_date")
    written = time.attributes.get("datetime") if time else None
    return SearxngResult(
        title=_find_node_text(node, "h3 a") or _find_node_text(node, "h4") or url,
        url=url,
        snippet=_find_node_text(node, "p.content"),
        engines=tuple(
            name for span in node.css("div.engines span") if (name := _read_node_line(span))
        ),
        category=_find_category_class(node),
        published=(parse_searxng_date(written) if written else None),
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


def _list_failed_engines(tree: LexborHTMLParser) -> list[tuple[str, str]]:
    """The engines that failed and why, from the side bar's table, which lists the others as well."""
    rows = []
    for row in tree.css("#engines_msg-table tr"):
        reason = _find_node_text(row, ".response-error")
        if reason:
            rows.append((_find_node_text(row, ".engine-name"), reason))
    return rows
