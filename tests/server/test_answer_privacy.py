"""An answer that a library contributed to reaches its owner alone, through every cache of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from citewell.core.config import Settings
from citewell.core.tooling import Owner
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_results import SearchAnswer, SearchMetadata
from citewell.library.library_documents import build_page_document
from citewell.search.search_cache import CachedWebSearch
from citewell.search.search_service import SearchRequest, WebSearchService
from citewell.server.app import App
from citewell.server.call import run_tool
from citewell.server.call_answers import AnswerCache, build_answer_sharing
from citewell.server.call_values import ToolOutcome
from citewell.store.cache.answer_sharing import (
    AnswerSharing,
    find_library_owner,
    run_as_owner,
)
from citewell.store.cache_store import open_cache_store
from tests.reading.reading import Memory, page
from tests.requirements import requires
from tests.server import steps

MINE, THEIRS = Owner(tenant="one", user="me"), Owner(tenant="other", user="somebody")
COLLEAGUE = Owner(tenant="one", user="colleague")
NAMED = {"query": "zebrafish", "provider": "library"}
ROUTED = {"query": "zebrafish"}


def library_app(folder: Path, **settings: Any) -> App:
    return App(Settings(data_dir=folder, audit_enabled=False, **settings))


async def add_diary(app: App) -> None:
    diary = page("https://diary.example.org/", "The zebrafish slept badly.", title="Sleep diary")
    document = build_page_document(diary, (), seen=0.0)
    await app.open_state().library.store_documents(str(MINE), [document])


def call_in_turn(app: App, arguments: dict[str, Any], owners: Sequence[Owner]) -> list[ToolOutcome]:
    async def scenario() -> list[ToolOutcome]:
        try:
            await add_diary(app)
            return [await app.call_tool("web_search", arguments, owner=owner) for owner in owners]
        finally:
            await app.aclose()

    return asyncio.run(scenario())


@requires("tenant.store")
@pytest.mark.parametrize("isolation", ["shared", "tenant"])
@pytest.mark.parametrize(
    ("routing", "arguments"), [({}, NAMED), ({"search_routing": "library"}, ROUTED)]
)
def test_an_answer_from_a_library_is_not_served_to_another_owner(
    tmp_path: Path, isolation: str, routing: dict[str, str], arguments: dict[str, Any]
) -> None:
    app = library_app(tmp_path, cache_isolation=isolation, **routing)

    outcomes = call_in_turn(app, arguments, (MINE, COLLEAGUE, THEIRS, MINE))

    shown = ["Sleep diary" in f"{outcome.body} {outcome.text}" for outcome in outcomes]
    assert shown == [True, False, False, True]
    assert all("cached" not in outcome.meta for outcome in outcomes)


def test_the_shortcut_for_cached_answers_has_none_of_a_library(tmp_path: Path) -> None:
    app = library_app(tmp_path)

    async def scenario() -> list[ToolOutcome | None]:
        try:
            await add_diary(app)
            await app.call_tool("web_search", NAMED, owner=MINE)
            return [
                await app.call_cached_tool("web_search", NAMED, owner=owner)
                for owner in (MINE, THEIRS)
            ]
        finally:
            await app.aclose()

    assert asyncio.run(scenario()) == [None, None]


async def tell_source(args: steps.Args, call: object) -> steps.Result:
    """A tool that answers from the library where it may, and says whose it was."""
    return steps.Result(text=find_library_owner() or "the web")


def run_tool_in_turn(arguments: dict[str, Any], owners: Sequence[Owner]) -> list[ToolOutcome]:
    """The same call by each owner, through one cache, as the app runs it."""
    sharing = build_answer_sharing(Settings(search_routing="brave,library"))
    cache = AnswerCache(open_cache_store(Settings(cache_max_disk_mb=0)).loader, sharing=sharing)

    async def scenario() -> list[ToolOutcome]:
        outcomes = []
        for owner in owners:
            step = steps.invocation(owner=owner, ttl_seconds=100.0, run=tell_source)
            with sharing.run_call(str(owner), arguments, is_cacheable=True):
                outcomes.append(await cache.load_answer(step, run_tool))
        return outcomes

    return asyncio.run(scenario())


def test_only_a_call_that_cannot_use_a_library_is_answered_from_the_shared_cache() -> None:
    private = run_tool_in_turn({"query": "hello"}, (MINE, THEIRS, MINE))
    public = run_tool_in_turn({"url": "https://example.org/"}, (MINE, THEIRS, MINE))

    assert [(outcome.body or {})["text"] for outcome in private] == [
        "one/me",
        "other/somebody",
        "one/me",
    ]
    assert [(outcome.body or {})["text"] for outcome in public] == ["the web"] * 3
    assert [bool(outcome.meta.get("cached")) for outcome in public] == [False, True, True]


class LibraryFirstSearch:
    """A search that answers from the library where it may."""

    async def search_web_pages(
        self, request: SearchRequest, *, trace: RoutingTrace
    ) -> SearchAnswer:
        source = find_library_owner() or "the web"
        facts = SearchMetadata(query=source, category="general", results_count=1, search_time_ms=1)
        return SearchAnswer(urls=(), query=source, result_count=1, results=(), metadata=facts)


def test_a_search_inside_a_private_call_is_neither_kept_nor_answered_from_the_cache() -> None:
    searches = CachedWebSearch(
        cast("WebSearchService", LibraryFirstSearch()),
        loader=Memory().loader,
        sharing=AnswerSharing(),
    )

    async def scenario() -> list[str]:
        seen = []
        for owner, private in (("one/me", True), ("other/you", False), ("one/me", True)):
            with run_as_owner(owner, private=private):
                request = SearchRequest(query="zebrafish")
                seen.append((await searches.search_cached(request, trace=RoutingTrace())).query)
        return seen

    assert asyncio.run(scenario()) == ["one/me", "the web", "one/me"]
