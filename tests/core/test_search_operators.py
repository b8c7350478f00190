"""A query in the operators that engines share."""

from __future__ import annotations

import pytest

from citewell.core.values.search_queries import SearchQuery
from citewell.text.search_operators import (
    build_operator_query,
    shorten_query_text,
    split_excluded_terms,
)


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
