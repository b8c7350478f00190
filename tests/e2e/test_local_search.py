"""An assistant searches places, over a real server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from tests.e2e.clients import body, connected
from tests.e2e.domains import MISBEHAVIOUR, TRANSPORTS, Environ, call, error_of
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires

LYON = {"latitude": 45.7578, "longitude": 4.832}
HERE = ("45.7578", "4.832")
BRAVE = {"BRAVE_API_KEY": "a-key"}


@requires("local_search.place", "local_search.query")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_places_are_found_without_a_key(transport: str, environ: Environ) -> None:
    result = call(environ, "local_search", {"query": "best cafés in Lyon"}, transport)

    answer = body(result)
    assert (answer["provider"], answer["query"]) == ("overpass", "best cafés in Lyon")
    assert answer["searchedNear"] == "Lyon, France"
    assert answer["attribution"] == "© OpenStreetMap contributors"
    assert answer["resultCount"] == len(answer["places"]) == 3
    assert answer["places"][0] == {
        "id": "osm:N11",
        "name": "Café du Pont",
        "source": "overpass",
        "url": "https://www.openstreetmap.org/node/11",
        "address": "12 Rue de l'Exemple, 69002 Lyon",
        "lat": 45.7583,
        "lon": 4.8331,
        "distance": 0.102,
        "phone": "+33 4 00 00 00 00",
        "website": "https://cafe.example.org/",
        "categories": ["cafe"],
        "hours": [
            "Monday: 08:00-19:00",
            "Tuesday: 08:00-19:00",
            "Wednesday: 08:00-19:00",
            "Thursday: 08:00-19:00",
            "Friday: 08:00-19:00",
            "Saturday: 09:00-12:00",
            "Sunday: closed",
        ],
    }
    assert answer["trust"] == "untrusted-external-content"
    assert result.meta["routing"]["provider_used"] == "overpass"


@requires("local_search.place")
def test_hours_that_cannot_be_read_are_told_as_they_stand(environ: Environ) -> None:
    places = body(call(environ, "local_search", {"query": "cafes in Lyon"}))["places"]

    odd = next(place for place in places if place["name"] == "Café des Deux Rives")
    assert "hours" not in odd
    assert odd["description"] == "Opening hours as stated: whenever we like"
    always = next(place for place in places if place["name"] == "Café Lointain")
    assert always["hours"][0] == "Monday: 00:00-24:00"


@requires("local_search.near", "local_search.distance")
def test_coordinates_go_before_near_and_the_nearest_comes_first(environ: Environ) -> None:
    asked = {"query": "cafes", "near": "downtown Seattle", **LYON}

    answer = body(call(environ, "local_search", asked))

    assert [place["name"] for place in answer["places"]] == [
        "Café du Pont",
        "Café des Deux Rives",
        "Café Lointain",
    ]
    distances = [place["distance"] for place in answer["places"]]
    assert distances == sorted(distances)
    assert "searchedNear" not in answer


def test_near_is_looked_up_together_with_the_place_in_the_query(environ: Environ) -> None:
    asked = {"query": "coffee shops near downtown", "near": "Seattle", "country": "us"}

    answer = body(call(environ, "local_search", asked))

    assert answer["searchedNear"] == "Downtown, Seattle, United States"
    assert [place["name"] for place in answer["places"]] == ["Example Coffee"]
    assert [one["filter"] for one in answer["filters"]] == ["country"]


@requires("local_search.radius")
@pytest.mark.parametrize("provider", ["overpass", "photon", "nominatim", "brave"])
def test_the_radius_drops_what_is_farther_away(provider: str, environ: Environ) -> None:
    asked = {"query": "cafes", "radius": 500, "provider": provider, **LYON}

    answer = body(call(environ | BRAVE, "local_search", asked))

    names = {place["name"] for place in answer["places"]}
    assert {"Café du Pont", "Café des Deux Rives"} <= names
    assert "Café Lointain" not in names
    assert answer["filters"][0]["filter"] == "radius"
    assert all(place["distance"] <= 0.5 for place in answer["places"])


@requires("local_search.radius")
def test_a_radius_without_coordinates_is_not_applied_and_said_so(environ: Environ) -> None:
    answer = body(call(environ, "local_search", {"query": "cafes in Lyon", "radius": 1}))

    assert answer["resultCount"] == 3
    assert answer["filters"][0]["by"] == "nobody"


@requires("local_search.units")
def test_distances_are_in_the_units_asked_for(environ: Environ) -> None:
    asked = {"query": "museum", "units": "imperial", **LYON}

    answer = body(call(environ, "local_search", asked))

    assert answer["distanceUnit"] == "mi"
    assert answer["places"][0]["distance"] == pytest.approx(0.232, abs=0.01)


@requires("local_search.coordinates")
@pytest.mark.parametrize(
    "wrong",
    [
        {"latitude": 45.0},
        {"longitude": 4.0},
        {"latitude": 91, "longitude": 4},
        {"latitude": 45, "longitude": -181},
        {"latitude": 45, "longitude": 4, "radius": -1},
        {"country": "UK"},
        {"units": "nautical"},
        {"num_results": 21},
    ],
)
def test_wrong_arguments_are_refused(wrong: dict[str, object], environ: Environ) -> None:
    result = call(environ, "local_search", {"query": "cafes"} | wrong)

    assert error_of(result)["kind"] == "validation"


def test_a_name_is_searched_where_the_query_says(environ: Environ) -> None:
    answer = body(call(environ, "local_search", {"query": "Deux Rives near Lyon"}))

    assert [place["name"] for place in answer["places"]] == ["Café des Deux Rives"]


def test_a_name_alone_is_found_by_photon(environ: Environ) -> None:
    answer = body(call(environ, "local_search", {"query": "Deux Rives"}))

    assert (answer["provider"], answer["places"][0]["name"]) == ("photon", "Café des Deux Rives")
    assert answer["places"][0]["address"] == "Lyon, France"


def test_a_name_that_begins_with_its_kind_is_found(environ: Environ) -> None:
    answer = body(call(environ, "local_search", {"query": "Musée de l'Exemple"}))

    assert [place["name"] for place in answer["places"]] == ["Musée de l'Exemple"]


def test_a_kind_without_a_place_says_that_the_place_is_missing(environ: Environ) -> None:
    answer = body(call(environ, "local_search", {"query": "coffee near me"}))

    assert answer["places"] == []
    assert answer["hints"]["suggestedActions"][0] == "set-argument: near"
    assert "does not say where" in answer["hints"]["details"][0]


def test_an_unknown_town_is_named_in_the_hints(environ: Environ) -> None:
    asked = {"query": "cafes", "near": "Nowhereville"}

    answer = body(call(environ, "local_search", asked))

    assert answer["hints"]["providersAttempted"] == ["photon", "nominatim"]
    assert answer["hints"] == body(call(environ, "local_search", asked))["hints"]
    assert "No place called 'Nowhereville' is on the map." in answer["hints"]["details"]


def test_a_town_of_another_country_is_not_taken(environ: Environ) -> None:
    asked = {"query": "cafes in Lyon", "country": "US"}

    answer = body(call(environ, "local_search", asked))

    assert answer["places"] == []
    assert "No place called 'Lyon' is on the map." in answer["hints"]["details"]


@pytest.mark.parametrize("key", [{}, BRAVE])
def test_places_are_sources_of_a_session(key: dict[str, str], environ: Environ) -> None:
    step = {"searchStep": "look", "stepNumber": 1, "nextStepNeeded": True}

    async def talk() -> str:
        offered = environ | key | {"CITEWELL_TOOLSETS": "domains,sessions"}
        async with connected("memory", offered) as client:
            session = body(await client.call_tool("sequential_search", step))["sessionId"]
            ask = {"query": "cafes", "near": "Lyon", "sessionId": session}
            await client.call_tool("local_search", ask)
            shown = await client.call_tool("get_research_session", {"sessionId": session})
            return str(body(shown))

    kept = asyncio.run(talk())

    assert "Café du Pont" in kept


@requires("local_search.descriptions")
def test_brave_answers_with_a_key_and_does_without_descriptions(
    environ: Environ, world: World
) -> None:
    world.fail("/brave/local/descriptions", Fault(status=500, body="oops"), times=ALWAYS)

    result = call(environ | BRAVE, "local_search", {"query": "cafes", "near": "Lyon"})

    answer = body(result)
    assert answer["provider"] == "brave"
    assert answer["places"][0]["rating"] == 4.5
    assert answer["places"][0]["ratingCount"] == 120
    assert answer["places"][0]["hours"] == ["Thursday: 06:59-17:00"]
    assert all("description" not in place for place in answer["places"])
    assert "attribution" not in answer


def test_brave_gets_the_point_in_headers_of_the_first_call_alone(
    environ: Environ, world: World
) -> None:
    call(environ | BRAVE, "local_search", {"query": "cafes", "near": "Paris", **LYON})

    first, *others = world.requests["brave"]
    assert first.headers["x-loc-lat"] == "45.757800"
    assert first.headers["x-loc-long"] == "4.832000"
    assert "x-loc-city" not in first.headers
    assert parse_qs(first.query_string)["q"] == ["cafes"]
    assert len(others) == 2
    assert not any(name.startswith("x-loc") for one in others for name in one.headers)


@pytest.mark.parametrize("kind", MISBEHAVIOUR)
def test_photon_takes_the_place_of_an_overpass_that_misbehaves(
    kind: str, environ: Environ, world: World
) -> None:
    world.fail("overpass", MISBEHAVIOUR[kind], times=ALWAYS)

    answer = body(call(environ, "local_search", {"query": "cafes", **LYON}))

    assert answer["provider"] == "photon"
    assert answer["places"][0]["name"] == "Café du Pont"


def test_nominatim_finds_the_town_if_photon_cannot(environ: Environ, world: World) -> None:
    world.fail("photon", MISBEHAVIOUR["failing"], times=ALWAYS)

    answer = body(call(environ, "local_search", {"query": "cafes in Lyon"}))

    assert answer["searchedNear"] == "Lyon, Lyon, France"
    assert answer["resultCount"] == 3


@pytest.mark.parametrize("kind", MISBEHAVIOUR)
def test_a_named_provider_that_misbehaves_is_an_error(
    kind: str, environ: Environ, world: World
) -> None:
    world.fail("overpass", MISBEHAVIOUR[kind], times=ALWAYS)

    result = call(environ, "local_search", {"query": "cafes", "provider": "overpass", **LYON})

    assert error_of(result)["provider"] == "overpass"


def test_an_error_that_overpass_hides_in_an_answer_is_an_error(
    environ: Environ, world: World
) -> None:
    remark = {"elements": [], "remark": "runtime error: Query timed out in query at line 1"}
    world.fail("overpass", Fault(status=200, body=remark), times=ALWAYS)

    result = call(environ, "local_search", {"query": "cafes", "provider": "overpass", **LYON})

    assert error_of(result)["kind"] == "upstream_unavailable"


def test_an_anonymous_client_is_told_which_line_to_set(environ: Environ, world: World) -> None:
    world.fail("overpass", Fault(status=406, body="<html>Not Acceptable</html>"), times=ALWAYS)

    result = call(environ, "local_search", {"query": "cafes", "provider": "overpass", **LYON})

    assert "CITEWELL_CONTACT" in result.content[0].text


@requires("provider.tool_names")
def test_an_unknown_provider_is_refused_with_those_there_are(environ: Environ) -> None:
    result = call(environ, "local_search", {"query": "cafes", "provider": "nowhere"})

    assert error_of(result)["kind"] == "validation"
    assert "Supported: brave, nominatim, overpass, photon." in result.content[0].text


def test_where_somebody_is_stands_in_no_log(
    environ: Environ,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level("DEBUG")
    audit = tmp_path / "audit.log"
    logged = environ | {"AUDIT_OUTPUT_PATH": str(audit), "LOG_LEVEL": "debug"}

    call(logged | BRAVE, "local_search", {"query": "cafes", **LYON}, "stdio")
    call(logged, "local_search", {"query": "cafes", "provider": "photon", **LYON})

    audited = audit.read_text(encoding="utf-8")
    assert [json.loads(line)["tool_name"] for line in audited.splitlines()] == ["local_search"] * 2
    # The loopback web runs in this process and logs what it is asked.
    ours = [one.getMessage() for one in caplog.records if one.name != "uvicorn.access"]
    told = audited + "".join(ours) + "".join(capfd.readouterr())
    assert not any(part in told for part in HERE)
