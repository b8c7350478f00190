"""Decides whether a call may go now: rates, daily quotas and calls at the same time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from citewell.core.config import Settings
from citewell.core.tooling import Owner
from citewell.server.limit_rules import (
    CallRefusal,
    FairShares,
    LimitCounters,
    LimitKind,
    LimitRules,
    LimitState,
    OwnerLimits,
)
from citewell.server.settings import ServerSettings
from citewell.store.coordination import rate_limits
from citewell.store.coordination.daily_counts import (
    SECONDS_PER_DAY,
    DailyCounter,
    DailyQuota,
    find_utc_day,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrencyCap:
    """At most `calls` at the same time; 0 for any number."""

    name: str
    calls: int


class ConcurrentCalls:
    """What a running call needs (memory, readers of pages, connections) is this process's own.

    So the caps are, too: nothing is written to a store, and nothing is left over from a process
    that died.
    """

    def __init__(self) -> None:
        self.running: Counter[str] = Counter()

    def take_slots(self, caps: Sequence[ConcurrencyCap]) -> str | None:
        """Take a slot of every cap, or none of any; the name of a cap that is reached, or None."""
        for cap in caps:
            if cap.calls and self.running[cap.name] >= cap.calls:
                return cap.name
        for cap in caps:
            self.running[cap.name] += 1
        return None

    def release_slots(self, caps: Sequence[ConcurrencyCap]) -> None:
        for cap in caps:
            self.running[cap.name] -= 1
            if self.running[cap.name] <= 0:
                del self.running[cap.name]


_NO_LIMITS = OwnerLimits()
_MINUTE_SECONDS = 60.0
_CONCURRENCY_WAIT_SECONDS = 1.0  # nobody knows when a running call ends
_COUNT_MEMORY_SECONDS = 1.0  # how long a count that is far from its quota is not read again
_MAX_REMEMBERED_COUNTS = 10_000
_MAX_REMEMBERED_OWNERS = 10_000

_KindedRate = tuple[LimitKind, rate_limits.RateLimit]
_KindedQuota = tuple[LimitKind, DailyQuota]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAdmission:
    """The answer to one call: a refusal, or the slots it holds until it is released."""

    states: tuple[LimitState, ...]
    refusal: CallRefusal | None = None
    caps: tuple[ConcurrencyCap, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _OwnerRules:
    """Every limit that holds for one owner; they do not change while the process runs."""

    rates: tuple[_KindedRate, ...]
    quotas: tuple[_KindedQuota, ...]
    caps: tuple[ConcurrencyCap, ...]


@dataclass(frozen=True, slots=True)
class _KnownCount:
    day: int
    read_at: float
    used: int


class CallLimits:
    """One for each process. Rates and quotas are shared by all processes on the store."""

    def __init__(
        self,
        settings: Settings,
        *,
        rate_limiter: rate_limits.RateLimiter,
        daily_counter: DailyCounter,
        overrides: Mapping[str, rate_limits.TenantOverrides],
        clock: Callable[[], float] = time.time,
    ) -> None:
        server_settings = settings[ServerSettings]
        self._rules = LimitRules(settings, overrides)
        self._address_calls = server_settings.rate_limit_per_ip
        self._server_calls = server_settings.max_calls_per_day
        self._rate_limiter = rate_limiter
        self._daily_counter = daily_counter
        self._clock = clock
        self._running = ConcurrentCalls()
        self._shares = FairShares()
        self._known_counts: dict[str, _KnownCount] = {}
        self._known_rules: dict[Owner, _OwnerRules] = {}
        self._limits_owners = False
        self.counters = LimitCounters()

    def limit_owners(self) -> None:
        """Hold users and tenants to their limits; without it only the quota of the server counts."""
        self._limits_owners = True
        self._known_rules.clear()

    async def admit_call(self, owner: Owner) -> CallAdmission:
        """Decide about a call; one that is not refused must be released when it has ended."""
        caps = self._find_rules(owner).caps
        reached = self._running.take_slots(caps)
        if reached is not None:
            kind = LimitKind(reached.partition(":")[0])
            return self._refuse_call(kind, _CONCURRENCY_WAIT_SECONDS)
        try:
            admission = await self._admit_by_count(owner, caps)
        except BaseException:
            self._running.release_slots(caps)
            raise
        if admission.refusal is not None:
            self._running.release_slots(caps)
        else:
            self.counters.admitted += 1
        return admission

    def release_call(self, admission: CallAdmission) -> None:
        self._running.release_slots(admission.caps)

    @property
    def limits_addresses(self) -> bool:
        return self._address_calls > 0

    async def admit_address(self, address: str) -> CallAdmission:
        """Decide about a call by where it comes from."""
        limit = rate_limits.RateLimit(
            name=f"address:{address}", calls=self._address_calls, seconds=_MINUTE_SECONDS
        )
        taken = await self._rate_limiter.take_permits([limit])
        states = (_describe_rate(LimitKind.ADDRESS, limit, taken.states[0]),)
        if taken.is_granted:
            return CallAdmission(states=states)
        return self._refuse_call(LimitKind.ADDRESS, taken.states[0].wait_seconds, states)

    async def charge_day(self, owner: Owner) -> tuple[DailyQuota, ...]:
        """Count a call that runs now; the quotas it was counted for.

        Raises RateLimited if one of them is used up; then nothing is counted.
        """
        kinded = self._find_rules(owner).quotas
        quotas = tuple(quota for _, quota in kinded)
        counted = await self._daily_counter.count_calls(quotas)
        self._remember_counts(quotas, counted.used)
        if not counted.is_granted:
            kind = _find_spent_kind(kinded, counted.used)
            self.counters.record_refusal(kind)
            raise CallRefusal(kind=kind, wait_seconds=self._measure_day_rest()).build_error()
        return quotas

    async def return_day(self, quotas: Sequence[DailyQuota]) -> None:
        """Take back a call that was counted and then answered from the cache."""
        await self._daily_counter.return_calls(quotas)
        for quota in quotas:
            self._known_counts.pop(quota.name, None)

    def has_daily_quotas(self, owner: Owner) -> bool:
        return bool(self._find_rules(owner).quotas)

    async def read_states(self, owner: Owner) -> tuple[LimitState, ...]:
        """Every limit of the owner as it stands, and takes nothing."""
        rates, quotas = self._find_rules(owner).rates, self._find_rules(owner).quotas
        read = await self._rate_limiter.read_limits([limit for _, limit in rates])
        used = await self._daily_counter.read_counts([quota for _, quota in quotas])
        running = tuple(
            LimitState(
                kind=LimitKind(cap.name.partition(":")[0]),
                limit=cap.calls,
                window_seconds=0.0,
                remaining=max(0, cap.calls - self._running.running.get(cap.name, 0)),
                reset_seconds=0.0,
            )
            for cap in self._find_rules(owner).caps
        )
        return (
            *(
                _describe_rate(kind, limit, state)
                for (kind, limit), state in zip(rates, read, strict=True)
            ),
            *self._describe_quotas(quotas, used, calls=0),
            *running,
        )

    async def _admit_by_count(
        self, owner: Owner, caps: tuple[ConcurrencyCap, ...]
    ) -> CallAdmission:
        quotas = self._find_rules(owner).quotas
        used = await self._look_up_counts([quota for _, quota in quotas])
        days = self._describe_quotas(quotas, used, calls=1)
        if any(count >= quota.calls for count, (_, quota) in zip(used, quotas, strict=True)):
            spent = _find_spent_kind(quotas, used)
            return self._refuse_call(spent, self._measure_day_rest(), days)
        rates = self._find_rules(owner).rates
        now, server = self._clock(), dict(rates).get(LimitKind.SERVER)
        if server and (wait := self._shares.measure_share_wait(server, str(owner), now=now)):
            return self._refuse_call(LimitKind.SERVER, wait, days)
        taken = await self._rate_limiter.take_permits([limit for _, limit in rates])
        states = tuple(
            _describe_rate(kind, limit, state)
            for (kind, limit), state in zip(rates, taken.states, strict=True)
        )
        if not taken.is_granted:
            longest = max(range(len(rates)), key=lambda index: taken.states[index].wait_seconds)
            return self._refuse_call(
                rates[longest][0], taken.states[longest].wait_seconds, (*states, *days)
            )
        if server:
            self._shares.record_taken_calls(str(owner), 1, left=states[-1].remaining, now=now)
        return CallAdmission(states=(*states, *days), caps=caps)

    def _refuse_call(
        self, kind: LimitKind, wait_seconds: float, states: tuple[LimitState, ...] = ()
    ) -> CallAdmission:
        self.counters.record_refusal(kind)
        return CallAdmission(
            states=states, refusal=CallRefusal(kind=kind, wait_seconds=wait_seconds)
        )

    async def _look_up_counts(self, quotas: Sequence[DailyQuota]) -> tuple[int, ...]:
        """How many calls were counted today; counts that are not near their quota may be a second old."""
        now = self._clock()
        day = find_utc_day(now)
        known = [self._known_counts.get(quota.name) for quota in quotas]
        if all(
            count
            and count.day == day
            and now - count.read_at < _COUNT_MEMORY_SECONDS
            and count.used < quota.calls
            for count, quota in zip(known, quotas, strict=True)
        ):
            return tuple(count.used for count in known if count)
        used = await self._daily_counter.read_counts(quotas)
        self._remember_counts(quotas, used)
        return used

    def _remember_counts(self, quotas: Sequence[DailyQuota], used: Sequence[int]) -> None:
        now = self._clock()
        if len(self._known_counts) >= _MAX_REMEMBERED_COUNTS:
            self._known_counts.clear()
        for quota, count in zip(quotas, used, strict=True):
            self._known_counts[quota.name] = _KnownCount(find_utc_day(now), now, count)

    def _find_rules(self, owner: Owner) -> _OwnerRules:
        found = self._known_rules.get(owner)
        if found is None:
            if len(self._known_rules) >= _MAX_REMEMBERED_OWNERS:
                self._known_rules.clear()
            found = self._known_rules[owner] = _OwnerRules(
                rates=self._list_rates(owner),
                quotas=self._list_quotas(owner),
                caps=self._list_caps(owner),
            )
        return found

    def _find_owner_limits(self, owner: Owner) -> OwnerLimits:
        return self._rules.find_owner_limits(owner) if self._limits_owners else _NO_LIMITS

    def _list_rates(self, owner: Owner) -> tuple[_KindedRate, ...]:
        """From the narrowest to the widest, which is also the order in which stores lock them."""
        limits = self._find_owner_limits(owner)
        wanted = (
            (LimitKind.USER, f"user:{owner}", limits.user_per_minute, _MINUTE_SECONDS),
            (LimitKind.TENANT, f"tenant:{owner.tenant}", limits.tenant_per_minute, _MINUTE_SECONDS),
            (LimitKind.SERVER, "server", limits.all_per_second, 1.0),
        )
        return tuple(
            (kind, rate_limits.RateLimit(name=name, calls=calls, seconds=seconds))
            for kind, name, calls, seconds in wanted
            if calls
        )

    def _list_quotas(self, owner: Owner) -> tuple[_KindedQuota, ...]:
        limits = self._find_owner_limits(owner)
        wanted = (
            (LimitKind.USER_DAY, f"user:{owner}", limits.user_per_day),
            (LimitKind.TENANT_DAY, f"tenant:{owner.tenant}", limits.tenant_per_day),
            (LimitKind.SERVER_DAY, "server", self._server_calls),
        )
        return tuple(
            (kind, DailyQuota(name=name, calls=calls)) for kind, name, calls in wanted if calls
        )

    def _list_caps(self, owner: Owner) -> tuple[ConcurrencyCap, ...]:
        limits = self._find_owner_limits(owner)
        wanted = (
            (f"{LimitKind.USER_CONCURRENT}:{owner}", limits.user_concurrent),
            (f"{LimitKind.TENANT_CONCURRENT}:{owner.tenant}", limits.tenant_concurrent),
        )
        return tuple(ConcurrencyCap(name=name, calls=calls) for name, calls in wanted if calls)

    def _describe_quotas(
        self, quotas: Sequence[_KindedQuota], used: Sequence[int], *, calls: int
    ) -> tuple[LimitState, ...]:
        rest = self._measure_day_rest()
        return tuple(
            LimitState(
                kind=kind,
                limit=quota.calls,
                window_seconds=SECONDS_PER_DAY,
                remaining=max(0, quota.calls - count - calls),
                reset_seconds=rest,
            )
            for (kind, quota), count in zip(quotas, used, strict=True)
        )

    def _measure_day_rest(self) -> float:
        """Seconds until midnight in UTC."""
        return SECONDS_PER_DAY - self._clock() % SECONDS_PER_DAY


def _describe_rate(
    kind: LimitKind, limit: rate_limits.RateLimit, state: rate_limits.RateState
) -> LimitState:
    return LimitState(
        kind=kind,
        limit=limit.calls,
        window_seconds=limit.seconds,
        remaining=state.remaining,
        reset_seconds=state.reset_seconds,
    )


def _find_spent_kind(quotas: Sequence[_KindedQuota], used: Sequence[int]) -> LimitKind:
    """The first quota that has no call left."""
    spent = (
        kind for (kind, quota), count in zip(quotas, used, strict=True) if count + 1 > quota.calls
    )
    return next(spent, quotas[-1][0])
