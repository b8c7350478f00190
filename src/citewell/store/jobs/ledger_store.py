"""The ledger: append-only entries for each owner, and an account row with the totals.

A reserve updates the account only if the balance covers it, so that concurrent jobs cannot spend
more than there is. Without a budget nothing is refused, but spending is still recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from citewell.errors import InvalidInput
from citewell.model.credit_ledger import (
    CreditBalance,
    LedgerEntry,
    LedgerEntryType,
    ProviderSpend,
    round_up_cents,
)
from citewell.model.research import TICKS_PER_CENT
from citewell.store.failures import BatchRolledBack, WriteContended
from citewell.store.jobs import ledger_rows as rows
from citewell.store.jobs.ledger_rows import LedgerAccount, LedgerLine
from citewell.store.jobs.tenant_budgets import TenantBalance, TenantBudgets
from citewell.store.keys.key_vault import KeyVault
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement

_MAX_POST_ATTEMPTS = 50
_MAX_CREDIT_TICKS = 10**17  # ten million dollars: a larger amount is a typing error


class LedgerStore(Protocol):
    """Every call names an owner and sees only that owner's account."""

    async def post_credit(
        self,
        owner: str,
        ticks: int,
        *,
        source: str = "top_up",
        note: str = "",
        correction: bool = False,
    ) -> CreditBalance:
        """Add `ticks` to the balance; the first credit makes an unlimited account limited.

        Raises InvalidInput if `ticks` is not positive. A correction may be negative, but not
        take more than the balance.
        """
        ...

    async def load_balance(self, owner: str) -> CreditBalance: ...

    async def list_transactions(self, owner: str, *, limit: int = 50) -> tuple[LedgerEntry, ...]:
        """Newest first."""
        ...

    async def list_provider_spending(
        self, owner: str, *, since: float = 0.0
    ) -> tuple[ProviderSpend, ...]:
        """What was spent with each provider, largest amount first."""
        ...


class SqlLedgerStore:
    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        *,
        budget_cents: int | None,
        tenants: TenantBudgets,
        clock: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        self._database = database
        self._vault = vault
        self.tenants = tenants
        self._budget = None if budget_cents is None else budget_cents * TICKS_PER_CENT
        self._clock = clock
        self._new_id = new_id

    async def post_credit(
        self,
        owner: str,
        ticks: int,
        *,
        source: str = "top_up",
        note: str = "",
        correction: bool = False,
    ) -> CreditBalance:
        if correction and (ticks == 0 or abs(ticks) > _MAX_CREDIT_TICKS):
            raise InvalidInput("A correction must not be zero or above ten million dollars.")
        if not correction and not 0 < ticks <= _MAX_CREDIT_TICKS:
            raise InvalidInput("A credit must be above zero and at most ten million dollars.")
        named = "correction" if correction else source
        for _ in range(_MAX_POST_ATTEMPTS):
            chain = await self._vault.ensure_keychain(owner)
            account = await self._load_or_open_account(chain)
            line = self._build_ledger_line(LedgerEntryType.CREDIT, ticks, source=named, note=note)
            if ticks < 0 and account.balance.cents + line.cents < 0:
                raise InvalidInput("The correction takes away more than the balance.")
            if await self._try_post_lines(
                chain, account, [*self._build_opening_credit(account), line]
            ):
                return (await self._load_or_open_account(chain)).balance
        raise WriteContended("The account kept changing. Try again.")

    async def load_balance(self, owner: str) -> CreditBalance:
        chain = await self._vault.find_keychain(owner)
        if self._budget is not None:
            return (
                await self.ensure_account(chain or await self._vault.ensure_keychain(owner))
            ).balance
        account = await self._find_account(chain) if chain else None
        return account.balance if account else CreditBalance(limited=False)

    async def list_transactions(self, owner: str, *, limit: int = 50) -> tuple[LedgerEntry, ...]:
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return ()
        found = await self._database.select_rows(
            rows.SELECT_LATEST_ENTRIES, {"owner": chain.tag, "limit": limit}
        )
        covering = await self._vault.find_covering_keychain(
            owner, [row[-1] for row in found if row[-1]]
        )
        return tuple(rows.decrypt_ledger_entry(covering or chain, row) for row in found)

    async def list_provider_spending(
        self, owner: str, *, since: float = 0.0
    ) -> tuple[ProviderSpend, ...]:
        return await self._list_spending(
            owner, rows.SELECT_PROVIDER_SPENDING, {"since": float(since)}
        )

    async def list_job_spending(self, owner: str, job: str) -> tuple[ProviderSpend, ...]:
        """What one job has spent with each provider, largest amount first."""
        return await self._list_spending(owner, rows.SELECT_JOB_SPENDING, {"job": job})

    async def ensure_account(self, chain: OwnerKeychain) -> LedgerAccount:
        """The account, after creating it and crediting the configured budget if needed."""
        for _ in range(_MAX_POST_ATTEMPTS):
            account = await self._load_or_open_account(chain)
            change = self._measure_missing_budget(account)
            if self._budget is None or (account.limited and not change):
                return account
            lines = self._build_opening_credit(account)
            if change:
                lines.append(
                    self._build_ledger_line(LedgerEntryType.CREDIT, change, source="budget")
                )
            await self._try_post_lines(chain, account, lines, allowance=account.allowance + change)
        raise WriteContended("The account kept changing. Try again.")

    def build_reserve(
        self, chain: OwnerKeychain, job: str, ticks: int, *, tenant: TenantBalance
    ) -> list[SqlStatement]:
        """Statements that reserve credit for a job, from its owner's account and its tenant's budget.

        Their batch is rolled back if either is too low.
        """
        if ticks <= 0:
            return []
        line = self._build_ledger_line(LedgerEntryType.RESERVE, ticks, job=job)
        return [
            *rows.build_reserve_statements(chain, line),
            *self.tenants.build_reserve(tenant, job, line.cents),
        ]

    def build_settlement(
        self,
        chain: OwnerKeychain,
        job: str,
        ticks: int,
        *,
        provider: str | None,
        source: str | None,
    ) -> list[SqlStatement]:
        """Statements that record a cost, taken from the job's reserve; the job row must count it already."""
        if ticks == 0:
            return []
        line = self._build_ledger_line(
            LedgerEntryType.SETTLE, ticks, job=job, provider=provider, source=source
        )
        return [
            *rows.build_settle_statements(chain, line),
            self.tenants.build_settlement(job, ticks),
        ]

    def build_release(self, chain: OwnerKeychain, job: str) -> list[SqlStatement]:
        """Statements that return the unspent part of the job's reserve."""
        return [
            *rows.build_release_statements(
                chain, self._build_ledger_line(LedgerEntryType.RELEASE, 0, job=job)
            ),
            self.tenants.build_release(job),
        ]

    async def build_owner_erasure(self, owner: str) -> list[SqlStatement]:
        tag = await self._vault.hash_owner_tag(owner)
        return [SqlStatement(sql=sql, params={"owner": tag}) for sql in rows.DELETE_OWNER_LEDGER]

    def _measure_missing_budget(self, account: LedgerAccount) -> int:
        """Ticks to credit for the configured budget; negative, down to a zero balance, if it was lowered."""
        missing = (self._budget or 0) - account.allowance
        left = max(0, account.balance.cents) * TICKS_PER_CENT
        return max(missing, -left) if account.limited else missing

    def _build_opening_credit(self, account: LedgerAccount) -> list[LedgerLine]:
        """A credit for what was spent before there was a budget, so that it is not charged."""
        owed = account.balance
        if account.limited or owed.ticks >= 0:
            return []
        line = self._build_ledger_line(LedgerEntryType.CREDIT, -owed.ticks, source="opening")
        return [replace(line, cents=-owed.cents)]

    async def _list_spending(
        self, owner: str, sql: str, params: dict[str, SqlScalar]
    ) -> tuple[ProviderSpend, ...]:
        tag = await self._vault.hash_owner_tag(owner)
        found = await self._database.select_rows(sql, params | {"owner": tag})
        spends = [
            ProviderSpend(
                provider=provider or "",
                ticks=int(cents) * TICKS_PER_CENT + int(remainder),
                cents=int(cents),
                jobs=int(jobs),
            )
            for provider, cents, remainder, jobs in found
        ]
        return tuple(sorted(spends, key=lambda one: (-one.ticks, one.provider)))

    async def _try_post_lines(
        self,
        chain: OwnerKeychain,
        account: LedgerAccount,
        lines: list[LedgerLine],
        *,
        allowance: int | None = None,
    ) -> bool:
        """Write the lines; False if the account has changed since it was read."""
        kept = account.allowance if allowance is None else allowance
        batch = [
            self._vault.build_owner_guard(chain),
            rows.build_credit_statement(chain, account, lines, allowance=kept),
        ]
        for line in lines:
            batch += rows.build_line_insert(chain, line)
        try:
            await self._database.execute_batch(batch)
        except BatchRolledBack:
            self._vault.forget_keychain(chain.owner)
            return False
        return True

    async def _load_or_open_account(self, chain: OwnerKeychain) -> LedgerAccount:
        account = await self._find_account(chain)
        if account is None:
            await self._database.execute_batch(
                [
                    self._vault.build_owner_guard(chain),
                    SqlStatement(sql=rows.INSERT_ACCOUNT, params={"owner": chain.tag}),
                ]
            )
            account = await self._find_account(chain)
        if account is None:
            raise WriteContended("The account was erased in the meantime.")
        return account

    async def _find_account(self, chain: OwnerKeychain) -> LedgerAccount | None:
        found = await self._database.select_rows(rows.SELECT_ACCOUNT, {"owner": chain.tag})
        return LedgerAccount(*found[0]) if found else None

    def _build_ledger_line(
        self,
        kind: LedgerEntryType,
        ticks: int,
        *,
        job: str | None = None,
        provider: str | None = None,
        source: str | None = None,
        note: str = "",
    ) -> LedgerLine:
        return LedgerLine(
            id=self._new_id(),
            entered=self._clock(),
            type=kind,
            ticks=ticks,
            # A credit is never shown as more than it is, a reserve never as less.
            cents=ticks // TICKS_PER_CENT
            if kind is LedgerEntryType.CREDIT
            else round_up_cents(ticks),
            job=job,
            provider=provider,
            source=source,
            note=note,
        )
