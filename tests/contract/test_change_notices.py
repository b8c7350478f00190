"""Notices of changes reach whoever waits: in this process, and through PostgreSQL in another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.core.errors import InternalError
from citewell.server.state.state_store import StateStore
from citewell.store.coordination.change_notices import ChangeNotices
from tests.change_notices import publish_change
from tests.conditions import WAIT_SECONDS
from tests.services import postgres_or_skip

pytestmark = pytest.mark.process

NEVER = 3600.0  # between looks, so that only a notice can end a wait in time


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[StateStore]:
    state = StateStore(settings)
    try:
        yield state
    finally:
        await state.aclose()


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: Any, tmp_path: Path) -> Settings:
    url = postgres_or_skip().new() if request.param == "postgres" else None
    return Settings(data_dir=tmp_path, database_url=url)


@pytest.fixture
def shared(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, database_url=postgres_or_skip().new())


async def until_heard(notices: ChangeNotices, topic: str) -> None:
    """Until notices of other processes are heard: until then a watch that never polls would not end."""
    async with notices.watch(topic, "probe", poll_seconds=0.01) as watch:
        while not notices.hears_others(topic):
            await watch.wait(0.05)


def test_a_notice_wakes_a_waiter_of_the_same_process(settings: Settings) -> None:
    async def scenario() -> Any:
        async with (
            opened(settings) as state,
            state.notices.watch("job", "a", poll_seconds=NEVER) as watch,
        ):
            await publish_change(state, "job", "b")
            await publish_change(state, "job", "a")
            return await watch.wait(WAIT_SECONDS)

    assert asyncio.run(scenario())


def test_a_notice_between_opening_and_waiting_is_not_lost_and_counts_once(
    settings: Settings,
) -> None:
    async def scenario() -> Any:
        async with (
            opened(settings) as state,
            state.notices.watch("job", "a", poll_seconds=NEVER) as watch,
        ):
            state.notices.notify_here("job", "a")
            state.notices.notify_here("job", "a")
            return [await watch.wait(WAIT_SECONDS), await watch.wait(0.0)]

    assert asyncio.run(scenario()) == [True, False]


def test_a_watch_of_all_keys_hears_every_key_of_its_topic_only(settings: Settings) -> None:
    async def scenario() -> Any:
        async with (
            opened(settings) as state,
            state.notices.watch("job_queue", poll_seconds=NEVER) as watch,
        ):
            state.notices.notify_here("job", "a")
            unheard = await watch.wait(0.0)
            state.notices.notify_here("job_queue", "b")
            return unheard, await watch.wait(WAIT_SECONDS)

    assert asyncio.run(scenario()) == (False, True)


def test_without_notices_a_waiter_looks_at_intervals(tmp_path: Path) -> None:
    async def scenario() -> Any:
        async with (
            opened(Settings(data_dir=tmp_path)) as state,
            state.notices.watch("job", "a", poll_seconds=0.01) as watch,
        ):
            return await watch.wait(WAIT_SECONDS)

    assert asyncio.run(scenario())


def test_another_process_hears_what_a_batch_tells_once_it_commits(shared: Settings) -> None:
    async def scenario() -> Any:
        async with opened(shared) as here, opened(shared) as there:
            await until_heard(there.notices, "job")
            async with there.notices.watch("job", "a", poll_seconds=NEVER) as watch:
                await here.database.execute_batch(here.notices.build_notice("job", "a"))
                return await watch.wait(WAIT_SECONDS)

    assert asyncio.run(scenario())


def test_one_connection_serves_every_waiter_and_topic(shared: Settings) -> None:
    async def scenario() -> Any:
        async with opened(shared) as state, AsyncExitStack() as stack:
            for number in range(20):
                await stack.enter_async_context(state.notices.watch("job", str(number)))
                await stack.enter_async_context(state.notices.watch("job_queue"))
            await until_heard(state.notices, "job")
            await until_heard(state.notices, "job_queue")
            return await state.database.select_rows(
                "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND query LIKE 'LISTEN%'"
            )

    assert asyncio.run(scenario()) == [(1,)]


def test_a_cut_connection_is_opened_again_and_waiters_look_meanwhile(shared: Settings) -> None:
    async def scenario() -> Any:
        async with opened(shared) as here, opened(shared) as there:
            await until_heard(there.notices, "job")
            async with there.notices.watch("job", "a", poll_seconds=NEVER) as watch:
                await watch.wait(0.0)
                await here.database.select_rows(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND query LIKE 'LISTEN%'"
                )
                lost = await watch.wait(WAIT_SECONDS)
                await until_heard(there.notices, "job")
                while await watch.wait(0.0):
                    pass
                await publish_change(here, "job", "a")
                return lost, await watch.wait(WAIT_SECONDS)

    assert asyncio.run(scenario()) == (True, True)


def test_a_waiter_on_another_event_loop_is_woken_too(settings: Settings) -> None:
    async def scenario() -> Any:
        async with opened(settings) as state:
            await publish_change(state, "job", "first")
            started = asyncio.Event()
            loop = asyncio.get_running_loop()

            async def wait_there() -> bool:
                async with state.notices.watch("job", "a", poll_seconds=NEVER) as watch:
                    loop.call_soon_threadsafe(started.set)
                    return await watch.wait(WAIT_SECONDS)

            async with state.notices.watch("job", "other"):
                waiting = asyncio.create_task(asyncio.to_thread(lambda: asyncio.run(wait_there())))
                await started.wait()
                await publish_change(state, "job", "a")
                return await waiting

    assert asyncio.run(scenario())


@pytest.mark.parametrize(("topic", "key"), [("Job; DROP", "a"), ("", "a"), ("job", "x" * 5000)])
def test_a_topic_that_is_no_name_and_a_key_that_is_no_id_are_refused(
    settings: Settings, topic: str, key: str
) -> None:
    async def scenario() -> None:
        async with opened(settings) as state:
            with pytest.raises(InternalError):
                await publish_change(state, topic, key)

    asyncio.run(scenario())
