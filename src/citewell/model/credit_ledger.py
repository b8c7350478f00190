"""The ledger's values: credits, reservations and spending in ticks of 1e-10 US dollars.

Every entry is also worth whole cents, fixed when it is written, and every amount that is shown is
a sum of those: so what is shown by job, by provider and in total always adds up. The cents of a
job are its ticks rounded up, and each call has the cents by which it raised them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from citewell.model.research import TICKS_PER_CENT


def round_up_cents(ticks: int) -> int:
    """Ticks as cents, rounded up."""
    return -(-ticks // TICKS_PER_CENT)


class LedgerEntryType(StrEnum):
    CREDIT = "credit"
    RESERVE = "reserve"  # reserved for a job, not yet spent
    SETTLE = "settle"  # spent
    RELEASE = "release"  # reserved and no longer needed


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditBalance:
    """The balance of one owner; if `limited` is False there is no budget and spending is only counted."""

    limited: bool
    credited: int = 0
    reserved: int = 0
    settled: int = 0
    credited_cents: int = 0
    reserved_cents: int = 0
    settled_cents: int = 0

    @property
    def ticks(self) -> int:
        """The exact balance; negative if a provider charged more than it estimated."""
        return self.credited - self.settled - self.reserved

    @property
    def cents(self) -> int:
        """Cents that may still be reserved; at most one cent a job less than the exact balance."""
        return self.credited_cents - self.settled_cents - self.reserved_cents


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One ledger entry, never changed after it was written; only corrections are negative."""

    id: str
    entered: float  # seconds since the epoch
    type: LedgerEntryType
    ticks: int
    cents: int  # what is shown of it
    job: str | None = None
    provider: str | None = None
    source: str | None = None  # top_up, budget or opening for a credit; or correction
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSpend:
    provider: str
    ticks: int
    cents: int
    jobs: int
