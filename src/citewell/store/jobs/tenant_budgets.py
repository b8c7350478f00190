"""The budget of paid research that all users of a tenant share.

A job's reserve and costs are counted for its tenant in the same transaction as for its owner, so
that concurrent jobs of several users cannot spend more than the budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from citewell.store.coordination.limit_file import TenantOverrides
from citewell.store.jobs import ledger_rows as rows
from citewell.store.keys.key_vault import KeyVault
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement
from citewell.tooling import Owner

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

    def find_budget(self, owner: str) -> int | None:
        """The cents that the owner's tenant may spend in all; None for no bound."""
        return self._own_budgets.get(_find_tenant(owner), self._budget)

    async def load_balance(self, owner: str) -> TenantBalance:
        """The budget of the owner's tenant, as it stands."""
        tag = await self._vault.hash_owner_tag(_TENANT_TAG_PREFIX + _find_tenant(owner))
        found = await self._database.select_rows(_SELECT_TENANT, {"tenant": tag})
        reserved, settled = found[0] if found else (0, 0)
        return TenantBalance(
            tag=tag,
            budget_cents=self.find_budget(owner),
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
