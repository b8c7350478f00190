from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import CitewellError, NetworkFailed, RefusedByPolicy, TooLarge
from citewell.net.http.messages import HttpResponse
from citewell.net.robots_rules import RobotsChecker, is_path_allowed, parse_robots_rules
from tests.clocks import Clock

EXAMPLE = """\ufeff# a comment
User-agent: *
Disallow: /private/   # closed
Allow: /private/open
Disallow: /*.pdf$
Disallow:

user-agent: Other
User-Agent: CiteWell/2.0
disallow: /ours
Crawl-delay: 5

User-agent: citewell
Disallow: /more*end
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("/", True), ("/private/", False), ("/private/x", False), ("/private/open/x", True), ("/a.pdf", False),
     ("/a.pdf?x", True), ("/robots.txt", True), ("/pr%69vate/x", False), ("/ours", True)],
)  # fmt: skip
def test_the_longest_match_decides_for_everybody(path: str, allowed: bool) -> None:
    assert is_path_allowed(parse_robots_rules(EXAMPLE, product="somebody"), path) == allowed


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("/private/x", True), ("/ours/x", False), ("/more/a/end/b", False), ("/more/a", True)],
)
def test_groups_for_our_name_are_joined_and_take_the_place_of_the_rest(
    path: str, allowed: bool
) -> None:
    assert is_path_allowed(parse_robots_rules(EXAMPLE), path) == allowed


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("Allow: /a\nDisallow: /a", "/a", True),
        ("Allow: /a\nDisallow: /a/b", "/a/b", False),
        ("Disallow: /a*b*c$", "/a1b2c", False),
        ("Disallow: /a*b*c$", "/a1b2c3", True),
        ("Disallow: /a$", "/a/b", True),
        ("Disallow: /$", "/", False),
        ("Disallow: /*a$", "/ba", False),
        ("Disallow: *", "/x", False),
        ("Disallow: /ü", "/%C3%BC", False),
        ("Disallow: /a%2Fb", "/a/b", True),
        ("Allow", "/a", True),
        ("Disallow: /a*b*c", "/a1c", True),
        ("", "/a", True),
    ],
)
def test_patterns_match_as_the_rfc_says(rules: str, path: str, allowed: bool) -> None:
    assert is_path_allowed(parse_robots_rules(f"User-agent: *\n{rules}"), path) == allowed


def test_rules_before_any_name_bind_nobody() -> None:
    assert is_path_allowed(parse_robots_rules("Disallow: /\nUser-agent: other\nDisallow: /"), "/a")


def test_a_pattern_of_a_thousand_stars_is_quick() -> None:
    rules = parse_robots_rules("User-agent: *\nDisallow: /" + "*a" * 1000 + "b$")

    assert is_path_allowed(rules, "/" + "a" * 5000)


class Site:
    """Answers robots.txt with a status and a text, or an error."""

    def __init__(
        self, status: int = 200, text: str = "", error: CitewellError | None = None
    ) -> None:
        self.status, self.text, self.error = status, text, error
        self.asked: list[str] = []

    async def send_request(self, request: Any) -> Any:
        self.asked.append(request.url)
        await asyncio.sleep(0)
        if self.error:
            raise self.error
        return HttpResponse(
            status=self.status, url=request.url, headers={}, body=self.text.encode()
        )


def check(site: Any, *urls: Any, clock: Any = None) -> None:
    robots = RobotsChecker(site, clock=clock or Clock(now=1000.0))

    async def run() -> None:
        await asyncio.gather(*(robots.check_robots(url) for url in urls))

    asyncio.run(run())


def test_a_closed_page_is_refused_and_an_open_one_is_not() -> None:
    site = Site(text="User-agent: *\nDisallow: /closed")

    check(site, "https://example.org/open")
    with pytest.raises(RefusedByPolicy, match="robots"):
        check(site, "https://example.org/closed?x")


def test_rules_are_remembered() -> None:
    site = Site()

    async def run() -> None:
        robots = RobotsChecker(site, clock=Clock(now=1000.0))
        await robots.check_robots("https://a.org/1")
        await robots.check_robots("https://a.org/2")

    asyncio.run(run())

    assert len(site.asked) == 1


def test_parallel_pages_of_a_site_ask_it_once() -> None:
    site = Site()

    check(site, "https://a.org/1", "https://a.org/2", "http://a.org/3", "https://a.org:8443/4")

    assert sorted(site.asked) == [
        "http://a.org/robots.txt", "https://a.org/robots.txt", "https://a.org:8443/robots.txt",
    ]  # fmt: skip


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 429])
def test_a_site_without_rules_is_open(status: int) -> None:
    check(Site(status=status, text="User-agent: *\nDisallow: /"), "https://a.org/")


@pytest.mark.parametrize("site", [Site(status=500), Site(status=503), Site(error=TooLarge("x"))])
def test_a_site_that_cannot_tell_is_closed_for_a_while(site: Any) -> None:
    clock = Clock(now=1000.0)
    robots = RobotsChecker(site, clock=clock)

    async def run() -> None:
        for _ in range(3):
            with pytest.raises(RefusedByPolicy):
                await robots.check_robots("https://a.org/")
        site.status, site.error = 200, None
        clock.now += 600.0
        await robots.check_robots("https://a.org/")

    asyncio.run(run())

    assert len(site.asked) == 2


def test_a_site_that_does_not_answer_is_a_network_failure() -> None:
    with pytest.raises(NetworkFailed):
        check(Site(error=NetworkFailed("x")), "https://a.org/")


def test_rules_are_asked_for_again_after_a_day_and_sites_are_bounded() -> None:
    clock, site = Clock(now=1000.0), Site()
    robots = RobotsChecker(site, clock=clock)

    async def run() -> None:
        await robots.check_robots("https://a.org/")
        clock.now += 86401.0
        await robots.check_robots("https://a.org/")
        for number in range(300):
            await robots.check_robots(f"https://a{number}.org/")

    asyncio.run(run())

    assert site.asked[:2] == ["https://a.org/robots.txt"] * 2
    assert len(robots._sites) == 256
