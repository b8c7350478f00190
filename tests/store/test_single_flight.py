"""Single flight: one run, many callers, and what happens when they leave."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.core.errors import InternalError, UpstreamUnavailable
from citewell.store.cache.single_flight import CachedLoader, FreshValue, LoadedEntry, SingleFlight
from citewell.store.cache_store import CacheStore, open_cache_store
from citewell.store.coordination.leases import SqlLeaseTable
from tests.clocks import Clock
from tests.conditions import until


@dataclass
class Work:
    """A piece of work that counts its runs and ends when told."""

    error: Exception | None = None
    runs: int = 0
    cancelled: int = 0
    started: asyncio.Event = field(default_factory=asyncio.Event)
    finish: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self) -> str:
        self.runs += 1
        self.started.set()
        try:
            await asyncio.wait_for(self.finish.wait(), 5)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.error is not None:
            raise self.error
        return f"run {self.runs}"


async def aboard(flight: SingleFlight, work: Work, count: int) -> list[asyncio.Task[str]]:
    callers = [asyncio.create_task(flight.share_work("key", work)) for _ in range(count)]
    await work.started.wait()
    await asyncio.sleep(0)
    return callers


def test_identical_keys_share_one_run() -> None:
    async def scenario() -> tuple[Any, ...]:
        flight, work = SingleFlight(), Work()
        callers = await aboard(flight, work, 5)
        work.finish.set()
        return await asyncio.gather(*callers), work.runs

    assert asyncio.run(scenario()) == (["run 1"] * 5, 1)


def test_different_keys_do_not_share() -> None:
    async def scenario() -> int:
        flight, work = SingleFlight(), Work()
        work.finish.set()
        await asyncio.gather(flight.share_work("a", work), flight.share_work("b", work))
        return work.runs

    assert asyncio.run(scenario()) == 2


def test_a_later_caller_starts_anew() -> None:
    async def scenario() -> list[Any]:
        flight, work = SingleFlight(), Work()
        work.finish.set()
        return [await flight.share_work("key", work), await flight.share_work("key", work)]

    assert asyncio.run(scenario()) == ["run 1", "run 2"]


@pytest.mark.parametrize("leaver", [0, 1, 2])
def test_cancelling_one_caller_leaves_the_others_alone(leaver: int) -> None:
    async def scenario() -> tuple[Any, ...]:
        flight, work = SingleFlight(), Work()
        callers = await aboard(flight, work, 3)
        callers[leaver].cancel()
        await asyncio.sleep(0)
        work.finish.set()
        answers = await asyncio.gather(*callers, return_exceptions=True)
        return answers, work.cancelled

    answers, cancelled = asyncio.run(scenario())

    assert isinstance(answers.pop(leaver), asyncio.CancelledError)
    assert answers == ["run 1", "run 1"]
    assert cancelled == 0


def test_when_the_last_caller_is_gone_the_work_is_cancelled() -> None:
    async def scenario() -> int:
        flight, work = SingleFlight(), Work()
        callers = await aboard(flight, work, 3)
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)
        await until(lambda: work.cancelled)
        return work.cancelled

    assert asyncio.run(scenario()) == 1


def test_nobody_boards_work_that_is_being_cancelled() -> None:
    async def scenario() -> str:
        flight, work = SingleFlight(), Work()
        (first,) = await aboard(flight, work, 1)
        first.cancel()
        await asyncio.sleep(0)
        second = asyncio.create_task(flight.share_work("key", work))
        await until(lambda: work.runs == 2)
        work.finish.set()
        return await second

    assert asyncio.run(scenario()) == "run 2"


def test_a_failure_reaches_every_caller_and_is_not_kept() -> None:
    async def scenario() -> tuple[Any, ...]:
        flight, work = SingleFlight(), Work(error=UpstreamUnavailable("down"))
        callers = await aboard(flight, work, 3)
        work.finish.set()
        answers = await asyncio.gather(*callers, return_exceptions=True)
        work.error = None
        return answers, await flight.share_work("key", work)

    answers, again = asyncio.run(scenario())

    assert answers == [answers[0]] * 3
    assert isinstance(answers[0], UpstreamUnavailable)
    assert again == "run 2"


def test_a_failure_nobody_waits_for_disturbs_nobody() -> None:
    async def scenario() -> list[Any]:
        troubles = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: troubles.append(context)
        )
        flight, work = SingleFlight(), Work()

        async def stubborn() -> Any:
            try:
                return await work()
            except asyncio.CancelledError:
                raise UpstreamUnavailable("too late") from None

        caller = asyncio.create_task(flight.share_work("key", stubborn))
        await work.started.wait()
        caller.cancel()
        await asyncio.gather(caller, return_exceptions=True)
        await until(lambda: work.cancelled)
        await asyncio.sleep(0)
        gc.collect()
        return troubles

    assert asyncio.run(scenario()) == []


def test_work_that_cancels_itself_is_an_error_and_no_cancellation() -> None:
    async def scenario() -> None:
        async def suicidal() -> None:
            raise asyncio.CancelledError

        await SingleFlight().share_work("key", suicidal)

    with pytest.raises(InternalError):
        asyncio.run(scenario())


def play(
    folder: Path, scenario: Callable[[CacheStore], Awaitable[Any]], clock: Clock | None = None
) -> Any:
    async def run() -> Any:
        store = open_cache_store(Settings(data_dir=folder), clock or Clock())
        try:
            return await scenario(store)
        finally:
            await store.aclose()

    return asyncio.run(run())


def test_what_was_made_is_cached_and_marked_so(tmp_path: Path) -> None:
    async def make() -> FreshValue:
        return FreshValue(value=b"made", ttl=60)

    async def scenario(store: CacheStore) -> tuple[Any, ...]:
        first = await store.loader.load_or_make("o", "key", make)
        return first, await store.loader.load_or_make("o", "key", make)

    first, second = play(tmp_path, scenario)

    assert (first.is_cached, first.entry.value) == (False, b"made")
    assert (second.is_cached, second.entry.value) == (True, b"made")


def test_what_holds_for_no_time_is_made_again(tmp_path: Path) -> None:
    runs = []

    async def make() -> FreshValue:
        runs.append(1)
        return FreshValue(value=b"made", ttl=0)

    async def scenario(store: CacheStore) -> None:
        await store.loader.load_or_make("o", "key", make)
        await store.loader.load_or_make("o", "key", make)

    play(tmp_path, scenario)

    assert len(runs) == 2


def leases(store: CacheStore, holder: str, clock: Clock) -> SqlLeaseTable:
    own = store.loader._leases
    assert isinstance(own, SqlLeaseTable)
    assert store.database is not None
    return SqlLeaseTable(store.database, own._keys, holder=holder, health=store.health, clock=clock)


def test_a_lease_has_one_holder_until_it_lapses_or_is_given_back(tmp_path: Path) -> None:
    clock = Clock()

    async def scenario(store: CacheStore) -> list[Any]:
        a, b = leases(store, "a", clock), leases(store, "b", clock)
        took = [await a.take_lease("n", seconds=10), await b.take_lease("n", seconds=10)]
        clock.now += 11
        took.append(await b.take_lease("n", seconds=10))
        await a.release_lease("n")
        took.append(await a.take_lease("n", seconds=10))
        await b.release_lease("n")
        return [*took, await a.take_lease("n", seconds=10)]

    assert play(tmp_path, scenario, clock) == [True, False, True, False, True]


@pytest.mark.parametrize("ending", ["made", "given back", "lapsed", "patience"])
def test_a_loader_waits_for_another_process_within_bounds(tmp_path: Path, ending: str) -> None:
    clock, pauses = Clock(), []

    async def scenario(store: CacheStore) -> LoadedEntry:
        other = leases(store, "other", clock)
        await other.take_lease("1:o:key", seconds=20)

        async def pause(seconds: float) -> None:
            pauses.append(seconds)
            if ending == "lapsed":
                clock.now += 21
            if ending == "given back" and len(pauses) == 3:
                await other.release_lease("1:o:key")
            if ending == "made" and len(pauses) == 3:
                await store.cache.store_entry("o", "key", b"theirs", ttl=60)

        async def make() -> FreshValue:
            return FreshValue(value=b"ours", ttl=60)

        loader = CachedLoader(store.cache, leases(store, "me", clock), pause=pause)
        return await loader.load_or_make("o", "key", make)

    loaded = play(tmp_path, scenario, clock)

    assert loaded.entry.value == (b"theirs" if ending == "made" else b"ours")
    assert loaded.is_cached == (ending == "made")
    assert sum(pauses) <= 20.5
    assert len(pauses) == {"made": 3, "given back": 3, "lapsed": 1}.get(ending, len(pauses))


@pytest.mark.parametrize("how", ["failed", "cancelled"])
def test_the_lease_is_given_back_when_the_work_ends_badly(tmp_path: Path, how: str) -> None:
    clock = Clock()

    async def scenario(store: CacheStore) -> bool:
        work = Work(error=UpstreamUnavailable("down"))

        async def make() -> FreshValue:
            return FreshValue(value=(await work()).encode(), ttl=60)

        caller = asyncio.create_task(store.loader.load_or_make("o", "key", make))
        await work.started.wait()
        if how == "failed":
            work.finish.set()
        else:
            caller.cancel()
        await asyncio.gather(caller, return_exceptions=True)
        assert store.database is not None
        for _ in range(200):
            if not await store.database.select_rows("SELECT 1 FROM lease"):
                return True
        return False

    assert play(tmp_path, scenario, clock)
