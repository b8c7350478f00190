"""What one page of results says, whether it came as JSON or as HTML."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from citewell.errors import BadShape
from citewell.model.search import Hit, Picture
from citewell.net.message import Response
from citewell.text.markup import clean
from citewell.text.urls import readable


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    title: str
    url: str
    snippet: str = ""
    engines: tuple[str, ...] = ()
    category: str | None = None  # the first one of its engine, not always the one asked for
    score: float | None = None  # a weight without bound
    published: datetime | None = None
    source: str | None = None
    image: str | None = None
    thumbnail: str | None = None
    resolution: str = ""
    file_size: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    results: tuple[Result, ...] = ()
    total: int | None = None
    unresponsive: tuple[tuple[str, str], ...] = ()


def read_json(response: Response) -> Answer:
    """Results with an address; a key-value result has none and is left out."""
    body = response.parsed()
    rows = body.get("results") if isinstance(body, dict) else None
    if not isinstance(rows, list):
        raise BadShape("The answer has no list of results.", provider=response.provider)
    found = (_result(row) for row in rows if isinstance(row, dict))
    total = body.get("number_of_results")
    return Answer(
        results=tuple(result for result in found if result is not None),
        total=total
        if isinstance(total, int) and not isinstance(total, bool) and total > 0
        else None,
        unresponsive=_unresponsive(body.get("unresponsive_engines")),
    )


def moment(text: str) -> datetime | None:
    """A date as SearXNG writes it; without a zone it is taken for UTC."""
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def hits(results: Iterable[Result]) -> tuple[Hit, ...]:
    """Results as callers know them, their scores put into 0 to 1 by the best of them."""
    rows = tuple(results)
    best = max((row.score for row in rows if row.score), default=None)
    return tuple(_hit(row, best) for row in rows)


def pictures(results: Iterable[Result]) -> tuple[Picture, ...]:
    return tuple(_picture(row, row.image) for row in results if row.image)


def _hit(row: Result, best: float | None) -> Hit:
    return Hit(
        title=row.title,
        url=row.url,
        snippet=row.snippet,
        published=row.published,
        published_basis="provider" if row.published else None,
        score=round(row.score / best, 4) if best and row.score is not None else None,
        engine=row.engines[0] if row.engines else None,
        source=row.source,
    )


def _picture(row: Result, image: str) -> Picture:
    width, height = _size(row.resolution)
    return Picture(
        title=row.title,
        link=image,
        context=row.url,
        thumbnail=row.thumbnail,
        width=width,
        height=height,
        file_size=row.file_size,
    )


def _result(row: Mapping[str, Any]) -> Result | None:
    url = _text(row, "url")
    if not readable(url):
        return None
    return Result(
        title=clean(_text(row, "title")) or url,
        url=url,
        snippet=clean(_text(row, "content")),
        engines=_engines(row),
        category=_text(row, "category") or None,
        score=_score(row.get("score")),
        published=moment(_text(row, "publishedDate")) or moment(_text(row, "pubdate")),
        source=clean(_text(row, "source") or _text(row, "metadata")) or None,
        image=_address(_text(row, "img_src")),
        thumbnail=_address(_text(row, "thumbnail_src") or _text(row, "thumbnail")),
        resolution=_text(row, "resolution"),
        file_size=clean(_text(row, "filesize")) or None,
    )


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def _engines(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The engine that found it first, then the others that agree."""
    listed = row.get("engines")
    names = [row.get("engine"), *(listed if isinstance(listed, list) else ())]
    return tuple(dict.fromkeys(clean(name) for name in names if isinstance(name, str) and name))


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < math.inf else None


def _address(url: str) -> str | None:
    whole = f"https:{url}" if url.startswith("//") else url
    return whole if readable(whole) else None


def _size(resolution: str) -> tuple[int | None, int | None]:
    """Width and height out of `1920 x 1080`, `1920×1080` and their kin."""
    parts = resolution.replace("×", "x").lower().split("x")
    numbers = [
        int(part)
        for part in map(str.strip, parts)
        if part.isascii() and part.isdigit() and len(part) < 7
    ]
    return (numbers[0], numbers[1]) if len(numbers) == len(parts) == 2 else (None, None)


def _unresponsive(value: object) -> tuple[tuple[str, str], ...]:
    rows = value if isinstance(value, list) else ()
    pairs = (row for row in rows if isinstance(row, list | tuple) and len(row) >= 2)
    return tuple((clean(str(row[0])), clean(str(row[1]))) for row in pairs)
