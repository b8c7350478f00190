"""What a paid call must be able to do so that no crash ever pays for it twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from citewell.errors import CitewellError, UpstreamError
from citewell.model.job import JSON
from citewell.model.research import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the upstream says of a call: still running (with `ref`), or how it ended and what it cost."""

    status: Status  # RUNNING, COMPLETED, FAILED or CANCELLED
    ref: str | None = None  # what to poll; outlives our process
    result: JSON = None  # kept once COMPLETED, and of a call that was cut short
    cost: int = 0  # ticks, as metered
    error: str = ""
    error_kind: str = "upstream_unavailable"
    note: str = ""  # what it is doing now


class PaidCall(Protocol):
    """One call that costs money.

    `submit` is called once; again with the same tag only where `idempotent` says that this is
    charged once. An error that means a refusal (a bad key, no credit, a bad request, a rate limit,
    or NotSent) costs nothing; after any other error it is unknown whether the call was charged.
    """

    provider: str
    estimate: int  # ticks held back until the cost is known
    background: bool  # `submit` comes back at once with a reference to poll
    idempotent: bool

    async def submit(self, tag: str) -> Reply: ...

    async def poll(self, ref: str) -> Reply: ...

    async def cancel(self, ref: str) -> Reply:
        """Stop it upstream; the reply tells what had been metered by then."""
        ...


class NotSent(UpstreamError):
    """The call surely never reached the upstream, so it cost nothing."""

    kind = "network"
    action = "try_different_provider"


class CallFailed(UpstreamError):
    """The upstream ended the call without a result; what it metered is settled."""

    kind = "upstream_unavailable"
    action = "try_different_provider"


class Uncertain(CitewellError):
    """The call may have been charged and its answer is lost; it is never sent again."""

    kind = "upstream_unavailable"
    action = "inform_user"


class BudgetSpent(CitewellError):
    """What is left of the job's cap does not cover the call's estimate; nothing was sent."""

    kind = "validation"
    action = "inform_user"
