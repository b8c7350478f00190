"""What is DuckDuckGo's own: walls, wrapped links, advertisements, and a page without results."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest

from citewell.core.errors import Blocked, MalformedResponse, RateLimited
from citewell.core.values.search_queries import SearchQuery
from citewell.providers.duckduckgo import resolve_result_link
from tests.internet.apis.duckduckgo import CHALLENGE
from tests.providers.asking import Reply, ask

EMPTY = '<div id="links"><div class="no-results">No results.</div></div>'


def row(url: str, *, classes: str = "web-result", date: str = "") -> str:
    return (
        f'<div class="result results_links {classes}"><h2><a class="result__a" href="{url}">'
        f'The <b>title</b></a></h2><div class="result__extras"><span>&nbsp; {date}</span></div>'
        f'<a class="result__snippet" href="{url}">Say &#x27;<b>hello</b>&#x27;</a></div>'
    )


def following(start: int) -> str:
    hidden = "".join(
        f'<input type="hidden" name="{name}" value="{value}">'
        for name, value in (("q", "x"), ("s", start), ("vqd", "4-1"), ("kl", "wt-wt"))
    )
    back = '<div class="nav-link"><form><input type="submit" value="Previous"></form></div>'
    return (
        f'{back}<div class="nav-link"><form><input type="submit" value="Next">{hidden}</form></div>'
    )


def rows(start: int, size: int = 10) -> str:
    return "".join(row(f"https://a.example/{n}") for n in range(start, start + size))


@pytest.mark.parametrize("status", [200, 202])
def test_a_challenge_is_a_bot_wall_and_not_an_empty_answer(status: int) -> None:
    with pytest.raises(Blocked) as caught:
        ask("duckduckgo", SearchQuery(text="x"), Reply(body=CHALLENGE, status=status))

    assert caught.value.detail == "bot_wall"
    assert caught.value.provider == "duckduckgo"


def test_a_202_without_a_challenge_is_throttling() -> None:
    with pytest.raises(RateLimited):
        ask("duckduckgo", SearchQuery(text="x"), Reply(body="<html></html>", status=202))


def test_results_about_the_challenge_are_results() -> None:
    body = row("https://a.example/1").replace("hello", "the anomaly-modal and bots use DuckDuckGo")

    assert len(ask("duckduckgo", SearchQuery(text="x"), body).found.hits) == 1


def test_the_notice_of_no_results_is_an_empty_answer() -> None:
    assert ask("duckduckgo", SearchQuery(text="x"), EMPTY).found.hits == ()


@pytest.mark.parametrize(
    "body",
    ["", "<html><body><p>Welcome</p></body></html>", '<div class="result"><p>new markup</p></div>'],
)
def test_a_page_it_does_not_know_is_not_an_empty_answer(body: str) -> None:
    with pytest.raises(MalformedResponse):
        ask("duckduckgo", SearchQuery(text="x"), body)


def test_a_result_is_read_whole() -> None:
    body = row("https://a.example/1", date="2026-11-02T00:00:00.0000000")

    (hit,) = ask("duckduckgo", SearchQuery(text="x"), body).found.hits

    assert (hit.title, hit.snippet) == ("The title", "Say 'hello'")
    assert hit.published == datetime(2026, 11, 2, tzinfo=UTC)


def test_advertisements_are_dropped() -> None:
    advert = row("https://shop.example/", classes="result--ad") + row(
        "https://duckduckgo.com/y.js?ad_domain=shop.example", classes="web-result"
    )

    hits = ask("duckduckgo", SearchQuery(text="x"), advert + row("https://a.example/1")).found.hits

    assert [hit.url for hit in hits] == ["https://a.example/1"]


def test_a_page_of_nothing_but_advertisements_is_empty() -> None:
    body = row("https://shop.example/", classes="result--ad")

    assert ask("duckduckgo", SearchQuery(text="x"), body).found.hits == ()


@pytest.mark.parametrize(
    ("href", "wanted"),
    [
        ("https://a.example/x?b=1", "https://a.example/x?b=1"),
        ("//duckduckgo.com/l/?uddg=" + quote("https://a.example/?q=a&b=ü", safe=""), "https://a.example/?q=a&b=ü"),
        ("/l/?kh=-1&uddg=" + quote("http://a.example/%20", safe=""), "http://a.example/%20"),
        ("https://duckduckgo.com/y.js?ad_domain=a.example&uddg=https%3A%2F%2Fa.example", None),
        ("//duckduckgo.com/l/?uddg=javascript%3Aalert(1)", None),
        ("//duckduckgo.com/l/?rut=1", None),
        ("https://links.duckduckgo.com/x", None),
        ("javascript:void(0)", None),
        ("http://[", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_link_leads_to_the_page_itself(href: str, wanted: str | None) -> None:
    assert resolve_result_link(href) == wanted


def test_more_results_are_asked_for_with_the_pages_own_form() -> None:
    first, second = rows(0) + following(10), rows(10)

    asked = ask("duckduckgo", SearchQuery(text="x", count=15), first, second)

    assert [hit.url for hit in asked.found.hits] == [f"https://a.example/{n}" for n in range(15)]
    assert [request.method for request in asked.sent] == ["GET", "POST"]
    assert asked.sent[1].form == {"q": "x", "s": "10", "vqd": "4-1", "kl": "wt-wt"}


def test_a_wall_on_the_second_page_keeps_the_first() -> None:
    wall = Reply(body=CHALLENGE, status=202)

    asked = ask("duckduckgo", SearchQuery(text="x", count=20), rows(0) + following(10), wall)

    assert len(asked.found.hits) == 10
    assert "blocked" in asked.found.notes[0]


@pytest.mark.parametrize(
    ("country", "language", "region"),
    [(None, None, "wt-wt"), (None, "de", "wt-wt"), ("DE", None, "de-de"), ("GB", "en", "uk-en"),
     ("CH", None, "ch-de"), ("CH", "fr", "ch-fr"), ("BE", "fr-BE", "be-fr"), ("ZZ", None, "wt-wt")],
)  # fmt: skip
def test_a_country_becomes_a_region(country: str, language: str, region: str) -> None:
    asked = ask("duckduckgo", SearchQuery(text="x", country=country, language=language), EMPTY)

    assert asked.params["kl"] == region
    assert bool(asked.found.notes) == (country == "ZZ")


@pytest.mark.parametrize(("safe", "code"), [("off", "-2"), ("medium", "-1"), ("high", "1")])
def test_safety_becomes_its_code(safe: Any, code: str) -> None:
    assert ask("duckduckgo", SearchQuery(text="x", safe=safe), EMPTY).params["p"] == code


@pytest.mark.process
def test_loading_the_provider_does_not_load_the_parser() -> None:
    code = "import sys, citewell.providers.duckduckgo; sys.exit('selectolax' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
