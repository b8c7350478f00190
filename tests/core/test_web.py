from __future__ import annotations

import asyncio
import itertools
from datetime import UTC, datetime
from typing import Any

import pytest

from citewell.core.errors import (
    AuthRequired,
    Blocked,
    CitewellError,
    FailureReason,
    InvalidInput,
    Misconfigured,
    NetworkFailed,
    OutOfCredit,
    RateLimited,
    UpstreamUnavailable,
)
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import SearchFilter, SearchHits, SearchQuery
from citewell.core.values.search_results import PageContent, SearchAnswer
from citewell.routing.ports import Offer, ProviderPause
from citewell.search.search_service import SearchRequest, WebSearchService
from tests.requirements import requires
from tests.search.doubles import ALL_FILTERS, NewsToo, Scripted, Shop, hit, hits, keyed, spec


def search(
    web: WebSearchService, query: str = "words", trace: RoutingTrace | None = None, **arguments: Any
) -> SearchAnswer:
    return asyncio.run(
        web.search_web_pages(SearchRequest(query=query, **arguments), trace=trace or RoutingTrace())
    )


def two(first: Any, second: Any, **settings: Any) -> Shop:
    return Shop(
        (spec("one", rank=1), Scripted(first)), (spec("two", rank=2), Scripted(second)), **settings
    )


@requires("web_search.answer", "web_search.result", "searxng.metadata")
def test_an_answer_has_both_specs_fields() -> None:
    found = SearchHits(hits=(hit("a", snippet="Words.", score=0.9),), total=42, engines=("bing",))
    clock = iter([1.0, 1.25])
    web = two(found, ()).web(clock=lambda: next(clock))

    wire = search(web, " two  words ", count=1).to_wire()

    assert wire["query"] == "two words"
    assert wire["urls"] == ["https://example.org/a"]
    assert wire["resultCount"] == 1
    assert wire["trust"] == "untrusted-external-content"
    assert "hints" not in wire
    assert "filters" not in wire
    assert wire["results"] == [
        {
            "title": "Title of a",
            "url": "https://example.org/a",
            "snippet": "Words.",
            "displayLink": "example.org",
            "score": 0.9,
            "engine": "one",
        }
    ]
    assert wire["metadata"] == {
        "query": "two words",
        "category": "general",
        "results_count": 1,
        "fetch_content": False,
        "search_time_ms": 250,
        "engines_used": ["bing"],
        "total_results": 42,
    }


def test_enough_results_from_the_first_provider_end_the_search() -> None:
    shop, trace = two(hits(5), hits(5)), RoutingTrace()

    search(shop.web(), trace=trace)

    assert shop.providers["two"].asked == []
    assert trace.to_wire() == {
        "provider_used": "one",
        "providers_attempted": ["one"],
        "fallback": False,
    }


@requires("web_search.routing", "routing.fallback_reason")
def test_a_failing_provider_is_followed_by_the_next() -> None:
    trace = RoutingTrace()

    answer = search(two(UpstreamUnavailable("Down."), hits(5)).web(), trace=trace)

    assert answer.result_count == 5
    assert trace.to_wire()["fallback_reason"] == "primary_unavailable"


@requires("web_search.routing", "routing.fallback_reason")
def test_a_provider_that_found_nothing_was_not_unavailable() -> None:
    trace = RoutingTrace()

    search(two([], hits(5)).web(), trace=trace)

    assert trace.to_wire()["fallback_reason"] == "primary_empty"


@requires("web_search.routing", "routing.fallback_reason")
def test_a_resting_provider_is_not_asked() -> None:
    shop, trace = two(hits(5), hits(5)), RoutingTrace()

    search(shop.web(find_pause={"one": ProviderPause(seconds=30.0)}.get), trace=trace)

    assert shop.providers["one"].asked == []
    assert trace.to_wire() == {
        "provider_used": "two",
        "providers_attempted": ["one", "two"],
        "fallback": True,
        "fallback_reason": "circuit_open",
    }


def test_a_thin_answer_is_tried_without_stop_words_then_helped_by_the_next() -> None:
    shop = two([hit("a")], [hit("b"), hit("a")])

    answer = search(shop.web(), "what is the boiling point of water")

    texts = [query.text for query in shop.providers["one"].asked]
    assert texts == ["what is the boiling point of water", "boiling point water"]
    assert len(shop.providers["two"].asked) == 1
    assert answer.urls == ("https://example.org/a", "https://example.org/b")


def test_a_retry_without_stop_words_that_helps_is_told_and_ends_the_search() -> None:
    def answers(query: SearchQuery) -> Any:
        return hits(3) if query.text == "boiling point" else ()

    shop = two(answers, ())

    answer = search(shop.web(), "the boiling point")

    assert answer.result_count == 3
    assert shop.providers["two"].asked == []
    assert answer.notes == ("Little was found, so 'boiling point' was searched as well.",)


def test_a_retry_that_adds_nothing_is_not_told() -> None:
    answer = search(two([hit("a")], ()).web(), "the boiling point")

    assert answer.notes is None


def test_a_lens_that_took_several_queries_is_not_asked_all_over_again() -> None:
    shop = two((), ())

    search(shop.web(), "the boiling point", lens="news", provider="one")

    assert {query.text for query in shop.providers["one"].asked} == {"the boiling point"}
    assert len(shop.providers["one"].asked) == 3


def test_a_query_without_stop_words_is_not_asked_twice() -> None:
    shop = two((), hits(5))

    search(shop.web(), "boiling point")

    assert len(shop.providers["one"].asked) == 1


def test_stop_words_are_those_of_the_language_asked_for() -> None:
    shop = two((), hits(5))

    search(shop.web(), "was ist der Siedepunkt von Wasser", language="de")

    assert shop.providers["one"].asked[1].text == "Siedepunkt Wasser"


def test_the_thin_threshold_is_a_setting() -> None:
    shop = two(hits(3), hits(5, "other"), search_thin_threshold=3)

    answer = search(shop.web(), count=8)

    assert answer.result_count == 8


def test_one_result_is_enough_when_one_was_asked_for() -> None:
    shop = two(hits(1), hits(5))

    search(shop.web(), count=1)

    assert shop.providers["two"].asked == []


def test_narrow_providers_step_in_only_when_the_general_ones_fail() -> None:
    def shop(general: Any) -> Shop:
        return Shop(
            (spec("duck"), Scripted(general)),
            (spec("wiki", covers_whole_web=False), Scripted(hits(2))),
        )

    failed, empty = shop(Blocked("A wall.")), shop(())

    assert search(failed.web()).result_count == 2
    assert search(empty.web()).result_count == 0
    assert empty.providers["wiki"].asked == []


def test_help_that_never_comes_does_not_cost_what_is_in_hand() -> None:
    class Hanging(Scripted):
        async def search_web(self, query: SearchQuery) -> SearchHits:
            await asyncio.Event().wait()
            raise AssertionError

    shop = Shop(
        (spec("one", rank=1), Scripted(hits(1))),
        (spec("two", rank=2), Hanging()),
        search_timeout=0.5,
    )

    assert search(shop.web()).result_count == 1


@requires("web_search.provider")
def test_an_explicit_provider_is_used_alone() -> None:
    shop = two(hits(5), hits(1))

    answer = search(shop.web(), provider="two")

    assert answer.result_count == 1
    assert shop.providers["one"].asked == []


@requires("web_search.rate_limited", "error.provider")
def test_an_explicit_providers_own_error_is_raised_with_the_alternatives() -> None:
    shop = two(hits(5), RateLimited("Slow down.", retry_after=7))

    with pytest.raises(RateLimited, match="Slow down") as caught:
        search(shop.web(), provider="two")

    assert caught.value.build_error_block() == {
        "kind": "rate_limited",
        "retryable": True,
        "retryAfterSeconds": 7,
        "suggestedAction": "retry_after_delay",
        "provider": "two",
        "alternatives": ["one"],
    }


@requires("web_search.provider_unknown")
def test_an_unknown_provider_is_refused_with_the_list() -> None:
    with pytest.raises(InvalidInput, match="Supported: one, two"):
        search(two((), ()).web(), provider="three")


def test_an_unconfigured_provider_is_refused_with_its_variable() -> None:
    shop = Shop((spec("paid", options=keyed("PAID_KEY")), Scripted()), (spec("free"), Scripted()))

    with pytest.raises(Misconfigured, match="PAID_KEY"):
        search(shop.web(), provider="paid")


@requires("error.most_telling")
@pytest.mark.parametrize(
    ("first", "second", "kind", "delay"),
    [
        (RateLimited("A.", retry_after=90), RateLimited("B.", retry_after=20), "rate_limited", 20),
        (UpstreamUnavailable("A."), RateLimited("B.", retry_after=20), "rate_limited", 20),
        (
            UpstreamUnavailable("A.", retry_after=9),
            RateLimited("B.", retry_after=20),
            "rate_limited",
            9,
        ),
        (NetworkFailed("A."), RateLimited("B.", retry_after=20), "rate_limited", 20),
        (AuthRequired("A."), Misconfigured("B."), "auth_required", None),
        (AuthRequired("A."), UpstreamUnavailable("B."), "upstream_unavailable", None),
        (NetworkFailed("A."), NetworkFailed("B."), "network", 5),
        (Blocked("A."), NetworkFailed("B."), "upstream_unavailable", None),
    ],
)
def test_when_everybody_fails_the_most_useful_error_is_raised(
    first: CitewellError, second: CitewellError, kind: str, delay: int | None
) -> None:
    with pytest.raises(CitewellError) as caught:
        search(two(first, second).web())

    block = caught.value.build_error_block()
    assert block["kind"] == kind
    assert block.get("retryAfterSeconds") == delay
    assert caught.value.message == "No search provider could answer. One: A. Two: B."


def test_what_a_provider_says_of_its_failure_is_in_the_error_of_all() -> None:
    first = UpstreamUnavailable("No instance.", extra={"error_type": "no_instances_available"})

    with pytest.raises(UpstreamUnavailable) as caught:
        search(two(first, Blocked("A wall.")).web())

    block = caught.value.build_error_block()
    assert block["error_type"] == "no_instances_available"
    assert block["failures"] == [
        {"provider": "one", "kind": "upstream_unavailable"},
        {"provider": "two", "kind": "blocked"},
    ]


def test_a_lone_failure_keeps_its_own_kind_and_words() -> None:
    shop = Shop((spec("one"), Scripted(Blocked("A wall."))))

    with pytest.raises(Blocked, match=r"^One: A wall\.$") as caught:
        search(shop.web())

    assert caught.value.provider == "one"


def test_a_wait_of_one_provider_is_not_told_as_that_of_all() -> None:
    first = UpstreamUnavailable("No instance.", retry_after=300, extra={"retry_after": 300})

    with pytest.raises(RateLimited) as caught:
        search(two(first, RateLimited("B.", retry_after=20)).web())

    block = caught.value.build_error_block()
    assert (block["retryAfterSeconds"], block["retry_after"]) == (20, 20)


@requires("web_search.rate_limited")
def test_a_rate_limit_names_the_provider_and_the_wait_first() -> None:
    shop = two(hits(5), RateLimited("Slow down.", retry_after=60))

    with pytest.raises(RateLimited) as caught:
        search(shop.web(), provider="two")

    assert caught.value.message == (
        "Rate limited (two). Wait 60 seconds and retry, or try a different provider."
        " Two: Slow down."
    )


@requires("web_search.bad_key")
@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (AuthRequired("No."), "Check PAID_KEY (see .env.example; https://paid.example.com)."),
        (OutOfCredit("No."), "See the account of PAID_KEY at https://paid.example.com."),
    ],
)
def test_a_refused_key_names_the_provider_and_its_setting(
    error: CitewellError, remedy: str
) -> None:
    paid = (spec("paid", options=keyed("PAID_KEY")), Scripted(error))
    shop = Shop(paid, (spec("free"), Scripted()), environ={"PAID_KEY": "k"})

    with pytest.raises(type(error)) as caught:
        search(shop.web(), provider="paid")
    hints = search(shop.web()).hints

    assert caught.value.message == f"Paid: No. {remedy}"
    assert hints is not None
    assert hints.details == (f"Paid: No. {remedy}",)


def test_a_provider_that_names_itself_and_its_setting_is_not_corrected() -> None:
    error = AuthRequired("Paid wants PAID_KEY renewed", settings=("PAID_KEY",))
    paid = (spec("paid", options=keyed("PAID_KEY")), Scripted(error))

    with pytest.raises(AuthRequired) as caught:
        search(Shop(paid, environ={"PAID_KEY": "k"}).web())

    assert caught.value.message == "Paid wants PAID_KEY renewed"


def test_an_error_raised_twice_is_told_the_same_way_twice() -> None:
    shop = Shop((spec("one"), Scripted(RateLimited("Slow down.", retry_after=7))))
    messages = []

    for _ in range(2):
        with pytest.raises(RateLimited) as caught:
            search(shop.web())
        messages.append(caught.value.message)

    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    ("rests", "kind", "delay"),
    [
        ({"one": (30.0, True), "two": (12.0, True)}, "rate_limited", 12),
        ({"one": (30.0, True), "two": (12.0, False)}, "rate_limited", 12),
        ({"one": (5.0, True), "two": (12.0, False)}, "rate_limited", 5),
        ({"one": (30.0, False), "two": (12.0, False)}, "upstream_unavailable", 12),
    ],
)
def test_a_provider_that_rests_after_a_429_stays_rate_limited(
    rests: dict[str, tuple[float, bool]], kind: str, delay: int
) -> None:
    resting = {
        name: ProviderPause(seconds=wait, asked_by_provider=limited)
        for name, (wait, limited) in rests.items()
    }

    with pytest.raises(CitewellError) as caught:
        search(two(hits(1), hits(1)).web(find_pause=resting.get))

    block = caught.value.build_error_block()
    assert (block["kind"], block["retryAfterSeconds"]) == (kind, delay)


def test_an_empty_answer_beside_a_limited_provider_says_so() -> None:
    web = two(hits(1), ()).web(
        find_pause={"one": ProviderPause(seconds=30.0, asked_by_provider=True)}.get
    )

    hints = search(web).hints

    assert hints is not None
    assert hints.reason == "rate_limited"
    assert hints.details == ("one asked for a pause and will not be asked for 30 more seconds.",)


def test_when_everybody_rests_the_error_says_for_how_long() -> None:
    web = two(hits(1), hits(1)).web(
        find_pause={"one": ProviderPause(seconds=30.0), "two": ProviderPause(seconds=12.0)}.get
    )

    with pytest.raises(UpstreamUnavailable, match="12 more seconds") as caught:
        search(web)

    assert caught.value.retry_after == 12.0


@requires("web_search.empty", "web_search.hints_reason")
def test_nothing_found_is_no_error_and_says_what_was_tried() -> None:
    hints = search(two((), ()).web()).hints

    assert hints is not None
    assert hints.reason == "no_match"
    assert hints.providers_attempted == ("one", "two")
    assert hints.suggested_actions == ("broaden-query",)
    assert hints.epistemic_warning is not None
    assert "not evidence" in hints.epistemic_warning


@requires("web_search.hints", "web_search.hints_reason", "web_search.hints_actions")
def test_filters_that_leave_nothing_are_named_with_who_applied_them() -> None:
    shop = Shop(
        (spec("one", rank=1, filters=frozenset({SearchFilter.SITES})), Scripted([hit("a")])),
        (spec("three", rank=3), Scripted(hits(1))),
    )

    answer = search(
        shop.web(),
        provider="one",
        sites=("example.com",),
        exact_terms="no such words",
        country="de",
    )

    hints = answer.hints
    assert hints is not None
    assert hints.reason == "filters_too_restrictive"
    assert hints.filters_applied == ("exact_terms", "site", "country")
    assert {(row.filter, row.by) for row in answer.filters or ()} == {
        ("country", "nobody"),
        ("exact_terms", "afterwards"),
        ("site", "one"),
    }
    assert hints.suggested_actions == (
        "remove-filter: exact_terms",
        "remove-filter: site",
        "try-different-provider: three",
    )
    assert hints.details == ("one: our own filters removed 1 of its results.",)


@requires("web_search.hints_reason")
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RateLimited("x"), "rate_limited"),
        (Blocked("x"), "bot_wall"),
        (UpstreamUnavailable("x", reason=FailureReason.BOT_WALL), "bot_wall"),
        (AuthRequired("x"), "not_configured"),
        (Misconfigured("x", reason=FailureReason.JSON_DISABLED), "json_disabled"),
        (NetworkFailed("x"), "engines_failed"),
    ],
)
def test_an_empty_answer_beside_a_failure_blames_the_failure(
    error: CitewellError, reason: str
) -> None:
    hints = search(two(error, ()).web()).hints

    assert hints is not None
    assert hints.reason == reason
    assert hints.details == ("One: x",)
    assert hints.epistemic_warning is not None
    assert "Nothing can be concluded" in hints.epistemic_warning


@pytest.mark.parametrize(
    ("whys", "reason"),
    [
        (("timeout",), "engines_failed"),
        (("Suspended: too many requests",), "rate_limited"),
        (("CAPTCHA",), "bot_wall"),
        (("CAPTCHA", "timeout"), "engines_failed"),
    ],
)
def test_engines_that_did_not_respond_are_the_reason(whys: tuple[str, ...], reason: str) -> None:
    silent = SearchHits(unresponsive=tuple((f"engine{n}", why) for n, why in enumerate(whys)))

    hints = search(two(silent, ()).web(), provider="one").hints

    assert hints is not None
    assert hints.reason == reason
    assert hints.details[0] == f"one, engine engine0: {whys[0]}"


@requires("web_search.hints_actions")
def test_only_healthy_and_configured_providers_are_suggested() -> None:
    shop = Shop(
        (spec("one"), Scripted()),
        (spec("well"), Scripted()),
        (spec("ill"), Scripted()),
        (spec("paid", options=keyed("PAID_KEY")), Scripted()),
    )

    hints = search(
        shop.web(find_pause={"ill": ProviderPause(seconds=9.0)}.get), provider="one"
    ).hints

    assert hints is not None
    assert hints.suggested_actions == ("try-different-provider: well",)


@requires("web_search.num_results_clamped")
def test_more_than_a_provider_can_return_is_clamped_and_said() -> None:
    shop = Shop((spec("one", max_results=10), Scripted(lambda query: hits(query.count))))

    answer = search(shop.web(), count=30)

    assert (answer.result_count, answer.requested_num_results) == (10, 30)
    assert answer.notes == ("10 results are the maximum that the provider can return.",)


@requires("web_search.score")
def test_scores_never_rise_with_rank_and_stay_between_nought_and_one() -> None:
    odd = [hit("a", score=0.4), hit("b", score=0.9), hit("c", score=-1.0), hit("d", score=7.0)]

    answer = search(two(odd, ()).web())

    assert [result.score for result in answer.results] == [0.4, 0.4, 0.0, 0.0]


def test_without_scores_of_their_own_results_are_scored_by_rank() -> None:
    scores = [result.score or 0 for result in search(two(hits(5), ()).web()).results]

    assert scores[0] == 1.0
    assert all(higher > lower for higher, lower in itertools.pairwise(scores))


@requires("web_search.published_at")
def test_dates_come_with_their_basis() -> None:
    day = datetime(2026, 3, 14, 9, 30, 5, tzinfo=UTC)
    given = [
        hit("a", published=day),
        hit("b", snippet="Mar 2, 2026 — It began."),
        hit("c", snippet="3 days ago · It ended."),
        hit("d", snippet="2 hours ago — It goes on."),
        hit("2026/03/14/story"),
        hit("2026/13/45/story"),
        hit("2031/01/01/to-come"),
    ]

    found = search(two(given, ()).web(), count=7).results

    assert [(result.published_at, result.published_basis) for result in found] == [
        ("2026-03-14T09:30:05Z", "provider"),
        ("2026-03-02", "snippet"),
        ("2026-11-12", "snippet"),
        ("2026-11-15T10:00:00Z", "snippet"),
        ("2026-03-14", "url"),
        (None, None),
        (None, None),
    ]


def test_the_address_shown_is_the_results_own_less_its_tracking() -> None:
    url = "https://Example.org/Path/?b=2&utm_source=x&a=1&fbclid=y#part"

    answer = search(two([hit("a", url=url)], ()).web(), count=1)

    assert answer.urls == ("https://Example.org/Path/?b=2&a=1#part",)


@requires("web_search.source_reputation")
def test_reputation_is_shown_for_known_hosts_only() -> None:
    given = [hit("a", url="https://www.nature.com/x"), hit("b", url="https://e.com/?r=nature.com")]

    known, unknown = search(two(given, ()).web()).to_wire()["results"]

    assert known["sourceReputation"]["tier"] == "high"
    assert known["sourceReputation"]["asOf"]
    assert "sourceReputation" not in unknown


@requires("web_search.claim")
def test_a_claim_puts_a_signal_on_every_result() -> None:
    given = [
        hit("a", snippet="Tea is a drink. Coffee did not raise mortality in 2019. More."),
        hit("b", snippet="Nothing in common here."),
        hit("c"),
    ]

    found = search(two(given, ()).web(), claim="Coffee raises mortality").to_wire()["results"]

    assert [result["claimSignal"] for result in found] == [
        "Coffee did not raise mortality in 2019.",
        "",
        "",
    ]


@requires("web_search.claim")
def test_the_signal_of_a_page_that_was_read_comes_from_its_text() -> None:
    sentence = "Ferrodoxin lowered mortality among coffee drinkers by a fifth."
    text = f"# Coffee\n\nCoffee is a drink.\n\n{sentence} Coffee is sold in cafés."

    async def read_many(urls: Any, report: Any) -> Any:
        good = PageContent(markdown=text, word_count=20, fetch_time_ms=3)
        bare = PageContent(markdown="Tea.", word_count=1, fetch_time_ms=3)
        return [good, Blocked("A wall."), bare]

    given = [hit(name, snippet="Coffee and mortality: a review.") for name in "abc"]
    web = two(given, ()).web(reader=read_many)

    found = search(web, claim="Ferrodoxin lowers coffee mortality", fetch_content=True)

    assert [result.claim_signal for result in found.results] == [
        sentence,
        "Coffee and mortality: a review.",
        "Coffee and mortality: a review.",
    ]


@requires("web_search.lens_engine", "defect.lens_engine")
def test_a_lens_with_its_own_engine_goes_to_google(tmp_path: Any) -> None:
    (tmp_path / "mine.json").write_text('{"cx": "engine", "domains": ["example.org"]}')
    stock = (
        (spec("duck", rank=1), Scripted()),
        (spec("google", options=keyed("G")), Scripted(hits(2))),
    )
    ready = Shop(*stock, environ={"G": "k"}, custom_lenses_path=tmp_path)
    bare = Shop(*stock, custom_lenses_path=tmp_path)

    answer = search(ready.web(), lens="mine")

    assert answer.result_count == 2
    assert ready.providers["google"].asked[0].engine_id == "engine"
    assert ready.providers["duck"].asked == []
    with pytest.raises(Misconfigured, match="set G"):
        search(bare.web(), lens="mine")


def test_a_lens_is_a_filter_in_the_account() -> None:
    shop = two(lambda query: [hit("a", url=f"https://{query.sites[0]}/")], ())

    answer = search(shop.web(), lens="legal", provider="one")

    assert answer.filters is not None
    assert [(row.filter, row.by) for row in answer.filters] == [("lens", "one")]


def test_news_goes_first_to_those_who_have_it() -> None:
    newsy = NewsToo()
    shop = Shop(
        (spec("plain", rank=1), Scripted(hits(5))),
        (spec("newsy", rank=9, offers=frozenset({Offer.WEB, Offer.NEWS})), newsy),
    )

    answer = search(shop.web(), category="news")

    assert len(newsy.news_asked) == 1
    assert shop.providers["plain"].asked == []
    assert answer.metadata.category == "news"


@requires("web_search.category")
def test_another_category_goes_to_whoever_knows_categories_else_is_reported_as_ignored() -> None:
    able = (spec("searx", rank=9, filters=ALL_FILTERS | {SearchFilter.CATEGORY}), Scripted(hits(5)))
    plain = (spec("plain", rank=1), Scripted(hits(5)))

    with_searx = search(Shop(plain, able).web(), category="music")
    without = search(Shop(plain).web(), category="music")

    assert with_searx.metadata.engines_used == ("searx",)
    assert without.filters is not None
    assert [(row.filter, row.by) for row in without.filters] == [("category", "nobody")]


def test_news_without_any_news_provider_is_a_web_search_that_says_so() -> None:
    answer = search(Shop((spec("plain"), Scripted(hits(5)))).web(), category="news")

    assert answer.result_count == 5
    assert answer.filters is not None
    assert answer.filters[0].by == "nobody"


@requires("searxng.content_failure", "searxng.fetch_stats")
def test_each_page_is_read_on_request_and_one_failure_spares_the_rest() -> None:
    async def read_many(urls: Any, report: Any) -> Any:
        good = PageContent(markdown="Text.", word_count=1, fetch_time_ms=3, summary="Text.")
        return [good if url.endswith("0") else Blocked("A wall.") for url in urls]

    reports: list[Any] = []

    async def progress(*seen: Any) -> None:
        reports.append(seen)

    web = two(hits(2), ()).web(reader=read_many)
    request = SearchRequest(query="words", fetch_content=True)

    wire = asyncio.run(
        web.search_web_pages(request, trace=RoutingTrace(), progress=progress)
    ).to_wire()

    assert wire["results"][0]["content"]["markdown"] == "Text."
    assert wire["results"][1]["contentError"] == "blocked: A wall."
    stats = wire["metadata"]["content_fetch_stats"]
    assert (stats["attempted"], stats["successful"], stats["failed"]) == (2, 1, 1)
    assert reports == [(0, 2, "reading the pages")]


def test_pages_cannot_be_asked_for_where_nobody_reads_them() -> None:
    shop = two(hits(2), ())

    with pytest.raises(InvalidInput, match="fetch_content"):
        search(shop.web(), fetch_content=True)

    assert shop.providers["one"].asked == []


@requires("web_search.site_or_lens")
def test_site_and_lens_together_are_refused_before_anybody_is_asked() -> None:
    shop = two(hits(2), ())

    with pytest.raises(InvalidInput, match="cannot be combined"):
        search(shop.web(), site="example.org", lens="legal")

    assert shop.providers["one"].asked == []


@requires("web_search.lens")
def test_an_unknown_lens_is_refused_with_the_list() -> None:
    with pytest.raises(InvalidInput, match="Available: academic"):
        search(two((), ()).web(), lens="nope")
