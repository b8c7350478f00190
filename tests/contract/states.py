"""The state on each engine that keeps it, for the contract suites."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from citewell.core.config import Settings
from citewell.jobs.dbos_host import DbosHost, HostOptions
from citewell.jobs.dbos_queue import StepChannel
from citewell.server.state.state_store import StateStore
from citewell.store.settings import StoreSettings
from citewell.store.sql.postgres_database import PostgresDatabase
from tests.clocks import Clock
from tests.services import postgres_or_skip, postgres_settings

T = TypeVar("T")


@cache
def migrated_database() -> str:
    """The name of a database with all tables, ours and those of DBOS, and nothing in them."""
    url = postgres_or_skip().new()

    async def migrate() -> None:
        database = PostgresDatabase(url, schema="state")
        await database.select_rows("SELECT 1")
        await database.aclose()
        options = HostOptions(
            url=url, executor="first", worker_concurrency=4, owner_concurrency=4, poll_seconds=0.02
        )
        host = DbosHost(options, asyncio.get_running_loop(), refuse_jobs)
        await asyncio.to_thread(host.launch)
        await asyncio.to_thread(host.destroy)

    asyncio.run(migrate())
    return name_database(url)


async def refuse_jobs(job_id: str, run: int, channel: StepChannel) -> str:
    raise AssertionError(f"A job in an empty database: {job_id}")


def name_database(url: str) -> str:
    return url.split("/")[3].partition("?")[0]


ENGINES: dict[str, Callable[[], dict[str, Any]]] = {
    "postgres": lambda: postgres_settings(migrated_database()),
    "sqlite": dict,
}


@dataclass
class Kept:
    """One store, opened as often as a test likes."""

    name: str
    settings: Settings
    clock: Clock = field(default_factory=Clock)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[StateStore]:
        state = StateStore(self.settings, self.clock)
        try:
            yield state
        finally:
            await state.aclose()

    def run(self, scenario: Callable[[StateStore], Awaitable[T]]) -> T:
        async def played() -> T:
            async with self.opened() as state:
                return await scenario(state)

        return asyncio.run(played())

    def with_settings(self, **changes: object) -> Kept:
        return dataclasses.replace(self, settings=self.settings.replace(**changes))

    def on_disk(self) -> bytes:
        """Every byte the engine keeps."""
        if self.name == "sqlite":
            files = [
                file
                for file in self.settings[StoreSettings].data_path.iterdir()
                if ".db" in file.name
            ]
            return b"".join(file.read_bytes() for file in files)
        postgres = postgres_or_skip()
        database = name_database(self.settings[StoreSettings].database_url or "")
        postgres.ask("CHECKPOINT", database=database)
        folder = postgres.ask(
            "SELECT 'base/' || oid FROM pg_database WHERE datname = current_database()",
            database=database,
        ).strip()
        data = postgres.folder / "data"
        return b"".join(
            file.read_bytes() for part in (folder, "pg_wal") for file in (data / part).iterdir()
            if file.is_file()
        )  # fmt: skip


def kept(name: str, folder: Path) -> Kept:
    return Kept(name, Settings(data_dir=folder, **ENGINES[name]()))
