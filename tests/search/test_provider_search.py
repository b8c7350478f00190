from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import Misconfigured, RateLimited, UpstreamUnavailable
from citewell.core.values.search_queries import (
    SearchFilter,
    SearchHits,
    SearchQuery,
    build_operator_query,
)
from citewell.routing.ports import Offer, ProviderSpec
from citewell.search.lenses import LensCatalogue, SearchLens
from citewell.search.provider_search import ProviderReply, plan_provider_search, search_provider
from tests.requirements import requires
from tests.search.doubles import NOW, NewsToo, Scripted, Shop, hit, hits, spec

WIDE = SearchLens(name="wide", domains=tuple(f"host{n}.example.org" for n in range(27)))


def reply(
    item: ProviderSpec, provider: Any, query: SearchQuery, lens: SearchLens | None = None
) -> ProviderReply:
    shop = Shop((item, provider))
    return asyncio.run(
        search_provider(shop.catalogue, item.name, query, lens=lens, now=lambda: NOW)
    )


@requires("web_search.lens", "defect.lens_domains")
def test_every_domain_of_a_lens_is_asked_for() -> None:
    provider = Scripted(lambda query: [hit("x", url=f"https://{query.sites[-1]}/")])

    answer = reply(spec("p", max_sites=10), provider, SearchQuery(text="tax"), WIDE)

    asked = [site for query in provider.asked for site in query.sites]
    assert asked == list(WIDE.domains)
    assert all(len(query.sites) <= 10 for query in provider.asked)
    assert len(answer.hits) == len(provider.asked) == 3
    assert answer.notes == ("All 27 domains of the lens were searched, in 3 queries to P.",)


@pytest.mark.parametrize("lens", LensCatalogue().list_lenses(), ids=lambda lens: lens.name)
def test_no_query_for_a_bundled_lens_outgrows_what_the_provider_takes(lens: SearchLens) -> None:
    item = spec("p", max_sites=30, max_query_chars=400)

    plan = plan_provider_search(item, SearchQuery(text="w" * 100), lens=lens)

    assert [site for part in plan.sent_queries for site in part.sites] == list(lens.domains)
    assert all(
        len(build_operator_query(part, max_chars=10_000)) <= 400 for part in plan.sent_queries
    )


def test_a_provider_with_a_parameter_for_sites_is_asked_once() -> None:
    plan = plan_provider_search(
        spec("p", max_sites=100, max_query_chars=400), SearchQuery(text="w" * 300), lens=WIDE
    )

    assert len(plan.sent_queries) == 1


def test_sites_that_leave_no_room_for_the_words_are_checked_afterwards() -> None:
    query = SearchQuery(text="w" * 395, sites=("example.org",))

    plan = plan_provider_search(spec("p", max_query_chars=400), query, lens=None)

    assert plan.sent_queries[0].sites == ()
    assert SearchFilter.SITES in plan.filter_shares.afterwards


def test_a_failed_part_of_a_lens_is_told_and_the_rest_kept() -> None:
    def some(query: SearchQuery) -> Any:
        return (
            UpstreamUnavailable("Down.")
            if "host0.example.org" in query.sites
            else [hit("x", url=f"https://{query.sites[0]}/")]
        )

    answer = reply(spec("p", max_sites=10), Scripted(some), SearchQuery(text="tax"), WIDE)

    assert len(answer.hits) == 2
    assert "1 of 3 queries to P failed (upstream_unavailable)" in " ".join(answer.notes)


def test_a_lens_whose_every_part_fails_raises() -> None:
    with pytest.raises(RateLimited) as caught:
        reply(spec("p"), Scripted(RateLimited("Slow down.")), SearchQuery(text="tax"), WIDE)

    assert caught.value.provider == "p"


def test_parts_of_a_lens_interleave_and_drop_scores_that_do_not_compare() -> None:
    def scored(query: SearchQuery) -> Any:
        first = query.sites[0]
        return [hit("x", url=f"https://{first}/{n}", score=0.9) for n in range(2)]

    answer = reply(spec("p", max_sites=20), Scripted(scored), SearchQuery(text="tax"), WIDE)

    assert [item.url[-1] for item in answer.hits] == ["0", "0", "1", "1"]
    assert all(item.score is None for item in answer.hits)


def test_a_provider_without_site_filter_is_asked_for_twice_as_much_and_checked() -> None:
    provider = Scripted([hit("a", url="https://host3.example.org/"), hit("b")])
    item = spec("p", filters=frozenset(), max_sites=0, max_results=8)

    answer = reply(item, provider, SearchQuery(text="tax", count=5), WIDE)

    assert [(query.sites, query.count) for query in provider.asked] == [((), 8)]
    assert [found.url for found in answer.hits] == ["https://host3.example.org/"]
    assert answer.dropped_count == 1
    assert [(row.filter, row.by) for row in answer.reports] == [("lens", "afterwards")]


def test_nothing_extra_is_fetched_when_nothing_is_checked_afterwards() -> None:
    provider = Scripted(hits(5))

    reply(spec("p"), provider, SearchQuery(text="tax", count=5, sites=("example.org",)))

    assert provider.asked[0].count == 5


def test_a_goggle_goes_to_brave_and_to_others_the_domains_do() -> None:
    lens = SearchLens(name="g", domains=("example.org",), goggle="https://example.org/g.goggle")

    brave = plan_provider_search(spec("brave"), SearchQuery(text="x"), lens=lens)
    other = plan_provider_search(spec("p"), SearchQuery(text="x"), lens=lens)

    assert (brave.sent_queries[0].goggle, brave.sent_queries[0].sites) == (lens.goggle, ())
    assert (other.sent_queries[0].goggle, other.sent_queries[0].sites) == (None, ("example.org",))


def test_a_lens_engine_goes_to_google_alone() -> None:
    lens = SearchLens(name="c", domains=("example.org",), google_engine_id="engine")
    provider = Scripted(hits(1))

    answer = reply(spec("google"), provider, SearchQuery(text="x"), lens)

    assert (provider.asked[0].engine_id, provider.asked[0].sites) == ("engine", ())
    assert [(row.filter, row.by) for row in answer.reports] == [("lens", "google")]


def test_a_lens_without_domains_cannot_be_served_by_just_anybody() -> None:
    with pytest.raises(Misconfigured, match="works with brave only"):
        plan_provider_search(
            spec("p"),
            SearchQuery(text="x"),
            lens=SearchLens(name="g", goggle="https://example.org/g"),
        )


def test_the_news_category_uses_the_news_offer_where_there_is_one() -> None:
    provider = NewsToo()
    item = spec("p", offers=frozenset({Offer.WEB, Offer.NEWS}))

    answer = reply(item, provider, SearchQuery(text="x", category="news", count=2))

    assert (len(provider.news_asked), provider.asked) == (1, [])
    assert [(row.filter, row.by) for row in answer.reports] == [("category", "p")]


def test_a_category_nobody_can_honour_is_said_so() -> None:
    provider = Scripted(hits(1))

    answer = reply(spec("p"), provider, SearchQuery(text="x", category="music"))

    assert provider.asked[0].category == "general"
    assert [(row.filter, row.by) for row in answer.reports] == [("category", "nobody")]


def test_a_query_that_must_be_cut_is_said_so() -> None:
    answer = reply(
        spec("p", max_query_chars=300), Scripted(hits(1)), SearchQuery(text="word " * 80)
    )

    assert answer.notes == ("P accepts 300 characters; the query was cut to fit.",)


def test_the_provider_names_itself_as_engine_where_a_hit_does_not() -> None:
    answer = reply(spec("p"), Scripted([hit("a"), hit("b", engine="bing")]), SearchQuery(text="x"))

    assert [item.engine for item in answer.hits] == ["p", "bing"]


def test_totals_add_up_only_when_every_part_gave_one() -> None:
    counted = Scripted(SearchHits(hits=(hit("a", url="https://host1.example.org/"),), total=4))
    silent = Scripted(
        lambda query: SearchHits(total=None if "host0.example.org" in query.sites else 4)
    )

    assert reply(spec("p"), counted, SearchQuery(text="x"), WIDE).total == 12
    assert reply(spec("p"), silent, SearchQuery(text="x"), WIDE).total is None
