"""Sites over real sockets: the network's own doors, paces and breakers, and robots.txt."""

from __future__ import annotations

import asyncio

import pytest

from citewell.core import config
from citewell.core.errors import NotFound
from citewell.core.values.page import Page
from citewell.net.network import Network
from citewell.reading import sites
from citewell.reading.sites.site_kit import SiteKit, format_reactions
from tests.internet.apis.site_youtube_mobile import KEY
from tests.internet.faults import Fault
from tests.internet.world import World
from tests.task_thread import ThreadTasks


def read(url: str, environ: dict[str, str]) -> Page | None:
    async def once() -> Page | None:
        settings = config.load_settings(environ)
        network = Network(settings)
        kit = SiteKit(
            network=network,
            workers=ThreadTasks(),
            setting_values=settings.raw,
            robots=network.robots,
        )
        try:
            return await sites.read_site_page(url, kit)
        finally:
            await network.aclose()

    return asyncio.run(once())


def test_a_story_is_read_over_the_network(environ: dict[str, str], world: World) -> None:
    found = read("https://news.ycombinator.com/item?id=1", environ)

    assert found is not None
    assert found.title == world.pages[0].title
    assert found.content.count("on the *story*.") == 12
    assert not found.truncated
    assert world.calls["site_hackernews_index"] == 1
    assert world.calls["site_hackernews"] == 0


def test_a_story_is_read_item_by_item_where_the_index_fails(
    environ: dict[str, str], world: World
) -> None:
    world.fail("site_hackernews_index", Fault(status=503))

    found = read("https://news.ycombinator.com/item?id=1", environ)

    assert found is not None
    assert found.content.count("on the *story*.") == 12
    assert world.calls["site_hackernews"] == 13


def test_a_story_that_is_not_there_is_not_found(environ: dict[str, str]) -> None:
    with pytest.raises(NotFound):
        read("https://news.ycombinator.com/item?id=800000", environ)


def test_a_refused_call_leaves_the_page_to_the_ladder(
    environ: dict[str, str], world: World
) -> None:
    world.fail("site_hackernews", Fault(status=429, headers={"Retry-After": "30"}))

    assert read("https://news.ycombinator.com/", environ) is None
    assert world.calls["site_hackernews"] == 1


def test_a_talk_is_read_over_the_network(environ: dict[str, str], world: World) -> None:
    found = read("https://youtu.be/abcdefghijk", environ)

    assert found is not None
    assert found.title == "How lithium cells age"
    assert "Cells age when they are kept warm and full." in found.content
    assert found.published == "2025-02-03"
    assert 1 <= len(found.highlights) <= 5
    asked = world.requests["site_youtube_mobile"][-1]
    assert asked.params["key"] == KEY


def test_a_talk_is_read_from_its_page_where_the_application_is_turned_away(
    environ: dict[str, str], world: World
) -> None:
    world.fail("site_youtube_mobile", Fault(status=403), times=2)

    found = read("https://www.youtube.com/shorts/abcdefghijk", environ)

    assert found is not None
    assert "Cells age when they are kept warm and full." in found.content


def test_a_talk_that_does_not_exist_is_not_found(environ: dict[str, str]) -> None:
    with pytest.raises(NotFound, match="Video unavailable"):
        read("https://www.youtube.com/watch?v=abcdefghijX", environ)


def test_reactions_that_the_network_does_not_count_are_left_out() -> None:
    counts = format_reactions(likes=1, reposts=2, replies=1, quotes=None)

    assert counts == "1 like · 2 reposts · 1 reply"
