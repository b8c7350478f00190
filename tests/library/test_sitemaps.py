from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable
from typing import Any

import pytest

from citewell.core.errors import CitewellError, NotFound
from citewell.library.sitemaps import SitemapPages, is_sitemap_address, list_sitemap_pages

BASE = "https://www.example.org/sitemap.xml"
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def listing(*places: str) -> bytes:
    body = "".join(f"<url><loc> {place} </loc></url>" for place in places)
    return f'<?xml version="1.0"?><urlset {SPACE}>{body}</urlset>'.encode()


def index(*places: str) -> bytes:
    body = "".join(f"<sitemap><loc>{place}</loc></sitemap>" for place in places)
    return f"<sitemapindex {SPACE}>{body}</sitemapindex>".encode()


def read(maps: dict[str, bytes], **options: int) -> SitemapPages | None:
    async def get(url: str) -> bytes:
        if url not in maps:
            raise NotFound("It is not there.", detail="HTTP 404")
        return maps[url]

    return asyncio.run(list_sitemap_pages(BASE, get, **options))


def expect_pages(maps: dict[str, bytes], **options: int) -> SitemapPages:
    site = read(maps, **options)
    assert site is not None
    return site


def found(maps: dict[str, bytes], **options: int) -> list[str]:
    site = expect_pages(maps, **options)
    return [page.url for page in site.pages.values()]


def test_addresses_come_in_order_and_once() -> None:
    urls = ["https://www.example.org/b", "https://www.example.org/a", "https://www.example.org/b/"]

    assert found({BASE: listing(*urls)}) == urls[:2]


def test_a_packed_map_is_unpacked() -> None:
    assert found({BASE: gzip.compress(listing("https://example.org/a?x=1&amp;y=2"))}) == [
        "https://example.org/a?x=1&y=2"
    ]


def test_an_index_leads_to_its_maps_and_a_missing_one_is_told() -> None:
    maps = {
        BASE: index("/one.xml", "https://www.example.org/two.xml"),
        "https://www.example.org/one.xml": listing("https://blog.example.org/a"),
    }

    site = expect_pages(maps)

    assert [page.url for page in site.pages.values()] == ["https://blog.example.org/a"]
    assert [(problem.source, problem.reason) for problem in site.problems] == [
        ("https://www.example.org/two.xml", "HTTP 404.")
    ]


def test_pictures_of_a_page_are_no_pages() -> None:
    body = (
        '<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:i="urn:image">'
        "<s:url><s:loc>https://example.org/a</s:loc><s:lastmod>2024-01-02</s:lastmod>"
        "<i:image><i:loc>https://example.org/a.png</i:loc></i:image></s:url></s:urlset>"
    )

    site = expect_pages({BASE: body.encode()})

    assert [(page.url, page.modified) for page in site.pages.values()] == [
        ("https://example.org/a", "2024-01-02")
    ]


def test_a_map_cannot_send_us_to_other_sites() -> None:
    maps = {
        BASE: listing("https://example.org/a", "https://victim.example.com/", "ftp://example.org/x")
    }

    site = expect_pages(maps)

    assert len(site.pages) == 1
    assert site.problems[0].reason.startswith("2 of its addresses")


def test_an_index_cannot_either() -> None:
    site = expect_pages({BASE: index("https://victim.example.com/sitemap.xml")})

    assert [problem.reason for problem in site.problems] == ["The sitemap belongs to another site."]


def test_an_index_of_indexes_ends() -> None:
    site = expect_pages({BASE: index(BASE)})

    assert [problem.reason for problem in site.problems] == ["It is not a sitemap of pages."]


def test_no_more_than_the_limit_is_taken() -> None:
    assert (
        len(found({BASE: listing(*(f"https://example.org/{n}" for n in range(9)))}, max_pages=4))
        == 4
    )


@pytest.mark.parametrize("body", [b"", b"<rss/>", b"<html><urlsetter></html>", b"plain text"])
def test_what_is_no_sitemap_is_not_taken_for_one(body: bytes) -> None:
    assert read({BASE: body}) is None


HOSTILE: dict[str, Callable[[], bytes]] = {
    "cut": lambda: b"<urlset><url>",
    "entities": lambda: (
        b'<!DOCTYPE x [<!ENTITY a "b">]><urlset ><url><loc>&a;</loc></url></urlset>'
    ),
    "cut pack": lambda: gzip.compress(listing("https://example.org/a"))[:-6],
    "bomb": lambda: gzip.compress(bytes(64 * 2**20)),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_damaged_and_hostile_maps_are_refused(kind: Any) -> None:
    with pytest.raises(CitewellError):
        read({BASE: HOSTILE[kind]()})


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/sitemap_index.xml", True),
        ("https://example.org/maps/pages.xml.gz", True),
        ("https://example.org/about", False),
        ("https://[bad", False),
    ],
)
def test_an_address_is_looked_at_as_a_map_by_its_name(url: str, expected: bool) -> None:
    assert is_sitemap_address(url) is expected
