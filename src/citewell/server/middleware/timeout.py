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
        pulse = asyncio.create_task(self._pulse(invocation, limit))
        try:
            async with asyncio.timeout(limit):
                return await proceed(invocation)
        except TimeoutError:
            raise NetworkFailed(
                f"{invocation.name} did not finish within {limit:g} seconds. Ask for less, or try again."
            ) from None
        finally:
            pulse.cancel()

    async def _pulse(self, invocation: Invocation, limit: float) -> None:
        elapsed = 0.0
        while elapsed < limit:
            await asyncio.sleep(self._heartbeat)
            elapsed += self._heartbeat
            await invocation.call.alive(elapsed)
