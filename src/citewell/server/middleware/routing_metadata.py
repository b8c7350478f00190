"""Adds to `_meta.routing` which provider served a call, who was asked and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable

from citewell.model.routing_trace import hold_trace
from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome


class RoutingMiddleware:
    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        started = self._clock()
        with hold_trace(invocation.call.trace):
            outcome = await proceed(invocation)
        if outcome.is_error:
            return outcome
        hit = bool(outcome.meta.get("cached"))
        routing: dict[str, object] = {} if hit else invocation.call.trace.to_wire()
        if not routing and not (hit and outcome.meta.get("routed")):
            return outcome
        routing |= {"cache_hit": hit, "latency_ms": round(1000 * (self._clock() - started))}
        outcome.meta.pop("routed", None)
        outcome.meta["routing"] = routing
        return outcome
