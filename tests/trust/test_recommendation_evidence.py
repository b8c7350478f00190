"""Recommendations: every flag fires where it should, and what could not be had is no evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from citewell.core.errors import UpstreamUnavailable
from citewell.core.values.search_results import SearchAnswer, SearchMetadata, SearchResult
from citewell.links.link_checks import LinkState
from citewell.search.search_request import SearchRequest
from citewell.trust.recommendation_evidence import (
    CorroborationFinder,
    CorroborationRequest,
    LensScope,
    RecommendationAudit,
    classify_agreement,
)
from citewell.trust.tools.verify_recommendation import (
    GivenRecommendation,
    RecommendationAuditor,
    RecommendationRequest,
)
from tests.fake_services import use_fake
from tests.requirements import requires

CLAIM = "the best shop system for small businesses"
LIVE = LinkState(state="live", status=200)


class Links:
    def __init__(self, **states: LinkState) -> None:
        self._states = states
        self.asked: list[str] = []

    async def check_links(
        self, urls: Iterable[str], *, tenant: str | None = None
    ) -> Mapping[str, Any]:
        self.asked = list(urls)
        return {url: self._states.get(url.rpartition("/")[2], LIVE) for url in self.asked}


class Searches:
    """Answers every lens with the same results, or fails."""

    def __init__(self, *results: SearchResult, failing: bool = False, stuck: bool = False) -> None:
        self._results, self._failing, self._stuck = results, failing, stuck
        self.asked: list[SearchRequest] = []
        self.running = self.most = 0

    async def search_cached(self, request: SearchRequest, **_: Any) -> SearchAnswer:
        self.asked.append(request)
        if self._failing:
            raise UpstreamUnavailable("No provider.")
        if self._stuck:
            await asyncio.Event().wait()
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        metadata = SearchMetadata(query=request.query, category="general", results_count=1, search_time_ms=1)  # fmt: skip
        return SearchAnswer(
            urls=tuple(result.url for result in self._results),
            query=request.query,
            result_count=len(self._results),
            results=self._results,
            metadata=metadata,
        )


def result(title: str, snippet: str = "", url: str = "https://news.example.org/a") -> SearchResult:
    return SearchResult(title=title, url=url, snippet=snippet, display_link="news.example.org")


def audit(
    *items: GivenRecommendation,
    claim: str = "",
    links: Links | None = None,
    searches: Searches | None = None,
    deadline: float = 5.0,
) -> RecommendationAudit:
    async def silent(*_: Any) -> None: ...

    service = RecommendationAuditor(
        links=links or Links(),  # type: ignore[arg-type]  # the one method that is used
        corroboration=CorroborationFinder(use_fake(searches or Searches())),
        deadline=deadline,
        now=lambda: datetime(2026, 11, 15, tzinfo=UTC),
    )
    request = RecommendationRequest(items=items, claim=claim, results_per_search=3, tenant="t")
    return asyncio.run(service.audit_recommendations(request, progress=silent))


def item(
    title: str = "Shopify", url: str = "", author: str = "", bio: str = ""
) -> GivenRecommendation:
    return GivenRecommendation(title=title, url=url, author=author, bio=bio)


@requires("verify_recommendation.domain_reputation")
def test_a_sound_item_has_no_flags() -> None:
    (row,) = audit(item(url="https://www.reuters.com/x")).recommendations

    assert (row.flags, row.reasons, row.link_live, row.http_status) == ((), (), True, 200)
    assert row.domain_reputation is not None
    assert row.domain_reputation.tier == "high"


@requires("verify_recommendation.link", "verify_recommendation.domain_reputation")
def test_an_item_without_an_address_has_neither_link_nor_reputation() -> None:
    wire = audit(item()).recommendations[0].to_wire()

    assert not {"url", "linkLive", "httpStatus", "domainReputation"} & set(wire)
    assert wire["flags"] == []


@requires("verify_recommendation.flags", "defect.low_reputation")
@pytest.mark.parametrize(
    ("url", "flag"),
    [
        ("https://www.theonion.com/x", "low_reputation"),
        ("https://journals.omicsonline.org/x", "low_reputation"),
        ("https://unheard-of.example.org/x", "unknown_reputation"),
        ("https://evilnature.com/x", "unknown_reputation"),
        ("https://nature.com.evil.example.org/x", "unknown_reputation"),
    ],
)
def test_reputation_flags_fire_by_the_registered_domain(url: str, flag: str) -> None:
    (row,) = audit(item(url=url)).recommendations

    assert row.flags == (flag,)
    assert len(row.reasons) == 1


@requires("verify_recommendation.flags")
def test_a_dead_link_is_flagged_with_its_copy() -> None:
    copy = "https://web.archive.org/web/20200101000000/https://www.nature.com/gone"
    links = Links(gone=LinkState(state="dead", status=404, reason="http_404", archived=copy))

    (row,) = audit(item(url="https://www.nature.com/gone"), links=links).recommendations

    assert (row.flags, row.link_live, row.http_status) == (("dead_link",), False, 404)
    assert row.archived_url == copy
    assert copy in row.reasons[0]


@requires("verify_recommendation.link")
@pytest.mark.parametrize(
    ("state", "live", "status"),
    [
        (LinkState(state="blocked", status=403), True, 403),
        (LinkState(state="dead", reason="dns"), False, 0),
        (LinkState(state="unchecked", reason="refused"), None, None),
    ],
)
def test_the_link_is_told_as_it_was_found(
    state: Any, live: bool | None, status: int | None
) -> None:
    (row,) = audit(item(url="https://www.nature.com/x"), links=Links(x=state)).recommendations

    assert (row.link_live, row.http_status) == (live, status)


@requires("verify_recommendation.self_promotion", "verify_recommendation.conflict_of_interest")
def test_interests_are_flagged_with_their_words() -> None:
    rows = audit(
        item(
            "1. Shopify\n2. Others",
            "https://www.shopify.com/blog",
            bio="Product manager at Shopify",
        ),
        item("BigCommerce", "https://www.reuters.com/y"),
    ).recommendations

    assert set(rows[0].flags) >= {"self_promotion", "conflict_of_interest"}
    assert rows[0].conflict_of_interest is not None
    assert rows[0].conflict_of_interest.entity == "Shopify"
    assert rows[1].flags == ()


@requires("verify_recommendation.self_promotion")
def test_only_the_first_of_a_publishers_own_list_is_flagged() -> None:
    url = "https://blog.acmedesk.io/best"

    rows = audit(item("Acme Desk", url), item("Zen Board", url), item("Blue Sheet", url))

    assert ["self_promotion" in row.flags for row in rows.recommendations] == [True, False, False]


def test_addresses_are_checked_together_and_once() -> None:
    links = Links()

    audit(
        item(url="https://a.example.org/1"),
        item(),
        item(url="https://a.example.org/2"),
        links=links,
    )

    assert links.asked == ["https://a.example.org/1", "https://a.example.org/2"]


@requires("verify_recommendation.aggregate_flags")
def test_without_a_claim_nobody_is_asked_and_nothing_is_concluded() -> None:
    searches = Searches()

    found = audit(item(), searches=searches)

    assert (searches.asked, found.aggregate_flags) == ([], None)
    assert "aggregateFlags" not in found.to_wire()


@requires("verify_recommendation.claim", "verify_recommendation.corroboration")
def test_a_claim_is_looked_for_in_the_press_and_in_technology() -> None:
    searches = Searches(result(f"Shopify is {CLAIM}"))

    found = audit(item(), claim=CLAIM, searches=searches)

    searched = found.recommendations[0].corroboration_searches
    assert searched is not None
    assert [search.lens for search in searched] == ["news", "tech"]
    assert (searched[0].agree_count, searched[0].result_count) == (1, 1)
    assert searched[0].top_results[0].signal == "agree"
    assert [request.lens for request in searches.asked] == ["news", "tech"]
    assert {request.count for request in searches.asked} == {3}
    assert found.aggregate_flags == ()


def test_risky_words_bring_in_the_records() -> None:
    searches = Searches()

    audit(item("Shopify"), claim="was fined for fraud", searches=searches)

    assert [request.lens for request in searches.asked] == ["news", "tech", "investigative_records"]


@requires("verify_recommendation.aggregate_flags")
def test_nobody_who_agrees_is_told_of_the_whole_list() -> None:
    searches = Searches(result("Weather in spring", "It rained."))

    found = audit(item(), item("BigCommerce"), claim=CLAIM, searches=searches)

    assert found.aggregate_flags == ("no_independent_corroboration",)


@requires("verify_recommendation.fail_open")
def test_searches_that_fail_prove_nothing() -> None:
    found = audit(item(), claim=CLAIM, searches=Searches(failing=True))

    assert found.aggregate_flags == ("corroboration_unavailable",)
    assert found.recommendations[0].corroboration_searches is None


def test_searches_that_never_end_are_left_out_and_said_so() -> None:
    found = audit(item(), claim=CLAIM, searches=Searches(stuck=True), deadline=0.05)

    assert found.notes == ("Not every corroborating search finished in time.",)
    assert found.recommendations[0].corroboration_searches is None


def test_a_hundred_items_are_searched_a_few_at_a_time() -> None:
    searches = Searches(result(f"Shopify is {CLAIM}"))

    found = audit(*[item(f"Thing {n}") for n in range(100)], claim=CLAIM, searches=searches)

    assert (found.item_count, len(searches.asked)) == (100, 200)
    assert searches.most <= 6


def test_a_brands_own_page_corroborates_nothing() -> None:
    own = result(f"Shopify is {CLAIM}", url="https://news.shopify.com/x")

    found = audit(item(url="https://www.shopify.com/"), claim=CLAIM, searches=Searches(own))

    searched = found.recommendations[0].corroboration_searches
    assert searched is not None
    assert searched[0].result_count == 0


@pytest.mark.parametrize(
    ("title", "snippet", "signal"),
    [
        ("Shopify is the best shop system for small businesses", "", "agree"),
        ("Shopify", "It is not the best shop system for small businesses.", "disagree"),
        ("BigCommerce is the best shop system for small businesses", "", "silent"),
        ("Shopify opens an office for businesses", "", "silent"),
        ("Weather in spring", "It rained.", "disagree"),
    ],
)
def test_a_result_agrees_only_where_it_names_the_thing_and_covers_the_claim(
    title: str, snippet: str, signal: str
) -> None:
    assert classify_agreement(result(title, snippet), "Shopify", CLAIM) == signal


def test_a_search_asks_one_provider_for_as_many_sites_as_one_request_takes() -> None:
    searches = Searches(result("Shopify"))
    scope = LensScope(provider="duckduckgo", sites=("reuters.com", "apnews.com"))
    finder = CorroborationFinder(use_fake(searches), lambda _lens: scope)
    matter = CorroborationRequest(title="Shopify", url="", claim="best shop", results_per_search=3)

    found = asyncio.run(finder.corroborate_recommendation(matter))

    assert [search.lens for search in found] == ["news", "tech"]
    assert [(request.provider, request.sites, request.lens) for request in searches.asked] == [
        ("duckduckgo", ("reuters.com", "apnews.com"), None)
    ] * 2


def test_a_default_provider_that_fails_is_replaced_by_the_usual_order() -> None:
    searches = Searches(failing=True)
    finder = CorroborationFinder(use_fake(searches), lambda _lens: LensScope(provider="duckduckgo"))
    matter = CorroborationRequest(title="Shopify", url="", claim="best shop", results_per_search=3)

    found = asyncio.run(finder.corroborate_recommendation(matter))

    assert found == ()
    assert sorted(str(request.provider) for request in searches.asked) == ["None", "None", "duckduckgo", "duckduckgo"]  # fmt: skip
