"""Money as it is kept: what was credited, reserved and spent, in ticks of 1e-10 US dollars."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from citewell.model.research import TICKS_PER_CENT


class EntryType(StrEnum):
    CREDIT = "credit"
    RESERVE = "reserve"  # set aside for a job; not spent yet
    SETTLE = "settle"  # spent
    RELEASE = "release"  # set aside and not needed


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """What is left; without a budget nothing limits spending, and only that is counted."""

    limited: bool
    credited: int = 0
    reserved: int = 0
    settled: int = 0

    @property
    def ticks(self) -> int:
        """What may still be reserved; below zero where a provider charged beyond its estimate."""
        return self.credited - self.settled - self.reserved

    @property
    def cents(self) -> int:
        return self.ticks // TICKS_PER_CENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the ledger, never changed once written; only corrections are below zero."""

    id: str
    entered: float  # seconds since the epoch
    type: EntryType
    ticks: int
    job: str | None = None
    provider: str | None = None
    source: str | None = None  # of a credit: top_up, budget, opening; or correction
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    provider: str
    ticks: int
    jobs: int
