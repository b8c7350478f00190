"""Serper and SearchApi, which sell Google's results: pages and spans."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.values.search_queries import SearchQuery
from tests.providers.asking import ask

FIELDS = {"serper": "organic", "searchapi": "organic_results"}


def sheet(name: str, start: int, size: int = 10) -> dict[str, Any]:
    rows = [
        {"link": f"https://a.example/{n}", "title": f"t{n}"} for n in range(start, start + size)
    ]
    return {FIELDS[name]: rows}


def sent_page(name: str, request: Any) -> int:
    given = request.json if name == "serper" else dict(request.params)
    return int(given.get("page", 1))


@pytest.mark.parametrize("name", FIELDS)
def test_twenty_five_results_come_from_three_pages(name: str) -> None:
    sheets = [sheet(name, start) for start in (0, 10, 20)]

    asked = ask(name, SearchQuery(text="x", count=25), *sheets)

    assert len(asked.found.hits) == 25
    assert [sent_page(name, request) for request in asked.sent] == [1, 2, 3]


@pytest.mark.parametrize("name", FIELDS)
def test_an_empty_page_ends_the_paging(name: str) -> None:
    asked = ask(name, SearchQuery(text="x", count=50), sheet(name, 0), sheet(name, 10, 0))

    assert len(asked.found.hits) == 10
    assert len(asked.sent) == 2


@pytest.mark.parametrize("name", FIELDS)
def test_more_than_fifty_is_clamped_and_said(name: str) -> None:
    asked = ask(name, SearchQuery(text="x", count=70), sheet(name, 0))

    assert len(asked.found.hits) == 50
    assert "at most 50" in asked.found.notes[0]


@pytest.mark.parametrize("span", ["hour", "day", "week", "month", "year"])
def test_a_time_range_is_passed_on(span: Any) -> None:
    query = SearchQuery(text="x", time_range=span)

    serper = ask("serper", query, sheet("serper", 0)).sent[0].json
    searchapi = ask("searchapi", query, sheet("searchapi", 0)).params

    assert serper["tbs"] == f"qdr:{span[0]}"
    assert searchapi["time_period"] == f"last_{span}"
