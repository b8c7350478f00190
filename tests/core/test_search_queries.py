"""Queries made of what a caller wants to find out."""

from __future__ import annotations

import time

import pytest

from citewell.core.values.search_queries import (
    SearchQuery,
    build_operator_query,
    shorten_query_text,
    split_excluded_terms,
)
from citewell.text.questions import MAX_QUERY_WORDS, build_search_query
from tests.requirements import requires

CASES = [
    (
        "battery ageing",
        "We still need to know how temperature affects the ageing of batteries.",
        "battery ageing temperature",
    ),
    ("ageing of cells", "cold climates", "ageing cells cold climates"),
    (
        "Understand the housing market in Berlin",
        "Don't know what rents were before the rent cap",
        "housing market Berlin rents cap",
    ),
    ("What is the GDP of France?", "no data after 2022", "GDP France data 2022"),
    ("Wie altern Batterien?", "Es fehlen Daten zu kalten Zyklen", "altern Batterien Daten kalten Zyklen"),
    ("電池の劣化を調べる", "寒冷地のデータがない", "電池の劣化を調べる 寒冷地のデータがない"),
    ("C++ compile times", "who's faster — Rust/Go?", "C++ compile times faster Rust Go"),
    ("", "missing price data", "price data"),
    ("find out", "whether it isn't known", ""),
    ("?", "…", ""),
]  # fmt: skip


@requires("sequential_search.refinement_queries")
@pytest.mark.parametrize(("subject", "detail", "query"), CASES)
def test_a_query_has_the_content_words_each_once(subject: str, detail: str, query: str) -> None:
    assert build_search_query(subject, detail) == query


@requires("sequential_search.refinement_queries")
def test_a_long_goal_and_gap_give_eight_words_of_both() -> None:
    words = build_search_query(
        "Find out why lithium-ion cells age faster in hot climates and what manufacturers recommend",
        "It is unclear whether fast charging at low temperature causes lithium plating in NMC cells",
    ).split()

    assert len(words) == MAX_QUERY_WORDS
    assert {"lithium-ion", "temperature", "plating", "NMC"} <= set(words)


def test_a_gap_cannot_exclude_pages() -> None:
    assert build_search_query("tea", "-green --black") == "tea green black"


def test_texts_of_any_length_are_quick() -> None:
    started = time.perf_counter()

    queries = [build_search_query("x" * 5000, "y " * 2500), build_search_query("", "'-" * 2500)]

    assert time.perf_counter() - started < 1
    assert all(len(query) <= 400 for query in queries)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (SearchQuery(text="a b"), "a b"),
        (SearchQuery(text="a", sites=("x.org",)), "a site:x.org"),
        (SearchQuery(text="a", sites=("x.org", "y.org")), "a (site:x.org OR site:y.org)"),
        (SearchQuery(text="a", exact_terms="b c"), 'a "b c"'),
        (SearchQuery(text="a", exact_terms='say "b" now'), 'a "say  b  now"'),
        (SearchQuery(text="a", exclude_terms="b, c"), "a -b -c"),
        (SearchQuery(text="a", exclude_terms='-b "c d"'), 'a -b -"c d"'),
        (SearchQuery(text="a", exact_terms=' " ', exclude_terms=" - "), "a"),
    ],
)
def test_each_filter_becomes_its_operator(query: SearchQuery, wanted: str) -> None:
    assert build_operator_query(query, max_chars=400) == wanted


def test_the_words_give_way_and_the_filters_stay() -> None:
    query = SearchQuery(text="one two three four", sites=("example.org",))

    assert (
        build_operator_query(query, max_chars=len("one two site:example.org"))
        == "one two site:example.org"
    )


@pytest.mark.parametrize(
    ("text", "limit", "wanted"),
    [
        ("one two", 7, "one two"),
        ("one two", 6, "one"),
        ("one two", 3, "one"),
        ("電池の劣化", 3, "電池の"),
        ("abc", 0, ""),
    ],
)
def test_a_text_is_cut_between_words_where_it_can_be(text: str, limit: int, wanted: str) -> None:
    assert shorten_query_text(text, limit) == wanted


def test_terms_to_exclude_are_words_or_phrases() -> None:
    assert split_excluded_terms('forum, "second hand" -used') == ("forum", "second hand", "used")
