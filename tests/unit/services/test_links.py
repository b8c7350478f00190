"""Links: live, blocked, dead with a copy in the archive, or not for us to ask."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from citewell import config
from citewell.net.network import Network
from citewell.services.links import Links, LinkState
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World

ARCHIVE = "/site/archive.example.org/available"
COPY = "https://web.archive.org/web/2024/https://gone.example/"


def check(internet: Internet, environ: dict[str, str], *urls: str) -> Mapping[str, LinkState]:
    async def run() -> Mapping[str, LinkState]:
        network = Network(config.load(environ))
        try:
            return await Links(network, wayback=internet.url + ARCHIVE).check(urls)
        finally:
            await network.aclose()

    return asyncio.run(run())


def archived(world: World, answer: Any) -> None:
    world.fail(ARCHIVE, Fault(status=200, body=answer), times=ALWAYS)


def test_a_page_that_answers_is_live(internet: Internet, environ: dict[str, str]) -> None:
    url = internet.page("batteries.example.org", "sodium-ion")

    assert check(internet, environ, url, url)[url].state == "live"


def test_a_dead_page_comes_with_its_archived_copy(
    internet: Internet, environ: dict[str, str], world: World
) -> None:
    archived(world, {"archived_snapshots": {"closest": {"available": True, "url": COPY}}})
    url = internet.page("batteries.example.org", "no-such-page")

    state = check(internet, environ, url)[url]

    assert (state.state, state.status, state.archived) == ("dead", 404, COPY)


def test_an_archive_without_a_copy_or_in_trouble_leaves_the_link_dead(
    internet: Internet, environ: dict[str, str], world: World
) -> None:
    url = internet.page("batteries.example.org", "no-such-page")
    for answer in ({"archived_snapshots": {}}, [], "<html>busy</html>"):
        archived(world, answer)

        assert check(internet, environ, url)[url] == LinkState(state="dead", status=404)


def test_a_page_that_will_not_let_us_in_is_not_dead(
    internet: Internet, environ: dict[str, str], world: World
) -> None:
    url = internet.page("batteries.example.org", "sodium-ion")
    world.fail("pages", Fault(status=403), times=ALWAYS)

    assert check(internet, environ, url)[url].state == "blocked"


def test_an_address_we_must_not_ask_is_left_unchecked(
    internet: Internet, environ: dict[str, str]
) -> None:
    url = "http://10.0.0.1/secret"

    assert check(internet, environ, url)[url].state == "unchecked"
