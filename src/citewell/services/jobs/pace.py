"""How long the engine waits for what."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """All in seconds."""

    lease: float = 30.0  # after which a silent worker's job is another's
    idle: float = 5.0  # between two looks for jobs that other processes queued
    watch: float = 1.0  # between two looks for cancellations, while jobs run
    look: float = 0.5  # between two looks at a job of another process that somebody waits for
    first_poll: float = 2.0
    last_poll: float = 20.0
    poll_failures: int = 60  # in a row, before an answer is given up
    patience: float = 10.0  # for a call in flight, once its job is to end
    resend: tuple[float, ...] = (1.0, 5.0, 15.0)  # before a refused or idempotent call goes again
    longest_wait: float = 60.0  # that a rate limit may ask for
    retries: tuple[float, ...] = (1.0, 4.0, 15.0)  # before a step that failed is tried again
    writes: tuple[float, ...] = (0.1, 0.5, 2.0, 5.0)  # before a failed write is tried again
    sweep: float = 3600.0  # between two looks for jobs that have been kept long enough
    tries: int = 10  # claims of a job that record no step between them


def growing(first: float, last: float, times: int) -> float:
    """The wait after so many in a row."""
    return min(last, first * 1.5 ** min(times, 40))
