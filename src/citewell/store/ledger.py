"""The ledger: an append-only book for each owner, and the account that says what is left.

A reserve is a guarded update of the account, so jobs at the same time cannot spend more than
there is. Without a budget nothing is refused, and spending is counted all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from citewell.errors import InvalidInput
from citewell.model.ledger import Balance, Entry, EntryType, Spend
from citewell.model.research import TICKS_PER_CENT
from citewell.store import ledger_rows as rows
from citewell.store.failures import Contended, GuardFailed
from citewell.store.keychain import Keychain
from citewell.store.ledger_rows import Account, Line
from citewell.store.sql import Database, Statement
from citewell.store.vault import Vault

_ATTEMPTS = 50
_MOST_TICKS = 10**17  # ten million dollars: whatever is more is a slip of the hand


class Ledger(Protocol):
    """Every call names an owner and sees its account alone."""

    async def credit(
        self,
        owner: str,
        ticks: int,
        *,
        source: str = "top_up",
        note: str = "",
        correction: bool = False,
    ) -> Balance:
        """Add to the budget; the first credit begins one.

        Raises InvalidInput for nothing or less, save as a correction, which cannot take more
        than there is.
        """
        ...

    async def balance(self, owner: str) -> Balance: ...

    async def transactions(self, owner: str, *, limit: int = 50) -> tuple[Entry, ...]:
        """The latest first."""
        ...

    async def usage(self, owner: str, *, since: float = 0.0) -> tuple[Spend, ...]:
        """What was spent with each provider, the most first."""
        ...


class SqlLedger:
    def __init__(
        self,
        database: Database,
        vault: Vault,
        *,
        budget_cents: int | None,
        clock: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        self._database = database
        self._vault = vault
        self._budget = None if budget_cents is None else budget_cents * TICKS_PER_CENT
        self._clock = clock
        self._new_id = new_id

    async def credit(
        self,
        owner: str,
        ticks: int,
        *,
        source: str = "top_up",
        note: str = "",
        correction: bool = False,
    ) -> Balance:
        if correction and (ticks == 0 or abs(ticks) > _MOST_TICKS):
            raise InvalidInput("A correction is an amount other than nothing.")
        if not correction and not 0 < ticks <= _MOST_TICKS:
            raise InvalidInput("A credit is more than nothing and less than ten million dollars.")
        named = "correction" if correction else source
        for _ in range(_ATTEMPTS):
            chain = await self._vault.ensure(owner)
            account = await self._account(chain)
            if ticks < 0 and account.balance.ticks + ticks < 0:
                raise InvalidInput("The correction takes more than the balance holds.")
            line = self._line(EntryType.CREDIT, ticks, source=named, note=note)
            if await self._posted(chain, account, [*self._opening(account), line]):
                return (await self._account(chain)).balance
        raise Contended("The account kept changing. Try again.")

    async def balance(self, owner: str) -> Balance:
        chain = await self._vault.find(owner)
        if self._budget is not None:
            return (await self.ensured(chain or await self._vault.ensure(owner))).balance
        account = await self._read(chain) if chain else None
        return account.balance if account else Balance(limited=False)

    async def transactions(self, owner: str, *, limit: int = 50) -> tuple[Entry, ...]:
        chain = await self._vault.find(owner)
        if chain is None:
            return ()
        found = await self._database.fetch(rows.LATEST, {"owner": chain.tag, "limit": limit})
        covering = await self._vault.covering(owner, [row[-1] for row in found if row[-1]])
        return tuple(rows.opened(covering or chain, row) for row in found)

    async def usage(self, owner: str, *, since: float = 0.0) -> tuple[Spend, ...]:
        tag = await self._vault.tag(owner)
        found = await self._database.fetch(rows.USAGE, {"owner": tag, "since": float(since)})
        spends = [
            Spend(
                provider=provider or "",
                ticks=int(cents) * TICKS_PER_CENT + int(remainder),
                jobs=int(jobs),
            )
            for provider, cents, remainder, jobs in found
        ]
        return tuple(sorted(spends, key=lambda one: (-one.ticks, one.provider)))

    async def ensured(self, chain: Keychain) -> Account:
        """The account as it stands once it exists and holds the configured budget."""
        for _ in range(_ATTEMPTS):
            account = await self._account(chain)
            change = self._missing(account)
            if self._budget is None or (account.limited and not change):
                return account
            lines = self._opening(account)
            if change:
                lines.append(self._line(EntryType.CREDIT, change, source="budget"))
            await self._posted(chain, account, lines, allowance=account.allowance + change)
        raise Contended("The account kept changing. Try again.")

    def reserving(self, chain: Keychain, job: str, ticks: int) -> list[Statement]:
        """Set money aside for a job; the batch is refused where there is not enough."""
        if ticks <= 0:
            return []
        line = self._line(EntryType.RESERVE, ticks, job=job)
        return rows.reserve(chain, line)

    def settling(
        self, chain: Keychain, job: str, ticks: int, *, provider: str | None, source: str | None
    ) -> list[Statement]:
        """Count money as spent, out of what the job had set aside; its row already says so."""
        if ticks == 0:
            return []
        line = self._line(EntryType.SETTLE, ticks, job=job, provider=provider, source=source)
        return rows.settle(chain, line)

    def releasing(self, chain: Keychain, job: str) -> list[Statement]:
        """Give back whatever the job had set aside and not spent."""
        return rows.release(chain, self._line(EntryType.RELEASE, 0, job=job))

    async def erasing(self, owner: str) -> list[Statement]:
        tag = await self._vault.tag(owner)
        return [Statement(sql=sql, params={"owner": tag}) for sql in rows.ERASE]

    def _missing(self, account: Account) -> int:
        """What the configured budget adds; one that was lowered takes back no more than is there."""
        missing = (self._budget or 0) - account.allowance
        left = max(0, account.balance.ticks)
        return max(missing, -left) if account.limited else missing

    def _opening(self, account: Account) -> list[Line]:
        """What was spent before there was a budget is not charged against it."""
        spent = account.settled + account.reserved - account.credited
        if account.limited or spent <= 0:
            return []
        return [self._line(EntryType.CREDIT, spent, source="opening")]

    async def _posted(
        self,
        chain: Keychain,
        account: Account,
        lines: list[Line],
        *,
        allowance: int | None = None,
    ) -> bool:
        """Whether the account was still as it had been read."""
        kept = account.allowance if allowance is None else allowance
        batch = [self._vault.guard(chain), rows.credited(chain, account, lines, allowance=kept)]
        for line in lines:
            batch += rows.booked(chain, line)
        try:
            await self._database.execute(batch)
        except GuardFailed:
            self._vault.forget(chain.owner)
            return False
        return True

    async def _account(self, chain: Keychain) -> Account:
        account = await self._read(chain)
        if account is None:
            await self._database.execute(
                [self._vault.guard(chain), Statement(sql=rows.OPEN, params={"owner": chain.tag})]
            )
            account = await self._read(chain)
        if account is None:
            raise Contended("The account was erased meanwhile.")
        return account

    async def _read(self, chain: Keychain) -> Account | None:
        found = await self._database.fetch(rows.ACCOUNT, {"owner": chain.tag})
        return Account(*found[0]) if found else None

    def _line(
        self,
        kind: EntryType,
        ticks: int,
        *,
        job: str | None = None,
        provider: str | None = None,
        source: str | None = None,
        note: str = "",
    ) -> Line:
        return Line(
            id=self._new_id(),
            entered=self._clock(),
            type=kind,
            ticks=ticks,
            job=job,
            provider=provider,
            source=source,
            note=note,
        )
