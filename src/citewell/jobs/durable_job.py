"""A durable job as it is stored: its order, status, steps and events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from citewell.core.values.research import ResearchStatus

JsonValue = Any  # anything json.dumps accepts: dict, list, str, int, float, bool, None


class JobStepState(StrEnum):
    """The state of one step of a job; steps that are not paid calls are always `done`."""

    INTENT = "intent"  # about to be sent, or sent and not yet answered
    SUBMITTED = "submitted"  # the upstream returned a reference that can be polled
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNCERTAIN = "uncertain"  # perhaps charged, response lost; never sent again

    @property
    def is_open(self) -> bool:
        return self in {JobStepState.INTENT, JobStepState.SUBMITTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOrder:
    """A request to run a workflow: its name, its arguments and the most it may cost."""

    kind: str  # the workflow's name
    args: Mapping[str, JsonValue]
    cap: int = 0  # ticks to reserve now; estimates may not exceed it
    priority: int = 0  # higher goes first
    providers: tuple[str, ...] = ()  # whose rates may limit how often such jobs start
    thread: str | None = None  # at most one job of a thread is open at a time
    title: str | None = None  # title of the thread if it has to be created
    question: str | None = None  # becomes a searchable message of the thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    id: str
    owner: str
    kind: str
    args: Mapping[str, JsonValue]
    thread: str | None = None
    cap: int = 0
    created: float = 0.0  # seconds since the epoch


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStep:
    """A recorded step without its result; times are seconds since the epoch, money is ticks."""

    key: str
    state: JobStepState
    provider: str | None = None
    started: float = 0.0
    finished: float | None = None
    estimate: int = 0
    cost: int = 0
    ref: str | None = None
    tag: str | None = None
    error: Mapping[str, JsonValue] | None = None  # kind and message


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """The state of a job, as read by one query."""

    job: Job
    status: ResearchStatus
    seq: int  # number of the last event; `wait` compares with it
    started: float | None = None
    finished: float | None = None
    cancelling: bool = False
    spent: int = 0  # ticks settled so far
    attempts: int = 0  # of workers to run it since its last step
    worker_lost_at: float | None = None  # the last sign of life of a worker that is taken for dead
    # Cents settled with each provider; left out of lists. Together they are the ticks, rounded up.
    provider_cents: Mapping[str, int] = field(default_factory=dict)
    error: Mapping[str, JsonValue] | None = None  # kind and message of a failed job
    steps: tuple[JobStep, ...] = ()  # in the order they started

    @property
    def is_worker_lost(self) -> bool:
        """Whether the job waits for another worker, because its own is taken for dead."""
        return self.worker_lost_at is not None

    def find_step(self, key: str) -> JobStep | None:
        return next((step for step in self.steps if step.key == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent:
    """One entry of a job's event log."""

    seq: int
    happened: float
    type: str
    payload: Mapping[str, JsonValue] = field(default_factory=dict)
