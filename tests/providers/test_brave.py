"""What is Brave's own: pages, spans, codes, and which address is the picture."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from citewell.core.errors import AuthRequired
from citewell.core.values.search_queries import ImageQuery, SearchQuery
from tests.exchanges import load_exchanges
from tests.providers.asking import Reply, ask, ask_images
from tests.requirements import requires


def sheet(start: int, *, more: bool, size: int = 20) -> dict[str, Any]:
    numbers = range(start, start + size)
    results = [{"url": f"https://a.example/{n}", "title": f"t{n}"} for n in numbers]
    return {
        "type": "search",
        "query": {"more_results_available": more},
        "web": {"results": results},
    }


def test_fifty_results_come_from_three_pages() -> None:
    sheets = [sheet(0, more=True), sheet(20, more=True), sheet(40, more=True)]

    asked = ask("brave", SearchQuery(text="x", count=50), *sheets)

    assert [hit.title for hit in asked.found.hits] == [f"t{n}" for n in range(50)]
    windows = [(dict(r.params)["count"], dict(r.params).get("offset")) for r in asked.sent]
    assert windows == [("20", None), ("20", "1"), ("20", "2")]


def test_a_page_that_says_it_is_the_last_ends_the_paging() -> None:
    asked = ask("brave", SearchQuery(text="x", count=50), sheet(0, more=False, size=7))

    assert len(asked.found.hits) == 7
    assert len(asked.sent) == 1


def test_more_than_fifty_is_clamped_and_said() -> None:
    asked = ask("brave", SearchQuery(text="x", count=80), sheet(0, more=True))

    assert len(asked.found.hits) == 50
    assert "at most 50" in asked.found.notes[0]


def test_a_second_page_that_fails_keeps_the_first() -> None:
    refused = Reply(body={"error": {"code": "RATE_LIMITED"}}, status=429)

    asked = ask("brave", SearchQuery(text="x", count=30), sheet(0, more=True), refused)

    assert len(asked.found.hits) == 20
    assert "rate_limited" in asked.found.notes[0]


@pytest.mark.parametrize(
    ("span", "code"),
    [("hour", "pd"), ("day", "pd"), ("week", "pw"), ("month", "pm"), ("year", "py")],
)
def test_a_time_range_becomes_a_freshness(span: Any, code: str) -> None:
    asked = ask("brave", SearchQuery(text="x", time_range=span), sheet(0, more=False))

    assert asked.params["freshness"] == code
    assert bool(asked.found.notes) == (span == "hour")


@pytest.mark.parametrize(
    ("language", "code"),
    [("de", "de"), ("ja", "jp"), ("pt-BR", "pt-br"), ("pt", "pt-pt"), ("zh-TW", "zh-hant"),
     ("zh", "zh-hans"), ("de-AT", "de"), ("no", "nb"), ("en-GB", "en-gb")],
)  # fmt: skip
def test_a_language_becomes_braves_code(language: str, code: str) -> None:
    asked = ask("brave", SearchQuery(text="x", language=language), sheet(0, more=False))

    assert asked.params["search_lang"] == code


def test_codes_that_brave_refuses_are_not_sent_and_said() -> None:
    asked = ask("brave", SearchQuery(text="x", language="sw", country="KE"), sheet(0, more=False))

    assert not {"search_lang", "country"} & set(asked.params)
    assert len(asked.found.notes) == 2


def test_a_goggle_and_extra_snippets_are_passed_on() -> None:
    query = SearchQuery(text="x", goggle="https://a.example/my.goggle")

    asked = ask("brave", query, sheet(0, more=False), options={"BRAVE_EXTRA_SNIPPETS": "TRUE"})

    assert asked.params["goggles"] == "https://a.example/my.goggle"
    assert asked.params["extra_snippets"] == "true"


@pytest.mark.parametrize(("offer", "sent"), [("web", True), ("news", False)])
def test_the_version_header_goes_to_web_search_alone(offer: str, *, sent: bool) -> None:
    body = sheet(0, more=False) | {"results": []}

    asked = ask("brave", SearchQuery(text="x"), body, offer=offer)

    assert ("Api-Version" in asked.sent[0].headers) is sent


def test_a_long_query_is_cut_to_what_brave_takes() -> None:
    query = SearchQuery(text="word " * 99, sites=("example.org",))

    text = ask("brave", query, sheet(0, more=False)).params["q"]

    assert len(text) <= 400
    assert len(text.split()) <= 50
    assert text.endswith("site:example.org")


@requires("defect.brave_images")
def test_the_picture_is_the_link_and_the_page_its_context() -> None:
    body = {
        "results": [
            {
                "url": "https://a.example/page",
                "title": "A",
                "properties": {"url": "https://a.example/i.png"},
            },
            {"url": "https://a.example/other", "title": "no picture here"},
        ]
    }

    pictures, _ = ask_images("brave", ImageQuery(text="x"), body)

    assert [(p.link, p.context) for p in pictures] == [
        ("https://a.example/i.png", "https://a.example/page")
    ]


@pytest.mark.parametrize(
    ("safe", "code"), [("off", "off"), ("medium", "strict"), ("high", "strict")]
)
def test_images_know_no_middle_level_of_safety(safe: Any, code: str) -> None:
    _, sent = ask_images("brave", ImageQuery(text="x", safe=safe), {"results": []})

    assert dict(sent[0].params)["safesearch"] == code


def test_a_refused_key_asks_to_check_it() -> None:
    with pytest.raises(AuthRequired) as caught:
        ask("brave", SearchQuery(text="x"), Reply(body={"error": {}}, status=401))

    assert caught.value.suggested_action == "check_api_key"


def test_a_full_answer_is_read_whole() -> None:
    [exchange] = load_exchanges("api.search.brave.com")
    body = exchange.body

    hits = ask("brave", SearchQuery(text="tide table", count=20), body).found.hits

    assert len(hits) == len(body["web"]["results"]) == 20
    assert hits[0].title == '"Tide table" - Example Encyclopedia'
    assert hits[0].published == datetime(2024, 12, 1, 15, 49, 55, tzinfo=UTC)
    assert not any("<strong>" in hit.snippet or "&quot;" in hit.snippet for hit in hits)
    dated = [result for result in body["web"]["results"] if result.get("page_age")]
    assert sum(hit.published is not None for hit in hits) == len(dated)
