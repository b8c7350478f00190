"""Pages gathered up to the number asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from citewell.core.errors import RateLimited
from citewell.providers.dialects.result_paging import GatheredResults, ResultPage, gather_pages


class Book:
    """Pages of two numbers each; may fail from some page on."""

    def __init__(self, *, pages: int, fails_at: int | None = None) -> None:
        self._pages = pages
        self._fails_at = fails_at
        self.asked: list[int] = []

    async def __call__(self, number: int) -> ResultPage[int]:
        self.asked.append(number)
        if self._fails_at is not None and number >= self._fails_at:
            raise RateLimited("slow down")
        return ResultPage(
            items=(2 * number, 2 * number + 1), has_more=number + 1 < self._pages, total=99
        )


def gathered(fetch: Callable[..., object], **limits: int) -> GatheredResults[int]:
    return asyncio.run(gather_pages(fetch, **limits))  # type: ignore[arg-type]  # fakes are callables


def test_pages_are_read_until_there_is_enough() -> None:
    book = Book(pages=9)

    found = gathered(book, count=5, max_pages=9)

    assert found.items == (0, 1, 2, 3, 4)
    assert found.total == 99
    assert book.asked == [0, 1, 2]


def test_the_last_page_ends_it() -> None:
    book = Book(pages=2)

    assert gathered(book, count=50, max_pages=9).items == (0, 1, 2, 3)
    assert book.asked == [0, 1]


def test_no_more_pages_are_asked_than_allowed() -> None:
    book = Book(pages=9)

    gathered(book, count=50, max_pages=3)

    assert book.asked == [0, 1, 2]


def test_an_empty_page_ends_it_whatever_the_upstream_says() -> None:
    async def empty(number: int) -> ResultPage[int]:
        return ResultPage(items=(), has_more=True)

    assert gathered(empty, count=5, max_pages=9).items == ()


def test_a_failure_after_the_first_page_keeps_what_came_and_says_so() -> None:
    found = gathered(Book(pages=9, fails_at=1), count=6, max_pages=9)

    assert found.items == (0, 1)
    assert "rate_limited" in found.notes[0]


def test_a_failure_of_the_first_page_is_raised() -> None:
    with pytest.raises(RateLimited):
        gathered(Book(pages=9, fails_at=0), count=6, max_pages=9)
