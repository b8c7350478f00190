"""The box that Nominatim searches."""

from __future__ import annotations

import asyncio

import pytest

from citewell.domains.place_records import PlaceLookup
from citewell.providers.nominatim import Provider as Nominatim
from tests.contract.recordings import canned, kit_over


@pytest.mark.parametrize("latitude", [90, -90, 0, 45.5])
def test_the_box_around_a_point_stays_on_the_map(latitude: float) -> None:
    sender = canned(b"[]")
    query = PlaceLookup(query="x", latitude=latitude, longitude=179.99, radius=1e9)

    asyncio.run(Nominatim(kit_over("nominatim", sender, {})).search_places(query))

    west, north, east, south = map(float, dict(sender.sent[0].params)["viewbox"].split(","))
    assert -180 <= west < east <= 180
    assert -90 <= south < north <= 90
