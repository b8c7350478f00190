"""What is Google News's own: editions, publishers beside links, and a switch."""

from __future__ import annotations

import pytest

from citewell.core.values.search_queries import SearchQuery
from tests.providers.asking import ask
from tests.search.doubles import Shop

FEED = """<rss version="2.0"><channel><title>Google News</title><item>
<title>A story - with a dash - The Example Post</title>
<link>https://news.google.com/rss/articles/CBMi1?oc=5</link>
<pubDate>Tue, 14 Jul 2026 03:33:16 GMT</pubDate>
<description>&lt;ol&gt;&lt;li&gt;Other titles&lt;/li&gt;&lt;/ol&gt;</description>
<source url="https://www.example.org">The Example Post</source></item></channel></rss>"""


def test_an_article_names_its_publisher_beside_a_link_that_does_not_decode() -> None:
    found = ask("googlenews", SearchQuery(text="x"), FEED, offer="news").found

    (hit,) = found.hits
    assert hit.title == "A story - with a dash"
    assert (hit.source, hit.source_url) == ("The Example Post", "https://www.example.org")
    assert hit.snippet == ""
    assert any("sourceUrl" in note for note in found.notes)


@pytest.mark.parametrize(
    ("preference", "edition"),
    [
        ({}, ("en-US", "US", "US:en")),
        ({"language": "de"}, ("de-DE", "DE", "DE:de")),
        ({"country": "AT"}, ("de-AT", "AT", "AT:de")),
        ({"language": "fr", "country": "CH"}, ("fr-CH", "CH", "CH:fr")),
        ({"language": "pt"}, ("pt-419", "BR", "BR:pt-419")),
        ({"language": "zh-TW"}, ("zh-Hant", "TW", "TW:zh-Hant")),
    ],
)
def test_language_country_and_edition_agree(
    preference: dict[str, str], edition: tuple[str, str, str]
) -> None:
    asked = ask("googlenews", SearchQuery(text="x", **preference), FEED, offer="news").params  # type: ignore[arg-type]  # names of the query's own texts

    assert (asked["hl"], asked["gl"], asked["ceid"]) == edition


def test_age_and_sites_are_operators() -> None:
    query = SearchQuery(text="x", time_range="hour", sites=("example.org",))

    assert ask("googlenews", query, FEED, offer="news").params["q"] == "x site:example.org when:1h"


@pytest.mark.parametrize(
    ("value", "is_on"),
    [("true", True), ("1", True), ("false", False), ("no", False), ("", False), (None, False)],
)
def test_it_is_off_until_it_is_switched_on(value: str | None, is_on: bool) -> None:
    from citewell import providers

    spec = providers.load("googlenews").SPEC
    environ = {"GOOGLE_NEWS_RSS": value} if value is not None else {}

    assert Shop((spec, None), environ=environ).catalogue.is_configured("googlenews") is is_on
