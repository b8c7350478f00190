from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import InvalidInput, RateLimited
from citewell.domains.place_records import PlaceLookup
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
        PlaceLookup(query="x", name=name, kinds=("amenity=cafe",), **HERE), 5
    )

    statements = asked.split("];(", 1)[1]
    assert statements.count("nwr(") == 1
    assert statements.count('"') in {4, 8}
    assert "\\" not in statements
    assert "\n" not in statements


@pytest.mark.parametrize("kind", ['amenity="x', "a=b=c", "node(1);out", "amenity=cafe];out"])
def test_only_tags_are_taken_for_kinds(kind: str) -> None:
    with pytest.raises(InvalidInput):
        build_overpass_query(PlaceLookup(query="x", kinds=(kind,), **HERE), 5)


def test_overpass_searches_wider_circles_until_enough_is_found() -> None:
    sender = canned(b'{"elements": []}')
    provider = Overpass(kit_over("overpass", sender, {}))

    asyncio.run(provider.search_places(PlaceLookup(query="x", kinds=("amenity=cafe",), **HERE)))

    sent = [str(request.form) for request in sender.sent]
    assert [text.partition("around:")[2].partition(",")[0] for text in sent] == [
        "500",
        "2500",
        "15000",
    ]


def test_overpass_is_left_alone_for_half_a_minute_after_a_429() -> None:
    sender = canned(b"{}", status=429, headers={"retry-after": "2"})
    kit = kit_over("overpass", sender, {})
    query = PlaceLookup(query="x", kinds=("amenity=cafe",), **HERE)

    with pytest.raises(RateLimited):
        asyncio.run(Overpass(kit).search_places(query))

    assert len(sender.sent) == 1
    [health] = kit.upstream.collect_health().values()
    assert health.state == "open"
    assert health.retry_after == pytest.approx(30)
