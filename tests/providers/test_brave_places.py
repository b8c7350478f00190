"""Brave's search of places."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.domains.place_records import PlaceLookup
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.providers.brave import Provider as Brave
from citewell.providers.overpass import Provider as Overpass
from tests.contract.recordings import canned, kit_over

HERE: dict[str, Any] = {"latitude": 45.7578, "longitude": 4.832}


@pytest.mark.parametrize(
    ("near", "sent"),
    [("München", "Munchen"), ("東京", "%E6%9D%B1%E4%BA%AC"), ("São\nPaulo", "S%C3%A3o%0APaulo")],
)
def test_a_named_place_travels_to_brave_in_ascii(near: str, sent: str) -> None:
    sender = canned(b'{"type": "search", "query": {}}')
    provider = Brave(kit_over("brave", sender, {"BRAVE_API_KEY": "a-key"}))

    found = asyncio.run(provider.search_places(PlaceLookup(query="coffee", near=near)))

    assert found.places == ()
    assert sender.sent[0].secret_headers["X-Loc-City"] == sent
    assert "X-Loc-City" not in sender.sent[0].headers


class Endless:
    """A sender whose answer never comes; it notes that nobody waits for it any more."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.cancelled = False

    async def send_request(self, _request: HttpRequest) -> HttpResponse:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        raise AssertionError("nothing ever comes")


def test_a_cancelled_search_stops_the_request() -> None:
    sender: Any = Endless()

    async def run() -> None:
        provider = Overpass(kit_over("overpass", sender, {}))
        query = PlaceLookup(query="x", kinds=("amenity=cafe",), **HERE)
        search = asyncio.create_task(provider.search_places(query))
        await sender.asked.wait()
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search

    asyncio.run(run())

    assert sender.cancelled
