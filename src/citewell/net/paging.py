"""Results that an upstream hands out in pages, gathered up to the number asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from citewell.errors import UpstreamError

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    items: tuple[T, ...]
    more: bool  # whether the upstream has, or may have, another page
    total: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered(Generic[T]):
    items: tuple[T, ...]
    total: int | None = None
    notes: tuple[str, ...] = ()


async def gather(
    fetch: Callable[[int], Awaitable[Page[T]]], *, count: int, pages: int
) -> Gathered[T]:
    """Pages 0, 1, 2… one after the other; a failure after the first keeps what has arrived."""
    page = await fetch(0)
    items, total, number = page.items, page.total, 1
    while page.more and page.items and len(items) < count and number < pages:
        try:
            page = await fetch(number)
        except UpstreamError as error:
            note = f"Page {number + 1} of the results failed ({error.kind}); the others are here."
            return Gathered(items=items[:count], total=total, notes=(note,))
        items += page.items
        number += 1
    return Gathered(items=items[:count], total=total)
