"""With whom an answer may be shared."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.server.call_answers import build_answer_sharing
from citewell.store.cache.answer_sharing import (
    AnswerSharing,
    SharingScope,
    find_current_owner,
    find_library_owner,
    run_as_owner,
    without_library,
)
from citewell.store.cache.single_flight import SHARED_OWNER


def test_a_call_is_private_only_where_it_was_said_to_be() -> None:
    seen = [(find_current_owner(), find_library_owner())]
    with run_as_owner("a/b", private=True):
        seen.append((find_current_owner(), find_library_owner()))
        with without_library():
            seen.append((find_current_owner(), find_library_owner()))
        with run_as_owner("c/d", private=False):
            seen.append((find_current_owner(), find_library_owner()))
        seen.append((find_current_owner(), find_library_owner()))

    assert seen == [
        (None, None), ("a/b", "a/b"), ("a/b", None), ("c/d", None), ("a/b", "a/b"),
    ]  # fmt: skip


def test_tasks_know_for_whom_they_run() -> None:
    async def scenario() -> Any:
        async def task() -> Any:
            await asyncio.sleep(0)
            return find_library_owner()

        async def caller(owner: Any) -> Any:
            with run_as_owner(owner, private=True):
                return await asyncio.create_task(task())

        return await asyncio.gather(caller("a"), caller("b"))

    assert asyncio.run(scenario()) == ["a", "b"]


@pytest.mark.parametrize(
    ("settings", "arguments", "expected"),
    [
        ({}, {"query": "library science"}, False),
        ({}, {"query": "x", "provider": "library"}, True),
        ({}, {"query": "x", "provider": " Library "}, True),
        ({}, {"url": "library:0123"}, True),
        ({}, {"urls": ["https://example.org", "library:0123"]}, True),
        ({}, {"num_results": 5}, False),
        ({"search_provider": "library"}, {"query": "x"}, True),
        ({"search_routing": "brave,library"}, {"query": "x"}, True),
        ({"search_routing": "brave,library"}, {"url": "https://example.org"}, False),
    ],
)
def test_a_call_the_library_may_answer_is_private(
    settings: Any, arguments: Any, expected: bool
) -> None:
    sharing = build_answer_sharing(Settings(**settings))

    with sharing.run_call("a/b", arguments, is_cacheable=True):
        scope = sharing.choose_scope("a")

    assert sharing.can_use_library(arguments) is expected
    assert scope is (SharingScope.PRIVATE if expected else SharingScope.EVERYBODY)


def test_a_call_whose_answer_is_never_cached_may_use_the_library() -> None:
    sharing = AnswerSharing()

    with sharing.run_call("a/b", {"query": "x"}, is_cacheable=False):
        owner = find_library_owner()

    assert owner == "a/b"


@pytest.mark.parametrize(
    ("isolation", "tenant", "scope", "cache_owner"),
    [
        ("shared", "a", SharingScope.EVERYBODY, SHARED_OWNER),
        ("shared", None, SharingScope.EVERYBODY, SHARED_OWNER),
        ("tenant", "a", SharingScope.TENANT, "a"),
        ("tenant", None, SharingScope.PRIVATE, None),
    ],
)
def test_the_settings_say_whether_tenants_share(
    isolation: Any, tenant: str | None, scope: SharingScope, cache_owner: str | None
) -> None:
    sharing = build_answer_sharing(Settings(cache_isolation=isolation))

    assert sharing.choose_scope(tenant) is scope
    assert sharing.find_cache_owner(tenant) == cache_owner


@pytest.mark.parametrize("split", [False, True])
def test_a_private_call_caches_what_everybody_reads_the_same_and_no_answers(split: bool) -> None:
    sharing = AnswerSharing(is_split_by_tenant=split)

    with run_as_owner("a/b", private=True):
        answer, page = (sharing.find_cache_owner("a", is_public=it) for it in (False, True))

    assert answer is None
    assert page == ("a" if split else SHARED_OWNER)
