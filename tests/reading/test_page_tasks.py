from __future__ import annotations

import asyncio

import pytest

from citewell.core.errors import FailureReason, NetworkFailed, RefusedByPolicy, RefusedByRobots
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.reading.page_tasks import PageTasks
from citewell.reading.pages.page_scrape import RawPageFetcher
from tests.requirements import requires
from tests.task_thread import ThreadTasks

URL = "https://example.org/data.json"


class Web:
    def __init__(self) -> None:
        self.requests: list[HttpRequest] = []

    async def send_request(self, request: HttpRequest) -> HttpResponse:
        self.requests.append(request)
        return HttpResponse(status=200, url=request.url, headers={}, body=b"{}")


class Robots:
    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    async def check_robots(self, url: str) -> None:
        if self.error:
            raise self.error


@requires("scrape_page.raw_guards")
def test_the_guards_of_ordinary_reading_hold() -> None:
    web = Web()

    asyncio.run(
        RawPageFetcher(web, PageTasks(ThreadTasks()), robots=Robots(), timeout=7).fetch_raw_page(
            URL, max_length=10
        )
    )

    assert web.requests[0].page is True
    assert web.requests[0].timeout == 7


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.org/x", "javascript:alert(1)", "data:,x", "x"]
)
def test_other_schemes_are_refused_before_anything_is_sent(url: str) -> None:
    web = Web()

    with pytest.raises(RefusedByPolicy, match="URL rejected"):
        asyncio.run(
            RawPageFetcher(web, PageTasks(ThreadTasks()), robots=None, timeout=5).fetch_raw_page(
                url, max_length=10
            )
        )

    assert web.requests == []


@requires("scrape_page.raw_guards")
def test_what_robots_txt_forbids_is_not_fetched_raw_either() -> None:
    web = Web()
    robots = Robots(RefusedByRobots("example.org asks not to be read."))

    with pytest.raises(RefusedByPolicy, match="CITEWELL_RESPECT_ROBOTS"):
        asyncio.run(
            RawPageFetcher(web, PageTasks(ThreadTasks()), robots=robots, timeout=5).fetch_raw_page(
                URL, max_length=10
            )
        )

    assert web.requests == []


def test_a_site_that_the_guard_refuses_is_not_blamed_on_its_robots_txt() -> None:
    robots = Robots(RefusedByPolicy("example.org does not lead to a public address."))

    with pytest.raises(RefusedByPolicy, match="Provide a valid public"):
        asyncio.run(
            RawPageFetcher(
                Web(), PageTasks(ThreadTasks()), robots=robots, timeout=5
            ).fetch_raw_page(URL, max_length=10)
        )


def test_a_host_that_cannot_be_found_is_a_network_error() -> None:
    robots = Robots(NetworkFailed("No such host.", reason=FailureReason.DNS))

    with pytest.raises(NetworkFailed, match="Network error on") as caught:
        asyncio.run(
            RawPageFetcher(
                Web(), PageTasks(ThreadTasks()), robots=robots, timeout=5
            ).fetch_raw_page(URL, max_length=10)
        )

    assert caught.value.reason is FailureReason.DNS
