"""Batches lookups: many identifiers in one request, where a registry accepts lists."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from citewell.core.errors import (
    CitewellError,
    InternalError,
    MalformedResponse,
    RejectedRequest,
    TooLarge,
)
from citewell.core.values.paper import IdentifierScheme, Paper, PaperId
from citewell.routing.ports import PaperLookup, PaperLookupMany

_BATCH_WINDOW_SECONDS = 0.005  # seconds; lookups within this time share a request
_BUSY_HOLD_SECONDS = 0.5  # seconds that an incomplete batch waits while others are in flight
_MAX_CONCURRENT_BATCHES = 3  # requests of one queue at the same time
_MAX_CONSECUTIVE_FAULTS = 8  # refusals in a row after which the batch is given up
_LIST_ERRORS = (
    RejectedRequest,
    MalformedResponse,
    TooLarge,
)  # one identifier, or their number, may be at fault


class LookupBatcher:
    """One queue for each registry and scheme; a cancelled caller does not affect the others."""

    def __init__(
        self, *, moment: float = _BATCH_WINDOW_SECONDS, hold: float = _BUSY_HOLD_SECONDS
    ) -> None:
        self._moment = moment
        self._hold = hold
        self._lines: dict[tuple[int, IdentifierScheme], _LookupQueue] = {}

    async def look_up_in_batch(self, provider: PaperLookup, paper_id: PaperId) -> Paper | None:
        """What `provider.look_up_paper` would return, batched with other lookups if possible."""
        line = self._lines.get((id(provider), paper_id.scheme))
        if line is not None:
            return await line.await_lookup(paper_id)
        if not isinstance(provider, PaperLookupMany) or paper_id.scheme not in provider.max_batch:
            return await provider.look_up_paper(paper_id)
        line = _LookupQueue(
            provider, paper_id.scheme, window_seconds=self._moment, hold_seconds=self._hold
        )
        self._lines[id(provider), paper_id.scheme] = line
        return await line.await_lookup(paper_id)


@dataclass(slots=True, kw_only=True, eq=False)
class _PendingLookup:
    """One identifier, and the future that its callers wait for."""

    paper_id: PaperId
    answer: asyncio.Future[Paper | None]
    callers: int = 0
    batch: _LookupBatch | None = None  # once it is sent

    def settle_lookup(self, paper: Paper | None) -> None:
        if not self.answer.done():
            self.answer.set_result(paper)

    def fail_lookup(self, error: BaseException) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


@dataclass(slots=True, kw_only=True, eq=False)
class _LookupBatch:
    """The lookups of one request."""

    lookups: Sequence[_PendingLookup]
    task: asyncio.Task[None] | None = None
    faults: int = 0  # in a row

    def cancel_if_unwanted(self) -> None:
        if self.task is not None and not any(lookup.callers for lookup in self.lookups):
            self.task.cancel()


@dataclass(slots=True, eq=False)
class _LookupQueue:
    provider: PaperLookupMany
    scheme: IdentifierScheme
    window_seconds: float = field(kw_only=True)
    hold_seconds: float = field(kw_only=True)
    waiting: dict[PaperId, _PendingLookup] = field(default_factory=dict)
    in_flight: dict[PaperId, _PendingLookup] = field(default_factory=dict)
    batches: list[_LookupBatch] = field(default_factory=list)
    timer: asyncio.TimerHandle | None = None

    async def await_lookup(self, paper_id: PaperId) -> Paper | None:
        lookup = (
            self.in_flight.get(paper_id) or self.waiting.get(paper_id) or self._add_lookup(paper_id)
        )
        lookup.callers += 1
        try:
            return await asyncio.shield(lookup.answer)
        finally:
            lookup.callers -= 1
            if not lookup.callers and not lookup.answer.done():
                self._remove_lookup(lookup)

    def _add_lookup(self, paper_id: PaperId) -> _PendingLookup:
        future = asyncio.get_running_loop().create_future()
        lookup = self.waiting[paper_id] = _PendingLookup(paper_id=paper_id, answer=future)
        self._schedule_batches()
        return lookup

    def _remove_lookup(self, lookup: _PendingLookup) -> None:
        """Drop a lookup that no caller waits for; cancel its request if nobody needs that either."""
        lookup.answer.cancel()
        for known in (self.waiting, self.in_flight):
            if known.get(lookup.paper_id) is lookup:
                del known[lookup.paper_id]
        if lookup.batch is not None:
            lookup.batch.cancel_if_unwanted()
        if self.timer is not None and not self.waiting:
            self.timer.cancel()
            self.timer = None

    def _schedule_batches(self) -> None:
        """Send full batches now, and set a timer for the rest."""
        while (
            len(self.waiting) >= self._batch_limit and len(self.batches) < _MAX_CONCURRENT_BATCHES
        ):
            self._send_batch()
        if self.waiting and self.timer is None:
            delay = self.hold_seconds if self.batches else self.window_seconds
            self.timer = asyncio.get_running_loop().call_later(delay, self._send_waiting)

    def _send_waiting(self) -> None:
        self.timer = None
        while self.waiting and len(self.batches) < _MAX_CONCURRENT_BATCHES:
            self._send_batch()

    def _send_batch(self) -> None:
        lookups = [self.waiting.pop(key) for key in list(self.waiting)[: self._batch_limit]]
        trip = _LookupBatch(lookups=lookups)
        for lookup in lookups:
            lookup.batch = trip
            self.in_flight[lookup.paper_id] = lookup
        self.batches.append(trip)
        trip.task = asyncio.create_task(self._look_up_batch(trip, lookups))
        trip.task.add_done_callback(partial(self._finish_batch, trip))

    def _finish_batch(self, trip: _LookupBatch, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        for lookup in trip.lookups:
            lookup.fail_lookup(error or InternalError("The lookup was cancelled internally."))
            if self.in_flight.get(lookup.paper_id) is lookup:
                del self.in_flight[lookup.paper_id]
        self.batches.remove(trip)
        if not self.batches:
            if self.timer is not None:
                self.timer.cancel()
            self._send_waiting()
        else:
            self._schedule_batches()

    @property
    def _batch_limit(self) -> int:
        return max(1, self.provider.max_batch[self.scheme])

    async def _look_up_batch(self, trip: _LookupBatch, lookups: Sequence[_PendingLookup]) -> None:
        """One request for all; if the list may be at fault, again for each half of it."""
        if len(lookups) == 1:
            await self._look_up_single(trip, lookups[0])
            return
        try:
            papers = await self.provider.look_up_papers([lookup.paper_id for lookup in lookups])
        except _LIST_ERRORS as error:
            _count_fault(trip, error)
            half = len(lookups) // 2
            await self._look_up_batch(trip, lookups[:half])
            await self._look_up_batch(trip, lookups[half:])
            return
        trip.faults = 0
        open_ = [lookup for lookup in lookups if lookup.paper_id not in papers]
        for lookup in lookups:
            if lookup.paper_id in papers:
                lookup.settle_lookup(papers[lookup.paper_id])
        for start in range(0, len(open_), _MAX_CONCURRENT_BATCHES):
            several = open_[start : start + _MAX_CONCURRENT_BATCHES]
            done = (self._look_up_single(trip, lookup) for lookup in several)
            failures = filter(None, await asyncio.gather(*done, return_exceptions=True))
            if failure := next(failures, None):
                raise failure

    async def _look_up_single(self, trip: _LookupBatch, lookup: _PendingLookup) -> None:
        if lookup.answer.done():
            return
        try:
            lookup.settle_lookup(await self.provider.look_up_paper(lookup.paper_id))
            trip.faults = 0
        except _LIST_ERRORS as error:
            lookup.fail_lookup(error)
            _count_fault(trip, error)
        # Any other error is the registry's own and fails all lookups that are still open.


def _count_fault(trip: _LookupBatch, error: CitewellError) -> None:
    trip.faults += 1
    if trip.faults >= _MAX_CONSECUTIVE_FAULTS:
        raise error
