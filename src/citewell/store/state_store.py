"""Builds, from the settings, the stores whose data must not be lost; opens nothing before first use."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from citewell.config import Settings
from citewell.store.sql.database import SqlStatement
from citewell.store.subjects.owner_tables import (
    KEY_TABLE,
    build_owner_counts,
    build_table_erasure,
)

if TYPE_CHECKING:
    # Not imported until sessions, jobs or documents are used, so that the server starts fast.
    from citewell.store.audit.audit_store import SqlAuditStore
    from citewell.store.coordination.change_notices import ChangeNotices
    from citewell.store.coordination.leases import LeaseTable
    from citewell.store.coordination.open_circuits import SqlOpenCircuits
    from citewell.store.jobs.job_store import SqlJobStore
    from citewell.store.jobs.ledger_store import SqlLedgerStore
    from citewell.store.jobs.thread_store import SqlThreadStore
    from citewell.store.keys.key_vault import KeyVault
    from citewell.store.keys.master_keys import MasterKeySource
    from citewell.store.library.library_store import SqlLibraryStore
    from citewell.store.people.analytics_store import SqlAnalyticsStore
    from citewell.store.people.consent_store import SqlConsentStore
    from citewell.store.people.memory_store import SqlMemoryStore
    from citewell.store.people.token_store import SqlTokenStore
    from citewell.store.people.workspace_store import SqlWorkspaceStore
    from citewell.store.research.research_store import SqlResearchStore
    from citewell.store.sessions.mcp_session_store import SqlMcpSessionStore
    from citewell.store.sessions.session_store import SqlSessionStore
    from citewell.store.sql.database import SqlDatabase
    from citewell.store.subjects.erasure_store import SqlErasureStore
    from citewell.store.watching.watch_store import SqlWatchStore

STATE_FILE = "state.db"


class OwnerStore(Protocol):
    """A store that keeps something of an owner, and can erase it."""

    async def build_owner_erasure(self, owner: str) -> list[SqlStatement]: ...


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
        deleted = _join_counts(record.receipt.get("deleted", {}), await self._count_rows(tag))
        await self.erasures.record_counts(record, deleted)
        await self.library.clear_for_erasure(owner)
        rows = [
            statement
            for store in self._list_owner_stores()
            for statement in await store.build_owner_erasure(owner)
        ]
        recorded = self.erasures.build_keychain_record(
            record, deleted, keychain=chain.fingerprint if chain else ""
        )
        keys = await self.vault.build_key_erasure(owner)
        await self.database.erase_rows(
            [*rows, *build_table_erasure(tag), *keys, recorded], scrubbed=(KEY_TABLE,)
        )
        self.vault.forget_keychain(owner)
        return OwnerErasure(id=record.id, tag=tag, begun=record.begun, deleted=deleted)

    async def forget_tagged_owner(self, tag: str) -> None:
        """Drop from memory what another process has erased; `tag` is the keyed hash of the owner."""
        self.vault.forget_tagged_keychain(tag)
        await self.sessions.forget_tagged_owner(tag)

    def _list_owner_stores(self) -> tuple[OwnerStore, ...]:
        """Every store that keeps something of an owner."""
        return (
            self.sessions,
            self.jobs,
            self.threads,
            self.ledger,
            self.research,
            self.library,
            self.consents,
            self.memories,
            self.analytics,
            self.workspaces,
            self.tokens,
            self.watches,
            self.audit,
            self.mcp_sessions,
        )

    async def _count_rows(self, tag: str) -> dict[str, int]:
        found = {
            name: await self.database.select_rows(one.sql, one.params)
            for name, one in build_owner_counts(tag).items()
        }
        return {name: int(rows[0][0]) for name, rows in found.items()}

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
    from citewell.store.audit.audit_store import SqlAuditStore
    from citewell.store.coordination.change_notices import build_change_notices
    from citewell.store.coordination.leases import SqlLeaseTable
    from citewell.store.coordination.limit_file import load_limit_file
    from citewell.store.coordination.open_circuits import SqlOpenCircuits
    from citewell.store.coordination.store_health import StoreHealth
    from citewell.store.jobs.job_store import SqlJobStore
    from citewell.store.jobs.ledger_store import SqlLedgerStore
    from citewell.store.jobs.tenant_budgets import TenantBudgets
    from citewell.store.jobs.thread_store import SqlThreadStore
    from citewell.store.keys.key_vault import KeyVault
    from citewell.store.keys.master_keys import build_master_keyring, choose_master_key_source
    from citewell.store.library.library_store import SqlLibraryStore
    from citewell.store.people.analytics_store import SqlAnalyticsStore
    from citewell.store.people.consent_store import SqlConsentStore
    from citewell.store.people.memory_store import SqlMemoryStore
    from citewell.store.people.token_store import SqlTokenStore
    from citewell.store.people.workspace_store import SqlWorkspaceStore
    from citewell.store.research.research_store import SqlResearchStore
    from citewell.store.sessions.mcp_session_store import SqlMcpSessionStore
    from citewell.store.sessions.session_store import SqlSessionStore
    from citewell.store.subjects.erasure_store import SqlErasureStore
    from citewell.store.watching.watch_store import SqlWatchStore

    source = choose_master_key_source(settings)
    intake = None if database else build_audit_intake(settings)
    database = database or build_state_database(settings)
    notices = build_change_notices(
        settings.direct_database_url if database.dialect.name == "postgres" else None
    )
    vault = KeyVault(database, build_master_keyring(source), clock=clock)
    ledger = SqlLedgerStore(
        database,
        vault,
        budget_cents=settings.research_budget,
        tenants=TenantBudgets(
            database,
            vault,
            budget_cents=settings.research_tenant_budget,
            overrides=load_limit_file(settings.limits_file),
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
            ttl=settings.session_ttl,
            max_sessions=settings.session_max,
            clock=clock,
        ),
        library=SqlLibraryStore(database, vault, clock=clock),
        jobs=SqlJobStore(database, vault, ledger, clock=clock, new_id=new_id),
        ledger=ledger,
        threads=SqlThreadStore(database, vault, clock=clock),
        research=SqlResearchStore(database, vault, clock=clock),
        consents=SqlConsentStore(database, vault),
        memories=SqlMemoryStore(database, vault, retention=settings.memory_retention, clock=clock),
        analytics=SqlAnalyticsStore(database, vault),
        workspaces=SqlWorkspaceStore(database, vault, ttl=settings.workspace_ttl, clock=clock),
        tokens=SqlTokenStore(database, vault, clock=clock),
        watches=SqlWatchStore(
            database, vault, clock=clock, has_receiver=settings.watch_webhook_url is not None
        ),
        audit=SqlAuditStore(database, vault, clock=clock, new_id=new_id, intake=intake),
        erasures=SqlErasureStore(database, clock=clock, new_id=new_id),
        notices=notices,
        circuits=SqlOpenCircuits(database, notices, clock=clock),
        mcp_sessions=SqlMcpSessionStore(
            database,
            vault,
            notices,
            idle_seconds=settings.mcp_session_idle_timeout,
            sender=new_id(),
            clock=clock,
        ),
        leases=SqlLeaseTable(
            database, None, holder=new_id(), health=StoreHealth(clock), clock=clock
        ),
    )


def _join_counts(former: Mapping[str, int], found: Mapping[str, int]) -> dict[str, int]:
    """What is deleted, although a run that was broken off has deleted a part of it before."""
    return {name: max(count, former.get(name, 0)) for name, count in found.items()}


def has_stored_state(settings: Settings) -> bool:
    """True if there is state to read; a database server is taken to have some."""
    return bool(settings.database_url) or (settings.data_path / STATE_FILE).exists()


def build_state_database(settings: Settings) -> SqlDatabase:
    if settings.database_url:
        from citewell.store.sql.postgres_database import PostgresDatabase

        return PostgresDatabase(
            settings.database_url,
            schema="state",
            max_connections=settings.database_connections,
            direct_url=settings.database_direct_url,
        )
    return _build_state_file(settings, "FULL")


def build_audit_intake(settings: Settings) -> SqlDatabase | None:
    """Further connections to the state file, whose commits survive a kill but do not wait for the disk.

    Sealing, about a second later, makes them survive a power cut. None for a database server.
    """
    return None if settings.database_url else _build_state_file(settings, "NORMAL")


def _build_state_file(settings: Settings, synchronous: Literal["FULL", "NORMAL"]) -> SqlDatabase:
    from citewell.store.keys.master_keys import STATE_KEY_FILE
    from citewell.store.sql.sqlite_database import SqliteDatabase

    return SqliteDatabase(
        settings.data_path / STATE_FILE,
        schema="state",
        synchronous=synchronous,
        vital_table="dek",
        witnesses=(settings.data_path / STATE_KEY_FILE,),
    )
