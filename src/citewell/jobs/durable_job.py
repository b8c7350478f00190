"""A durable job as it is stored, and the interface of a paid call that is safe to resume after a crash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, Self

from citewell.core.errors import CitewellError, UpstreamError
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


# The interface of a paid call that makes it safe to resume after a crash.


@dataclass(frozen=True, slots=True, kw_only=True)
class CallReply:
    """An upstream's state of a call: still running (with `ref`), or its outcome and cost."""

    status: ResearchStatus  # RUNNING, COMPLETED, FAILED or CANCELLED
    ref: str | None = None  # what to poll; stays valid after a restart
    result: JsonValue = None  # stored if COMPLETED, or if a cancelled call has a partial result
    cost: int = 0  # ticks, as the upstream metered them
    error: str = ""
    error_kind: str = "upstream_unavailable"
    note: str = ""  # what the upstream is doing now


class PaidCall(Protocol):
    """One call that costs money.

    `submit_call` is called once. It is called again with the same tag only after a refusal, or
    if `idempotent` is true: the upstream then charges the tag once. An error that means a refusal
    (a bad key, no credit, a bad request, a rate limit, or CallNotSent) costs nothing; after any
    other error it is unknown whether the call was charged.
    """

    provider: str
    estimate_cost: int  # ticks reserved until the cost is known
    background: bool  # `submit_call` returns at once with a reference to poll
    is_idempotent: bool

    async def submit_research(self, tag: str) -> CallReply: ...

    async def poll_research(self, ref: str) -> CallReply: ...

    async def cancel_research(self, ref: str) -> CallReply:
        """Cancel the call upstream; the reply has the cost metered so far."""
        ...


class CallNotSent(UpstreamError):
    """The call certainly never reached the upstream, so it cost nothing."""

    kind = "network"
    action = "try_different_provider"


class BlockingCall:
    """A paid call whose answer comes with its submission; it has no reference to poll."""

    provider: str
    background = False
    is_idempotent = False

    async def poll_research(self, ref: str) -> CallReply:
        raise CallNotSent(f"{self.provider} has no run {ref!r}: it answers in one call.")

    async def cancel_research(self, ref: str) -> CallReply:
        return await self.poll_research(ref)


class LostCall(CitewellError):
    """A paid call without a result."""

    cause = ""  # the message without the provider's name, if it has that in front

    @classmethod
    def from_provider(
        cls, provider: str | None, cause: str, *, extra: Mapping[str, object] | None = None
    ) -> Self:
        error = cls(f"{provider}: {cause}", provider=provider, extra=extra)
        error.cause = cause
        return error


class CallFailed(LostCall, UpstreamError):
    """The upstream ended the call without a result; the metered cost is settled."""

    kind = "upstream_unavailable"
    action = "try_different_provider"


class CallUncertain(LostCall):
    """The call may have been charged but its answer is lost; it is never sent again."""

    kind = "upstream_unavailable"
    action = "inform_user"


class BudgetSpent(CitewellError):
    """The rest of the job's cap does not cover the call's estimate; nothing was sent."""

    kind = "validation"
    action = "inform_user"
