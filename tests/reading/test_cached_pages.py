from __future__ import annotations

import asyncio
import contextlib
import gc
import weakref
from dataclasses import replace
from typing import Any

import pytest

from citewell.core.errors import (
    AuthRequired,
    Blocked,
    BrowserUnavailable,
    CitewellError,
    ContentEmpty,
    InternalError,
    NetworkFailed,
    NotFound,
    RateLimited,
    RefusedByPolicy,
    UpstreamUnavailable,
)
from citewell.core.values.page import Page
from citewell.core.values.scrape_results import ForumComment, ForumSignals, TalkHighlight
from citewell.reading.page_errors import build_status_error
from citewell.reading.pages.cached_pages import (
    PAGE_FRESH_SECONDS,
    PageFailures,
    choose_failure_lifetime,
)
from citewell.store.cache.answer_sharing import AnswerSharing
from tests.clocks import Clock
from tests.reading.reading import NOW, Memory, ScriptedReads, page
from tests.requirements import requires

URL = "https://example.org/a"


def error_of(coroutine: Any) -> CitewellError:
    with pytest.raises(CitewellError) as caught:
        asyncio.run(coroutine)
    return caught.value


def test_a_page_is_fetched_once_whatever_length_is_asked_for() -> None:
    reads, memory = ScriptedReads({URL: page(URL, "Words and words. " * 50)}), Memory()
    cached = memory.reading(reads)

    async def twice() -> tuple[Page, Page]:
        return await cached.read_page(URL, max_length=100), await cached.read_page(
            URL, max_length=10_000
        )

    short, whole = asyncio.run(twice())

    assert reads.asked[URL] == 1
    assert short.truncated
    assert len(short.content.encode()) <= 100
    assert not whole.truncated
    assert whole.content.startswith(short.content)


def test_all_that_is_known_of_a_page_survives_being_kept() -> None:
    full = page(
        URL,
        "Wörter 語 \u2028 and more.",
        published="2026-01-02",
        notes=("One.",),
        highlights=(TalkHighlight(text="x", score=0.5, start_time="0:10"),),
        forum_signals=ForumSignals(
            platform="reddit",
            upvotes=3,
            comments=1,
            top_comments=(ForumComment(author="a", score=1, body="b"),),
        ),
        hidden={"display": 2},
        injection_signals=(),
    )
    cached = Memory().reading(ScriptedReads({URL: full}))

    async def twice() -> tuple[Page, Page]:
        return (await cached.load_page(URL)).page, (await cached.load_page(URL)).page

    assert asyncio.run(twice()) == (full, full)


def test_half_a_character_pair_does_not_keep_a_page_from_its_reader() -> None:
    cached = Memory().reading(ScriptedReads({URL: page(URL, author="x\ud800y")}))

    assert asyncio.run(cached.read_page(URL)).author == "x?y"


def test_a_page_is_fetched_again_when_it_is_old() -> None:
    reads, memory = ScriptedReads(), Memory()
    cached = memory.reading(reads)

    async def twice() -> float:
        await cached.read_page(URL)
        memory.clock.now += PAGE_FRESH_SECONDS - 1
        age = (await cached.load_page(URL)).age_seconds
        memory.clock.now += 2
        await cached.read_page(URL)
        return age

    assert asyncio.run(twice()) == PAGE_FRESH_SECONDS - 1
    assert reads.asked[URL] == 2


def test_callers_at_the_same_time_share_one_fetch() -> None:
    reads = ScriptedReads()
    cached = Memory().reading(reads)

    async def together() -> None:
        await asyncio.gather(*(cached.read_page(URL) for _ in range(5)))

    asyncio.run(together())

    assert reads.asked[URL] == 1


def test_tenants_that_are_kept_apart_share_no_page() -> None:
    reads = ScriptedReads()
    cached = Memory().reading(reads, sharing=AnswerSharing(is_split_by_tenant=True))

    async def each() -> None:
        for tenant in ("one", "one", "two", None, None):
            await cached.read_page(URL, tenant=tenant)

    asyncio.run(each())

    assert reads.asked[URL] == 4  # once a tenant, and every time for a call that names none


@requires("cache.failed_page")
@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (RefusedByPolicy("x"), 4 * 3600),
        (BrowserUnavailable("x"), 4 * 3600),
        (Blocked("x"), 1800),
        (AuthRequired("x"), 1800),
        (RateLimited("x", retry_after=500), 90),
        (RateLimited("x", retry_after=20), 20),
        (NetworkFailed("x"), 120),
        (UpstreamUnavailable("x"), 120),
        (NotFound("x"), 600),
        (ContentEmpty("x"), 600),
        (InternalError("x"), 0),
    ],
)
def test_a_failure_is_remembered_for_as_long_as_it_is_likely_to_last(
    error: CitewellError, seconds: float
) -> None:
    assert choose_failure_lifetime(error) == seconds


def test_a_remembered_failure_costs_no_second_request() -> None:
    reads, memory = ScriptedReads({URL: Blocked("Walled.", detail="wall")}), Memory()
    cached = memory.reading(reads)

    first = error_of(cached.read_page(URL))
    memory.clock.now += 1799
    second = error_of(cached.read_page(URL))

    assert reads.asked[URL] == 1
    assert type(first) is type(second) is Blocked
    assert (second.message, second.detail) == ("Walled.", "wall")


def test_it_is_forgotten_in_time() -> None:
    reads, memory = ScriptedReads({URL: Blocked("Walled.")}), Memory()
    cached = memory.reading(reads)

    error_of(cached.read_page(URL))
    memory.clock.now += 1801
    error_of(cached.read_page(URL))

    assert reads.asked[URL] == 2


def test_a_remembered_failure_never_invites_a_retry_in_vain() -> None:
    memory = Memory()
    cached = memory.reading(ScriptedReads({URL: NetworkFailed("Down.", retry_after=5)}))

    first = error_of(cached.read_page(URL))
    memory.clock.now += 100
    second = error_of(cached.read_page(URL))

    assert (first.retry_after, second.retry_after) == (120, 20)


def test_a_longer_pause_that_the_server_asked_for_is_passed_on() -> None:
    memory = Memory()
    cached = memory.reading(ScriptedReads({URL: RateLimited("Slow.", retry_after=600)}))

    first = error_of(cached.read_page(URL))
    memory.clock.now += 60
    second = error_of(cached.read_page(URL))

    assert (first.retry_after, second.retry_after) == (600, 540)


def test_the_text_of_a_repeated_rate_limit_names_the_delay_that_is_left() -> None:
    memory = Memory()
    cached = memory.reading(ScriptedReads({URL: build_status_error(URL, 429)}))

    first = error_of(cached.read_page(URL))
    memory.clock.now += 3
    second = error_of(cached.read_page(URL))

    for error, seconds in ((first, 60), (second, 57)):
        assert f"Retry in {seconds} seconds." in error.message
        assert error.build_error_block()["retryAfterSeconds"] == seconds


def test_a_fault_of_ours_is_not_held_against_the_page() -> None:
    reads = ScriptedReads({URL: InternalError("Oops.")})
    cached = Memory().reading(reads)

    error_of(cached.read_page(URL))
    error_of(cached.read_page(URL))

    assert reads.asked[URL] == 2


def test_only_so_many_failures_are_remembered() -> None:
    failures = PageFailures(Clock(now=1_000_000.0), max_failures=2)

    for name in ("a", "b", "c"):
        failures.remember_failure("me", name, Blocked("x"))

    failures.raise_remembered("me", "a")
    with pytest.raises(Blocked):
        failures.raise_remembered("me", "c")


def test_an_unchanged_page_is_renewed_without_being_fetched() -> None:
    reads = ScriptedReads({URL: page(URL, etag='"1"')})
    memory, asked = Memory(), []

    async def unchanged(before: Page) -> Page | None:
        asked.append(before.etag)
        return None

    cached = memory.reading(reads, renew=unchanged)

    async def later() -> Page:
        await cached.read_page(URL)
        memory.clock.now += PAGE_FRESH_SECONDS + 1
        return await cached.read_page(URL)

    renewed = asyncio.run(later())

    assert (reads.asked[URL], asked) == (1, ['"1"'])
    assert renewed.fetched_at == NOW


def test_a_changed_page_takes_the_place_of_the_old_one() -> None:
    old = page(URL, "Old words.", last_modified="Mon, 02 Nov 2026 10:00:00 GMT")
    memory = Memory()

    async def changed(before: Page) -> Page | None:
        return replace(before, content="New words.")

    cached = memory.reading(ScriptedReads({URL: old}), renew=changed)

    async def later() -> tuple[Page, Page]:
        await cached.read_page(URL)
        memory.clock.now += PAGE_FRESH_SECONDS + 1
        return await cached.read_page(URL), await cached.read_page(URL)

    assert [one.content for one in asyncio.run(later())] == ["New words.", "New words."]


def test_a_page_without_validators_is_never_asked_about() -> None:
    memory, reads = Memory(), ScriptedReads()

    async def never(before: Page) -> Page | None:
        raise AssertionError(before)

    cached = memory.reading(reads, renew=never)

    async def later() -> None:
        await cached.read_page(URL)
        memory.clock.now += PAGE_FRESH_SECONDS + 1
        await cached.read_page(URL)

    asyncio.run(later())

    assert reads.asked[URL] == 2


def test_closing_closes_the_reader_below() -> None:
    reads = ScriptedReads()

    asyncio.run(Memory().reading(reads).aclose())

    assert reads.closed


class _Body:
    """Stands for the bytes of a page."""


class _FailingReads(ScriptedReads):
    body: weakref.ref[_Body]

    async def read_page(self, url: str, **_: object) -> Page:
        body = _Body()
        self.body = weakref.ref(body)
        raise NotFound(f"{url} is gone, and {body} is no page.")


def test_a_remembered_failure_keeps_nothing_of_the_page() -> None:
    reads = _FailingReads()
    cached = Memory().reading(reads)

    with contextlib.suppress(NotFound):
        asyncio.run(cached.read_page(URL))

    gc.collect()
    assert reads.body() is None
