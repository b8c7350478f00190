"""Leaves an upstream that keeps failing alone for a while, then asks it once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from citewell.errors import (
    CitewellError,
    LeftAlone,
    NetworkFailed,
    NotFound,
    RateLimited,
    Unavailable,
    UpstreamError,
)

_LONGEST = 600.0
_DOUBLINGS = 10


class State(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerSnapshot:
    name: str
    state: State
    failures: int  # in a row
    retry_after: float | None  # seconds until the next probe, while open
    last_error: str | None  # the kind of the last failure


class Breaker:
    """Closed, open, half open. Only what the upstream did counts: no 4xx of ours, no cancellation."""

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
        self._openings = 0  # in a row; each doubles the next pause
        self._open_until: float | None = None
        self._limited = False  # open because of a 429
        self._probing = False
        self._era = 0  # an attempt that began before the last change of state proves nothing
        self._last_error: str | None = None

    def check(self) -> None:
        """Raise, naming the wait, while no attempt may start; otherwise do nothing."""
        state = self._state()
        if state is State.OPEN or (state is State.HALF_OPEN and self._probing):
            raise self._shut()

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Run one attempt inside; how it ends decides what the next one finds."""
        self.check()
        era, probe = self._era, self._state() is State.HALF_OPEN
        self._probing = self._probing or probe
        try:
            yield
        except CitewellError as error:
            self._end(error, era=era, probe=probe)
            raise
        except BaseException:
            self._release(era=era, probe=probe)
            raise
        else:
            self._end(None, era=era, probe=probe)

    def rest(self, seconds: float) -> None:
        """Open at once, as after a 429."""
        self._last_error = RateLimited.kind
        self._open(seconds, limited=True)

    def snapshot(self) -> BreakerSnapshot:
        state = self._state()
        return BreakerSnapshot(
            name=self._name,
            state=state,
            failures=self._failures,
            retry_after=self._left() if state is State.OPEN else None,
            last_error=self._last_error,
        )

    def _state(self) -> State:
        if self._open_until is None:
            return State.CLOSED
        return State.OPEN if self._clock() < self._open_until else State.HALF_OPEN

    def _left(self) -> float:
        return max(0.0, (self._open_until or 0.0) - self._clock())

    def _shut(self) -> UpstreamError:
        wait = self._left() or 1.0  # half open: somebody else's probe is on its way
        if self._limited:
            return RateLimited("It asked us to slow down.", provider=self._name, retry_after=wait)
        return LeftAlone(
            "It failed repeatedly and is left alone.", provider=self._name, retry_after=wait
        )

    def _end(self, error: CitewellError | None, *, era: int, probe: bool) -> None:
        if isinstance(error, RateLimited):
            self._last_error = error.kind
            self._open(error.retry_after or self._reset, limited=True)
        elif era != self._era:
            return
        elif isinstance(error, NetworkFailed | Unavailable):
            self._fail(error, probe=probe)
        elif error is None or (probe and isinstance(error, UpstreamError | NotFound)):
            self._close()  # a refused request was answered, so the upstream is back
        else:
            self._release(era=era, probe=probe)

    def _fail(self, error: UpstreamError, *, probe: bool) -> None:
        self._failures += 1
        self._last_error = error.kind
        if probe or self._failures >= self._threshold:
            pause = self._reset * 2 ** min(self._openings, _DOUBLINGS)
            self._openings += 1
            self._open(min(pause, max(_LONGEST, self._reset)), limited=False)

    def _open(self, seconds: float, *, limited: bool) -> None:
        self._open_until = max(self._open_until or 0.0, self._clock() + seconds)
        self._limited = limited
        self._probing = False
        self._era += 1

    def _close(self) -> None:
        self._failures = self._openings = 0
        if self._open_until is not None:
            self._open_until, self._probing = None, False
            self._era += 1

    def _release(self, *, era: int, probe: bool) -> None:
        if probe and era == self._era:
            self._probing = False
