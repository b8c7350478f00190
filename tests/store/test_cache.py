"""The two tiers: bounds, rotation, secrecy, and life without a disk."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import citewell
from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.store.cache.single_flight import FreshValue
from citewell.store.cache.tiered_cache import RecentValues, TimedValue, measure_entry_bytes
from citewell.store.cache_store import CacheStore, open_cache_store
from citewell.store.sql.database import SqlDatabase
from tests.clocks import Clock
from tests.requirements import requires

KEY, OTHER_KEY = "0a" * 32, "0b" * 32
MB = 2**20


def play(
    scenario: Callable[[CacheStore], Awaitable[Any]], clock: Any = None, **settings: Any
) -> Any:
    async def run() -> Any:
        store = open_cache_store(Settings(**settings), clock or Clock())
        try:
            return await scenario(store)
        finally:
            await store.aclose()

    return asyncio.run(run())


def opened(store: CacheStore) -> SqlDatabase:
    assert store.database is not None
    return store.database


def put(store: CacheStore, key: Any = "key", value: Any = b"value") -> Any:
    return store.cache.store_entry("someone", key, value, ttl=3600)


async def get(store: CacheStore, key: Any = "key") -> Any:
    entry = await store.cache.look_up_entry("someone", key)
    return None if entry is None else entry.value


def noise(number: Any, size: Any) -> Any:
    """Bytes that do not compress."""
    return random.Random(number).randbytes(size)


@pytest.mark.process
def test_opening_the_store_touches_nothing_and_loads_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from citewell.core.config import Settings;"
        "from citewell.store.cache_store import CacheStore, open_cache_store;"
        f"open_cache_store(Settings(data_dir={str(tmp_path / 'new')!r}));"
        "print([name for name in ('sqlite3', 'cryptography') if name in sys.modules])"
    )
    source = str(Path(citewell.__file__).parents[1])

    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )

    assert done.stdout.strip() == "[]"
    assert not (tmp_path / "new").exists()


def test_a_bad_key_is_maked_before_anything_is_kept(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="CACHE_ENCRYPTION_KEY must"):
        open_cache_store(Settings(data_dir=tmp_path, cache_key="xyz"))

    with pytest.raises(Misconfigured, match="CACHE_ENCRYPTION_KEY_PREV must"):
        open_cache_store(Settings(data_dir=tmp_path, cache_key=KEY, cache_key_previous="xyz"))


@requires("cache.encrypted")
def test_nothing_that_was_said_is_on_the_disk_in_plain(tmp_path: Path) -> None:
    marker = "PLANTED-MARKER"

    async def scenario(store: CacheStore) -> Any:
        await store.cache.store_entry(f"owner {marker}", f"query {marker}", marker.encode(), ttl=60)
        await store.cache.store_entry("o", "long", marker.encode() * 1000, ttl=60)
        await store.artifacts.store_artifact(marker, marker.encode(), f"text/{marker}")
        await store.build_provider_memory(marker).remember_fact(marker, marker.encode(), ttl=60)
        await store.loader.load_or_make(marker, marker, make)
        return everything(tmp_path)

    async def make() -> Any:
        assert marker.encode() not in everything(tmp_path)
        return FreshValue(value=marker.encode(), ttl=60)

    written = play(scenario, data_dir=tmp_path)

    assert len(written) > 4096
    assert marker.encode() not in written
    assert marker.encode() not in everything(tmp_path)


def everything(folder: Any) -> Any:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_an_entry_under_another_key_is_a_miss(tmp_path: Path) -> None:
    play(put, data_dir=tmp_path, cache_key=KEY)

    assert play(get, data_dir=tmp_path, cache_key=OTHER_KEY) is None
    assert play(get, data_dir=tmp_path, cache_key=KEY) == b"value"


def test_after_a_rotation_the_previous_key_still_reads(tmp_path: Path) -> None:
    play(put, data_dir=tmp_path, cache_key=KEY)
    rotated = {"data_dir": tmp_path, "cache_key": OTHER_KEY, "cache_key_previous": KEY}

    assert play(get, **rotated) == b"value"

    async def renew(store: CacheStore) -> None:
        await put(store, value=b"newer")

    play(renew, **rotated)
    assert play(get, **rotated) == b"newer"
    assert play(get, data_dir=tmp_path, cache_key=OTHER_KEY) == b"newer"


def test_forgetting_reaches_what_the_previous_key_sealed(tmp_path: Path) -> None:
    play(put, data_dir=tmp_path, cache_key=KEY)
    rotated = {"data_dir": tmp_path, "cache_key": OTHER_KEY, "cache_key_previous": KEY}

    play(lambda store: store.cache.clear_entries("someone"), **rotated)

    assert play(get, **rotated) is None
    assert play(get, data_dir=tmp_path, cache_key=KEY) is None


def alter(folder: Any, sql: Any, *params: Any) -> None:
    with contextlib.closing(sqlite3.connect(folder / "cache.db")) as link, link:
        link.execute(sql, params)


def rows(folder: Any) -> Any:
    with contextlib.closing(sqlite3.connect(folder / "cache.db")) as link:
        return link.execute("SELECT id, body FROM entry").fetchall()


def test_stored_bytes_never_reach_a_message(tmp_path: Path) -> None:
    play(put, data_dir=tmp_path)
    alter(tmp_path, "UPDATE entry SET body = CAST(x'ff' || 'PLANTED' AS TEXT)")

    async def scenario(store: CacheStore) -> Any:
        return (
            await get(store),
            await put(store),
            await get(store),
            "".join(store.list_store_warnings()),
        )

    before, kept, after, warnings = play(scenario, data_dir=tmp_path)

    assert (before, kept, after) == (None, True, b"value")
    assert "PLANTED" not in warnings


def test_an_altered_entry_is_a_counted_miss(tmp_path: Path) -> None:
    play(put, data_dir=tmp_path)
    ((row, body),) = rows(tmp_path)
    alter(
        tmp_path, "UPDATE entry SET body = ? WHERE id = ?", body[:-1] + bytes([body[-1] ^ 1]), row
    )

    async def scenario(store: CacheStore) -> Any:
        return (
            await get(store),
            store.health.list_event_counts()["unreadable"],
            await put(store),
            await get(store),
        )

    assert play(scenario, data_dir=tmp_path) == (None, 1, True, b"value")


def test_nobody_can_lengthen_a_life_in_the_file(tmp_path: Path) -> None:
    clock = Clock()
    play(put, clock, data_dir=tmp_path)
    alter(tmp_path, "UPDATE entry SET expires = expires * 2")
    clock.now += 3601

    assert play(get, clock, data_dir=tmp_path) is None


def test_swapped_rows_do_not_open(tmp_path: Path) -> None:
    async def scenario(store: CacheStore) -> None:
        await put(store, "a", b"for a")
        await put(store, "b", b"for b")

    play(scenario, data_dir=tmp_path)
    (first, body), (second, other) = rows(tmp_path)
    alter(tmp_path, "UPDATE entry SET body = ? WHERE id = ?", other, first)
    alter(tmp_path, "UPDATE entry SET body = ? WHERE id = ?", body, second)

    async def look(store: CacheStore) -> Any:
        return await get(store, "a"), await get(store, "b")

    assert play(look, data_dir=tmp_path) == (None, None)


@requires("defect.cache_memory")
def test_the_memory_tier_is_bounded_and_lets_the_least_used_go() -> None:
    recent: RecentValues[int, str] = RecentValues(10_000)
    for number in range(5):
        recent.add_recent_value(number, "x", 1900)
    recent.find_recent_value(0)

    recent.add_recent_value(5, "x", 1900)

    assert recent.held_bytes <= 10_000
    assert [n for n in range(6) if recent.find_recent_value(n)] == [0, 2, 3, 4, 5]


def test_memory_accounts_for_what_it_replaces_and_drops() -> None:
    recent: RecentValues[tuple[str, str], str] = RecentValues(100_000)
    for _ in range(50):
        recent.add_recent_value(("owner", "same"), "x", 5000)
    assert recent.held_bytes == 5000

    recent.drop_matching_values(lambda key: key[0] == "owner")

    assert recent.held_bytes == 0


def test_one_giant_does_not_empty_the_memory() -> None:
    recent: RecentValues[str, str] = RecentValues(10_000)
    recent.add_recent_value("small", "x", 1)

    assert not recent.add_recent_value("giant", "x", 9000)
    assert recent.find_recent_value("small") is not None


def test_an_entry_counts_its_value_its_key_and_its_overhead() -> None:
    entry = TimedValue(b"x" * 1500, 0.0, 1.0)

    assert (
        1500 + len("spaceownerkey") < measure_entry_bytes(("space", "owner", "key"), entry) < 2500
    )


def test_the_disk_tier_is_bounded_and_keeps_what_was_used_last(tmp_path: Path) -> None:
    clock = Clock()
    settings = {"data_dir": tmp_path, "cache_max_disk_mb": 1, "cache_max_memory_mb": 0}

    async def scenario(store: CacheStore) -> Any:
        await put(store, "favourite", noise(0, 20_000))
        for number in range(1, 150):
            clock.now += 1
            await put(store, str(number), noise(number, 20_000))
            await get(store, "favourite")
        ((held,),) = await opened(store).select_rows("SELECT SUM(size) FROM entry")
        return held, await get(store, "favourite"), await get(store, "1"), await get(store, "149")

    held, favourite, oldest, newest = play(scenario, clock, **settings)

    assert held <= MB
    assert favourite == noise(0, 20_000)
    assert oldest is None
    assert newest == noise(149, 20_000)
    assert (tmp_path / "cache.db").stat().st_size < 2 * MB


def test_a_value_too_large_for_the_disk_is_declined_with_its_forerunner(tmp_path: Path) -> None:
    settings = {"data_dir": tmp_path, "cache_max_disk_mb": 1, "cache_max_memory_mb": 0}

    async def scenario(store: CacheStore) -> Any:
        await put(store, value=b"small")
        return await put(store, value=noise(1, MB)), await get(store)

    assert play(scenario, **settings) == (False, None)


def test_expired_entries_and_leases_are_swept(tmp_path: Path) -> None:
    clock = Clock()

    async def scenario(store: CacheStore) -> Any:
        await put(store, "old")
        clock.now += 4000
        await put(store, "new")
        return await opened(store).select_rows("SELECT COUNT(*) FROM entry")

    assert play(scenario, clock, data_dir=tmp_path) == [(1,)]


def test_without_a_writable_folder_memory_serves_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()

    async def scenario(store: CacheStore) -> Any:
        assert await put(store)
        for number in range(5):
            await put(store, str(number))
        artifact = await store.artifacts.store_artifact("someone", b"body", "text/plain")
        await store.build_provider_memory("p").remember_fact("k", b"fact", ttl=60)
        stored = await store.artifacts.load_artifact("someone", artifact.id)
        return (
            await get(store),
            stored.body,
            await store.build_provider_memory("p").recall_fact("k"),
            store.list_store_warnings(),
        )

    with caplog.at_level(logging.WARNING):
        value, body, fact, warnings = play(scenario, data_dir=tmp_path / "file" / "sub")

    assert (value, body, fact) == (b"value", b"body", b"fact")
    assert len(warnings) == 1
    assert "Not a directory" in warnings[0]
    assert len(caplog.records) == 1


def test_a_key_file_others_can_read_leaves_memory_only(tmp_path: Path) -> None:
    play(put, data_dir=tmp_path)
    (tmp_path / "cache.key").chmod(0o644)

    async def scenario(store: CacheStore) -> Any:
        return await get(store), await put(store), await get(store), store.list_store_warnings()

    before, kept, after, warnings = play(scenario, data_dir=tmp_path)

    assert (before, kept, after) == (None, True, b"value")
    assert "chmod 600" in warnings[0]


def test_a_disk_that_recovers_is_used_again(tmp_path: Path) -> None:
    clock = Clock()
    folder = tmp_path / "data"
    folder.touch()

    async def scenario(store: CacheStore) -> None:
        await put(store, "lost")
        folder.unlink()
        await put(store, "still resting")
        clock.now += 61
        await put(store, "durable")

    play(scenario, clock, data_dir=folder)

    async def look(store: CacheStore) -> Any:
        return [await get(store, key) for key in ("lost", "still resting", "durable")]

    assert play(look, clock, data_dir=folder) == [None, None, b"value"]


def test_a_ruined_file_costs_the_entries_and_nothing_else(tmp_path: Path) -> None:
    play(put, data_dir=tmp_path)
    (tmp_path / "cache.db").write_bytes(b"no database at all" * 1000)

    async def scenario(store: CacheStore) -> Any:
        return await get(store), await put(store), store.list_store_warnings()

    assert play(scenario, data_dir=tmp_path) == (None, True, ())
    assert play(get, data_dir=tmp_path) == b"value"


def test_a_newer_file_is_left_for_the_newer_program(tmp_path: Path) -> None:
    play(put, data_dir=tmp_path)
    alter(tmp_path, "UPDATE schema_version SET version = 99")
    alter(tmp_path, "UPDATE schema_contract SET number = 99")

    async def scenario(store: CacheStore) -> Any:
        return await get(store), await put(store), await get(store), store.list_store_warnings()

    before, kept, after, warnings = play(scenario, data_dir=tmp_path)

    assert (before, kept, after) == (None, True, b"value")
    assert "newer Citewell" in warnings[0]


def test_a_file_that_lacks_its_table_fails_no_caller(tmp_path: Path) -> None:
    play(put, data_dir=tmp_path)
    alter(tmp_path, "DROP TABLE entry")

    async def scenario(store: CacheStore) -> Any:
        return (
            await get(store),
            await put(store),
            await get(store),
            len(store.list_store_warnings()),
        )

    assert play(scenario, data_dir=tmp_path) == (None, True, b"value", 1)


def test_a_read_under_way_does_not_bring_back_what_was_forgotten(tmp_path: Path) -> None:
    play(put, data_dir=tmp_path)

    async def scenario(store: CacheStore) -> Any:
        reading = asyncio.create_task(get(store))
        await asyncio.sleep(0)
        await store.cache.remove_entry("someone", "key")
        await reading
        return await get(store)

    assert play(scenario, data_dir=tmp_path) is None


def test_switched_off_nothing_is_kept_but_artifacts_in_memory(tmp_path: Path) -> None:
    async def scenario(store: CacheStore) -> Any:
        kept = await put(store)
        artifact = await store.artifacts.store_artifact("someone", b"body", "text/plain")
        return (
            kept,
            await get(store),
            (await store.artifacts.load_artifact("someone", artifact.id)).body,
        )

    assert play(scenario, data_dir=tmp_path / "new", cache_enabled=False) == (False, None, b"body")
    assert not (tmp_path / "new").exists()


@requires("searxng.forgotten_rests")
def test_switched_off_facts_of_providers_are_kept_across_restarts_and_nothing_else(
    tmp_path: Path,
) -> None:
    async def remember(store: CacheStore) -> None:
        await put(store)
        await store.build_provider_memory("searxng").remember_fact("health", b"rests", ttl=60)

    async def recall(store: CacheStore) -> Any:
        return await store.build_provider_memory("searxng").recall_fact("health"), await get(store)

    play(remember, data_dir=tmp_path, cache_enabled=False)

    assert play(recall, data_dir=tmp_path, cache_enabled=False) == (b"rests", None)
    assert play(recall, data_dir=tmp_path) == (b"rests", None)


def test_clearing_answers_leaves_artifacts_and_facts(tmp_path: Path) -> None:
    async def scenario(store: CacheStore) -> Any:
        artifact = await store.artifacts.store_artifact("someone", b"body", "text/plain")
        await store.build_provider_memory("p").remember_fact("k", b"fact", ttl=60)
        await put(store)
        await store.cache.clear_entries()
        stored = await store.artifacts.load_artifact("someone", artifact.id)
        return (
            await get(store),
            stored.body,
            await store.build_provider_memory("p").recall_fact("k"),
        )

    assert play(scenario, data_dir=tmp_path) == (None, b"body", b"fact")


def test_every_call_survives_a_disk_that_fails(tmp_path: Path) -> None:
    async def make() -> Any:
        return FreshValue(value=b"made", ttl=60)

    def ruin(store: CacheStore) -> None:
        store.health._retry_at = 0.0  # as after its rest

    async def scenario(store: CacheStore) -> Any:
        await put(store)
        await opened(store).aclose()
        for call in (
            lambda: store.cache.remove_entry("someone", "key"),
            store.cache.clear_entries,
            lambda: store.cache.store_entry("someone", "key", b"again", ttl=60),
            lambda: store.loader._leases.take_lease("n", seconds=1),
            lambda: store.loader._leases.release_lease("n"),
            lambda: store.loader._leases.release_lease("n"),
        ):
            await call()
        ruin(store)
        await store.loader._leases.release_lease("n")
        ruin(store)
        assert await store.loader._leases.take_lease("n", seconds=1)
        ruin(store)
        await store.cache.clear_entries("someone")
        loaded = await store.loader.load_or_make("someone", "other", make)
        return loaded.entry.value, await get(store), store.list_store_warnings()

    value, cleared, warnings = play(scenario, data_dir=tmp_path)

    assert (value, cleared) == (b"made", None)
    assert warnings == ("The store is closed.",)


def test_switched_off_the_loader_makes_it_every_time(tmp_path: Path) -> None:
    runs = []

    async def make() -> Any:
        runs.append(1)
        return FreshValue(value=b"made", ttl=60)

    async def scenario(store: CacheStore) -> Any:
        await store.loader.load_or_make("o", "key", make)
        await store.loader.load_or_make("o", "key", make)
        await store.cache.remove_entry("o", "key")
        await store.cache.clear_entries()
        return store.list_store_warnings(), store.health.list_event_counts()

    assert play(scenario, data_dir=tmp_path, cache_enabled=False) == ((), {})
    assert len(runs) == 2
