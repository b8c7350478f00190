"""Carries the steps of a job between our event loop and the one of DBOS.

DBOS starts a workflow in an event loop and thread of its own. Connections and clients belong to
our loop, so the work of a step is done there, while the step of DBOS waits for it. Nothing of
what a step returns is given to DBOS, only how it ended.
"""

from __future__ import annotations

import asyncio

from citewell.model.durable_job import JsonValue
from citewell.services.jobs.cancellation_shield import finish_despite_cancellation
from citewell.services.jobs.run_record import StepBody


class StepRequest:
    """One step: its work, and the task that does it in our loop."""

    def __init__(self, kind: str, body: StepBody, loop: asyncio.AbstractEventLoop) -> None:
        self.kind = kind
        self._body = body
        self._loop = loop
        self._begun: asyncio.Future[asyncio.Task[JsonValue]] = loop.create_future()

    async def wait_for_result(self) -> JsonValue:
        """What the work returned or raised; if the caller is cancelled, so is the work."""
        try:
            task = await asyncio.shield(self._begun)
            await asyncio.wait({task})
        except asyncio.CancelledError:
            await finish_despite_cancellation(self._cancel_work())
            raise
        return task.result()

    async def run_body(self) -> str:
        """Do the work, in our loop, and return how it ended."""
        if self._begun.cancelled():
            return "stopped"
        task = asyncio.ensure_future(self._body())
        self._begun.set_result(task)
        await asyncio.wait({task})
        if task.cancelled():
            return "stopped"
        return "done" if task.exception() is None else "failed"

    def refuse_step(self) -> None:
        """End the step, because DBOS does not let it begin; may be called from any thread."""
        self._loop.call_soon_threadsafe(self._begun.cancel)

    async def _cancel_work(self) -> None:
        if not self._begun.done():
            self._begun.cancel()
            return
        if not self._begun.cancelled():
            task = self._begun.result()
            task.cancel()
            await asyncio.wait({task})


class StepChannel:
    """The way of the steps of one run from our loop to the workflow in the loop of DBOS."""

    def __init__(self, home: asyncio.AbstractEventLoop) -> None:
        self._home = home
        self._dbos_loop = asyncio.get_running_loop()
        self._requests: asyncio.Queue[StepRequest | None] = asyncio.Queue()

    async def perform_step(self, kind: str, body: StepBody) -> JsonValue:
        """Do the work of a step as a step of DBOS; called in our loop."""
        request = StepRequest(kind, body, self._home)
        self._dbos_loop.call_soon_threadsafe(self._requests.put_nowait, request)
        return await request.wait_for_result()

    async def next_request(self) -> StepRequest | None:
        """The next step, in the loop of DBOS; None once the job has ended."""
        return await self._requests.get()

    def end_requests(self) -> None:
        self._requests.put_nowait(None)
