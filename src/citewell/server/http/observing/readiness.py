"""Whether a server can do its work now: its store, keys, workers and providers, and why not."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial

from citewell.core.errors import CitewellError
from citewell.net.upstream.origin_limits import BreakerState
from citewell.server.app import App
from citewell.server.http.observing.request_records import ServerState

logger = logging.getLogger(__name__)
CACHE_SECONDS = 1.0  # for how long probes get the same answer, so that they cannot load the store
STORE_SECONDS = 2.0  # how long the store may take to answer
MAX_FAILED_STARTS = 2  # workers in a row that did not start before the pool counts as dead

# Upstreams that fail, fail for every instance: taking them all out would end what works without them.
_SHARED_CHECKS = frozenset({"providers"})
OK = "ok"
Check = Callable[[], Awaitable[Mapping[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadinessReport:
    """The result of each check by its name: `ok`, or a code that says what is wrong."""

    results: Mapping[str, str]

    @property
    def is_ready(self) -> bool:
        """Whether requests should come here; what fails on every instance alike does not count."""
        return all(
            result == OK for name, result in self.results.items() if name not in _SHARED_CHECKS
        )

    def to_wire(self) -> dict[str, object]:
        """For anybody who can reach the port, so there are codes and no messages or paths."""
        checks = {
            name: {"status": OK} if result == OK else {"status": "failed", "reason": result}
            for name, result in self.results.items()
        }
        status = "unready"
        if self.is_ready:
            status = OK if all(result == OK for result in self.results.values()) else "degraded"
        return {"status": status, "checks": checks}


class ReadinessMonitor:
    """Runs the checks at most once a second, and once for all who ask at the same time."""

    def __init__(
        self,
        state: ServerState,
        checks: tuple[Check, ...],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._state = state
        self._checks = checks
        self._clock = clock
        self._asked_at = -CACHE_SECONDS
        self._asking: asyncio.Task[Mapping[str, str]] | None = None
        self._known: Mapping[str, str] = {}

    async def judge_readiness(self) -> ReadinessReport:
        if self._asking is None and self._clock() - self._asked_at >= CACHE_SECONDS:
            self._asking = asyncio.create_task(self._run_checks())
        if self._asking is not None:
            # A probe that gives up must not cancel the check of the others.
            self._known = await asyncio.shield(self._asking)
        # The drain is told at once: the load balancer has only the grace period to notice it.
        drain = "draining" if self._state.is_draining else OK
        return ReadinessReport(results={"drain": drain, **self._known})

    async def _run_checks(self) -> Mapping[str, str]:
        try:
            results: dict[str, str] = {}
            for check in self._checks:
                results |= await check()
            for name, result in results.items():
                if result != self._known.get(name, OK):
                    logger.warning("Readiness: %s is %s", name, result)
            return results
        finally:
            self._asked_at, self._asking = self._clock(), None


def build_readiness_monitor(app: App, state: ServerState) -> ReadinessMonitor:
    return ReadinessMonitor(
        state,
        (
            StateProbe(app).check_state,
            partial(_check_workers, app),
            partial(_check_providers, app),
        ),
    )


class StateProbe:
    """Reads one row of the stored state and opens its first key."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._told: str | None = None
        self._looking: asyncio.Task[Mapping[str, str]] | None = None

    async def check_state(self) -> Mapping[str, str]:
        """The result, or `timeout`; a slow look goes on, and the next probe waits for it again."""
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_at_state())
        done, _ = await asyncio.wait({self._looking}, timeout=STORE_SECONDS)
        if not done:
            return {"store": "timeout", "keys": "unknown"}
        ended, self._looking = self._looking, None
        return ended.result()

    async def _look_at_state(self) -> Mapping[str, str]:
        from citewell.server.state.state_store import (
            KEY_FAULTS,
            StateFault,
            check_stored_state,
            classify_state_error,
        )
        from citewell.store.failures import StoreError

        try:
            await check_stored_state(self._app.open_state(), self._app.settings)
        except StoreError as error:
            fault = classify_state_error(error)
            self._log_once(fault.value, error)
            if fault in KEY_FAULTS:
                return {"store": OK, "keys": fault.value}
            return {"store": fault.value, "keys": "unknown"}
        except CitewellError as error:  # a malformed key, or a fault of our own
            self._log_once(error.kind, error)
            return {"store": StateFault.UNREACHABLE.value, "keys": error.kind}
        self._told = None
        return {"store": OK, "keys": OK}

    def _log_once(self, reason: str, error: CitewellError) -> None:
        if reason != self._told:
            self._told = reason
            logger.error("The stored state cannot be used. %s", error.message)


async def _check_workers(app: App) -> Mapping[str, str]:
    """Whether processes that read pages can be started; an idle pool counts as alive."""
    if app.workers.measure_pool().failed_starts < MAX_FAILED_STARTS:
        return {"workers": OK}
    app.workers.prepare_worker()  # one that starts ends the fault
    return {"workers": "not_starting"}


async def _check_providers(app: App) -> Mapping[str, str]:
    """Failed only if the breakers of all providers used so far are open."""
    states = [snapshot.state for snapshot in app.network.collect_health().values()]
    usable = not states or any(state is not BreakerState.OPEN for state in states)
    return {"providers": OK if usable else "all_resting"}
