from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from citewell.search.ranked_results import fuse_rankings, keep_unique_pages
from tests.requirements import requires
from tests.search.doubles import hit


def urls_of(ranked: Any) -> list[str]:
    return [item.hit.url.rpartition("/")[2] for item in ranked]


def test_a_page_in_two_lists_beats_the_first_of_one() -> None:
    ranked = fuse_rankings([[hit("a"), hit("b")], [hit("c"), hit("b")]])

    assert urls_of(ranked) == ["b", "a", "c"]


def test_lists_without_common_pages_interleave_in_order() -> None:
    ranked = fuse_rankings([[hit("a1"), hit("a2")], [hit("b1"), hit("b2")]])

    assert urls_of(ranked) == ["a1", "b1", "a2", "b2"]


@requires("web_search.no_duplicates")
def test_the_same_page_spelt_differently_counts_once_and_shows_the_best_ranked_spelling() -> None:
    low = hit("x", url="https://Example.org/Path/?utm_source=news#part")
    high = hit("x", url="https://example.org/Path?fbclid=1")

    ranked = fuse_rankings([[hit("a"), low], [high]])

    assert [item.hit.url for item in ranked].count(high.url) == 1
    assert ranked[0].hit.url == high.url
    assert len(ranked) == 2


def test_pages_that_differ_in_path_case_stay_two() -> None:
    ranked = fuse_rankings([[hit("Page"), hit("page")]])

    assert len(ranked) == 2


def test_what_one_list_does_not_know_of_a_page_the_other_fills_in() -> None:
    day = datetime(2026, 3, 14, tzinfo=UTC)
    bare = hit("a", snippet="")
    rich = hit("a", snippet="Words.", published=day, published_basis="provider")

    [page] = fuse_rankings([[bare], [hit("b"), rich]])[:1]

    assert page.hit.title == bare.title
    assert (page.hit.snippet, page.hit.published, page.hit.published_basis) == (
        "Words.",
        day,
        "provider",
    )


def test_what_is_no_web_address_is_left_out() -> None:
    kept = list(
        keep_unique_pages([hit("a", url="javascript:alert(1)"), hit("b", url="https://"), hit("c")])
    )

    assert [item.url for item in kept] == ["https://example.org/c"]
