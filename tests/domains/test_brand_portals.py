"""Brand research on named hosts: subdomains, redirects and names that do not resolve."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
from starlette.responses import HTMLResponse, RedirectResponse

from citewell.core import config
from citewell.core.errors import NotFound
from citewell.core.tooling import Owner
from citewell.core.values.routing_trace import RoutingTrace
from citewell.domains.brands.brand_merging import read_image_facts
from citewell.domains.brands.brand_page_facts import read_site_facts
from citewell.domains.brands.brand_portals import (
    BrandPage,
    BrandProber,
    BrandResearchRequest,
    is_named_so,
    list_brand_candidates,
    parse_brand_site,
    stays_on_place,
)
from citewell.domains.brands.brand_research import BrandResearchService, BrandTools
from citewell.domains.brands.site_visits import SiteVisitor
from citewell.net.network import Network
from tests.internet.brand_sites import GUIDELINES, PAGE_404, BrandSites
from tests.requirements import requires
from tests.task_thread import ThreadTasks


async def everywhere(_host: str) -> list[str]:
    return ["127.0.0.1"]


def find_page(sites: BrandSites) -> BrandPage | None:
    async def run() -> BrandPage | None:
        settings = config.load_settings({"CITEWELL_CONFIG": "/nonexistent"}, allow_private_ips=True)
        network = Network(settings, resolver=everywhere)
        try:
            visitor = SiteVisitor(network.client, ThreadTasks(), robots=None)
            site = parse_brand_site(f"http://example.com:{sites.port}")
            return await BrandProber(visitor).find_brand_page(site)
        finally:
            await network.aclose()

    return asyncio.run(run())


class NobodyKnows:
    async def find_provider_record(self, _domain: str, **_: object) -> None:
        return None


class NothingShared:
    def find_cache_owner(self, *_: object, **__: object) -> None:
        return None


def test_a_domain_that_does_not_exist_is_said_so() -> None:
    async def nowhere(host: str) -> list[str]:
        if host == "example.com":  # so that the machine does not count as offline
            return ["192.0.2.1"]
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    async def run() -> None:
        settings = config.load_settings({"CITEWELL_CONFIG": "/nonexistent"})
        network = Network(settings, resolver=nowhere)
        visitor = SiteVisitor(network.client, ThreadTasks(), robots=network.robots)
        nobody: Any = None
        tools = BrandTools(
            visitor=visitor,
            prober=BrandProber(visitor),
            portals=nobody,
            companies=nobody,
            guidelines=nobody,
            lookups=NobodyKnows(),  # type: ignore[arg-type]
        )
        service = BrandResearchService(
            tools,
            artifacts=nobody,
            loader=nobody,
            sharing=NothingShared(),  # type: ignore[arg-type]
        )
        try:
            await service.research_brand(
                BrandResearchRequest(url="nothing.example.com", depth="full"),
                owner=Owner(),
                trace=RoutingTrace(),
            )
        finally:
            await network.aclose()

    with pytest.raises(NotFound, match=r"no site at nothing\.example\.com"):
        asyncio.run(run())


@requires("brand_research.probes")
def test_26_places_are_tried() -> None:
    candidates = list_brand_candidates(parse_brand_site("https://www.example.co.uk/en?x=1"))

    assert len(candidates) == len(set(candidates)) == 26
    assert candidates[0] == "https://brand.example.co.uk/"
    assert sum(candidate.startswith("https://www.example.co.uk/") for candidate in candidates) == 21


@requires("brand_research.probes")
def test_a_host_of_its_own_beats_a_path() -> None:
    with BrandSites() as sites:
        sites.pages["brand.example.com/"] = HTMLResponse(GUIDELINES)
        sites.pages["example.com/brand"] = HTMLResponse(GUIDELINES)

        page = find_page(sites)

        assert page is not None
        assert page.url == f"http://brand.example.com:{sites.port}/"
        heads = [asked for asked in sites.seen if asked.startswith("HEAD")]
        assert len(heads) == 26


@requires("brand_research.probes")
def test_a_redirect_or_a_soft_404_is_passed_over() -> None:
    with BrandSites() as sites:
        sites.pages["brand.example.com/"] = RedirectResponse("http://example.com/")
        sites.pages["design.example.com/"] = HTMLResponse(PAGE_404)
        sites.pages["example.com/brand"] = RedirectResponse(f"http://example.com:{sites.port}/en/")
        sites.pages["example.com/en/"] = HTMLResponse("<h1>Brand</h1>")
        sites.pages["example.com/press"] = HTMLResponse(GUIDELINES)

        page = find_page(sites)

    assert page is not None
    assert page.url.endswith("/press")


@pytest.mark.parametrize(
    ("asked", "end", "stays"),
    [
        ("https://example.com/brand", "https://www.example.com/brand/", True),
        ("https://example.com/brand", "https://example.com/brand-center", True),
        ("https://example.com/brand", "https://example.com/", False),
        ("https://example.com/brand", "https://example.com/en-us", False),
        ("https://example.com/brand", "https://brand.example.com/", False),
        ("https://brand.example.com/", "https://brand.example.com/home", True),
        ("https://brand.example.com/", "https://example.com/", False),
    ],
)
def test_a_probe_must_end_where_it_asked(asked: str, end: str, *, stays: bool) -> None:
    assert stays_on_place(asked, end) is stays


def read(html: str, url: str = "https://example.com/") -> Any:
    return read_site_facts(html.encode(), "text/html; charset=utf-8", url)


@pytest.mark.parametrize(
    ("title", "company", "named"),
    [
        ("Example Instruments | Measure well", "Example Instruments, Inc.", True),
        ("Home – Example Instruments GmbH", "example instruments", True),
        ("Why Example Instruments failed", "Example Instruments", False),
        ("", "Example Instruments", False),
        ("Anything", "Inc", False),
    ],
)
def test_a_homepage_must_bear_the_companys_name(title: str, company: str, *, named: bool) -> None:
    assert is_named_so(read(f"<title>{title}</title>"), company) is named


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<" * 10_000,
        "<a href='http://['>x</a><link rel=icon href='http://[::1'>",
        '<script type="application/ld+json">{"@type": "Organization", "logo": [[[]]], "sameAs": 7, "address": [null], "name": {"@value": 3}}</script>',
        "<link rel=icon href='data:image/png;base64,AAAA'><meta name=theme-color content='url(javascript:1)'>",
        "<div>" * 5000,
    ],
)
def test_odd_pages_state_nothing(html: str) -> None:
    facts = read(html)

    assert (facts.logos, facts.social, facts.theme_color) == ((), {}, None)


def test_profiles_of_others_are_not_the_companys() -> None:
    links = "".join(f'<a href="https://x.com/{name}">x</a>' for name in ("alice", "bob"))

    assert read(links).social == {}
    assert read(links + '<a href="https://x.com/example">us</a>').social == {
        "twitter": "https://x.com/example"
    }


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x08", "png"),
        (b"GIF89a\x01\0\x01\0", "gif"),
        (b"\xff\xd8\xff\xe0", "jpeg"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "webp"),
        (b"\0\0\x01\0\x01\0", "ico"),
        (b"\xef\xbb\xbf <svg xmlns='x'>", "svg"),
        (b"<?xml version='1.0'?><svg/>", "svg"),
        (b"<!doctype html><html><svg></svg></html>", None),
        (b"<!-- x --><html><svg>", None),
        (b"\x89PNG", None),
        (b"", None),
    ],
)
def test_an_image_is_known_by_its_first_bytes(head: bytes, kind: str | None) -> None:
    facts = read_image_facts(head)

    assert (facts.format if facts else None) == kind
