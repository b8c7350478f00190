"""PostgreSQL by way of PgBouncer, and what happens when the way or the server fails."""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path
from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.jobs.job_engine import WorkflowRun
from citewell.server.http.hosting import check_start
from citewell.server.state.state_backup import back_up_state, restore_state
from citewell.server.state.state_check import StateCondition, refuse_unusable_state
from citewell.server.state.state_store import StateStore
from citewell.store.cache_store import open_cache_store
from citewell.store.coordination.change_notices import JOB_TOPIC, ChangeNotices
from citewell.store.failures import (
    BatchRolledBack,
    ServerTooOld,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from citewell.store.sql.database import SqlStatement
from citewell.store.sql.postgres_database import PostgresDatabase, check_server_version
from citewell.store.sql.postgres_listener import open_session
from citewell.store.sql.postgres_pool import PoolerFound, explain_postgres_error
from tests.change_notices import publish_change
from tests.conditions import WAIT_SECONDS
from tests.contract.database_proxy import DatabaseProxy
from tests.contract.offices import OWNER, office, order
from tests.contract.states import Kept, name_database
from tests.services import found_pgbouncer, pgbouncer_or_skip, postgres_or_skip

pytestmark = pytest.mark.process

NEVER = 3600.0  # between looks, so that only a notice can end a wait in time
LATENCY_SECONDS = float(os.environ.get("DATABASE_LATENCY_SECONDS", "0.02"))


@pytest.fixture
def direct() -> str:
    return postgres_or_skip().new()


@pytest.fixture
def pooled(direct: str, tmp_path: Path) -> Kept:
    """A store behind PgBouncer in transaction mode, with two sessions for all its connections."""
    url = pgbouncer_or_skip().through(direct)
    return Kept(
        "postgres",
        Settings(data_dir=tmp_path, database_url=url, database_direct_url=direct),
    )


async def nothing(run: WorkflowRun) -> Any:
    return None


async def until_heard(notices: ChangeNotices, topic: str) -> None:
    async with notices.watch(topic, "probe", poll_seconds=0.01) as watch:
        while not notices.hears_others(topic):
            await watch.wait(0.05)


def lease(name: str) -> SqlStatement:
    sql = "INSERT INTO lease (id, holder, expires) VALUES (:id, 'h', 1.0)"
    return SqlStatement(sql=sql, params={"id": name})


def test_a_pooler_is_noticed_and_a_direct_connection_too(direct: str) -> None:
    async def ask(url: str) -> bool:
        database = PostgresDatabase(url, schema="cache")
        try:
            await database.select_rows("SELECT 1")
            return database.is_behind_pooler
        finally:
            await database.aclose()

    assert not asyncio.run(ask(direct))
    assert asyncio.run(ask(pgbouncer_or_skip().through(direct)))


def test_many_writers_share_two_sessions_of_the_server(pooled: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async with pooled.opened() as other:
            first, second = state.database, other.database
            await asyncio.gather(
                *(first.execute_batch([lease(f"a{n}"), lease(f"b{n}")]) for n in range(20)),
                *(second.execute_batch([lease(f"c{n}")]) for n in range(20)),
                *(second.select_rows("SELECT id FROM lease WHERE id = :id", {"id": "a"}) for _ in range(20)),
            )  # fmt: skip
            return await first.select_rows("SELECT COUNT(*) FROM lease")

    assert pooled.run(scenario) == [(60,)]


def test_a_batch_that_fails_through_a_pooler_is_undone(pooled: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        with pytest.raises(BatchRolledBack):
            await state.database.execute_batch([lease("a"), lease("a")])
        return await state.database.select_rows("SELECT id FROM lease")

    assert pooled.run(scenario) == []


def test_jobs_the_library_and_an_erasure_work_through_a_pooler(pooled: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        jobs = office(pooled, state, nothing)
        view = await jobs.dispatch_job(OWNER, order())
        cancelled = await jobs.cancel_job(OWNER, view.job.id)
        await state.sessions.create_session(OWNER, "id", b"head", [b"one"])
        receipt = await state.erase_owner(OWNER)
        return cancelled.status.is_final, receipt.deleted["sessions"], receipt.deleted["jobs"]

    assert pooled.run(scenario) == (True, 1, 1)


def test_the_cache_works_through_a_pooler(pooled: Kept) -> None:
    async def scenario() -> Any:
        store = open_cache_store(pooled.settings, clock=pooled.clock)
        try:
            await asyncio.gather(
                *(store.cache.store_entry(OWNER, f"k{n}", b"v", ttl=60) for n in range(30))
            )
            return [bool(await store.cache.look_up_entry(OWNER, f"k{n}")) for n in (0, 29)]
        finally:
            await store.aclose()

    assert asyncio.run(scenario()) == [True, True]


def test_a_waiter_behind_a_pooler_hears_on_the_direct_connection(pooled: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async with pooled.opened() as elsewhere:
            await until_heard(state.notices, JOB_TOPIC)
            async with state.notices.watch(JOB_TOPIC, "a", poll_seconds=NEVER) as watch:
                await publish_change(elsewhere, JOB_TOPIC, "a")
                return await watch.wait(WAIT_SECONDS)

    assert pooled.run(scenario)


def test_without_a_direct_connection_waiters_look_at_intervals_and_the_log_names_the_setting(
    pooled: Kept, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citewell.store.sql.postgres_listener.POOLER_TEST_SECONDS", 0.1)
    alone = pooled.with_settings(database_direct_url=None)

    async def scenario(state: StateStore) -> Any:
        async with state.notices.watch(JOB_TOPIC, "a", poll_seconds=0.01) as watch:
            while "CITEWELL_DATABASE_DIRECT_URL" not in caplog.text:
                assert await watch.wait(WAIT_SECONDS)
            return state.notices.hears_others(JOB_TOPIC)

    with caplog.at_level(logging.WARNING):
        assert not alone.run(scenario)


def test_a_pooler_that_keeps_sessions_is_enough(direct: str) -> None:
    pgbouncer_or_skip()
    pooler = found_pgbouncer("session", 10)
    assert not isinstance(pooler, str)

    async def scenario() -> bool:
        async with open_session(pooler.through(direct)) as link:
            return not link.is_closed()

    assert asyncio.run(scenario())


def test_a_session_is_refused_through_a_pooler_in_transaction_mode(
    direct: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citewell.store.sql.postgres_listener.POOLER_TEST_SECONDS", 0.1)

    async def scenario() -> None:
        with pytest.raises(PoolerFound, match="CITEWELL_DATABASE_DIRECT_URL"):
            async with open_session(pgbouncer_or_skip().through(direct)):
                pass

    asyncio.run(scenario())


def test_a_server_does_not_start_where_a_pooler_keeps_jobs_from_running(
    pooled: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citewell.store.sql.postgres_listener.POOLER_TEST_SECONDS", 0.1)
    alone = pooled.with_settings(database_direct_url=None)

    with pytest.raises(Misconfigured, match="CITEWELL_DATABASE_DIRECT_URL"):
        refuse_unusable_state(alone.settings)

    assert refuse_unusable_state(pooled.settings) is StateCondition.UNUSED


def test_a_backup_is_made_and_restored_through_a_pooler(pooled: Kept, tmp_path: Path) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.sessions.create_session(OWNER, "id", b"head", [b"one"])
        await back_up_state(state, tmp_path / "copy.db")
        await state.sessions.delete_session(OWNER, "id")
        await restore_state(state, tmp_path / "copy.db", force=True)

    async def look(state: StateStore) -> Any:
        return await state.sessions.load_session(OWNER, "id")

    pooled.run(scenario)

    assert pooled.run(look)


def test_waiters_and_writers_outlive_a_restart_of_the_server(direct: str, tmp_path: Path) -> None:
    async def scenario() -> Any:
        async with DatabaseProxy.started(postgres_or_skip()) as proxy:
            settings = Settings(data_dir=tmp_path, database_url=proxy.through(direct))
            here, there = StateStore(settings), StateStore(settings)
            await here.database.execute_batch([lease("before")])
            await until_heard(there.notices, JOB_TOPIC)
            async with there.notices.watch(JOB_TOPIC, "a", poll_seconds=0.02) as watch:
                proxy.is_open = False
                proxy.cut()
                assert await watch.wait(WAIT_SECONDS)
                with pytest.raises(StoreError):
                    await here.database.execute_batch([lease("meanwhile")])
                polled = await watch.wait(WAIT_SECONDS)
                proxy.is_open = True
                await until_heard(there.notices, JOB_TOPIC)
                while await watch.wait(0.0):
                    pass
                await here.database.execute_batch(
                    [lease("after"), *here.notices.build_notice("job", "a")]
                )
                heard = await watch.wait(WAIT_SECONDS)
            rows = await here.database.select_rows("SELECT id FROM lease ORDER BY id")
            await here.aclose()
            await there.aclose()
            return polled, heard, rows  # fmt: skip

    assert asyncio.run(scenario()) == (True, True, [("after",), ("before",)])


@pytest.mark.timeout(600)
def test_a_slow_way_to_the_server_loses_nothing(direct: str, tmp_path: Path) -> None:
    """With DATABASE_LATENCY_SECONDS=10 every round trip takes ten seconds."""

    async def scenario() -> Any:
        quick = PostgresDatabase(direct, schema="state")
        await quick.select_rows("SELECT 1")  # so that the slow one need not migrate
        await quick.aclose()
        async with DatabaseProxy.started(postgres_or_skip()) as proxy:
            proxy.latency_seconds = LATENCY_SECONDS
            settings = Settings(data_dir=tmp_path, database_url=proxy.through(direct))
            state = StateStore(settings)
            await state.database.execute_batch([lease("a")])
            await until_heard(state.notices, JOB_TOPIC)
            rows = await state.database.select_rows("SELECT id FROM lease")
            await state.aclose()
            return rows

    assert asyncio.run(scenario()) == [("a",)]


@pytest.mark.parametrize("setting", ["database_url", "database_direct_url"])
def test_an_unknown_user_is_refused_with_the_name_of_the_setting(
    direct: str, tmp_path: Path, setting: str
) -> None:
    wrong = direct.replace("user=citewell", "user=nobody_known")
    addresses: dict[str, Any] = {"database_url": direct, setting: wrong}
    settings = Settings(data_dir=tmp_path, **addresses)

    async def scenario() -> None:
        state = StateStore(settings)
        try:
            with pytest.raises(StoreError, match=f"CITEWELL_{setting.upper()}\\b"):
                await state.database.select_rows("SELECT 1")
        finally:
            await state.aclose()

    asyncio.run(scenario())


def _forbid_writing(url: str) -> None:
    """For connections that are opened from now on."""
    postgres_or_skip().ask(
        f"ALTER DATABASE {name_database(url)} SET default_transaction_read_only = on",
        database="postgres",
    )


def test_a_read_only_server_is_named_so(direct: str, tmp_path: Path) -> None:
    _forbid_writing(direct)

    async def scenario() -> None:
        state = StateStore(Settings(data_dir=tmp_path, database_url=direct))
        try:
            with pytest.raises(StoreReadOnly, match=r"read-only.* CITEWELL_DATABASE_URL"):
                await state.database.select_rows("SELECT 1")
        finally:
            await state.aclose()

    asyncio.run(scenario())


def test_an_older_server_is_refused_with_both_versions() -> None:
    with pytest.raises(ServerTooOld, match=r"14 or newer.*version 13"):
        check_server_version(130012)

    check_server_version(140000)


def test_a_server_does_not_start_on_a_database_that_is_too_old(
    direct: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citewell.store.sql.postgres_database._MIN_SERVER_VERSION", 990000)
    settings = Settings(data_dir=tmp_path, database_url=direct)

    with pytest.raises(ServerTooOld, match="14 or newer"):
        check_start(settings, uses_http=False)


def test_a_server_starts_on_a_database_that_is_read_only_and_says_so(
    direct: str, tmp_path: Path
) -> None:
    _forbid_writing(direct)

    told = check_start(Settings(data_dir=tmp_path, database_url=direct), uses_http=False)

    assert "not ready until" in told
    assert "read-only" in told


def test_what_is_stored_to_see_whether_it_can_be_is_taken_back(direct: str) -> None:
    tables = "SELECT tablename FROM pg_tables ORDER BY tablename"

    async def scenario() -> None:
        database = PostgresDatabase(direct, schema="state")
        try:
            before = await database.select_rows(tables)
            await database.check_writing()
            assert await database.select_rows(tables) == before
        finally:
            await database.aclose()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("DiskFullError", StoreFull, "disk is full"),
        ("InvalidPasswordError", StoreError, "CITEWELL_DATABASE_URL"),
        ("TooManyConnectionsError", StoreError, "CITEWELL_DATABASE_CONNECTIONS"),
        ("CannotConnectNowError", StoreError, "starting"),
        ("ProtocolViolationError", StoreError, "pooler"),
    ],
)
def test_what_the_server_refuses_is_said_without_its_own_words(
    name: str, kind: type[Exception], words: str
) -> None:
    asyncpg = pytest.importorskip("asyncpg")

    error = explain_postgres_error(getattr(asyncpg, name)("a stored secret"))

    assert isinstance(error, kind)
    assert words in error.message
    assert "secret" not in error.message


def test_a_direct_address_that_is_none_is_refused(direct: str) -> None:
    async def scenario() -> None:
        database = PostgresDatabase(direct, schema="cache", direct_url="nonsense://x")
        with pytest.raises(Misconfigured, match="CITEWELL_DATABASE_DIRECT_URL"):
            await database.select_rows("SELECT 1")
        await database.aclose()

    asyncio.run(scenario())
