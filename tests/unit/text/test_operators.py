"""A query in the operators that engines share."""

from __future__ import annotations

import pytest

from citewell.model.search import Query
from citewell.text.operators import compose, excluded, shorten


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (Query(text="a b"), "a b"),
        (Query(text="a", sites=("x.org",)), "a site:x.org"),
        (Query(text="a", sites=("x.org", "y.org")), "a (site:x.org OR site:y.org)"),
        (Query(text="a", exact_terms="b c"), 'a "b c"'),
        (Query(text="a", exact_terms='say "b" now'), 'a "say  b  now"'),
        (Query(text="a", exclude_terms="b, c"), "a -b -c"),
        (Query(text="a", exclude_terms='-b "c d"'), 'a -b -"c d"'),
        (Query(text="a", exact_terms=' " ', exclude_terms=" - "), "a"),
    ],
)
def test_each_filter_becomes_its_operator(query: Query, wanted: str) -> None:
    assert compose(query, limit=400) == wanted


def test_the_words_give_way_and_the_filters_stay() -> None:
    query = Query(text="one two three four", sites=("example.org",))

    assert compose(query, limit=len("one two site:example.org")) == "one two site:example.org"


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
    assert shorten(text, limit) == wanted


def test_terms_to_exclude_are_words_or_phrases() -> None:
    assert excluded('forum, "second hand" -used') == ("forum", "second hand", "used")
