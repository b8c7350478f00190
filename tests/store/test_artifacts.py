"""Artifacts and facts: whose they are, how long they last, how they are paged."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.core.config import Settings
from citewell.core.errors import NotFound
from citewell.reading.pages.artifacts import cut_text_page
from citewell.routing.ports import ProviderMemory
from citewell.store.cache_store import CacheStore, open_cache_store
from citewell.store.failures import StoreError
from tests.clocks import Clock
from tests.requirements import requires


def play(
    folder: Path,
    scenario: Callable[[CacheStore], Awaitable[Any]],
    clock: Clock | None = None,
    **options: Any,
) -> Any:
    async def run() -> Any:
        store = open_cache_store(Settings(data_dir=folder, **options), clock or Clock())
        try:
            return await scenario(store)
        finally:
            await store.aclose()

    return asyncio.run(run())


@requires("artifact.id")
def test_an_artifact_is_named_by_its_content_and_comes_back_with_its_type(tmp_path: Path) -> None:
    clock = Clock()
    body = "Größe\nzwei".encode()

    async def scenario(store: CacheStore) -> tuple[Any, ...]:
        artifact = await store.artifacts.store_artifact(
            "someone", body, "text/plain; charset=utf-8"
        )
        return artifact, await store.artifacts.load_artifact("someone", artifact.id)

    artifact, stored = play(tmp_path, scenario, clock)

    assert artifact.id == hashlib.sha256(body).hexdigest()
    assert (artifact.size_bytes, artifact.media_type) == (len(body), "text/plain; charset=utf-8")
    assert artifact.expires_at == clock.now + 1800
    assert stored.artifact == artifact
    assert stored.body == body


@requires("artifact.owner")
def test_another_owner_does_not_find_it(tmp_path: Path) -> None:
    async def scenario(store: CacheStore) -> None:
        artifact = await store.artifacts.store_artifact("someone", b"body", "text/plain")
        with pytest.raises(NotFound):
            await store.artifacts.load_artifact("other", artifact.id)

    play(tmp_path, scenario)


@requires("artifact.expiry")
def test_it_outlives_a_restart_until_it_expires(tmp_path: Path) -> None:
    clock = Clock()
    artifact = play(
        tmp_path, lambda store: store.artifacts.store_artifact("o", b"body", "a/b"), clock
    )
    clock.now += 1799

    stored = play(tmp_path, lambda store: store.artifacts.load_artifact("o", artifact.id), clock)
    clock.now += 1

    assert stored.artifact.expires_at == pytest.approx(artifact.expires_at)
    with pytest.raises(NotFound, match="expired"):
        play(tmp_path, lambda store: store.artifacts.load_artifact("o", artifact.id), clock)


@pytest.mark.parametrize("name", ["", "nonsense", "../../etc", "0" * 64, "\ud800"])
def test_an_id_that_never_was_is_not_found(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFound):
        play(tmp_path, lambda store: store.artifacts.load_artifact("someone", name))


def test_an_artifact_without_room_is_refused_so_that_it_is_inlined(tmp_path: Path) -> None:
    async def scenario(store: CacheStore) -> None:
        with pytest.raises(StoreError, match="no room"):
            await store.artifacts.store_artifact("someone", b"x" * 3_000_000, "text/plain")

    play(tmp_path, scenario, cache_enabled=False, cache_max_memory_mb=1)


def test_a_provider_finds_its_facts_after_a_restart_and_no_other_does(tmp_path: Path) -> None:
    play(
        tmp_path,
        lambda store: store.build_provider_memory("first").remember_fact("key", b"fact", ttl=60),
    )

    async def scenario(store: CacheStore) -> tuple[Any, ...]:
        mine, other = store.build_provider_memory("first"), store.build_provider_memory("second")
        assert isinstance(mine, ProviderMemory)
        return (
            await mine.recall_fact("key"),
            await other.recall_fact("key"),
            await mine.recall_fact("more"),
        )

    assert play(tmp_path, scenario) == (b"fact", None, None)


def test_facts_expire(tmp_path: Path) -> None:
    clock = Clock()
    play(
        tmp_path,
        lambda store: store.build_provider_memory("p").remember_fact("key", b"fact", ttl=60),
        clock,
    )
    clock.now += 60

    assert (
        play(tmp_path, lambda store: store.build_provider_memory("p").recall_fact("key"), clock)
        is None
    )


def test_the_newest_fact_of_any_process_is_recalled(tmp_path: Path) -> None:
    async def scenario(store: CacheStore) -> bytes | None:
        other = open_cache_store(Settings(data_dir=tmp_path), Clock())
        await store.build_provider_memory("p").remember_fact("key", b"old", ttl=60)
        await other.build_provider_memory("p").remember_fact("key", b"new", ttl=60)
        await other.aclose()
        return await store.build_provider_memory("p").recall_fact("key")

    assert play(tmp_path, scenario) == b"new"


def walk(text: str, size: int) -> list[str]:
    pages: list[str] = []
    offset: int | None = 0
    while offset is not None:
        found = cut_text_page(text, offset, size)
        pages.append(found.text)
        offset = found.next_offset
    return pages


@settings(max_examples=200, deadline=None)
@given(
    st.text(st.sampled_from("ab .\n。é\u0301👩\u200d🔬🏽"), max_size=300) | st.text(max_size=300),
    st.integers(1, 60),
)
def test_the_pages_together_are_the_text(text: str, size: int) -> None:
    pages = walk(text, size)

    assert "".join(pages) == text
    assert all(0 < len(part) <= size for part in pages[:-1])


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One. Two.\n\nThree. Four five.", "One. Two.\n\n"),
        ("First one here. Second sentence", "First one here. "),
        ("no stops only words here at all", "no stops only words "),
        ("これは文です。次の文はもっと長い文章です。", "これは文です。"),
        ("x" * 40, "x" * 20),
    ],
)
def test_a_page_ends_where_a_reader_would_pause(text: str, first: str) -> None:
    size = 12 if first == "これは文です。" else 20

    assert cut_text_page(text, 0, size).text == first


def test_a_letter_keeps_its_accent_and_an_emoji_its_joiner() -> None:
    assert cut_text_page("aaaae\u0301bbbb", 0, 5).text == "aaaa"
    assert cut_text_page("aaa👩\u200d🔬bbb", 0, 5).text == "aaa"


@pytest.mark.parametrize("offset", [-5, 0, 3, 99])
def test_any_offset_is_clamped_into_the_text(offset: Any) -> None:
    found = cut_text_page("abc", offset, 10)

    assert (found.offset, found.next_offset, found.total_characters) == (
        min(max(offset, 0), 3),
        None,
        3,
    )
