"""Collects results from several result pages, up to the number requested."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from citewell.core.errors import UpstreamError
from citewell.core.values.search_queries import SearchQuery

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage(Generic[T]):
    items: tuple[T, ...]
    has_more: bool  # whether there is, or may be, another page
    total: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheredResults(Generic[T]):
    items: tuple[T, ...]
    total: int | None = None
    notes: tuple[str, ...] = ()


def note_result_limit(query: SearchQuery, most: int, phrase: str) -> tuple[str, ...]:
    """That fewer results come than were asked for, if so."""
    return (f"{phrase} {most} results.",) if query.count > most else ()


async def gather_pages(
    fetch_page: Callable[[int], Awaitable[ResultPage[T]]], *, count: int, max_pages: int
) -> GatheredResults[T]:
    """Fetch result pages 0, 1, 2… until there are `count` items or `max_pages` pages.

    If a page after the first fails, the earlier ones are returned with a note.
    """
    page = await fetch_page(0)
    items, total, number = page.items, page.total, 1
    while page.has_more and page.items and len(items) < count and number < max_pages:
        try:
            page = await fetch_page(number)
        except UpstreamError as error:
            note = f"Page {number + 1} of the results failed ({error.kind}); earlier pages are included."
            return GatheredResults(items=items[:count], total=total, notes=(note,))
        items += page.items
        number += 1
    return GatheredResults(items=items[:count], total=total)
