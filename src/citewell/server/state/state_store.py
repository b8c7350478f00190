"""Builds, from the settings, the stores whose data must not be lost; opens nothing before first use.

Also tells whether the stored state can be read with the key at hand, and what of it keeps a server
from starting.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from citewell.core.config import Settings
from citewell.people.settings import PeopleSettings
from citewell.research.settings import ResearchSettings
from citewell.server.settings import ServerSettings
from citewell.sessions.settings import SessionsSettings
from citewell.store import failures
from citewell.store.master_keys import STATE_KEY_FILE
from citewell.store.owner_table import KEY_TABLE, KEY_TABLES, OwnedTable, OwnerStore
from citewell.store.settings import STATE_FILE, StoreSettings

if TYPE_CHECKING:
    from citewell.audit.audit_store import SqlAuditStore
    from citewell.jobs.store.job_store import SqlJobStore
    from citewell.jobs.store.ledger_store import SqlLedgerStore
    from citewell.jobs.store.thread_store import SqlThreadStore
    from citewell.library.library_store import SqlLibraryStore
    from citewell.people.consent_service import SqlConsentStore
    from citewell.people.erasure_store import SqlErasureStore
    from citewell.people.memory_store import SqlMemoryStore
    from citewell.people.token_store import SqlTokenStore
    from citewell.people.usage_analytics import SqlAnalyticsStore
    from citewell.people.workspace_store import SqlWorkspaceStore
    from citewell.research.research_store import SqlResearchStore
    from citewell.server.state.mcp_session_store import SqlMcpSessionStore
    from citewell.sessions.session_store import SqlSessionStore
    from citewell.store.coordination.change_notices import ChangeNotices
    from citewell.store.coordination.leases import LeaseTable
    from citewell.store.coordination.rate_limits import SqlOpenCircuits
    from citewell.store.key_vault import KeyVault
    from citewell.store.master_keys import MasterKeySource
    from citewell.store.sql.database import SqlDatabase
    from citewell.watching.watch_store import SqlWatchStore

_SELECT_MASTER_KEY = "SELECT key_id FROM master"

_MAX_WAIT_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerErasure:
    """What was deleted from the state: the number of rows by namespace."""

    id: str
    tag: str  # the keyed hash that stood for the owner
    begun: float
    deleted: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StateStore:
    database: SqlDatabase
    vault: KeyVault
    master_key_source: MasterKeySource
    sessions: SqlSessionStore
    library: SqlLibraryStore
    jobs: SqlJobStore
    ledger: SqlLedgerStore
    threads: SqlThreadStore
    research: SqlResearchStore
    consents: SqlConsentStore
    memories: SqlMemoryStore
    analytics: SqlAnalyticsStore
    workspaces: SqlWorkspaceStore
    tokens: SqlTokenStore
    watches: SqlWatchStore
    audit: SqlAuditStore
    erasures: SqlErasureStore
    notices: ChangeNotices  # of what is stored here
    mcp_sessions: SqlMcpSessionStore
    circuits: SqlOpenCircuits
    leases: LeaseTable  # for work that only one process should do, such as sweeping

    async def erase_owner(self, owner: str) -> OwnerErasure:
        """Delete the owner's keys and all data encrypted with them, also from the files.

        The erasure is recorded before it begins. If the process dies, the next call completes it.
        """
        tag = await self.vault.hash_owner_tag(owner)
        record = await self.erasures.begin_erasure(tag)
        chain = await self.vault.find_keychain(owner)
        # A run that was broken off has deleted a part before.
        former = record.receipt.get("deleted", {})
        deleted = {
            name: max(count, former.get(name, 0))
            for name, count in (await self._count_rows(tag)).items()
        }
        await self.erasures.record_counts(record, deleted)
        await self.library.clear_for_erasure(owner)
        for store in self._list_owner_stores():
            store.forget_owner(owner)
        rows = [
            table.build_owner_erasure(tag)
            for table in self.list_owner_tables()
            if table.is_erased and table not in KEY_TABLES
        ]
        recorded = self.erasures.build_keychain_record(
            record, deleted, keychain=chain.fingerprint if chain else ""
        )
        keys = await self.vault.build_key_erasure(owner)
        await self.database.erase_rows(
            # Reservations are returned to the tenant while the jobs that hold them are still there.
            [self.ledger.tenants.build_owner_release(tag), *rows, *keys, recorded],
            scrubbed=(KEY_TABLE,),
        )
        self.vault.forget_keychain(owner)
        return OwnerErasure(id=record.id, tag=tag, begun=record.begun, deleted=deleted)

    async def forget_tagged_owner(self, tag: str) -> None:
        """Drop from memory what another process has erased; `tag` is the keyed hash of the owner."""
        self.vault.forget_tagged_keychain(tag)
        await self.sessions.forget_tagged_owner(tag)

    def list_owner_tables(self) -> tuple[OwnedTable, ...]:
        """Every table with rows of owners, in the order of a receipt."""
        declared = (table for store in self._list_owner_stores() for table in store.tables)
        return (*declared, *self.erasures.tables, *KEY_TABLES)

    def _list_owner_stores(self) -> tuple[OwnerStore, ...]:
        """Every store that keeps something of an owner."""
        return (
            self.sessions,
            self.jobs,
            self.threads,
            self.research,
            self.ledger,
            self.library,
            self.consents,
            self.memories,
            self.workspaces,
            self.watches,
            self.analytics,
            self.tokens,
            self.audit,
            self.mcp_sessions,
        )

    async def _count_rows(self, tag: str) -> dict[str, int]:
        counts: dict[str, int] = {}
        for table in self.list_owner_tables():
            if table.counted_as:
                query = table.build_owner_count(tag)
                ((count,),) = await self.database.select_rows(query.sql, query.params)
                counts[table.counted_as] = int(count)
        return counts

    async def aclose(self) -> None:
        await self.notices.aclose()
        await self.audit.aclose()
        await self.database.aclose()


def open_state_store(
    settings: Settings,
    clock: Callable[[], float] = time.time,
    *,
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    database: SqlDatabase | None = None,
) -> StateStore:
    """Raises Misconfigured if a key setting is malformed; nothing else can fail before first use."""
    from citewell.audit.audit_store import SqlAuditStore
    from citewell.jobs.store.job_store import SqlJobStore
    from citewell.jobs.store.ledger_store import SqlLedgerStore, TenantBudgets
    from citewell.jobs.store.thread_store import SqlThreadStore
    from citewell.library.library_store import SqlLibraryStore
    from citewell.people.consent_service import SqlConsentStore
    from citewell.people.erasure_store import SqlErasureStore
    from citewell.people.memory_store import SqlMemoryStore
    from citewell.people.token_store import SqlTokenStore
    from citewell.people.usage_analytics import SqlAnalyticsStore
    from citewell.people.workspace_store import SqlWorkspaceStore
    from citewell.research.research_store import SqlResearchStore
    from citewell.server.state.mcp_session_store import SqlMcpSessionStore
    from citewell.sessions.session_store import SqlSessionStore
    from citewell.store.coordination.change_notices import ChangeNotices, PostgresNotices
    from citewell.store.coordination.leases import SqlLeaseTable
    from citewell.store.coordination.rate_limits import SqlOpenCircuits, load_limit_file
    from citewell.store.failures import StoreHealth
    from citewell.store.key_vault import KeyVault
    from citewell.store.master_keys import build_master_keyring, choose_master_key_source
    from citewell.watching.settings import WatchingSettings
    from citewell.watching.watch_store import SqlWatchStore

    server_settings = settings[ServerSettings]
    people_settings = settings[PeopleSettings]
    sessions_settings = settings[SessionsSettings]
    research_settings = settings[ResearchSettings]
    source = choose_master_key_source(settings)
    # Further connections to the state file, whose commits survive a kill but do not wait for the
    # disk. Sealing, about a second later, makes them survive a power cut.
    has_file = not database and not settings[StoreSettings].database_url
    intake = _build_state_file(settings, "NORMAL") if has_file else None
    database = database or build_state_database(settings)
    direct_url = settings[StoreSettings].direct_database_url
    if direct_url and database.dialect.name == "postgres":
        notices: ChangeNotices = PostgresNotices(direct_url)
    else:
        notices = ChangeNotices()
    vault = KeyVault(database, build_master_keyring(source), clock=clock)
    ledger = SqlLedgerStore(
        database,
        vault,
        budget_cents=research_settings.research_budget,
        tenants=TenantBudgets(
            database,
            vault,
            budget_cents=research_settings.research_tenant_budget,
            overrides=load_limit_file(server_settings.limits_file),
        ),
        clock=clock,
        new_id=new_id,
    )
    return StateStore(
        database=database,
        vault=vault,
        master_key_source=source,
        sessions=SqlSessionStore(
            database,
            vault,
            ttl=sessions_settings.session_ttl,
            max_sessions=sessions_settings.session_max,
            clock=clock,
        ),
        library=SqlLibraryStore(database, vault, clock=clock),
        jobs=SqlJobStore(database, vault, ledger, clock=clock, new_id=new_id),
        ledger=ledger,
        threads=SqlThreadStore(database, vault, clock=clock),
        research=SqlResearchStore(database, vault, clock=clock),
        consents=SqlConsentStore(database, vault),
        memories=SqlMemoryStore(
            database, vault, retention=people_settings.memory_retention, clock=clock
        ),
        analytics=SqlAnalyticsStore(database, vault),
        workspaces=SqlWorkspaceStore(
            database, vault, ttl=people_settings.workspace_ttl, clock=clock
        ),
        tokens=SqlTokenStore(database, vault, clock=clock),
        watches=SqlWatchStore(
            database,
            vault,
            clock=clock,
            has_receiver=settings[WatchingSettings].watch_webhook_url is not None,
        ),
        audit=SqlAuditStore(database, vault, clock=clock, new_id=new_id, intake=intake),
        erasures=SqlErasureStore(database, clock=clock, new_id=new_id),
        notices=notices,
        circuits=SqlOpenCircuits(database, notices, clock=clock),
        mcp_sessions=SqlMcpSessionStore(
            database,
            vault,
            notices,
            idle_seconds=server_settings.mcp_session_idle_timeout,
            sender=new_id(),
            clock=clock,
        ),
        leases=SqlLeaseTable(
            database, None, holder=new_id(), health=StoreHealth(clock), clock=clock
        ),
    )


def has_stored_state(settings: Settings) -> bool:
    """True if there is state to read; a database server is taken to have some."""
    store_settings = settings[StoreSettings]
    return bool(store_settings.database_url) or (store_settings.data_path / STATE_FILE).exists()


def build_state_database(settings: Settings) -> SqlDatabase:
    store_settings = settings[StoreSettings]
    if store_settings.database_url:
        from citewell.store.sql.postgres_database import build_postgres_database

        return build_postgres_database(settings, store_settings.database_url, schema="state")
    return _build_state_file(settings, "FULL")


def _build_state_file(settings: Settings, synchronous: Literal["FULL", "NORMAL"]) -> SqlDatabase:
    from citewell.store.master_keys import STATE_KEY_FILE
    from citewell.store.sql.sqlite_database import SqliteDatabase

    store_settings = settings[StoreSettings]
    return SqliteDatabase(
        store_settings.data_path / STATE_FILE,
        schema="state",
        synchronous=synchronous,
        vital_table="dek",
        witnesses=(store_settings.data_path / STATE_KEY_FILE,),
    )


def refuse_unusable_state(settings: Settings) -> StateCondition | failures.StoreError:
    """Raise StoreError if the stored state cannot be used, now or later.

    It is damaged, encrypted with another key, or on a server that is too old. Raises Misconfigured if a connection pooler would keep jobs from running.

    What may pass while the server runs is returned instead, such as a database that does not answer
    or is read-only: the server starts, and is not ready until then.
    """
    try:
        return asyncio.run(_look_at_state(settings))
    except TimeoutError:
        return failures.StoreUnreachable("The database does not answer now.")
    except failures.StoreError as error:
        return _raise_unless_passing(error)


async def refuse_lasting_faults(
    state: StateStore, settings: Settings
) -> StateCondition | failures.StoreError:
    """What is found in the state, or the failure if that may pass; raises StoreError for any other."""
    try:
        return await check_stored_state(state, settings)
    except failures.StoreError as error:
        return _raise_unless_passing(error)


def _raise_unless_passing(error: failures.StoreError) -> failures.StoreError:
    if classify_state_error(error) in PASSING_FAULTS:
        return error
    raise error


async def _look_at_state(settings: Settings) -> StateCondition:
    store_settings = settings[StoreSettings]
    async with aclosing(open_state_store(settings)) as state, asyncio.timeout(_MAX_WAIT_SECONDS):
        condition = await check_stored_state(state, settings)
        if store_settings.direct_database_url:
            from citewell.store.sql.postgres_listener import require_sessions

            await require_sessions(store_settings.direct_database_url)
        return condition


# Whether the stored state can be read with the key at hand; asked by doctor, readiness and start.


class StateCondition(StrEnum):
    """What was found in a state that can be used."""

    ABSENT = "absent"  # nothing is stored yet
    UNUSED = "unused"  # there is a store, and nothing encrypted in it
    READABLE = "readable"


class StateFault(StrEnum):
    """Why a state cannot be used."""

    WRONG_KEY = "wrong_master_key"
    MISSING_KEY = "missing_master_key"
    DAMAGED = "damaged"
    EMPTIED = "emptied"
    TOO_NEW = "schema_too_new"
    SERVER_TOO_OLD = "server_too_old"
    READ_ONLY = "read_only"  # until a replica takes over, or an administrator ends it
    FULL = "full"  # until there is space again
    UNREACHABLE = "unreachable"


_FAULTS: tuple[tuple[type[failures.StoreError], StateFault], ...] = (
    (failures.WrongMasterKey, StateFault.WRONG_KEY),
    (failures.MissingMasterKey, StateFault.MISSING_KEY),
    (failures.DecryptionFailed, StateFault.DAMAGED),
    (failures.DatabaseDamaged, StateFault.DAMAGED),
    (failures.DatabaseEmptied, StateFault.EMPTIED),
    (failures.SchemaTooNew, StateFault.TOO_NEW),
    (failures.ServerTooOld, StateFault.SERVER_TOO_OLD),
    (failures.StoreReadOnly, StateFault.READ_ONLY),
    (failures.StoreFull, StateFault.FULL),
)
# They may end while a server runs, so it starts and is not ready until then.
PASSING_FAULTS = frozenset({StateFault.READ_ONLY, StateFault.FULL, StateFault.UNREACHABLE})
KEY_FAULTS = frozenset({StateFault.WRONG_KEY, StateFault.MISSING_KEY})


async def check_stored_state(state: StateStore, settings: Settings) -> StateCondition:
    """Read the stored state and open its first key; creates neither state nor key.

    Raises StoreError; `classify_state_error` tells what it means.
    """
    store_settings = settings[StoreSettings]
    if not has_stored_state(settings):
        return StateCondition.ABSENT
    if not await state.database.select_rows(_SELECT_MASTER_KEY):
        return StateCondition.UNUSED
    named = store_settings.master_key or store_settings.master_key_file or store_settings.keyring
    if not named and not (store_settings.data_path / STATE_KEY_FILE).exists():
        raise failures.MissingMasterKey(
            f"{state.master_key_source.location} is missing, but data is stored. "
            "Put the file back, or set CITEWELL_MASTER_KEY; nothing was changed."
        )
    await state.vault.check_master_key()
    return StateCondition.READABLE


def classify_state_error(error: failures.StoreError) -> StateFault:
    faults = (fault for kind, fault in _FAULTS if isinstance(error, kind))
    return next(faults, StateFault.UNREACHABLE)
