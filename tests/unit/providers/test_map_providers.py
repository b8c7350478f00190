from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.errors import InvalidInput, RateLimited
from citewell.model.domains.place import PlaceQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.providers.brave import Provider as Brave
from citewell.providers.nominatim import Provider as Nominatim
from citewell.providers.overpass import Provider as Overpass
from citewell.providers.overpass import build_overpass_query
from tests.contract.recordings import canned, kit_over

HERE: dict[str, Any] = {"latitude": 45.7578, "longitude": 4.832}


@pytest.mark.parametrize(
    "name",
    ['x"];node(1);out;//', "a\\", 'q" ,i];>;out', "100%(.*)+", "línea\nnueva", "$^{}[]", '"' * 90],
)
def test_no_character_of_a_name_leaves_its_quotes(name: str) -> None:
    asked = build_overpass_query(
        PlaceQuery(text="x", name=name, kinds=("amenity=cafe",), **HERE), 5
    )

    statements = asked.split("];(", 1)[1]
    assert statements.count("nwr(") == 1
    assert statements.count('"') in {4, 8}
    assert "\\" not in statements
    assert "\n" not in statements


@pytest.mark.parametrize("kind", ['amenity="x', "a=b=c", "node(1);out", "amenity=cafe];out"])
def test_only_tags_are_taken_for_kinds(kind: str) -> None:
    with pytest.raises(InvalidInput):
        build_overpass_query(PlaceQuery(text="x", kinds=(kind,), **HERE), 5)


def test_overpass_searches_wider_circles_until_enough_is_found() -> None:
    sender = canned(b'{"elements": []}')
    provider = Overpass(kit_over("overpass", sender, {}))

    asyncio.run(provider.search_places(PlaceQuery(text="x", kinds=("amenity=cafe",), **HERE)))

    sent = [str(request.form) for request in sender.sent]
    assert [text.partition("around:")[2].partition(",")[0] for text in sent] == [
        "500",
        "2500",
        "15000",
    ]


def test_overpass_is_left_alone_for_half_a_minute_after_a_429() -> None:
    sender = canned(b"{}", status=429, headers={"retry-after": "2"})
    kit = kit_over("overpass", sender, {})
    query = PlaceQuery(text="x", kinds=("amenity=cafe",), **HERE)

    with pytest.raises(RateLimited):
        asyncio.run(Overpass(kit).search_places(query))

    assert len(sender.sent) == 1
    [health] = kit.upstream.collect_health().values()
    assert health.state == "open"
    assert health.retry_after == pytest.approx(30)


@pytest.mark.parametrize("latitude", [90, -90, 0, 45.5])
def test_the_box_around_a_point_stays_on_the_map(latitude: float) -> None:
    sender = canned(b"[]")
    query = PlaceQuery(text="x", latitude=latitude, longitude=179.99, radius_meters=1e9)

    asyncio.run(Nominatim(kit_over("nominatim", sender, {})).search_places(query))

    west, north, east, south = map(float, dict(sender.sent[0].params)["viewbox"].split(","))
    assert -180 <= west < east <= 180
    assert -90 <= south < north <= 90


@pytest.mark.parametrize(
    ("near", "sent"),
    [("München", "Munchen"), ("東京", "%E6%9D%B1%E4%BA%AC"), ("São\nPaulo", "S%C3%A3o%0APaulo")],
)
def test_a_named_place_travels_to_brave_in_ascii(near: str, sent: str) -> None:
    sender = canned(b'{"type": "search", "query": {}}')
    provider = Brave(kit_over("brave", sender, {"BRAVE_API_KEY": "a-key"}))

    found = asyncio.run(provider.search_places(PlaceQuery(text="coffee", near=near)))

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
        query = PlaceQuery(text="x", kinds=("amenity=cafe",), **HERE)
        search = asyncio.create_task(provider.search_places(query))
        await sender.asked.wait()
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search

    asyncio.run(run())

    assert sender.cancelled
