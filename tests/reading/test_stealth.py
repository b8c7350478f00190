from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from citewell.core.errors import (
    Blocked,
    ContentEmpty,
    Misconfigured,
    NetworkFailed,
    NotFound,
    RefusedByPolicy,
    TooLarge,
    UpstreamUnavailable,
)
from citewell.net.address_guard import Guard, GuardRules
from citewell.net.browser.stealth_client import StealthClient
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.reading.extracted_page import ExtractedPage
from citewell.reading.fetch_tiers import FetchAttempt
from citewell.reading.page_tasks import PageTasks
from citewell.reading.tier_assembly import StealthTier
from tests.net.loopback import LOOPBACK, Exchange, Server, serve, settings
from tests.requirements import requires
from tests.task_thread import ThreadTasks

ARTICLE = f"<title>T</title><article><p>{'A paragraph with words enough to be content of a page. ' * 20}</p></article>"
WALL = "<title>Just a moment...</title><p>Checking your browser.</p><script>_cf_chl_opt={}</script>"


async def site(exchange: Exchange) -> None:
    """What a site may do to a client."""
    answers: dict[str, tuple[int, bytes, dict[str, str]]] = {
        "/": (200, ARTICLE.encode(), {"Content-Type": "text/html"}),
        "/packed": (200, gzip.compress(b"p" * 9000), {"Content-Encoding": "gzip"}),
        "/bomb": (200, gzip.compress(bytes(2**24)), {"Content-Encoding": "gzip"}),
        "/hop": (302, b"", {"Location": "/"}),
        "/loop": (302, b"", {"Location": "/loop"}),
        "/inside": (302, b"", {"Location": "http://10.0.0.1/"}),
        "/gone": (404, b"", {}),
        "/wall": (403, WALL.encode(), {"Content-Type": "text/html"}),
    }
    if exchange.path == "/silent":
        await asyncio.Event().wait()
    elif exchange.path == "/cut":
        await exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
    else:
        await exchange.reply(*answers[exchange.path])
    exchange.writer.close()


def use(act: Callable[[StealthClient, Server], Awaitable[Any]], **fields: Any) -> Any:
    pytest.importorskip("wreq")

    async def run() -> Any:
        guard = Guard(GuardRules.from_settings(settings(**fields)), resolver=LOOPBACK)
        async with serve(site) as server:
            stealth = StealthClient(guard)
            try:
                return await act(stealth, server)
            finally:
                await stealth.aclose()

    return asyncio.run(run())


def get(path: str, **options: Any) -> HttpResponse:
    async def act(stealth: StealthClient, server: Server) -> HttpResponse:
        return await stealth.send_request(HttpRequest(url=server.url(path), page=True, **options))

    return use(act)


@requires("scrape_page.stealth_tier")
def test_a_page_is_asked_for_as_chrome_asks() -> None:
    async def act(stealth: StealthClient, server: Server) -> tuple[HttpResponse, str]:
        headers = {"accept": "text/markdown", "x-own": "1"}
        return await stealth.send_request(
            HttpRequest(url=server.url("/"), headers=headers)
        ), server.seen[0].head

    response, head = use(act)

    assert response.status == 200
    assert response.content_type == "text/html"
    names = [line.partition(":")[0] for line in head.split("\r\n")[2:-2]]
    assert names[:6] == ["sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform",
                         "upgrade-insecure-requests", "user-agent", "accept"]  # fmt: skip
    assert "Chrome/" in head
    assert "x-own" not in head


def test_a_packed_body_is_unpacked() -> None:
    response = get("/packed")

    assert response.body == b"p" * 9000
    assert "content-encoding" not in response.headers


def test_redirects_are_followed_and_told() -> None:
    async def act(stealth: StealthClient, server: Server) -> tuple[HttpResponse, str]:
        return await stealth.send_request(HttpRequest(url=server.url("/hop"))), server.url("/hop")

    response, first = use(act)

    assert (response.status, response.hops) == (200, (first,))


@pytest.mark.parametrize(
    ("path", "options", "error"),
    [
        ("/bomb", {"max_bytes": 100_000}, TooLarge),
        ("/loop", {}, UpstreamUnavailable),
        ("/inside", {}, RefusedByPolicy),
        ("/cut", {}, NetworkFailed),
        ("/silent", {"timeout": 0.3}, NetworkFailed),
    ],
)
def test_what_goes_wrong_is_said_in_our_errors(
    path: str, options: dict[str, Any], error: type
) -> None:
    with pytest.raises(error):
        get(path, **options)


@requires("scrape_page.stealth_tier")
@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("http://inside.example.org/", RefusedByPolicy),
        ("https://127.0.0.1/", RefusedByPolicy),
        ("http://site.example.org:1/", NetworkFailed),
        ("https://site.example.org:1/", NetworkFailed),
    ],
)
def test_private_hosts_are_refused_and_dead_ones_told_apart(url: str, error: type) -> None:
    async def act(stealth: StealthClient, server: Server) -> None:
        await stealth.send_request(HttpRequest(url=url))

    with pytest.raises(error):
        use(act)


def test_without_the_extra_the_tier_says_that_it_is_not_installed() -> None:
    stealth = StealthClient(Guard(GuardRules()), available=lambda: False)

    with pytest.raises(Misconfigured) as caught:
        asyncio.run(stealth.send_request(HttpRequest(url="https://example.org/")))

    assert caught.value.detail == "not installed"


def climb(path: str, in_hand: str | None = None, status: int = 200) -> tuple[ExtractedPage, int]:
    """The tier's text and how often the site was asked for it."""

    async def act(stealth: StealthClient, server: Server) -> tuple[ExtractedPage, int]:
        url = server.url(path)
        answer = None
        if in_hand is not None:
            headers = {"content-type": "text/html"}
            answer = HttpResponse(status=status, url=url, headers=headers, body=in_hand.encode())
        tier = StealthTier(stealth, PageTasks(ThreadTasks()), max_bytes=2**20)
        extracted = await tier.fetch_page(FetchAttempt(url=url, response=answer))
        return extracted, len(server.seen)

    return use(act)


def test_a_page_fetched_in_disguise_carries_the_tiers_name() -> None:
    extracted, asked = climb("/")

    assert (extracted.extracted_by, asked) == ("stealth", 1)
    assert extracted.content.startswith("A paragraph with words")


def test_html_that_is_in_hand_and_good_is_not_asked_for_again() -> None:
    extracted, asked = climb("/", ARTICLE)

    assert (extracted.extracted_by, asked) == ("html", 0)


def test_a_wall_in_hand_is_tried_in_disguise() -> None:
    extracted, asked = climb("/", WALL)

    assert (extracted.extracted_by, asked) == ("stealth", 1)


def test_a_shell_in_hand_is_left_to_the_browser() -> None:
    with pytest.raises(ContentEmpty) as caught:
        climb("/", '<div id="root"></div><script src="/a.js"></script>')

    assert caught.value.detail == "not needed"


@pytest.mark.parametrize(("path", "error"), [("/gone", NotFound), ("/wall", Blocked)])
def test_the_sites_answer_is_judged_as_on_every_tier(path: str, error: type) -> None:
    with pytest.raises(error):
        climb(path)
