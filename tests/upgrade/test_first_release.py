"""A database of the first release is upgraded while instances of that release still use it."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import sqlite3
import subprocess
import threading
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from citewell.core.config import Settings
from citewell.server.state.state_store import StateStore
from tests.services import Postgres, postgres_or_skip
from tests.upgrade.old_instance import (
    FIXTURES,
    OldPostgresInstance,
    OldSqliteInstance,
    load_told,
)

pytestmark = [pytest.mark.process, pytest.mark.timeout(600)]
MASTER_KEY = "5a" * 32
WRITTEN_AT = 1_794_896_800.0  # when the fixtures were made; their sessions expire four hours later


async def check_filled(state: StateStore, filled: dict[str, Any]) -> None:
    """Everything that the first release kept is read by this one."""
    for owner, told in filled.items():
        if owner == "queued":
            continue
        session = await state.sessions.load_session(owner, told["session"])
        assert len(session.steps) == 2
        view = await state.jobs.require_job_view(owner, told["job"])
        assert view.status.value == told["status"] == "completed"
        findings = await state.research.load_findings(owner, told["job"])
        assert findings is not None
        assert len(findings.claims) == told["claims"] > 0
        balance = await state.ledger.load_balance(owner)
        assert (balance.credited, balance.settled) == (told["credited"], told["settled"])
        assert balance.settled > 0
        await check_library(state, owner)
    queued = await state.jobs.require_job_view("default/anonymous", filled["queued"])
    assert queued.status.value == "pending"


async def check_library(state: StateStore, owner: str) -> None:
    found = await state.library.search_library(owner, "harbour seals")
    assert {match.card.id for match in found} == {"doc-1", "doc-2"}
    document = await state.library.load_document(owner, "doc-1")
    assert owner in document.text


async def check_written(state: StateStore, writers: dict[str, Any]) -> None:
    """What instances of the first release wrote before, during and after the upgrade is there."""
    for owner, told in writers.items():
        assert len((await state.sessions.load_session(owner, told["session"])).steps) == 2
        assert (await state.jobs.require_job_view(owner, told["job"])).status.value == "pending"
        balance = await state.ledger.load_balance(owner)
        assert balance.credited == told["credited"]
        assert balance.ticks == told["credited"]
        await check_library(state, owner)


def read_stored_state(settings: Settings, told: dict[str, Any]) -> None:
    async def read() -> None:
        state = StateStore(settings, clock=lambda: WRITTEN_AT)
        try:
            await check_filled(state, told["filled"])
            await check_written(state, told["writers"])
        finally:
            await state.aclose()

    asyncio.run(read())


def test_a_sqlite_file_of_the_first_release_is_upgraded_under_load(tmp_path: Path) -> None:
    told = load_told("sqlite")
    path = tmp_path / "state.db"
    path.write_bytes(gzip.decompress((FIXTURES / "state.db.gz").read_bytes()))
    with contextlib.closing(sqlite3.connect(path)) as link:
        link.execute("PRAGMA journal_mode = WAL")  # as the release has it; a copy loses it
    settings = Settings(data_dir=tmp_path, master_key=MASTER_KEY)
    calls = {owner: one["calls"] for owner, one in told["writers"].items()}
    old = OldSqliteInstance(path, calls, threading.Event())
    thread = threading.Thread(target=old.run)

    thread.start()
    migrate_state(settings)
    old.may_go_on.set()
    thread.join(60)

    assert old.failures == []
    assert old.done == sum(map(len, calls.values()))
    read_stored_state(settings, told)


def test_a_postgresql_database_of_the_first_release_is_upgraded_under_load(tmp_path: Path) -> None:
    told = load_told("postgres")
    server = postgres_or_skip()
    url = load_dump(server)
    settings = Settings(data_dir=tmp_path, master_key=MASTER_KEY, database_url=url)
    calls = {owner: one["calls"] for owner, one in told["writers"].items()}
    old = OldPostgresInstance(url, calls)

    async def work() -> None:
        half = len(calls) // 2
        links = [
            await asyncpg.connect(url, server_settings={"search_path": "citewell_state"})
            for _ in range(2)
        ]
        during = asyncio.create_task(old.run(list(calls)[:half], links[0]))
        await asyncio.to_thread(migrate_state, settings)
        await old.run(list(calls)[half:], links[1])
        await during
        for link in links:
            await link.close()

    asyncio.run(work())

    assert old.failures == []
    assert old.done == sum(map(len, calls.values()))
    read_stored_state(settings, told)


def load_dump(server: Postgres) -> str:
    url = server.new()
    dump = gzip.decompress((FIXTURES / "state.postgres.sql.gz").read_bytes())
    subprocess.run(
        [server.psql, "-q", "-v", "ON_ERROR_STOP=1", url],
        input=dump,
        check=True,
        capture_output=True,
    )
    return url


def migrate_state(settings: Settings) -> None:
    async def migrate() -> None:
        state = StateStore(settings)
        try:
            await state.database.select_rows("SELECT version FROM schema_version")
        finally:
            await state.aclose()

    asyncio.run(migrate())
