"""The interface of a paid call that makes it safe to resume after a crash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, Self

from citewell.core.errors import CitewellError, UpstreamError
from citewell.core.values.research import ResearchStatus
from citewell.jobs.durable_job import JsonValue


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
