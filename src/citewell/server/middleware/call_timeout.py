"""Ends calls that take too long, and sends progress messages during long ones."""

from __future__ import annotations

import asyncio

from citewell.errors import FailureReason, NetworkFailed
from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome

HEARTBEAT_SECONDS = 4.0  # at least every 5 are promised, also on a busy machine


class TimeoutMiddleware:
    def __init__(self, *, short: float, long: float, heartbeat: float = HEARTBEAT_SECONDS) -> None:
        self._short = short
        self._long = long
        self._heartbeat = heartbeat

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        limit = self._long if invocation.tool.has_long_timeout else self._short
        pulse = _ProgressHeartbeat(invocation, self._heartbeat)
        try:
            async with asyncio.timeout(limit):
                return await proceed(invocation)
        except TimeoutError:
            raise NetworkFailed(
                f"{invocation.name} did not finish within {limit:g} seconds. Reduce the request, or try again.",
                reason=FailureReason.TIMEOUT,
            ) from None
        finally:
            pulse.stop_heartbeat()


class _ProgressHeartbeat:
    """Sends progress messages at an interval; short calls cost only a timer, not a task."""

    def __init__(self, invocation: ToolInvocation, every: float) -> None:
        self._invocation = invocation
        self._every = every
        self._task: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(every, self._start_task)

    def stop_heartbeat(self) -> None:
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    def _start_task(self) -> None:
        self._task = asyncio.create_task(self._send_heartbeats())

    async def _send_heartbeats(self) -> None:
        elapsed = self._every
        while True:
            await self._invocation.call.report_still_working(elapsed)
            await asyncio.sleep(self._every)
            elapsed += self._every
