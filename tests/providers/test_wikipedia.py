"""What is Wikipedia's own: editions by language, and addresses made from titles."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.values.search_queries import SearchQuery
from tests.providers.asking import ask


def answer(*titles: str, base: str | None = None) -> dict[str, Any]:
    search = [{"title": title, "snippet": "a <span>b</span> &amp; c"} for title in titles]
    general = {"general": {"base": base}} if base else {}
    return {"batchcomplete": True, "query": {"search": search} | general}


@pytest.mark.parametrize(
    ("language", "host"),
    [(None, "en"), ("de", "de"), ("pt-BR", "pt"), ("nb", "no"), ("zh-TW", "zh"), ("EN-gb", "en")],
)
def test_a_language_has_its_own_edition(language: str | None, host: str) -> None:
    asked = ask("wikipedia", SearchQuery(text="x", language=language), answer("A"))

    assert asked.sent[0].url == f"https://{host}.wikipedia.org/w/api.php"
    assert asked.found.hits[0].url == f"https://{host}.wikipedia.org/wiki/A"
    assert asked.found.notes == ()


@pytest.mark.parametrize("language", ["xx", "evil.example/", "../.."])
def test_a_language_without_an_edition_is_searched_in_english_and_said(language: str) -> None:
    asked = ask("wikipedia", SearchQuery(text="x", language=language), answer("A"))

    assert asked.sent[0].url == "https://en.wikipedia.org/w/api.php"
    assert "English" in asked.found.notes[0]


@pytest.mark.parametrize(
    ("title", "end"),
    [
        ("Heat pump", "Heat_pump"),
        ("Wärmepumpe", "W%C3%A4rmepumpe"),
        ("C++/CLI & more?", "C%2B%2B/CLI_%26_more%3F"),
        ("100% #1", "100%25_%231"),
    ],
)
def test_a_title_becomes_an_address(title: str, end: str) -> None:
    base = "https://de.wikipedia.org/wiki/Wikipedia:Hauptseite"

    (hit,) = ask("wikipedia", SearchQuery(text="x"), answer(title, base=base)).found.hits

    assert hit.url == f"https://de.wikipedia.org/wiki/{end}"
    assert (hit.title, hit.snippet) == (title, "a b & c")


def test_sites_are_not_put_into_the_query() -> None:
    asked = ask("wikipedia", SearchQuery(text="x", sites=("example.org",)), answer("A"))

    assert asked.params["srsearch"] == "x"


def test_the_day_of_the_last_edit_does_not_pass_for_publication() -> None:
    (hit,) = ask("wikipedia", SearchQuery(text="x"), answer("A")).found.hits

    assert hit.published is None
