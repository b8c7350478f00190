"""Pace, circuit breaker and concurrency limit of each origin, so that one failing mirror does not slow the others."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from citewell.core import errors
from citewell.net.http.rate_limit_headers import ResponseHeaders, read_stated_limits
from citewell.net.url_grammar import RequestTarget, parse_url

_MAX_BREAKER_PAUSE_SECONDS = 600.0
_MAX_PAUSE_DOUBLINGS = 10
# After a 429 that does not say when to return: bursts are over soon, so the first pause is short.
_FIRST_UNSTATED_PAUSE_SECONDS = 4.0


class BreakerState(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerSnapshot:
    name: str
    state: BreakerState
    failures: int  # consecutive
    retry_after: float | None  # seconds until the next probe, while open
    last_error: str | None  # the kind of the last failure


class CircuitBreaker:
    """A circuit breaker: closed, open or half open. Rejected requests (4xx) and cancellations do not count."""

    def __init__(
        self,
        name: str,
        *,
        threshold: int = 5,
        reset: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._threshold = max(1, threshold)
        self._reset = reset
        self._clock = clock
        self._failures = 0
        self._openings = 0  # consecutive; each doubles the next pause
        self._has_stated_pause = True  # whether the last 429 said when to return
        self._unstated_refusals = 0  # 429s in a row that did not say when to return
        self._open_until: float | None = None
        self._limited = False  # open because of a 429
        self._probing = False
        self._era = 0  # number of state changes; attempts from an earlier era are ignored
        self._last_error: str | None = None

    def check_closed(self) -> None:
        """Raise BreakerOpen or RateLimited, with the time to wait, if no attempt may start now."""
        state = self._compute_state()
        if state is BreakerState.OPEN or (state is BreakerState.HALF_OPEN and self._probing):
            raise self._build_open_error()

    @contextmanager
    def watch_attempt(self) -> Iterator[None]:
        """Run one attempt inside this context; its outcome updates the state.

        Raises what `check_closed` raises if the attempt may not start.
        """
        self.check_closed()
        era, probe = self._era, self._compute_state() is BreakerState.HALF_OPEN
        self._probing = self._probing or probe
        try:
            yield
        except errors.CitewellError as error:
            self._record_outcome(error, era=era, probe=probe)
            raise
        except BaseException:
            self._release_probe(era=era, probe=probe)
            raise
        else:
            self._record_outcome(None, era=era, probe=probe)

    def open_for_seconds(self, seconds: float) -> None:
        """Open the circuit for `seconds`, as after a 429."""
        self._last_error = errors.RateLimited.kind
        self._open_circuit(seconds, limited=True)

    def adopt_pause(self, seconds: float, *, is_limited: bool) -> None:
        """Open the circuit for `seconds`, because another process has opened its own."""
        if self._open_until is None or self._clock() + seconds > self._open_until:
            self._last_error = (
                errors.RateLimited.kind if is_limited else errors.UpstreamUnavailable.kind
            )
            self._open_circuit(seconds, limited=is_limited)

    def take_snapshot(self) -> BreakerSnapshot:
        state = self._compute_state()
        return BreakerSnapshot(
            name=self._name,
            state=state,
            failures=self._failures,
            retry_after=self._measure_time_left() if state is BreakerState.OPEN else None,
            last_error=self._last_error,
        )

    def _compute_state(self) -> BreakerState:
        if self._open_until is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if self._clock() < self._open_until else BreakerState.HALF_OPEN

    def _measure_time_left(self) -> float:
        return max(0.0, (self._open_until or 0.0) - self._clock())

    def _build_open_error(self) -> errors.UpstreamError:
        wait = self._measure_time_left() or 1.0  # half open: another caller's probe is running
        if self._limited:
            error = errors.RateLimited(
                "The provider asked us to slow down.", provider=self._name, retry_after=wait
            )
            error.has_stated_delay = self._has_stated_pause
            return error
        return errors.BreakerOpen(
            "The provider failed repeatedly and is paused.", provider=self._name, retry_after=wait
        )

    def _record_outcome(self, error: errors.CitewellError | None, *, era: int, probe: bool) -> None:
        if isinstance(error, errors.RateLimited):
            self._last_error = error.kind
            self._has_stated_pause = error.has_stated_delay
            if not error.has_stated_delay:
                error.retry_after = self._choose_unstated_pause(is_news=era == self._era)
            self._open_circuit(error.retry_after or self._reset, limited=True)
        elif era != self._era:
            return
        elif error is not None and error.reason is errors.FailureReason.OFFLINE:
            self._release_probe(era=era, probe=probe)  # the upstream is not to blame
        elif isinstance(error, errors.NetworkFailed | errors.UpstreamUnavailable):
            self._record_failure(error, probe=probe)
        elif error is None or (probe and isinstance(error, errors.UpstreamError | errors.NotFound)):
            # Even a rejected request shows that the upstream works again.
            self._failures = self._openings = self._unstated_refusals = 0
            if self._open_until is not None:
                self._open_until, self._probing = None, False
                self._era += 1
        else:
            self._release_probe(era=era, probe=probe)

    def _choose_unstated_pause(self, *, is_news: bool) -> float:
        """The pause after a 429 without a time; further answers to the same burst do not lengthen it."""
        if is_news:
            self._unstated_refusals += 1
        doublings = min(max(0, self._unstated_refusals - 1), _MAX_PAUSE_DOUBLINGS)
        return min(self._reset, _FIRST_UNSTATED_PAUSE_SECONDS * float(2**doublings))

    def _record_failure(self, error: errors.UpstreamError, *, probe: bool) -> None:
        self._failures += 1
        self._last_error = error.kind
        if probe or self._failures >= self._threshold:
            pause = self._reset * 2 ** min(self._openings, _MAX_PAUSE_DOUBLINGS)
            self._openings += 1
            self._open_circuit(
                min(pause, max(_MAX_BREAKER_PAUSE_SECONDS, self._reset)), limited=False
            )

    def _open_circuit(self, seconds: float, *, limited: bool) -> None:
        self._open_until = max(self._open_until or 0.0, self._clock() + seconds)
        self._limited = limited
        self._probing = False
        self._era += 1

    def _release_probe(self, *, era: int, probe: bool) -> None:
        if probe and era == self._era:
            self._probing = False


_MAX_PAUSE_SECONDS = 3600.0  # seconds; after that, one call tests whether the limit still holds
_MAX_STATED_LIMIT = 1000  # a larger stated limit is reduced to this
_LIMIT_HEADER = "x-concurrency-limit"  # sent by Crossref, which rejects requests beyond it
_MAX_ORIGINS = 256  # kept in memory; the least recently used is dropped first


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSource:
    """The clocks and the sleep function in use, which tests replace."""

    clock: Callable[[], float] = time.monotonic  # for delays and deadlines
    now: Callable[[], float] = time.time  # for dates in responses
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class RequestPace:
    """A rate limit (GCRA): `burst` calls at once, then one every 1/`per_second` seconds.

    Limits that the upstream states in its headers replace these values.
    """

    def __init__(
        self, *, per_second: float | None = None, burst: int = 1, timing: TimeSource | None = None
    ) -> None:
        timing = timing or TimeSource()
        self._interval = 1 / per_second if per_second else 0.0
        self._burst = max(1, burst)
        self._clock, self._now, self._sleep = timing.clock, timing.now, timing.sleep
        self._next = -math.inf  # the time of the next call if calls were evenly spaced
        self._paused_until = -math.inf
        self._waiting = 0
        self._turn = asyncio.Lock()

    async def take_turn(self, *, max_wait: float) -> None:
        """Wait for a turn; RateLimited, with the delay, if it would take over `max_wait` seconds.

        A turn is counted only when it comes, so a cancelled caller uses none.
        """
        deadline = self._clock() + max_wait
        self._check_deadline(self._measure_wait(ahead=self._waiting), deadline)
        self._waiting += 1
        try:
            async with self._turn:
                while (wait := self._measure_wait()) > 0:
                    self._check_deadline(wait, deadline)
                    await self._sleep(wait)
                self._next = max(self._next, self._clock()) + self._interval
        finally:
            self._waiting -= 1

    def learn_stated_pace(self, headers: ResponseHeaders) -> None:
        """Adopt the limits that a response states."""
        limits = read_stated_limits(headers, now=self._now)
        if limits.per_second is not None and limits.burst is not None:
            self._interval, self._burst = 1 / limits.per_second, limits.burst
        if limits.pause_seconds:
            until = self._clock() + min(limits.pause_seconds, _MAX_PAUSE_SECONDS)
            self._paused_until = max(self._paused_until, until)

    def _measure_wait(self, *, ahead: int = 0) -> float:
        """Seconds until a call may start, with `ahead` callers before it in the queue."""
        now = self._clock()
        spread = max(self._next, now) + (ahead + 1 - self._burst) * self._interval
        return max(spread, self._paused_until) - now

    def _check_deadline(self, wait: float, deadline: float) -> None:
        if self._clock() + wait > deadline:
            raise errors.RateLimited(
                "The upstream's rate limit leaves no time for this call.", retry_after=wait
            )


class ConcurrencyLimit:
    """Slots for concurrent requests: unlimited until a limit is set or learnt; first come, first served."""

    def __init__(self) -> None:
        self._limit: int | None = None
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def set_limit(self, max_running: int) -> None:
        """Allow `max_running` requests at a time, until a response states another limit."""
        self._limit = max(1, max_running)
        self._wake_waiting()

    def learn_stated_limit(self, headers: Mapping[str, str]) -> None:
        stated = headers.get(_LIMIT_HEADER, "").strip()
        if stated.isascii() and stated.isdigit() and 0 < len(stated) <= 6 and int(stated):
            self.set_limit(min(int(stated), _MAX_STATED_LIMIT))

    @asynccontextmanager
    async def hold_slot(self, *, max_wait: float) -> AsyncIterator[None]:
        """Hold a slot while one request runs; RateLimited if none is free within `max_wait` seconds."""
        await self._wait_for_slot(max_wait)
        try:
            yield
        finally:
            self._running -= 1
            self._wake_waiting()

    async def _wait_for_slot(self, max_wait: float) -> None:
        if not self._waiting and self._has_free_slot():
            self._running += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(max_wait):
                await turn
        except TimeoutError:
            self._leave_queue(turn)
            message = "The upstream limits concurrent requests, and no slot became free in time."
            raise errors.RateLimited(message, retry_after=max_wait) from None
        except asyncio.CancelledError:
            self._leave_queue(turn)
            raise

    def _leave_queue(self, turn: asyncio.Future[None]) -> None:
        """Leave the queue; a slot that was already granted is passed on to the next."""
        if turn.done() and not turn.cancelled():
            self._running -= 1
        elif turn in self._waiting:
            self._waiting.remove(turn)
        self._wake_waiting()

    def _has_free_slot(self) -> bool:
        return self._limit is None or self._running < self._limit

    def _wake_waiting(self) -> None:
        while self._waiting and self._has_free_slot():
            turn = self._waiting.popleft()
            if not turn.done():
                self._running += 1
                turn.set_result(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginLimits:
    pace: RequestPace
    breaker: CircuitBreaker
    concurrency: ConcurrencyLimit = field(default_factory=ConcurrencyLimit)

    async def wait_for_turn(self, *, max_wait: float) -> None:
        """Wait up to `max_wait` seconds for a turn; raises at once if the breaker is open."""
        self.breaker.check_closed()
        await self.pace.take_turn(max_wait=max_wait)


class OriginLimitsTable:
    """The limits of one upstream's home origin, and of each other origin its requests go to."""

    def __init__(
        self, name: str, *, base_url: str, build_limits: Callable[[str], OriginLimits]
    ) -> None:
        self._name = name
        self._home = parse_url(base_url).origin
        self._make = build_limits
        self._own = build_limits(name)
        self._others: OrderedDict[tuple[str, str, int], tuple[str, OriginLimits]] = OrderedDict()

    def is_home_origin(self, target: RequestTarget) -> bool:
        return target.origin == self._home

    def choose_limits(self, target: RequestTarget) -> OriginLimits:
        if self.is_home_origin(target):
            return self._own
        if target.origin not in self._others:
            label = f"{self._name}@{target.authority}"
            self._others[target.origin] = (label, self._make(self._name))
        self._others.move_to_end(target.origin)
        while len(self._others) > _MAX_ORIGINS:
            self._others.popitem(last=False)
        return self._others[target.origin][1]

    def collect_health(self) -> Mapping[str, BreakerSnapshot]:
        """Breaker states by label: always the home origin, others only if their breaker is not closed."""
        found = {self._name: self._own.breaker.take_snapshot()}
        for label, lane in self._others.values():
            snapshot = lane.breaker.take_snapshot()
            if snapshot.state is not BreakerState.CLOSED:
                found[label] = snapshot
        return found
