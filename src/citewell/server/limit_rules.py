"""Which limits hold for which caller, fair shares of what all use, and the values that tell of limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from citewell.core.config import Setting, Settings
from citewell.core.errors import RateLimited
from citewell.core.tooling import Owner
from citewell.server.settings import ServerSettings
from citewell.store.coordination.rate_limits import RateLimit, TenantOverrides


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerLimits:
    """The limits of one caller; 0 for a limit that is off."""

    user_per_minute: int = 0
    tenant_per_minute: int = 0
    all_per_second: int = 0
    user_per_day: int = 0
    tenant_per_day: int = 0
    user_concurrent: int = 0
    tenant_concurrent: int = 0


# The name of each limit in the settings and in the file with overrides.
_SOURCES = {
    "user_per_minute": (ServerSettings.rate_limit_per_user, "user_rate_per_minute"),
    "tenant_per_minute": (ServerSettings.rate_limit_per_tenant, "rate_per_minute"),
    "all_per_second": (ServerSettings.rate_limit_global, None),
    "user_per_day": (ServerSettings.daily_quota_per_user, "user_daily_quota"),
    "tenant_per_day": (ServerSettings.daily_quota_per_tenant, "daily_quota"),
    "user_concurrent": (ServerSettings.max_concurrent_per_user, "user_max_concurrent_calls"),
    "tenant_concurrent": (ServerSettings.max_concurrent_per_tenant, "max_concurrent_calls"),
}
_ANONYMOUS = Owner()


class LimitRules:
    """Without authentication there is one anonymous owner, for whom only limits hold that were set."""

    def __init__(self, settings: Settings, overrides: Mapping[str, TenantOverrides]) -> None:
        self._overrides = overrides
        values = {setting: settings.get_value(setting) for setting, _ in _SOURCES.values()}
        self._named = _collect_limits(values)
        self._anonymous = _collect_limits(
            {setting: value for setting, value in values.items() if settings.is_set(setting)}
        )
        self._by_tenant: dict[str, OwnerLimits] = {
            tenant: _collect_limits(values, override) for tenant, override in overrides.items()
        }

    def find_owner_limits(self, owner: Owner) -> OwnerLimits:
        if owner == _ANONYMOUS and owner.tenant not in self._overrides:
            return self._anonymous
        return self._by_tenant.get(owner.tenant, self._named)


def _collect_limits(
    values: Mapping[Setting[int], int], override: TenantOverrides | None = None
) -> OwnerLimits:
    chosen = {}
    for name, (setting, key) in _SOURCES.items():
        own = getattr(override, key) if override and key else None
        chosen[name] = values.get(setting, 0) if own is None else own
    return OwnerLimits(**chosen)


# Keeps one caller from using up what all callers share.


class FairShares:
    """Equal shares of a rate limit for those who ask at the same time, within one process.

    While more than half of the limit is left, everybody may take from it. After that, whoever has
    had an equal share in the running window waits for the next one, and the rest is for others.
    """

    def __init__(self) -> None:
        self._started = 0.0
        self._asked: set[str] = set()
        self._asked_before: set[str] = set()
        self._taken: Counter[str] = Counter()
        self._left = (0.0, 0.0)  # how many calls were left, and when

    def measure_share_wait(self, limit: RateLimit, caller: str, *, now: float) -> float:
        """Seconds that the caller must leave to others; 0 if it may ask."""
        self._begin_window(limit, now)
        self._asked.add(caller)
        left, then = self._left
        if (left + (now - then) / limit.interval) * 2 > limit.calls:
            return 0.0
        callers = len(self._asked | self._asked_before)
        if self._taken[caller] < max(1, limit.calls // callers):
            return 0.0
        return self._started + limit.seconds - now

    def record_taken_calls(self, caller: str, calls: int, *, left: int, now: float) -> None:
        """Note what the caller got, and how many calls the limit has left after it."""
        self._taken[caller] += calls
        self._left = (left, now)

    def _begin_window(self, limit: RateLimit, now: float) -> None:
        age = now - self._started
        if 0 <= age < limit.seconds:
            return
        recent = 0 <= age < 2 * limit.seconds
        self._asked_before = self._asked if recent else set()
        self._asked, self._taken, self._started = set(), Counter(), now


# The values that tell of limits: their kinds, what is left of them, and refusals.


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
