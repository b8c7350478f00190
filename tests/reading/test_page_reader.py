from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from citewell.core import config
from citewell.core.values.page import Page
from citewell.net.network import Network
from citewell.reading.pages.page_reader import PageReader
from tests.internet.faults import Fault
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.task_thread import ThreadTasks

T = TypeVar("T")
PATHS = ("lithium-ion-ageing", "solid-state-batteries", "sodium-ion")


def using(
    environ: dict[str, str], act: Callable[[PageReader], Awaitable[T]], **settings: object
) -> T:
    async def run() -> T:
        chosen = config.load_settings(environ, **settings)
        network = Network(chosen)
        try:
            return await act(PageReader(settings=chosen, network=network, workers=ThreadTasks()))
        finally:
            await network.aclose()

    return asyncio.run(run())


def urls(internet: Internet) -> list[str]:
    return [internet.page("batteries.example.org", path) for path in PATHS]


def test_content_is_cut_to_the_length_asked_for(
    internet: Internet, environ: dict[str, str]
) -> None:
    page = using(environ, lambda service: service.read_page(urls(internet)[0], max_length=400))

    assert page.truncated
    assert 200 < len(page.content.encode()) <= 400
    assert page.content.endswith(".")


def test_no_more_pages_are_read_at_once_than_the_setting_allows(
    internet: Internet, environ: dict[str, str]
) -> None:
    internet.world.fail("/odd/fine", Fault(delay=30))
    wanted = [internet.odd("fine"), *urls(internet)]

    async def read_all(service: PageReader) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.0):
                await asyncio.gather(*map(service.read_page, wanted))

    using(environ, read_all, max_page_concurrency=1, page_timeout=30)

    assert internet.world.calls["odd"] == 1
    assert internet.world.calls["pages"] == 0


def test_progress_names_the_tiers(internet: Internet, environ: dict[str, str]) -> None:
    said: list[str | None] = []

    async def note(_done: float, _total: float | None, message: str | None) -> None:
        said.append(message)

    using(environ, lambda service: service.read_page(urls(internet)[0], on_progress=note))

    assert said == ["reading the page (markdown)", "reading the page (html)"]


@pytest.mark.parametrize(
    ("etag", "status", "same"), [('"v1"', 304, True), ('"v1"', 200, False), (None, 304, False)]
)
def test_a_page_is_asked_for_changes_before_it_is_read_again(
    internet: Internet,
    environ: dict[str, str],
    world: World,
    *,
    etag: str | None,
    status: int,
    same: bool,
) -> None:
    url = internet.page("batteries.example.org", "lithium-ion-ageing")

    async def run() -> Page | None:
        settings = config.load_settings(environ, respect_robots=False)
        network = Network(settings)
        reader = PageReader(settings=settings, network=network, workers=ThreadTasks())
        try:
            first = await reader.read_page(url)
            if status == 304 and etag:
                world.fail("pages", Fault(status=304))
            return await reader.renew_page(replace(first, etag=etag, last_modified=None))
        finally:
            await reader.aclose()
            await network.aclose()

    renewed = asyncio.run(run())

    assert (renewed is None) is same
