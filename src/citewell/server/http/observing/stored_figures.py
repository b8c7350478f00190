"""Figures about stored jobs, spending and audit rows for the metrics; read at most every ten seconds."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.store.jobs.job_totals import (
    load_job_totals,
    load_reserved_cents,
    load_spending_totals,
)
from citewell.store.state_store import has_stored_state

logger = logging.getLogger(__name__)
_CACHE_SECONDS = 10.0
_MAX_WAIT_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFigures:
    """What the store tells about all owners together."""

    is_current: bool = False  # False if the store could not be asked
    jobs: Mapping[str, int] = field(default_factory=dict)  # by status
    spent_cents: Mapping[str, int] = field(default_factory=dict)  # by provider, since the beginning
    reserved_cents: int = 0
    waiting_audit_rows: int = 0


class StoredFiguresReader:
    def __init__(self, app: App, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._clock = clock
        self._read_at: float | None = None
        self._known = StoredFigures()
        self._lock = asyncio.Lock()

    async def read_figures(self) -> StoredFigures:
        """The figures, at most ten seconds old; without figures if the store does not answer."""
        async with self._lock:
            if self._read_at is None or self._clock() - self._read_at >= _CACHE_SECONDS:
                self._known = await self._read_in_time()
                self._read_at = self._clock()
            return self._known

    async def _read_in_time(self) -> StoredFigures:
        if not has_stored_state(self._app.settings):
            return StoredFigures(is_current=True)
        try:
            async with asyncio.timeout(_MAX_WAIT_SECONDS):
                return await self._read_store()
        except (CitewellError, TimeoutError) as error:
            logger.debug("Figures of the store cannot be read: %s", type(error).__name__)
            return StoredFigures()

    async def _read_store(self) -> StoredFigures:
        state = self._app.open_state()
        jobs = await load_job_totals(state.database)
        spending = await load_spending_totals(state.database, now=time.time())
        return StoredFigures(
            is_current=True,
            jobs=jobs.by_status,
            spent_cents={total.provider: total.total_cents for total in spending},
            reserved_cents=await load_reserved_cents(state.database),
            waiting_audit_rows=await state.audit.count_waiting_rows(),
        )
