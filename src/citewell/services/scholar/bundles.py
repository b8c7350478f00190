"""Lookups that come together go together: many works in one request, where a registry takes lists."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from citewell.errors import BadShape, CitewellError, InternalError, RejectedRequest, TooLarge
from citewell.model.paper import Paper, PaperId, Scheme
from citewell.ports import PaperLookup, PaperLookupMany

_MOMENT = 0.005  # seconds; lookups this close to one another come together
_HOLD = 0.5  # seconds that a few wait while others are under way, to go with more
_ABREAST = 3  # requests of one line at the same time
_FAULTS = 8  # refusals in a row after which nobody else is asked for
_OF_THE_LIST = (
    RejectedRequest,
    BadShape,
    TooLarge,
)  # one of them, or their number, may be at fault


class Bundles:
    """One line for each registry and scheme; a caller's cancellation is its own affair."""

    def __init__(self, *, moment: float = _MOMENT, hold: float = _HOLD) -> None:
        self._moment = moment
        self._hold = hold
        self._lines: dict[tuple[int, Scheme], _Line] = {}

    async def paper(self, provider: PaperLookup, paper_id: PaperId) -> Paper | None:
        """What `provider.paper` would answer, with whatever else is asked of it just now."""
        line = self._lines.get((id(provider), paper_id.scheme))
        if line is not None:
            return await line.ask(paper_id)
        if not isinstance(provider, PaperLookupMany) or paper_id.scheme not in provider.most:
            return await provider.paper(paper_id)
        line = _Line(provider, paper_id.scheme, moment=self._moment, hold=self._hold)
        self._lines[id(provider), paper_id.scheme] = line
        return await line.ask(paper_id)


@dataclass(slots=True, kw_only=True, eq=False)
class _Wish:
    """One identifier that somebody waits for."""

    paper_id: PaperId
    answer: asyncio.Future[Paper | None]
    callers: int = 0
    trip: _Trip | None = None  # once it is asked for

    def settle(self, paper: Paper | None) -> None:
        if not self.answer.done():
            self.answer.set_result(paper)

    def fail(self, error: BaseException) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


@dataclass(slots=True, kw_only=True, eq=False)
class _Trip:
    """Those that are asked for together."""

    wishes: Sequence[_Wish]
    task: asyncio.Task[None] | None = None
    faults: int = 0  # in a row

    def give_up(self) -> None:
        if self.task is not None and not any(wish.callers for wish in self.wishes):
            self.task.cancel()


@dataclass(slots=True, eq=False)
class _Line:
    provider: PaperLookupMany
    scheme: Scheme
    moment: float = field(kw_only=True)
    hold: float = field(kw_only=True)
    waiting: dict[PaperId, _Wish] = field(default_factory=dict)
    asked: dict[PaperId, _Wish] = field(default_factory=dict)
    trips: list[_Trip] = field(default_factory=list)
    timer: asyncio.TimerHandle | None = None

    async def ask(self, paper_id: PaperId) -> Paper | None:
        wish = self.asked.get(paper_id) or self.waiting.get(paper_id) or self._join(paper_id)
        wish.callers += 1
        try:
            return await asyncio.shield(wish.answer)
        finally:
            wish.callers -= 1
            if not wish.callers and not wish.answer.done():
                self._leave(wish)

    def _join(self, paper_id: PaperId) -> _Wish:
        future = asyncio.get_running_loop().create_future()
        wish = self.waiting[paper_id] = _Wish(paper_id=paper_id, answer=future)
        self._consider()
        return wish

    def _leave(self, wish: _Wish) -> None:
        """Nobody waits for it any more: it is not asked for, or its request is given up."""
        wish.answer.cancel()
        for known in (self.waiting, self.asked):
            if known.get(wish.paper_id) is wish:
                del known[wish.paper_id]
        if wish.trip is not None:
            wish.trip.give_up()
        if self.timer is not None and not self.waiting:
            self.timer.cancel()
            self.timer = None

    def _consider(self) -> None:
        """Full lists go at once; fewer wait a moment, or for what is under way."""
        while len(self.waiting) >= self._most and len(self.trips) < _ABREAST:
            self._send()
        if self.waiting and self.timer is None:
            delay = self.hold if self.trips else self.moment
            self.timer = asyncio.get_running_loop().call_later(delay, self._due)

    def _due(self) -> None:
        self.timer = None
        while self.waiting and len(self.trips) < _ABREAST:
            self._send()

    def _send(self) -> None:
        wishes = [self.waiting.pop(key) for key in list(self.waiting)[: self._most]]
        trip = _Trip(wishes=wishes)
        for wish in wishes:
            wish.trip = trip
            self.asked[wish.paper_id] = wish
        self.trips.append(trip)
        trip.task = asyncio.create_task(self._asked(trip, wishes))
        trip.task.add_done_callback(partial(self._landed, trip))

    def _landed(self, trip: _Trip, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        for wish in trip.wishes:
            wish.fail(error or InternalError("The lookup was stopped from inside."))
            if self.asked.get(wish.paper_id) is wish:
                del self.asked[wish.paper_id]
        self.trips.remove(trip)
        if not self.trips:
            self._due_now()
        else:
            self._consider()

    def _due_now(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self._due()

    @property
    def _most(self) -> int:
        return max(1, self.provider.most[self.scheme])

    async def _asked(self, trip: _Trip, wishes: Sequence[_Wish]) -> None:
        """One request for them all; by halves where the list itself may be at fault."""
        if len(wishes) == 1:
            await self._alone(trip, wishes[0])
            return
        try:
            said = await self.provider.papers_of([wish.paper_id for wish in wishes])
        except _OF_THE_LIST as error:
            _count(trip, error)
            half = len(wishes) // 2
            await self._asked(trip, wishes[:half])
            await self._asked(trip, wishes[half:])
            return
        trip.faults = 0
        open_ = [wish for wish in wishes if wish.paper_id not in said]
        for wish in wishes:
            if wish.paper_id in said:
                wish.settle(said[wish.paper_id])
        for start in range(0, len(open_), _ABREAST):
            several = open_[start : start + _ABREAST]
            done = (self._alone(trip, wish) for wish in several)
            failures = filter(None, await asyncio.gather(*done, return_exceptions=True))
            if failure := next(failures, None):
                raise failure

    async def _alone(self, trip: _Trip, wish: _Wish) -> None:
        if wish.answer.done():
            return
        try:
            wish.settle(await self.provider.paper(wish.paper_id))
            trip.faults = 0
        except _OF_THE_LIST as error:
            wish.fail(error)
            _count(trip, error)
        # Whatever else is wrong is wrong with the registry, and tells of all that are still open.


def _count(trip: _Trip, error: CitewellError) -> None:
    trip.faults += 1
    if trip.faults >= _FAULTS:
        raise error
