"""The values that tell of limits: their kinds, what is left of them, and refusals."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from citewell.errors import RateLimited


class LimitKind(StrEnum):
    """Which limit; the names stand in headers, errors, metrics and `stats://rate-limits`."""

    USER = "user"
    TENANT = "tenant"
    SERVER = "server"
    ADDRESS = "address"
    USER_DAY = "user-day"
    TENANT_DAY = "tenant-day"
    SERVER_DAY = "server-day"
    USER_CONCURRENT = "user-concurrent"
    TENANT_CONCURRENT = "tenant-concurrent"


# What is left of these depends on the calls of others, so that nobody is told.
UNDISCLOSED_KINDS = frozenset({LimitKind.SERVER, LimitKind.SERVER_DAY})

_REASONS = {
    LimitKind.USER: "You have made as many calls as one user may at a time.",
    LimitKind.TENANT: "The users of your tenant have made as many calls as they may at a time.",
    LimitKind.SERVER: "The server is busy with the calls of many users.",
    LimitKind.ADDRESS: "Too many calls came from your network address.",
    LimitKind.USER_DAY: "You have made as many calls today as one user may.",
    LimitKind.TENANT_DAY: "The users of your tenant have made as many calls today as they may.",
    LimitKind.SERVER_DAY: "The server has made as many calls today as MAX_CALLS_PER_DAY allows.",
    LimitKind.USER_CONCURRENT: "You have as many calls running as one user may.",
    LimitKind.TENANT_CONCURRENT: "The users of your tenant have as many calls running as they may.",
}
_DAILY_KINDS = frozenset({LimitKind.USER_DAY, LimitKind.TENANT_DAY, LimitKind.SERVER_DAY})


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitState:
    """One limit of a caller: the calls that it allows in its window, and those that are left."""

    kind: LimitKind
    limit: int
    window_seconds: float
    remaining: int
    reset_seconds: float  # until all calls are left again


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRefusal:
    """Why a call may not go now, and after how many seconds it may."""

    kind: LimitKind
    wait_seconds: float

    @property
    def retry_after(self) -> int:
        """Whole seconds, as HTTP wants them: never less than the wait."""
        return max(1, -int(-self.wait_seconds // 1))

    def build_error(self) -> RateLimited:
        when = (
            "The count begins again at midnight UTC."
            if self.kind in _DAILY_KINDS
            else f"Try again in {self.retry_after} s."
        )
        return RateLimited(
            f"{_REASONS[self.kind]} {when}",
            retry_after=self.retry_after,
            extra={"limit": self.kind.value},
        )


@dataclass(slots=True)
class LimitCounters:
    """Decisions since the process started, for the metrics."""

    admitted: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # by kind of limit

    def record_refusal(self, kind: LimitKind) -> None:
        self.refused[kind.value] += 1
