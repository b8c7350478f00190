"""Stops requests to an upstream that failed repeatedly, then allows one probe after a pause."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from citewell.errors import (
    BreakerOpen,
    CitewellError,
    FailureReason,
    NetworkFailed,
    NotFound,
    RateLimited,
    UpstreamError,
    UpstreamUnavailable,
)

_MAX_PAUSE_SECONDS = 600.0
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
        except CitewellError as error:
            self._record_outcome(error, era=era, probe=probe)
            raise
        except BaseException:
            self._release_probe(era=era, probe=probe)
            raise
        else:
            self._record_outcome(None, era=era, probe=probe)

    def open_for_seconds(self, seconds: float) -> None:
        """Open the circuit for `seconds`, as after a 429."""
        self._last_error = RateLimited.kind
        self._open_circuit(seconds, limited=True)

    def adopt_pause(self, seconds: float, *, is_limited: bool) -> None:
        """Open the circuit for `seconds`, because another process has opened its own."""
        if self._open_until is None or self._clock() + seconds > self._open_until:
            self._last_error = RateLimited.kind if is_limited else UpstreamUnavailable.kind
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

    def _build_open_error(self) -> UpstreamError:
        wait = self._measure_time_left() or 1.0  # half open: another caller's probe is running
        if self._limited:
            error = RateLimited(
                "The provider asked us to slow down.", provider=self._name, retry_after=wait
            )
            error.has_stated_delay = self._has_stated_pause
            return error
        return BreakerOpen(
            "The provider failed repeatedly and is paused.", provider=self._name, retry_after=wait
        )

    def _record_outcome(self, error: CitewellError | None, *, era: int, probe: bool) -> None:
        if isinstance(error, RateLimited):
            self._last_error = error.kind
            self._has_stated_pause = error.has_stated_delay
            if not error.has_stated_delay:
                error.retry_after = self._choose_unstated_pause(is_news=era == self._era)
            self._open_circuit(error.retry_after or self._reset, limited=True)
        elif era != self._era:
            return
        elif error is not None and error.reason is FailureReason.OFFLINE:
            self._release_probe(era=era, probe=probe)  # the upstream is not to blame
        elif isinstance(error, NetworkFailed | UpstreamUnavailable):
            self._record_failure(error, probe=probe)
        elif error is None or (probe and isinstance(error, UpstreamError | NotFound)):
            self._close_circuit()  # even a rejected request shows that the upstream works again
        else:
            self._release_probe(era=era, probe=probe)

    def _choose_unstated_pause(self, *, is_news: bool) -> float:
        """The pause after a 429 without a time; further answers to the same burst do not lengthen it."""
        if is_news:
            self._unstated_refusals += 1
        doublings = min(max(0, self._unstated_refusals - 1), _MAX_PAUSE_DOUBLINGS)
        return min(self._reset, _FIRST_UNSTATED_PAUSE_SECONDS * float(2**doublings))

    def _record_failure(self, error: UpstreamError, *, probe: bool) -> None:
        self._failures += 1
        self._last_error = error.kind
        if probe or self._failures >= self._threshold:
            pause = self._reset * 2 ** min(self._openings, _MAX_PAUSE_DOUBLINGS)
            self._openings += 1
            self._open_circuit(min(pause, max(_MAX_PAUSE_SECONDS, self._reset)), limited=False)

    def _open_circuit(self, seconds: float, *, limited: bool) -> None:
        self._open_until = max(self._open_until or 0.0, self._clock() + seconds)
        self._limited = limited
        self._probing = False
        self._era += 1

    def _close_circuit(self) -> None:
        self._failures = self._openings = self._unstated_refusals = 0
        if self._open_until is not None:
            self._open_until, self._probing = None, False
            self._era += 1

    def _release_probe(self, *, era: int, probe: bool) -> None:
        if probe and era == self._era:
            self._probing = False
