"""The stores whose data must not be lost, built from the settings; nothing is opened before first use."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from citewell.core.config import Settings
from citewell.people.settings import PeopleSettings
from citewell.research.settings import ResearchSettings
from citewell.server.settings import ServerSettings
from citewell.sessions.settings import SessionsSettings
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
    from citewell.store.coordination.leases import LeaseTable
    from citewell.store.coordination.open_circuits import SqlOpenCircuits
    from citewell.store.sql.database import SqlDatabase
    from citewell.watching.watch_store import SqlWatchStore


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerErasure:
    """What was deleted from the state: the number of rows by namespace."""

    id: str
    tag: str  # the keyed hash that stood for the owner
    begun: float
    deleted: Mapping[str, int]


class StateStore:
    """The stores, each of which is imported and built when it is first used."""

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], float] = time.time,
        *,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
        database: SqlDatabase | None = None,
    ) -> None:
        """Raises Misconfigured if a key setting is malformed; nothing else can fail before first use."""
        from citewell.store.coordination.change_notices import ChangeNotices, PostgresNotices
        from citewell.store.key_vault import KeyVault
        from citewell.store.master_keys import build_master_keyring, choose_master_key_source

        self._settings = settings
        self._clock = clock
        self._new_id = new_id
        self.master_key_source = choose_master_key_source(settings)
        # Further connections to the state file, whose commits survive a kill but do not wait for the
        # disk. Sealing, about a second later, makes them survive a power cut.
        has_file = not database and not settings[StoreSettings].database_url
        self._intake = _build_state_file(settings, "NORMAL") if has_file else None
        self.database = database or build_state_database(settings)
        direct_url = settings[StoreSettings].direct_database_url
        # Notices of what is stored here.
        self.notices = (
            PostgresNotices(direct_url)
            if direct_url and self.database.dialect.name == "postgres"
            else ChangeNotices()
        )
        self.vault = KeyVault(
            self.database, build_master_keyring(self.master_key_source), clock=clock
        )

    @cached_property
    def sessions(self) -> SqlSessionStore:
        from citewell.sessions.session_store import SqlSessionStore

        return SqlSessionStore(
            self.database,
            self.vault,
            ttl=self._settings[SessionsSettings].session_ttl,
            max_sessions=self._settings[SessionsSettings].session_max,
            clock=self._clock,
        )

    @cached_property
    def library(self) -> SqlLibraryStore:
        from citewell.library.library_store import SqlLibraryStore

        return SqlLibraryStore(self.database, self.vault, clock=self._clock)

    @cached_property
    def jobs(self) -> SqlJobStore:
        from citewell.jobs.store.job_store import SqlJobStore

        return SqlJobStore(
            self.database, self.vault, self.ledger, clock=self._clock, new_id=self._new_id
        )

    @cached_property
    def ledger(self) -> SqlLedgerStore:
        from citewell.jobs.store.ledger_store import SqlLedgerStore, TenantBudgets
        from citewell.store.coordination.rate_limits import load_limit_file

        research_settings = self._settings[ResearchSettings]
        return SqlLedgerStore(
            self.database,
            self.vault,
            budget_cents=research_settings.research_budget,
            tenants=TenantBudgets(
                self.database,
                self.vault,
                budget_cents=research_settings.research_tenant_budget,
                overrides=load_limit_file(self._settings[ServerSettings].limits_file),
            ),
            clock=self._clock,
            new_id=self._new_id,
        )

    @cached_property
    def threads(self) -> SqlThreadStore:
        from citewell.jobs.store.thread_store import SqlThreadStore

        return SqlThreadStore(self.database, self.vault, clock=self._clock)

    @cached_property
    def research(self) -> SqlResearchStore:
        from citewell.research.research_store import SqlResearchStore

        return SqlResearchStore(self.database, self.vault, clock=self._clock)

    @cached_property
    def consents(self) -> SqlConsentStore:
        from citewell.people.consent_service import SqlConsentStore

        return SqlConsentStore(self.database, self.vault)

    @cached_property
    def memories(self) -> SqlMemoryStore:
        from citewell.people.memory_store import SqlMemoryStore

        return SqlMemoryStore(
            self.database,
            self.vault,
            retention=self._settings[PeopleSettings].memory_retention,
            clock=self._clock,
        )

    @cached_property
    def analytics(self) -> SqlAnalyticsStore:
        from citewell.people.usage_analytics import SqlAnalyticsStore

        return SqlAnalyticsStore(self.database, self.vault)

    @cached_property
    def workspaces(self) -> SqlWorkspaceStore:
        from citewell.people.workspace_store import SqlWorkspaceStore

        return SqlWorkspaceStore(
            self.database,
            self.vault,
            ttl=self._settings[PeopleSettings].workspace_ttl,
            clock=self._clock,
        )

    @cached_property
    def tokens(self) -> SqlTokenStore:
        from citewell.people.token_store import SqlTokenStore

        return SqlTokenStore(self.database, self.vault, clock=self._clock)

    @cached_property
    def watches(self) -> SqlWatchStore:
        from citewell.watching.settings import WatchingSettings
        from citewell.watching.watch_store import SqlWatchStore

        return SqlWatchStore(
            self.database,
            self.vault,
            clock=self._clock,
            has_receiver=self._settings[WatchingSettings].watch_webhook_url is not None,
        )

    @cached_property
    def audit(self) -> SqlAuditStore:
        from citewell.audit.audit_store import SqlAuditStore

        return SqlAuditStore(
            self.database, self.vault, clock=self._clock, new_id=self._new_id, intake=self._intake
        )

    @cached_property
    def erasures(self) -> SqlErasureStore:
        from citewell.people.erasure_store import SqlErasureStore

        return SqlErasureStore(self.database, clock=self._clock, new_id=self._new_id)

    @cached_property
    def circuits(self) -> SqlOpenCircuits:
        from citewell.store.coordination.open_circuits import SqlOpenCircuits

        return SqlOpenCircuits(self.database, self.notices, clock=self._clock)

    @cached_property
    def mcp_sessions(self) -> SqlMcpSessionStore:
        from citewell.server.state.mcp_session_store import SqlMcpSessionStore

        return SqlMcpSessionStore(
            self.database,
            self.vault,
            self.notices,
            idle_seconds=self._settings[ServerSettings].mcp_session_idle_timeout,
            sender=self._new_id(),
            clock=self._clock,
        )

    @cached_property
    def leases(self) -> LeaseTable:
        """For work that only one process should do, such as sweeping."""
        from citewell.store.coordination.leases import SqlLeaseTable
        from citewell.store.failures import StoreHealth

        return SqlLeaseTable(
            self.database,
            None,
            holder=self._new_id(),
            health=StoreHealth(self._clock),
            clock=self._clock,
        )

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
