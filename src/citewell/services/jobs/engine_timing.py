"""The waits, intervals and retry delays of the job engines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTiming:
    """In seconds, except `max_poll_failures` and `max_attempts`, which are counts."""

    lease_seconds: float = 30.0  # after which another worker may claim a silent worker's job
    idle_interval: float = 5.0  # between checks for jobs that other processes queued
    watch_interval: float = 1.0  # between checks for cancellations, while jobs run
    wait_interval: float = 0.5  # between checks of another process's job that a caller waits for
    first_poll_delay: float = 2.0
    max_poll_delay: float = 20.0
    max_poll_failures: int = 60  # in a row, before a call becomes uncertain
    call_grace_seconds: float = 10.0  # for a call in flight, once its job must end
    resend_delays: tuple[float, ...] = (
        1.0,
        5.0,
        15.0,
    )  # before a call that may be resent is resent
    max_retry_delay: float = 60.0  # the most of a rate limit's retry-after that is obeyed
    step_retry_delays: tuple[float, ...] = (1.0, 4.0, 15.0)  # before a failed step is tried again
    write_retry_delays: tuple[float, ...] = (
        0.1,
        0.5,
        2.0,
        5.0,
    )  # before a failed write is tried again
    sweep_interval: float = 3600.0  # between deletions of jobs that are past their retention
    max_attempts: int = 10  # claims of a job without a new step between them
    # Of the engine for PostgreSQL:
    heartbeat_seconds: float = 5.0  # within which a dead worker's jobs go on elsewhere
    queue_interval: float = (
        0.25  # between looks of DBOS at its queue; each look is two transactions
    )
    check_interval: float = 30.0  # between comparisons of our jobs with those of DBOS
    launch_retry_delay: float = 5.0  # before DBOS is started again, if its database is away

    @property
    def beat_interval(self) -> float:
        return self.heartbeat_seconds / 5

    @property
    def silence_seconds(self) -> float:
        """After which a worker is taken to be dead; beats and looks take the rest of the heartbeat."""
        return self.heartbeat_seconds * 3 / 5


def compute_backoff_delay(first: float, last: float, times: int) -> float:
    """The delay after `times` attempts: `first`, growing by half each time, at most `last`."""
    return min(last, first * 1.5 ** min(times, 40))
