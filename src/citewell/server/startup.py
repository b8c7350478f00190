"""What a server does once it has started: resumes jobs, and shares open breakers with other instances."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Coroutine

from citewell.core.errors import CitewellError, RateLimited
from citewell.net.upstream.origin_limits import BreakerState
from citewell.server.app import App
from citewell.server.state.state_store import has_stored_state
from citewell.store.settings import StoreSettings

LOOK_SECONDS = 1.0  # between looks at the breakers of this process
MIN_SHARED_SECONDS = 2.0  # a shorter pause is over before others hear of it
_RETRY_SECONDS = 5.0  # after the store has failed


logger = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def resume_jobs(
    app: App, *, delay: float = 0.0, keep_serving: bool = False
) -> AsyncIterator[None]:
    """Resume unfinished jobs, and the upkeep of what is stored, in the background while the block runs.

    It begins after `delay` seconds. With `keep_serving`, jobs that are queued later are run too,
    even if none is unfinished now.
    """
    async with _run_beside(_resume_after_delay(app, delay=delay, keep_serving=keep_serving)):
        yield


@contextlib.asynccontextmanager
async def _run_beside(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run `work` in the background while the block runs."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _resume_after_delay(app: App, *, delay: float, keep_serving: bool) -> None:
    await asyncio.sleep(delay)
    if keep_serving:
        app.start_artifact_upkeep()
    if not has_stored_state(app.settings):
        return
    app.start_audit_upkeep()
    try:
        if keep_serving:
            app.start_retention_upkeep()
        if keep_serving or await app.open_state().jobs.has_unfinished_jobs():
            # These imports take a third of a second, which would delay other answers.
            await asyncio.to_thread(importlib.import_module, "citewell.research.research_assembly")

            from citewell.research.research_service import ResearchService

            app.require_service(ResearchService).start_serving()
    except CitewellError as error:
        logger.warning("Unfinished research jobs cannot be resumed. %s", error.message)


# Shares open breakers between instances: an upstream that asked one of them to slow down rests for all.


class BreakerSharing:
    def __init__(self, app: App, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._clock = clock
        self._known_until: dict[str, float] = {}  # pauses that the store knows, by our own clock

    async def announce_openings(self) -> int:
        """Tell the others of breakers that have opened here since the last time; returns how many."""
        from citewell.store.coordination.rate_limits import OpenCircuit

        announced = 0
        for name, snapshot in self._app.network.collect_health().items():
            seconds = snapshot.retry_after or 0.0
            is_open = snapshot.state is BreakerState.OPEN and seconds >= MIN_SHARED_SECONDS
            if is_open and self._is_news(name, seconds):
                is_limited = snapshot.last_error == RateLimited.kind
                circuit = OpenCircuit(name=name, seconds=seconds, is_limited=is_limited)
                await self._app.open_state().circuits.announce_circuit(circuit)
                self._known_until[name] = self._clock() + seconds
                announced += 1
        return announced

    async def adopt_openings(self) -> int:
        """Open the breakers here that another instance has opened; returns how many."""
        adopted = 0
        for circuit in await self._app.open_state().circuits.list_open_circuits():
            if not self._is_news(circuit.name, circuit.seconds):
                continue
            if self._app.network.pause_upstream(
                circuit.name, circuit.seconds, is_limited=circuit.is_limited
            ):  # else it is not used here yet, and looked at again
                self._known_until[circuit.name] = self._clock() + circuit.seconds
                adopted += 1
        return adopted

    def _is_news(self, name: str, seconds: float) -> bool:
        return self._clock() + seconds > self._known_until.get(name, 0.0) + MIN_SHARED_SECONDS / 2

    async def run_loop(self) -> None:
        from citewell.store.coordination.rate_limits import CIRCUIT_TOPIC

        async with self._app.open_state().circuits.notices.watch(CIRCUIT_TOPIC) as watch:
            while True:
                is_told = await watch.wait(LOOK_SECONDS)
                try:
                    await self.announce_openings()
                    if is_told:
                        await self.adopt_openings()
                except CitewellError as error:
                    logger.warning("Open breakers are not shared now. %s", error.message)
                    await asyncio.sleep(_RETRY_SECONDS)


@contextlib.asynccontextmanager
async def share_breakers(app: App) -> AsyncIterator[None]:
    """Share open breakers in the background while the block runs, if there is a database server."""
    if not app.settings[StoreSettings].database_url:
        yield
        return
    async with _run_beside(BreakerSharing(app).run_loop()):
        yield
