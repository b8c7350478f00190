"""The state that must never be lost, put together from the settings; nothing is touched before use."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.config import Settings

if TYPE_CHECKING:
    # A server that nobody asks for sessions or documents starts without all of this.
    from citewell.store.jobs import SqlJobs
    from citewell.store.leases import Leases
    from citewell.store.ledger import SqlLedger
    from citewell.store.library import SqlLibrary
    from citewell.store.masters import Masters
    from citewell.store.research import SqlResearch
    from citewell.store.sessions import SqlSessions
    from citewell.store.sql import Database
    from citewell.store.threads import SqlThreads
    from citewell.store.vault import Vault

STATE_FILE = "state.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    database: Database
    vault: Vault
    masters: Masters
    sessions: SqlSessions
    library: SqlLibrary
    jobs: SqlJobs
    ledger: SqlLedger
    threads: SqlThreads
    research: SqlResearch
    leases: Leases  # for work that one process of many should do, such as sweeping

    async def erase(self, owner: str) -> None:
        """Destroy the owner's keys and whatever they sealed."""
        await self.library.clear(owner)
        kept = (self.sessions, self.jobs, self.threads, self.ledger)
        rows = [statement for store in kept for statement in await store.erasing(owner)]
        await self.database.execute([*rows, await self.vault.erase(owner)])
        self.vault.forget(owner)

    async def aclose(self) -> None:
        await self.database.aclose()


def open_state(
    settings: Settings,
    clock: Callable[[], float] = time.time,
    *,
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    database: Database | None = None,
) -> State:
    """Raises Misconfigured for a key that is none; nothing else can fail before first use."""
    from citewell.store.health import Health
    from citewell.store.jobs import SqlJobs
    from citewell.store.leases import SqlLeases
    from citewell.store.ledger import SqlLedger
    from citewell.store.library import SqlLibrary
    from citewell.store.masters import master_keys, masters
    from citewell.store.research import SqlResearch
    from citewell.store.sessions import SqlSessions
    from citewell.store.threads import SqlThreads
    from citewell.store.vault import Vault

    source = masters(settings)
    database = database or state_database(settings)
    vault = Vault(database, master_keys(source), clock=clock)
    ledger = SqlLedger(
        database, vault, budget_cents=settings.research_budget, clock=clock, new_id=new_id
    )
    return State(
        database=database,
        vault=vault,
        masters=source,
        sessions=SqlSessions(
            database, vault, ttl=settings.session_ttl, most=settings.session_max, clock=clock
        ),
        library=SqlLibrary(database, vault, clock=clock),
        jobs=SqlJobs(database, vault, ledger, clock=clock, new_id=new_id),
        ledger=ledger,
        threads=SqlThreads(database, vault, clock=clock),
        research=SqlResearch(database, vault, clock=clock),
        leases=SqlLeases(database, None, holder=new_id(), health=Health(clock), clock=clock),
    )


def state_database(settings: Settings) -> Database:
    if settings.database_url:
        from citewell.store.postgres import PostgresDatabase

        return PostgresDatabase(settings.database_url, schema="state")
    from citewell.store.sqlite import SqliteDatabase

    return SqliteDatabase(settings.data_path / STATE_FILE, schema="state", vital="dek")
