"""One page of SearXNG results, read from JSON or HTML, and its conversion to our hits and images."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from citewell.errors import MalformedResponse
from citewell.model.search_queries import FoundImage, SearchHit
from citewell.net.http.messages import HttpResponse
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.web.addresses import is_web_address


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
    return SearxngPage(
        results=tuple(result for result in found if result is not None),
        total=total
        if isinstance(total, int) and not isinstance(total, bool) and total > 0
        else None,
        unresponsive=_parse_unresponsive_engines(body.get("unresponsive_engines")),
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


def _parse_unresponsive_engines(value: object) -> tuple[tuple[str, str], ...]:
    rows = value if isinstance(value, list) else ()
    pairs = (row for row in rows if isinstance(row, list | tuple) and len(row) >= 2)
    return tuple((clean_markup(str(row[0])), clean_markup(str(row[1]))) for row in pairs)
