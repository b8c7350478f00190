from __future__ import annotations

import asyncio
from typing import Any

from citewell.core.errors import CitewellError, NetworkFailed, NotFound
from citewell.core.values.page import Page
from citewell.core.values.search_results import PageContent
from citewell.search.search_service import build_page_batch_reader
from tests.requirements import requires


class Reader:
    """Reads by script, and remembers how many pages were open at once."""

    def __init__(self, pages: dict[str, str | CitewellError | None]) -> None:
        self.pages = pages
        self.open = self.most = 0

    async def __call__(self, url: str, *, max_length: int) -> Page:
        self.open += 1
        self.most = max(self.most, self.open)
        try:
            await asyncio.sleep(0)
            page = self.pages[url]
            if page is None:
                await asyncio.Event().wait()
            if isinstance(page, CitewellError):
                raise page
            text = str(page)[:max_length]
            return Page(url=url, final_url=url, content=text, content_type="html")
        finally:
            self.open -= 1


def read(reader: Reader, *, at_once: int = 2, timeout: float = 5.0) -> list[Any]:
    many = build_page_batch_reader(
        reader, max_length=10_000, concurrency=at_once, timeout=timeout, clock=lambda: 0.0
    )

    async def run() -> list[Any]:
        return list(await many(list(reader.pages), lambda _: None))

    return asyncio.run(run())


def test_pages_come_back_in_order_with_failures_in_their_place() -> None:
    gone = NotFound("Gone.")

    first, second, third = read(Reader({"a": "One two.", "b": gone, "c": "Three."}))

    assert first == PageContent(
        markdown="One two.", word_count=2, fetch_time_ms=0, summary="One two."
    )
    assert second is gone
    assert third.markdown == "Three."


def test_a_page_that_never_comes_is_a_failure_of_that_page_alone() -> None:
    good, hung = read(Reader({"a": "Text.", "b": None}), timeout=0.5)

    assert isinstance(good, PageContent)
    assert isinstance(hung, NetworkFailed)


@requires("searxng.concurrent_fetches")
def test_only_so_many_pages_are_read_at_once() -> None:
    reader = Reader({str(number): "x" for number in range(9)})

    read(reader, at_once=3)

    assert reader.most == 3


@requires("searxng.summary")
def test_a_summary_is_the_opening_in_plain_words_and_short() -> None:
    text = "# Heading\n\nThe [first](https://example.org) *sentence*. " + "Then another one. " * 80

    [page] = read(Reader({"a": text}))

    assert page.summary.startswith("The first sentence. Then another one.")
    assert len(page.summary) <= 500
    assert page.summary.endswith(".")


def test_a_page_without_sentences_still_has_a_bounded_summary() -> None:
    [page] = read(Reader({"a": "x" * 3000}))

    assert len(page.summary) == 500
