from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.errors import Misconfigured, RateLimited, Unavailable
from citewell.model.search import Filter, Found, Query
from citewell.ports import Offer, Spec
from citewell.services.web.asking import Asker, Reply, planned
from citewell.services.web.lenses import Lens, Lenses
from citewell.text.operators import compose
from tests.unit.services.doubles import NOW, NewsToo, Scripted, Shop, hit, hits, spec

WIDE = Lens(name="wide", domains=tuple(f"host{n}.example.org" for n in range(27)))


def reply(item: Spec, provider: Any, query: Query, lens: Lens | None = None) -> Reply:
    shop = Shop((item, provider))
    asker = Asker(shop.catalogue, now=lambda: NOW)
    return asyncio.run(asker.ask(item.name, query, lens=lens))


def test_every_domain_of_a_lens_is_asked_for():
    provider = Scripted(lambda query: [hit("x", url=f"https://{query.sites[-1]}/")])

    answer = reply(spec("p", max_sites=10), provider, Query(text="tax"), WIDE)

    asked = [site for query in provider.asked for site in query.sites]
    assert asked == list(WIDE.domains)
    assert all(len(query.sites) <= 10 for query in provider.asked)
    assert len(answer.hits) == len(provider.asked) == 3
    assert answer.notes == ("All 27 domains of the lens were asked for, in 3 queries to P.",)


@pytest.mark.parametrize("lens", Lenses().all(), ids=lambda lens: lens.name)
def test_no_query_for_a_bundled_lens_outgrows_what_the_provider_takes(lens: Lens):
    item = spec("p", max_sites=30, max_query=400)

    plan = planned(item, Query(text="w" * 100), lens=lens)

    assert [site for part in plan.parts for site in part.sites] == list(lens.domains)
    assert all(len(compose(part, limit=10_000)) <= 400 for part in plan.parts)


def test_a_provider_with_a_parameter_for_sites_is_asked_once():
    plan = planned(spec("p", max_sites=100, max_query=400), Query(text="w" * 300), lens=WIDE)

    assert len(plan.parts) == 1


def test_sites_that_leave_no_room_for_the_words_are_checked_afterwards():
    query = Query(text="w" * 395, sites=("example.org",))

    plan = planned(spec("p", max_query=400), query, lens=None)

    assert plan.parts[0].sites == ()
    assert Filter.SITES in plan.shares.later


def test_a_failed_part_of_a_lens_is_told_and_the_rest_kept():
    def some(query: Query) -> Any:
        return (
            Unavailable("Down.")
            if "host0.example.org" in query.sites
            else [hit("x", url=f"https://{query.sites[0]}/")]
        )

    answer = reply(spec("p", max_sites=10), Scripted(some), Query(text="tax"), WIDE)

    assert len(answer.hits) == 2
    assert "1 of 3 queries to P failed (upstream_unavailable)" in " ".join(answer.notes)


def test_a_lens_whose_every_part_fails_raises():
    with pytest.raises(RateLimited) as caught:
        reply(spec("p"), Scripted(RateLimited("Slow down.")), Query(text="tax"), WIDE)

    assert caught.value.provider == "p"


def test_parts_of_a_lens_interleave_and_drop_scores_that_do_not_compare():
    def scored(query: Query) -> Any:
        first = query.sites[0]
        return [hit("x", url=f"https://{first}/{n}", score=0.9) for n in range(2)]

    answer = reply(spec("p", max_sites=20), Scripted(scored), Query(text="tax"), WIDE)

    assert [item.url[-1] for item in answer.hits] == ["0", "0", "1", "1"]
    assert all(item.score is None for item in answer.hits)


def test_a_provider_without_site_filter_is_asked_for_twice_as_much_and_checked():
    provider = Scripted([hit("a", url="https://host3.example.org/"), hit("b")])
    item = spec("p", filters=frozenset(), max_sites=0, max_results=8)

    answer = reply(item, provider, Query(text="tax", count=5), WIDE)

    assert [(query.sites, query.count) for query in provider.asked] == [((), 8)]
    assert [found.url for found in answer.hits] == ["https://host3.example.org/"]
    assert answer.dropped == 1
    assert [(row.filter, row.by) for row in answer.reports] == [("lens", "afterwards")]


def test_nothing_extra_is_fetched_when_nothing_is_checked_afterwards():
    provider = Scripted(hits(5))

    reply(spec("p"), provider, Query(text="tax", count=5, sites=("example.org",)))

    assert provider.asked[0].count == 5


def test_a_goggle_goes_to_brave_and_to_others_the_domains_do():
    lens = Lens(name="g", domains=("example.org",), goggle="https://example.org/g.goggle")

    brave = planned(spec("brave"), Query(text="x"), lens=lens)
    other = planned(spec("p"), Query(text="x"), lens=lens)

    assert (brave.parts[0].goggle, brave.parts[0].sites) == (lens.goggle, ())
    assert (other.parts[0].goggle, other.parts[0].sites) == (None, ("example.org",))


def test_a_lens_engine_goes_to_google_alone():
    lens = Lens(name="c", domains=("example.org",), cx="engine")
    provider = Scripted(hits(1))

    answer = reply(spec("google"), provider, Query(text="x"), lens)

    assert (provider.asked[0].engine_id, provider.asked[0].sites) == ("engine", ())
    assert [(row.filter, row.by) for row in answer.reports] == [("lens", "google")]


def test_a_lens_without_domains_cannot_be_served_by_just_anybody():
    with pytest.raises(Misconfigured, match="works with brave only"):
        planned(spec("p"), Query(text="x"), lens=Lens(name="g", goggle="https://example.org/g"))


def test_the_news_category_uses_the_news_offer_where_there_is_one():
    provider = NewsToo()
    item = spec("p", offers=frozenset({Offer.WEB, Offer.NEWS}))

    answer = reply(item, provider, Query(text="x", category="news", count=2))

    assert (len(provider.news_asked), provider.asked) == (1, [])
    assert [(row.filter, row.by) for row in answer.reports] == [("category", "p")]


def test_a_category_nobody_can_honour_is_said_so():
    provider = Scripted(hits(1))

    answer = reply(spec("p"), provider, Query(text="x", category="music"))

    assert provider.asked[0].category == "general"
    assert [(row.filter, row.by) for row in answer.reports] == [("category", "nobody")]


def test_a_query_that_must_be_cut_is_said_so():
    answer = reply(spec("p", max_query=300), Scripted(hits(1)), Query(text="word " * 80))

    assert answer.notes == ("P takes 300 characters; the query was cut to fit.",)


def test_the_provider_names_itself_as_engine_where_a_hit_does_not():
    answer = reply(spec("p"), Scripted([hit("a"), hit("b", engine="bing")]), Query(text="x"))

    assert [item.engine for item in answer.hits] == ["p", "bing"]


def test_totals_add_up_only_when_every_part_gave_one():
    counted = Scripted(Found(hits=(hit("a", url="https://host1.example.org/"),), total=4))
    silent = Scripted(lambda query: Found(total=None if "host0.example.org" in query.sites else 4))

    assert reply(spec("p"), counted, Query(text="x"), WIDE).total == 12
    assert reply(spec("p"), silent, Query(text="x"), WIDE).total is None
