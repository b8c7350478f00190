"""A durable job as it is kept: what was ordered, where it stands, its steps and its events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from citewell.model.research import Status

JSON = Any  # whatever json.dumps takes: dict, list, str, int, float, bool, None


class StepState(StrEnum):
    """How far one step of a job has come; only paid calls know more than `done`."""

    INTENT = "intent"  # about to be sent, or sent with no word of it yet
    SUBMITTED = "submitted"  # the upstream's reference is known and can be asked
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNCERTAIN = "uncertain"  # perhaps paid, answer lost, never sent again

    @property
    def open(self) -> bool:
        return self in {StepState.INTENT, StepState.SUBMITTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is asked of the engine: which workflow, with what, and how much it may cost."""

    kind: str  # the workflow's name
    args: Mapping[str, JSON]
    cap: int = 0  # ticks reserved now and never exceeded by estimates
    priority: int = 0  # higher goes first
    thread: str | None = None  # at most one job of a thread is open at a time
    title: str | None = None  # makes the thread when it is new
    question: str | None = None  # becomes a message of the thread, and is found by its words


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    id: str
    owner: str
    kind: str
    args: Mapping[str, JSON]
    thread: str | None = None
    cap: int = 0
    created: float = 0.0  # seconds since the epoch


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A recorded step without its result; times are seconds since the epoch, money is ticks."""

    key: str
    state: StepState
    provider: str | None = None
    started: float = 0.0
    finished: float | None = None
    estimate: int = 0
    cost: int = 0
    ref: str | None = None
    tag: str | None = None
    error: Mapping[str, JSON] | None = None  # kind and message


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """Where a job stands, as one query tells it."""

    job: Job
    status: Status
    seq: int  # of the last event: what `wait` compares with
    started: float | None = None
    finished: float | None = None
    cancelling: bool = False
    spent: int = 0  # ticks settled so far
    error: Mapping[str, JSON] | None = None  # kind and message of a failed job
    steps: tuple[Step, ...] = ()  # in the order they were begun

    def step(self, key: str) -> Step | None:
        return next((step for step in self.steps if step.key == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of a job's log."""

    seq: int
    happened: float
    type: str
    payload: Mapping[str, JSON] = field(default_factory=dict)
