"""One thread that works off requests in groups, so that callers who wait together share a turn."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Generic, TypeVar

from citewell.store.failures import StoreError

Request = TypeVar("Request")
Result = TypeVar("Result")

_GROUP = 256  # bounds how long the first of a group waits for the last


@dataclass(frozen=True, slots=True)
class _Job(Generic[Request, Result]):
    request: Request
    waiter: asyncio.Future[Result]


class Lane(Generic[Request, Result]):
    """`turn` gets the requests of a group and answers each with a result or its own exception."""

    def __init__(
        self, name: str, turn: Callable[[Sequence[Request]], Sequence[Result | Exception]]
    ) -> None:
        self._turn = turn
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._state = threading.Condition()  # guards the three below
        self._waiting: deque[_Job[Request, Result]] = deque()
        self._busy = False
        self._closed = False

    async def ask(self, request: Request) -> Result:
        """The answer to one request; requests are taken in the order of arrival."""
        job: _Job[Request, Result] = _Job(request, asyncio.get_running_loop().create_future())
        with self._state:
            if self._closed:
                raise StoreError("The store is closed.")
            self._waiting.append(job)
            idle, self._busy = not self._busy, True
        if idle:
            self._next()
        return await job.waiter

    async def aclose(self, last: Callable[[], None]) -> None:
        """Answer everything asked so far, run `last` on the thread, and end it."""
        with self._state:
            already, self._closed = self._closed, True
        if not already:
            await asyncio.to_thread(self._finish, last)

    def _finish(self, last: Callable[[], None]) -> None:
        with self._state:
            self._state.wait_for(lambda: not self._busy)
        try:
            self._thread.submit(last).result()
        finally:
            self._thread.shutdown()

    def _next(self) -> None:
        with self._state:
            count = min(_GROUP, len(self._waiting))
            jobs = [self._waiting.popleft() for _ in range(count)]
            if not jobs:
                self._busy = False
                self._state.notify_all()
                return
        turn = self._thread.submit(self._turn, [job.request for job in jobs])
        turn.add_done_callback(partial(self._end, jobs))

    def _end(
        self, jobs: list[_Job[Request, Result]], turn: Future[Sequence[Result | Exception]]
    ) -> None:
        failure = turn.exception()
        answers = turn.result() if failure is None else [failure] * len(jobs)
        pairs = [(job.waiter, answer) for job, answer in zip(jobs, answers, strict=True)]
        for loop, settled in groupby(pairs, key=lambda pair: pair[0].get_loop()):
            # A closed loop has nobody left to tell.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_settle, list(settled))
        self._next()


def _settle(pairs: list[tuple[asyncio.Future[Result], Result | BaseException]]) -> None:
    for waiter, answer in pairs:
        if waiter.done():
            continue
        if isinstance(answer, BaseException):
            waiter.set_exception(answer)
        else:
            waiter.set_result(answer)
