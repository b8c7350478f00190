"""Shares open breakers between instances: an upstream that asked one of them to slow down rests for all.

Only with a database server. Each instance counts failures itself, and probes an upstream itself when
the pause is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable

from citewell.errors import CitewellError, RateLimited
from citewell.net.upstream.circuit_breaker import BreakerState
from citewell.server.app import App
from citewell.store.coordination.open_circuits import CIRCUIT_TOPIC, OpenCircuit

logger = logging.getLogger(__name__)
LOOK_SECONDS = 1.0  # between looks at the breakers of this process
MIN_SHARED_SECONDS = 2.0  # a shorter pause is over before others hear of it
_RETRY_SECONDS = 5.0  # after the store has failed


class BreakerSharing:
    def __init__(self, app: App, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._clock = clock
        self._known_until: dict[str, float] = {}  # pauses that the store knows, by our own clock

    async def announce_openings(self) -> int:
        """Tell the others of breakers that have opened here since the last time; returns how many."""
        told = 0
        for name, snapshot in self._app.network.collect_health().items():
            seconds = snapshot.retry_after or 0.0
            is_open = snapshot.state is BreakerState.OPEN and seconds >= MIN_SHARED_SECONDS
            if is_open and self._is_news(name, seconds):
                is_limited = snapshot.last_error == RateLimited.kind
                circuit = OpenCircuit(name=name, seconds=seconds, is_limited=is_limited)
                await self._app.open_state().circuits.announce_circuit(circuit)
                self._known_until[name] = self._clock() + seconds
                told += 1
        return told

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
    if not app.settings.database_url:
        yield
        return
    task = asyncio.create_task(BreakerSharing(app).run_loop())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
