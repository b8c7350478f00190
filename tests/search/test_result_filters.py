from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from citewell.core.values.search_queries import SearchFilter, SearchHit, SearchQuery
from citewell.search import result_filters
from tests.requirements import requires
from tests.search.doubles import NOW, hit, spec


def sieve(*later: SearchFilter, **query: Any) -> result_filters.ResultSieve:
    return result_filters.ResultSieve(SearchQuery(text="x", **query), later, now=NOW)


def page(**changes: Any) -> SearchHit:
    return hit("a", **changes)


def test_each_constraint_goes_to_whoever_can_apply_it() -> None:
    query = SearchQuery(
        text="x", sites=("example.org",), country="DE", exact_terms="a b", language="fr"
    )

    shares = result_filters.share_filters(query, spec("p", filters=frozenset({SearchFilter.SITES})))

    assert shares.native == {SearchFilter.SITES}
    assert shares.afterwards == {SearchFilter.EXACT_TERMS}
    assert shares.unapplied == {SearchFilter.COUNTRY, SearchFilter.LANGUAGE}


def test_a_provider_is_sent_only_the_constraints_it_declares() -> None:
    query = SearchQuery(text="x", safe="high", time_range="day", country="DE", exclude_terms="y")

    sent = result_filters.keep_native_filters(query, {SearchFilter.COUNTRY})

    assert sent == SearchQuery(text="x", country="DE")


def test_an_exact_phrase_the_provider_cannot_take_is_asked_for_as_words() -> None:
    sent = result_filters.keep_native_filters(
        SearchQuery(text="sleep", exact_terms="deep sleep"), ()
    )

    assert (sent.text, sent.exact_terms) == ("sleep deep sleep", None)


@requires("web_search.site")
@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://example.org/x", True),
        ("https://www.EXAMPLE.org./x", True),
        ("https://deep.example.org:8443/x", True),
        ("https://notexample.org/x", False),
        ("https://example.org.evil.com/x", False),
        ("https://evil.com/?ref=example.org", False),
        ("https://example.org@evil.com/", False),
    ],
)
def test_a_site_is_matched_label_by_label(url: str, *, kept: bool) -> None:
    assert sieve(SearchFilter.SITES, sites=("example.org",)).should_keep_hit(page(url=url)) is kept


def test_a_site_is_checked_even_where_the_provider_claims_to_apply_it() -> None:
    assert not sieve(sites=("example.org",)).should_keep_hit(page(url="https://other.example.com/"))


@pytest.mark.parametrize("later", [(), (SearchFilter.SITES,)])
@pytest.mark.parametrize("url", ["http://203.0.113.4/x", "http://[2001:db8::1]:8080/x"])
def test_an_address_without_a_name_is_on_no_site(url: str, later: tuple[SearchFilter, ...]) -> None:
    assert not sieve(*later, sites=("example.org",)).should_keep_hit(page(url=url))


@requires("web_search.exact_terms")
def test_exact_terms_match_across_case_and_spacing_in_title_snippet_or_address() -> None:
    strainer = sieve(SearchFilter.EXACT_TERMS, exact_terms="Deep  Sleep")

    assert strainer.should_keep_hit(page(title="On deep sleep"))
    assert strainer.should_keep_hit(page(snippet="… DEEP\nsleep …"))
    assert not strainer.should_keep_hit(page(title="Sleep deep"))
    assert not strainer.should_keep_hit(page(title="deep", snippet="sleep"))


def test_exact_terms_match_full_width_and_cjk() -> None:
    assert sieve(SearchFilter.EXACT_TERMS, exact_terms="量子力学").should_keep_hit(
        page(title="量子力学入門")
    )


@requires("web_search.exclude_terms")
def test_exclude_terms_drop_whole_words_and_quoted_phrases_only() -> None:
    strainer = sieve(SearchFilter.EXCLUDE_TERMS, exclude_terms='cat "big dog"')

    assert strainer.should_keep_hit(page(title="A category of dogs, big and small"))
    assert not strainer.should_keep_hit(page(title="The Cat"))
    assert not strainer.should_keep_hit(page(snippet="a big dog barked"))


def test_exclude_terms_in_a_script_without_spaces_match_anywhere() -> None:
    assert not sieve(SearchFilter.EXCLUDE_TERMS, exclude_terms="広告").should_keep_hit(
        page(title="広告記事")
    )


def test_exclude_terms_are_no_pattern() -> None:
    assert sieve(SearchFilter.EXCLUDE_TERMS, exclude_terms=".* (").should_keep_hit(
        page(title="anything")
    )


@requires("web_search.time_range_applied")
def test_old_results_go_undated_ones_stay_and_are_counted() -> None:
    strainer = sieve(SearchFilter.TIME_RANGE, time_range="week")

    assert strainer.should_keep_hit(page(published=NOW - timedelta(days=6)))
    assert not strainer.should_keep_hit(page(published=NOW - timedelta(days=8)))
    assert strainer.should_keep_hit(page())
    assert strainer.undated_count == 1


def test_a_day_taken_from_the_address_counts_to_its_end() -> None:
    strainer = sieve(SearchFilter.TIME_RANGE, time_range="day")
    midnight = (NOW - timedelta(days=1)).replace(hour=0)

    assert strainer.should_keep_hit(page(published=midnight, published_basis="url"))
    assert not strainer.should_keep_hit(page(published=midnight, published_basis="provider"))


def test_a_naive_date_is_taken_as_utc() -> None:
    naive = (NOW - timedelta(hours=2)).replace(tzinfo=None)

    assert sieve(SearchFilter.TIME_RANGE, time_range="day").should_keep_hit(page(published=naive))


@pytest.mark.parametrize(
    ("language", "title", "kept"),
    [
        ("ja", "これは日本語の記事のタイトルです", True),
        ("ja", "An English title about Japan and its trains", False),
        ("ja", "这是一个关于铁路和城市发展的中文标题", False),
        ("zh", "这是一个关于铁路和城市发展的中文标题", True),
        ("ru", "Короткая статья про поезда", True),
        ("ru", "Kurzer Artikel über Züge und Städte", False),
        ("ar", "مقالة قصيرة عن القطارات والمدن", True),
        ("ja", "iPhone 17", True),
    ],
)
def test_language_is_checked_where_the_script_tells(
    language: str, title: str, *, kept: bool
) -> None:
    assert (
        sieve(SearchFilter.LANGUAGE, language=language).should_keep_hit(page(title=title)) is kept
    )


@requires("defect.filters")
def test_the_report_says_who_applied_what_and_how() -> None:
    query = SearchQuery(text="x", sites=("example.org",), time_range="week", country="DE")
    duck = spec("duck", filters=frozenset({SearchFilter.SITES}))

    rows = result_filters.build_filter_reports(
        result_filters.share_filters(query, duck), duck, lens=True, undated=3
    )

    assert [(row.filter, row.by) for row in rows] == [
        ("country", "nobody"),
        ("lens", "duck"),
        ("time_range", "afterwards"),
    ]
    assert rows[2].note == "Results of Duck were checked by date; 3 without a date were kept."
