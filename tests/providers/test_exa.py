"""What is Exa's own: highlights nested, dates as bounds, excerpts as snippets."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.values.paper import PaperQuery
from citewell.core.values.search_queries import SearchQuery
from tests.providers.asking import ask
from tests.providers.desk import Desk

EMPTY: dict[str, object] = {"results": []}


def body_for(query: SearchQuery, **how: Any) -> dict[str, Any]:
    body: dict[str, Any] = ask("exa", query, EMPTY, **how).sent[0].json
    return body


def test_highlights_are_asked_for_under_contents() -> None:
    body = body_for(SearchQuery(text="x"))

    assert body["contents"] == {"highlights": True}
    assert "highlights" not in body


@pytest.mark.parametrize(
    ("span", "since"),
    [("hour", "2026-11-15T11:00:00.000Z"), ("day", "2026-11-14T12:00:00.000Z"),
     ("week", "2026-11-08T12:00:00.000Z"), ("year", "2025-11-15T12:00:00.000Z")],
)  # fmt: skip
def test_a_time_range_counts_back_from_now(span: Any, since: str) -> None:
    assert body_for(SearchQuery(text="x", time_range=span))["startPublishedDate"] == since


@pytest.mark.parametrize(("safe", "moderated"), [("off", False), ("medium", False), ("high", True)])
def test_only_the_highest_safety_is_moderated(safe: Any, *, moderated: bool) -> None:
    assert body_for(SearchQuery(text="x", safe=safe)).get("moderation", False) is moderated


def test_the_first_highlight_is_the_snippet_and_the_rest_are_extra() -> None:
    row = {
        "url": "https://a.example/",
        "title": None,
        "highlights": [" ", "one", "two"],
        "summary": "s",
    }

    (hit,) = ask("exa", SearchQuery(text="x"), {"results": [row]}).found.hits

    assert (hit.snippet, hit.extra_snippets) == ("one", ("two",))
    assert hit.title == "https://a.example/"


def test_without_highlights_the_summary_is_the_snippet() -> None:
    row = {"url": "https://a.example/", "title": "t", "highlights": None, "summary": "s"}

    assert ask("exa", SearchQuery(text="x"), {"results": [row]}).found.hits[0].snippet == "s"


def test_papers_are_a_category_with_years_and_publishers() -> None:
    desk = Desk("exa", {"/search": EMPTY}, {"EXA_API_KEY": "a-key"})

    found = desk.ask("search_papers", PaperQuery(text="x", year_from=2019, source="pubmed"))

    assert desk.sent[0].json == {
        "query": "x",
        "type": "auto",
        "category": "research paper",
        "numResults": 5,
        "startPublishedDate": "2019-01-01T00:00:00.000Z",
        "includeDomains": ["pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov"],
    }
    assert found.applied == {"year", "source"}


@pytest.mark.parametrize(
    ("url", "ids"),
    [
        ("https://arxiv.org/abs/1706.03762v7", {"arxiv": "1706.03762"}),
        ("https://doi.org/10.1000/A", {"doi": "10.1000/a"}),
        ("https://a.example/paper", {}),
    ],
)
def test_a_paper_is_known_by_its_address(url: str, ids: dict[str, str]) -> None:
    row = {"url": url, "title": "t", "publishedDate": "2017-06-12", "author": "An Author, B Other"}
    desk = Desk("exa", {"/search": {"results": [row]}}, {"EXA_API_KEY": "a-key"})

    (paper,) = desk.ask("search_papers", PaperQuery(text="x")).papers

    assert paper.ids == ids
    assert (paper.year, [person.name for person in paper.authors]) == (
        2017,
        ["An Author", "B Other"],
    )


@pytest.mark.parametrize(
    ("author", "names"),
    [("Author, An", ["Author, An"]), ("A One; B Two", ["A One", "B Two"]), ("", []), (None, [])],
)
def test_a_line_of_names_is_parted_only_where_it_is_sure(
    author: str | None, names: list[str]
) -> None:
    row = {"url": "https://a.example/", "title": "t", "author": author}
    desk = Desk("exa", {"/search": {"results": [row]}}, {"EXA_API_KEY": "a-key"})

    (paper,) = desk.ask("search_papers", PaperQuery(text="x")).papers

    assert [person.name for person in paper.authors] == names
