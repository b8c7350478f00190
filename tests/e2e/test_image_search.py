"""An assistant searches images, over a real server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.clients import body, connected
from tests.e2e.domains import MISBEHAVIOUR, TRANSPORTS, Environ, call, error_of
from tests.internet.faults import ALWAYS
from tests.internet.world import World
from tests.requirements import requires


def keyless(environ: Environ) -> Environ:
    """The same without an instance of SearXNG: what a fresh machine has."""
    return {name: value for name, value in environ.items() if name != "SEARXNG_URL"}


@requires("image_search.answer", "image_search.image", "image_search.query")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_images_are_found_without_a_key(transport: str, environ: Environ, world: World) -> None:
    result = call(keyless(environ), "image_search", {"query": "lighthouse"}, transport)

    answer = body(result)
    base = world.base_url
    assert (answer["query"], answer["resultCount"]) == ("lighthouse", 5)
    assert answer["images"][0] == {
        "title": "Lighthouse at dusk",
        "link": f"{base}/picture/commons/0.jpg",
        "displayLink": "commons.wikimedia.org",
        "thumbnailLink": f"{base}/picture/commons/thumb/0.png",
        "contextLink": "https://commons.wikimedia.org/wiki/File:0.jpg",
        "width": 4000,
        "height": 3000,
        "fileSize": "1000",
        "license": "CC BY-SA 4.0",
        "author": "Example User",
        "attribution": "“Lighthouse at dusk” by Example User, CC BY-SA 4.0, via Wikimedia Commons",
    }
    assert answer["trust"] == "untrusted-external-content"
    assert "cached" not in result.meta


@requires("image_search.num_results")
def test_many_images_come_from_several_pages_and_providers(environ: Environ, world: World) -> None:
    ask = {"query": "lighthouse", "num_results": 47}

    answer = body(call(keyless(environ), "image_search", ask))

    assert answer["resultCount"] == 47  # four of Commons, then 43 of Openverse
    assert world.calls["openverse"] == 3


@requires("image_search.size", "image_search.type", "image_search.file_type")
@pytest.mark.parametrize(
    ("wish", "found"),
    [
        ({"size": "large"}, ["Lighthouse at dusk"]),
        ({"type": "lineart"}, ["Lighthouse drawing"]),
        ({"file_type": "png"}, ["Lighthouse lamp"]),
        ({"size": "medium", "file_type": "jpg"}, ["Lighthouse in fog"]),
    ],
)
def test_filters_hold_with_a_keyless_provider(
    wish: dict[str, str], found: list[str], environ: Environ
) -> None:
    answer = body(
        call(environ, "image_search", {"query": "lighthouse", "provider": "commons"} | wish)
    )

    assert [image["title"] for image in answer["images"]] == found
    assert {row["by"] for row in answer["filters"]} == {"commons"}


@requires(
    "image_search.color_type",
    "image_search.dominant_color",
    "image_search.country",
    "image_search.safe",
)
def test_filters_that_nobody_has_are_reported_as_such(environ: Environ) -> None:
    ask = {
        "query": "lighthouse",
        "provider": "commons",
        "color_type": "gray",
        "dominant_color": "teal",
        "country": "gb",
        "language": "en",
        "safe": "high",
    }

    answer = body(call(environ, "image_search", ask))

    assert {row["filter"] for row in answer["filters"] if row["by"] == "nobody"} == {
        "color_type", "dominant_color", "country", "language", "safe",
    }  # fmt: skip


@requires("defect.brave_images")
def test_the_link_of_an_image_is_the_image_and_not_its_page(environ: Environ) -> None:
    keyed = environ | {"BRAVE_API_KEY": "k"}

    answer = body(call(keyed, "image_search", {"query": "battery", "provider": "brave"}))

    first = answer["images"][0]
    assert first["link"].endswith(".png")
    assert first["contextLink"] != first["link"]


def test_a_lens_restricts_images_to_its_hosts(environ: Environ) -> None:
    answer = body(
        call(
            environ, "image_search", {"query": "lighthouse", "lens": "news", "provider": "commons"}
        )
    )

    assert answer["images"] == []
    assert answer["hints"]["filtersApplied"] == ["lens"]
    assert answer["hints"]["details"][0].endswith(
        "Those that can: Google Programmable Search, SearchApi.io, Serper."
    )
    assert "our own filters removed 4" in " ".join(answer["hints"]["details"])


@pytest.mark.parametrize("kind", MISBEHAVIOUR)
@pytest.mark.parametrize("provider", ["commons", "openverse"])
def test_a_provider_that_misbehaves_is_an_error_and_never_an_empty_answer(
    provider: str, kind: str, environ: Environ, world: World
) -> None:
    world.fail(provider, MISBEHAVIOUR[kind], times=ALWAYS)

    result = call(environ, "image_search", {"query": "lighthouse", "provider": provider})

    assert error_of(result)["provider"] == provider


def test_the_next_provider_answers_if_the_first_fails(environ: Environ, world: World) -> None:
    world.fail("commons", MISBEHAVIOUR["failing"], times=ALWAYS)

    answer = body(call(keyless(environ), "image_search", {"query": "lighthouse"}))

    assert answer["images"][0]["displayLink"] == "photos.example.org"
    assert "Did not answer: commons (upstream_unavailable)." in answer["notes"]


def test_nothing_found_gives_hints(environ: Environ) -> None:
    answer = body(call(keyless(environ), "image_search", {"query": "zzqxv wvuqz"}))

    assert answer["hints"]["reason"] == "no_match"
    assert answer["hints"]["providersAttempted"] == ["commons", "openverse"]


@requires("image_search.provider")
def test_an_unknown_provider_is_refused_with_those_that_have_images(environ: Environ) -> None:
    result = call(environ, "image_search", {"query": "x", "provider": "hackernews"})

    assert error_of(result)["kind"] == "validation"
    assert "brave, commons, google, openverse, searchapi, searxng, serper" in result.content[0].text


@pytest.mark.parametrize(
    ("tool", "seconds"),
    [
        pytest.param("image_search", 1800, marks=requires("image_search.cache")),
        pytest.param(
            "academic_search", 60, marks=requires("academic_search.freshness")
        ),  # nothing was found
    ],
)
def test_freshness_is_shown_on_cached_answers_only(
    tool: str, seconds: int, environ: Environ
) -> None:
    async def twice() -> tuple[Any, Any]:
        offered = keyless(environ) | {"CITEWELL_TOOLSETS": "domains,scholar"}
        async with connected("memory", offered) as client:
            first = await client.call_tool(tool, {"query": "lighthouse"})
            return first, await client.call_tool(tool, {"query": "lighthouse"})

    first, second = asyncio.run(twice())

    assert "cached" not in first.meta
    assert (second.meta["cached"], second.meta["maxAgeSeconds"]) == (True, seconds)
