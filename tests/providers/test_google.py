"""What is Google's own: engines, pages, and where a date stands."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from citewell.core.errors import Misconfigured
from citewell.core.values.search_queries import SearchQuery
from tests.providers.asking import ask


def sheet(start: int, size: int = 10, *, more: bool = True) -> dict[str, Any]:
    items = [
        {"link": f"https://a.example/{n}", "title": f"t{n}"} for n in range(start, start + size)
    ]
    queries: dict[str, Any] = {"request": [{}]} | ({"nextPage": [{}]} if more else {})
    return {"kind": "customsearch#search", "queries": queries, "items": items}


def tagged(**pagemap: Any) -> dict[str, Any]:
    item = {"link": "https://a.example/1", "title": "t", "pagemap": pagemap}
    return {"kind": "customsearch#search", "items": [item]}


def test_a_lens_with_an_engine_of_its_own_is_asked_there() -> None:
    asked = ask("google", SearchQuery(text="x", engine_id="lens-engine"), sheet(0))

    assert asked.params["cx"] == "lens-engine"


def test_without_any_engine_the_setting_is_named() -> None:
    with pytest.raises(Misconfigured, match="GOOGLE_CUSTOM_SEARCH_ID"):
        ask("google", SearchQuery(text="x"), sheet(0), options={"GOOGLE_CUSTOM_SEARCH_ID": ""})


def test_twenty_five_results_come_from_three_pages() -> None:
    asked = ask("google", SearchQuery(text="x", count=25), sheet(0), sheet(10), sheet(20))

    assert len(asked.found.hits) == 25
    windows = [(dict(r.params)["num"], dict(r.params).get("start")) for r in asked.sent]
    assert windows == [("10", None), ("10", "11"), ("5", "21")]


def test_the_last_window_does_not_pass_a_hundred() -> None:
    asked = ask("google", SearchQuery(text="x", count=120), sheet(0))

    assert dict(asked.sent[-1].params)["start"] == "91"
    assert len(asked.sent) == 10
    assert "at most 100" in asked.found.notes[0]


@pytest.mark.parametrize(
    ("language", "code"), [("de", "lang_de"), ("pt-BR", "lang_pt"), ("zh-TW", "lang_zh-TW")]
)
def test_a_language_is_a_restriction(language: str, code: str) -> None:
    assert ask("google", SearchQuery(text="x", language=language), sheet(0)).params["lr"] == code


def test_the_first_key_in_order_that_holds_a_date_wins() -> None:
    tags = {"date": "2001-01-01", "og:published_time": "soon", "datepublished": "2026-11-02"}

    (hit,) = ask("google", SearchQuery(text="x"), tagged(metatags=[tags])).found.hits

    assert hit.published == datetime(2026, 11, 2, tzinfo=UTC)


def test_article_data_is_the_second_place_to_look() -> None:
    body = tagged(metatags=[{}], newsarticle=[{"datepublished": "Nov 2, 2026"}])

    (hit,) = ask("google", SearchQuery(text="x"), body).found.hits

    assert hit.published == datetime(2026, 11, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("safe", "code"), [("off", "off"), ("medium", "active"), ("high", "active")]
)
def test_safety_is_on_or_off(safe: Any, code: str) -> None:
    assert ask("google", SearchQuery(text="x", safe=safe), sheet(0)).params["safe"] == code
