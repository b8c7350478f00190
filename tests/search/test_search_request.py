from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import InvalidInput
from citewell.search.search_request import SearchRequest, build_search_query, normalize_request
from tests.requirements import requires


def ask(query: str = "words", **changes: Any) -> SearchRequest:
    return normalize_request(SearchRequest(query=query, **changes))


@pytest.mark.parametrize("query", ["", "   ", "\x00\x07", "\u200b\u202e", "\ud800"])
def test_a_query_with_nothing_to_see_in_it_is_empty(query: str) -> None:
    with pytest.raises(InvalidInput, match="query is empty"):
        ask(query)


def test_five_hundred_characters_are_the_most() -> None:
    assert len(ask("x" * 500).query) == 500
    with pytest.raises(InvalidInput, match="501 characters; 500 is the maximum"):
        ask("x" * 501)


def test_length_counts_characters_not_bytes() -> None:
    assert ask("漢" * 500).query == "漢" * 500
    assert ask("🦉" * 500).query == "🦉" * 500


def test_control_characters_part_words_and_hidden_ones_vanish() -> None:
    assert ask("one\x00two\n\tthree\u202efour\U000e0041").query == "one two threefour"


def test_words_in_scripts_that_join_keep_their_joiners() -> None:
    assert ask("می\u200cخواهم").query == "می\u200cخواهم"


@requires("web_search.country", "web_search.language")
@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"count": 0}, "between 1 and 50"),
        ({"count": 51}, "between 1 and 50"),
        ({"site": "example.org", "lens": "legal"}, "site and lens cannot be combined"),
        ({"sites": ("example.org",), "lens": "legal"}, "site and lens cannot be combined"),
        ({"site": "example.org", "sites": ("example.com",)}, "site and sites cannot be combined"),
        ({"sites": tuple(f"s{n}.example.org" for n in range(11))}, "11 entries; 10 is the maximum"),
        ({"site": "example.org/path"}, "is not a domain"),
        ({"site": "exa mple.org"}, "is not a domain"),
        ({"site": "-bad.org"}, "is not a domain"),
        ({"site": "127.0.0.1"}, "is not a domain"),
        ({"time_range": "decade"}, "It takes: day, week, month, year"),
        ({"safe": "maybe"}, "It takes: off, medium, high"),
        ({"category": "poetry"}, "It takes: general, images, videos, news"),
        ({"language": "english"}, "not an ISO 639-1 code"),
        ({"language": "xx"}, "not an ISO 639-1 code"),
        ({"language": "EN"}, "not an ISO 639-1 code"),
        ({"language": "en-ZZ"}, "not an ISO 639-1 code"),
        ({"country": "UK"}, "The United Kingdom is GB"),
        ({"country": "Germany"}, "not an ISO 3166-1 alpha-2 code"),
        ({"exact_terms": "x" * 201}, "exact_terms has 201 characters; 200 is the maximum"),
        ({"exclude_terms": "x" * 201}, "exclude_terms has 201 characters; 200 is the maximum"),
        ({"claim": "x" * 2001}, "claim has 2001 characters; 2000 is the maximum"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        ask(**changes)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Example.ORG", "example.org"),
        ("https://www.example.org/", "example.org"),
        ("*.example.org", "example.org"),
        (".gov", "gov"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("例え.jp", "xn--r8jz45g.jp"),
    ],
)
def test_a_domain_is_taken_as_users_write_it(written: str, meant: str) -> None:
    assert ask(site=written).sites == (meant,)


def test_blanks_are_absent_and_codes_are_put_right() -> None:
    asked = ask(time_range="", language="", country="de", exact_terms=" ", provider=" Brave ")

    assert (asked.time_range, asked.language, asked.exact_terms) == (None, None, None)
    assert (asked.country, asked.provider) == ("DE", "brave")


def test_the_question_carries_every_constraint() -> None:
    query = build_search_query(
        ask(sites=("a.org", "a.org", "b.org"), language="pt-BR", safe="off", count=7)
    )

    assert (query.sites, query.language, query.safe, query.count) == (
        ("a.org", "b.org"),
        "pt-BR",
        "off",
        7,
    )
