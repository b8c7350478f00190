"""The ledger: append-only entries for each owner, and an account row with the totals.

A reserve updates the account only if the balance covers it, so that concurrent jobs cannot spend
more than there is. Without a budget nothing is refused, but spending is still recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from citewell.core.errors import InvalidInput
from citewell.core.tooling import Owner
from citewell.core.values.research import TICKS_PER_CENT
from citewell.jobs.store import ledger_rows as rows
from citewell.jobs.store.ledger_rows import (
    CreditBalance,
    LedgerAccount,
    LedgerEntry,
    LedgerEntryType,
    ProviderSpend,
    round_up_cents,
)
from citewell.store.coordination.rate_limits import TenantOverrides
from citewell.store.encryption import OwnerKeychain
from citewell.store.failures import BatchRolledBack, WriteContended
from citewell.store.key_vault import KeyVault
from citewell.store.owner_table import OwnedTable, OwnerStore
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement

_MAX_POST_ATTEMPTS = 50
_MAX_CREDIT_TICKS = 10**17  # ten million dollars: a larger amount is a typing error


class SqlLedgerStore(OwnerStore):
    """Every call names an owner and sees only that owner's account."""

    tables = (OwnedTable(name="ledger", counted_as="ledger_entries"), OwnedTable(name="account"))

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
        """Add `ticks` to the balance; the first credit makes an unlimited account limited.

        Raises InvalidInput if `ticks` is not positive. A correction may be negative, but not
        take more than the balance.
        """
        if correction and (ticks == 0 or abs(ticks) > _MAX_CREDIT_TICKS):
            raise InvalidInput("A correction must not be zero or above ten million dollars.")
        if not correction and not 0 < ticks <= _MAX_CREDIT_TICKS:
            raise InvalidInput("A credit must be above zero and at most ten million dollars.")
        named = "correction" if correction else source
        for _ in range(_MAX_POST_ATTEMPTS):
            chain = await self._vault.ensure_keychain(owner)
            account = await self._load_or_open_account(chain)
            line = self._build_ledger_line(LedgerEntryType.CREDIT, ticks, source=named, note=note)
            if ticks < 0 and account.cents + line.cents < 0:
                raise InvalidInput("The correction takes away more than the balance.")
            if await self._try_post_lines(
                chain, account, [*self._build_opening_credit(account), line]
            ):
                return await self._load_or_open_account(chain)
        raise WriteContended("The account kept changing. Try again.")

    async def load_balance(self, owner: str) -> CreditBalance:
        chain = await self._vault.find_keychain(owner)
        if self._budget is not None:
            return await self.ensure_account(chain or await self._vault.ensure_keychain(owner))
        account = await self._find_account(chain) if chain else None
        return account or CreditBalance(limited=False)

    async def list_transactions(self, owner: str, *, limit: int = 50) -> tuple[LedgerEntry, ...]:
        """Newest first."""
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
        """What was spent with each provider, largest amount first."""
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
            missing = (self._budget or 0) - account.allowance
            left = max(0, account.cents) * TICKS_PER_CENT
            change = max(missing, -left) if account.limited else missing
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
            *rows.build_entry_batch(chain, line, rows.RESERVE),
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
            *rows.build_entry_batch(chain, line, rows.SETTLE),
            self.tenants.build_settlement(job, ticks),
        ]

    def build_release(self, chain: OwnerKeychain, job: str) -> list[SqlStatement]:
        """Statements that return the unspent part of the job's reserve."""
        line = self._build_ledger_line(LedgerEntryType.RELEASE, 0, job=job)
        return [
            *rows.build_entry_batch(chain, line, rows.RELEASE, expected_rows=None),
            self.tenants.build_release(job),
        ]

    def _build_opening_credit(self, account: LedgerAccount) -> list[LedgerEntry]:
        """A credit for what was spent before there was a budget, so that it is not charged."""
        if account.limited or account.ticks >= 0:
            return []
        line = self._build_ledger_line(LedgerEntryType.CREDIT, -account.ticks, source="opening")
        return [replace(line, cents=-account.cents)]

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
        return tuple(sorted(spends, key=lambda spend: (-spend.ticks, spend.provider)))

    async def _try_post_lines(
        self,
        chain: OwnerKeychain,
        account: LedgerAccount,
        lines: list[LedgerEntry],
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
            batch += rows.build_entry_batch(chain, line, rows.ADD_ENTRY)
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
        if not found:
            return None
        limited, *amounts = found[0]
        return LedgerAccount(
            limited=bool(limited), **dict(zip(rows.ACCOUNT_AMOUNTS, amounts, strict=True))
        )

    def _build_ledger_line(
        self,
        kind: LedgerEntryType,
        ticks: int,
        *,
        job: str | None = None,
        provider: str | None = None,
        source: str | None = None,
        note: str = "",
    ) -> LedgerEntry:
        return LedgerEntry(
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


# The budget of paid research that all users of a tenant share.


_TENANT_TAG_PREFIX = "\x00tenant\x00"  # no owner's name begins so

_INSERT_TENANT = """
INSERT INTO tenant_account (tenant, reserved_cents, settled_cents)
VALUES (:tenant, 0, 0) ON CONFLICT (tenant) DO NOTHING
"""
_SELECT_TENANT = """
SELECT reserved_cents, settled_cents FROM tenant_account WHERE tenant = :tenant
"""
_RESERVE_CENTS = """
UPDATE tenant_account SET reserved_cents = reserved_cents + CAST(:cents AS BIGINT)
WHERE tenant = :tenant AND (
    CAST(:budget AS BIGINT) IS NULL
    OR settled_cents + reserved_cents + CAST(:cents AS BIGINT) <= CAST(:budget AS BIGINT)
)
"""
_SET_JOB_TENANT = "UPDATE job SET tenant = :tenant WHERE id = :job"
_OF_JOB = "WHERE tenant = (SELECT tenant FROM job WHERE id = :job)"
_SETTLE_CENTS = f"""
UPDATE tenant_account SET
    settled_cents = settled_cents + (SELECT {rows.COST_CENTS} FROM job WHERE id = :job),
    reserved_cents = reserved_cents - (SELECT {rows.SETTLED_RESERVE_CENTS} FROM job WHERE id = :job)
{_OF_JOB}
"""  # noqa: S608 - constants
_RELEASE_CENTS = f"""
UPDATE tenant_account SET
    reserved_cents = reserved_cents - (SELECT {rows.OPEN_CENTS} FROM job WHERE id = :job)
{_OF_JOB}
"""  # noqa: S608 - constants
_RELEASE_OWNER_CENTS = f"""
UPDATE tenant_account SET reserved_cents = reserved_cents - (
    SELECT SUM({rows.OPEN_CENTS}) FROM job
    WHERE job.owner = :owner AND finished IS NULL AND job.tenant = tenant_account.tenant
)
WHERE tenant IN (SELECT job.tenant FROM job WHERE job.owner = :owner AND finished IS NULL)
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantBalance:
    """What a tenant may spend in all, and what is reserved and spent of it; None for no bound."""

    tag: str  # the keyed hash that stands for the tenant
    budget_cents: int | None
    reserved_cents: int = 0
    settled_cents: int = 0

    @property
    def remaining_cents(self) -> int | None:
        if self.budget_cents is None:
            return None
        return max(0, self.budget_cents - self.reserved_cents - self.settled_cents)


class TenantBudgets:
    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        *,
        budget_cents: int | None,
        overrides: Mapping[str, TenantOverrides],
    ) -> None:
        self._database = database
        self._vault = vault
        self._budget = budget_cents
        self._own_budgets = {
            tenant: override.research_budget_cents
            for tenant, override in overrides.items()
            if override.research_budget_cents is not None
        }

    async def load_balance(self, owner: str) -> TenantBalance:
        """The budget of the owner's tenant, as it stands."""
        tag = await self._vault.hash_owner_tag(_TENANT_TAG_PREFIX + _find_tenant(owner))
        found = await self._database.select_rows(_SELECT_TENANT, {"tenant": tag})
        reserved, settled = found[0] if found else (0, 0)
        # The cents that the owner's tenant may spend in all; None for no bound.
        return TenantBalance(
            tag=tag,
            budget_cents=self._own_budgets.get(_find_tenant(owner), self._budget),
            reserved_cents=int(reserved),
            settled_cents=int(settled),
        )

    def build_reserve(self, balance: TenantBalance, job: str, cents: int) -> list[SqlStatement]:
        """Statements whose batch is rolled back if the budget does not cover `cents` more."""
        params: dict[str, SqlScalar] = {
            "tenant": balance.tag,
            "job": job,
            "cents": cents,
            "budget": balance.budget_cents,
        }
        return [
            SqlStatement(sql=_INSERT_TENANT, params=params),
            SqlStatement(sql=_SET_JOB_TENANT, params=params, expected_rows=1),
            SqlStatement(sql=_RESERVE_CENTS, params=params, expected_rows=1),
        ]

    def build_settlement(self, job: str, ticks: int) -> SqlStatement:
        """A statement that counts a cost; the job row must count it already."""
        return SqlStatement(sql=_SETTLE_CENTS, params={"job": job, "ticks": ticks})

    def build_release(self, job: str) -> SqlStatement:
        return SqlStatement(sql=_RELEASE_CENTS, params={"job": job})

    def build_owner_release(self, owner_tag: str) -> SqlStatement:
        """A statement that returns what unfinished jobs of an owner hold, before they are deleted."""
        return SqlStatement(sql=_RELEASE_OWNER_CENTS, params={"owner": owner_tag})


def _find_tenant(owner: str) -> str:
    return Owner.parse_text(owner).tenant
