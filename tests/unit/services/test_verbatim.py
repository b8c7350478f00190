from __future__ import annotations

import asyncio

import pytest

from citewell.errors import NetworkFailed, Refused
from citewell.net.message import Request, Response
from citewell.services.verbatim import Verbatim

URL = "https://example.org/data.json"


class Web:
    def __init__(self) -> None:
        self.requests: list[Request] = []

    async def send(self, request: Request) -> Response:
        self.requests.append(request)
        return Response(status=200, url=request.url, headers={}, body=b"{}")


class Robots:
    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    async def check(self, url: str) -> None:
        if self.error:
            raise self.error


def test_the_guards_of_ordinary_reading_hold():
    web = Web()

    asyncio.run(Verbatim(web, robots=Robots(), timeout=7).fetch(URL, max_length=10))

    assert web.requests[0].page is True
    assert web.requests[0].timeout == 7


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.org/x", "javascript:alert(1)", "data:,x", "x"]
)
def test_other_schemes_are_refused_before_anything_is_sent(url: str):
    web = Web()

    with pytest.raises(Refused, match="URL rejected"):
        asyncio.run(Verbatim(web, robots=None, timeout=5).fetch(url, max_length=10))

    assert web.requests == []


def test_what_robots_txt_forbids_is_not_fetched_raw_either():
    web = Web()
    robots = Robots(Refused("example.org asks not to be read (robots.txt)."))

    with pytest.raises(Refused, match="CITEWELL_RESPECT_ROBOTS"):
        asyncio.run(Verbatim(web, robots=robots, timeout=5).fetch(URL, max_length=10))

    assert web.requests == []


def test_a_host_that_cannot_be_found_is_a_network_error():
    robots = Robots(NetworkFailed("No such host."))

    with pytest.raises(NetworkFailed, match="Network error on"):
        asyncio.run(Verbatim(Web(), robots=robots, timeout=5).fetch(URL, max_length=10))
