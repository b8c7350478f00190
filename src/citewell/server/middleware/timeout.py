"""No call runs for ever, and a long one shows signs of life."""

from __future__ import annotations

import asyncio

from citewell.errors import NetworkFailed
from citewell.server.pipeline import Invocation, Outcome, Proceed

HEARTBEAT = 5.0  # seconds between signs of life; clients give up after 30 to 60 silent ones


class Timeout:
    def __init__(self, *, short: float, long: float, heartbeat: float = HEARTBEAT) -> None:
        self._short = short
        self._long = long
        self._heartbeat = heartbeat

    async def __call__(self, invocation: Invocation, proceed: Proceed) -> Outcome:
        limit = self._long if invocation.tool.long else self._short
        pulse = _Pulse(invocation, self._heartbeat)
        try:
            async with asyncio.timeout(limit):
                return await proceed(invocation)
        except TimeoutError:
            raise NetworkFailed(
                f"{invocation.name} did not finish within {limit:g} seconds. Ask for less, or try again."
            ) from None
        finally:
            pulse.stop()


class _Pulse:
    """Signs of life from the first silent interval on; until then a timer and no task."""

    def __init__(self, invocation: Invocation, every: float) -> None:
        self._invocation = invocation
        self._every = every
        self._task: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(every, self._begin)

    def stop(self) -> None:
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    def _begin(self) -> None:
        self._task = asyncio.create_task(self._beat())

    async def _beat(self) -> None:
        elapsed = self._every
        while True:
            await self._invocation.call.alive(elapsed)
            await asyncio.sleep(self._every)
            elapsed += self._every
