"""Requests that are handled in groups, by one os_thread or one task, so that waiting callers share the work."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Generic, TypeVar

from citewell.store.failures import StoreError

_MAX_GROUP_STATEMENTS = 64  # limits how long the first request of a group waits for the last

Request = TypeVar("Request")
Result = TypeVar("Result")

_MAX_GROUP_REQUESTS = 256  # limits how long the first request of a group waits for the last


@dataclass(frozen=True, slots=True)
class _PendingRequest(Generic[Request, Result]):
    request: Request
    waiter: asyncio.Future[Result]


class ThreadBatcher(Generic[Request, Result]):
    """Calls `turn` with a group of requests; it returns a result or an exception for each."""

    def __init__(
        self, name: str, turn: Callable[[Sequence[Request]], Sequence[Result | Exception]]
    ) -> None:
        self._turn = turn
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._state = threading.Condition()  # guards the three attributes below
        self._waiting: deque[_PendingRequest[Request, Result]] = deque()
        self._busy = False
        self._closed = False

    async def request_answer(self, request: Request) -> Result:
        """The answer to one request; requests are handled in order of arrival. Raises StoreError if closed."""
        job: _PendingRequest[Request, Result] = _PendingRequest(
            request, asyncio.get_running_loop().create_future()
        )
        with self._state:
            if self._closed:
                raise StoreError("The store is closed.")
            self._waiting.append(job)
            idle, self._busy = not self._busy, True
        if idle:
            self._start_next_group()
        return await job.waiter

    async def aclose(self, last: Callable[[], None]) -> None:
        """Answer all pending requests, run `last` on the os_thread, and end it."""
        with self._state:
            already, self._closed = self._closed, True
        if not already:
            await asyncio.to_thread(self._drain_and_shut_down, last)

    def _drain_and_shut_down(self, last: Callable[[], None]) -> None:
        with self._state:
            self._state.wait_for(lambda: not self._busy)
        try:
            self._thread.submit(last).result()
        finally:
            self._thread.shutdown()

    def _start_next_group(self) -> None:
        with self._state:
            count = min(_MAX_GROUP_REQUESTS, len(self._waiting))
            jobs = [self._waiting.popleft() for _ in range(count)]
            if not jobs:
                self._busy = False
                self._state.notify_all()
                return
        turn = self._thread.submit(self._turn, [job.request for job in jobs])
        turn.add_done_callback(partial(self._deliver_answers, jobs))

    def _deliver_answers(
        self,
        jobs: list[_PendingRequest[Request, Result]],
        turn: Future[Sequence[Result | Exception]],
    ) -> None:
        failure = turn.exception()
        answers = turn.result() if failure is None else [failure] * len(jobs)
        pairs = [(job.waiter, answer) for job, answer in zip(jobs, answers, strict=True)]
        for loop, settled in groupby(pairs, key=lambda pair: pair[0].get_loop()):
            # A closed event loop has no waiting caller.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_settle_waiters, list(settled))
        self._start_next_group()


def _settle_waiters(pairs: list[tuple[asyncio.Future[Result], Result | BaseException]]) -> None:
    for waiter, answer in pairs:
        settle_waiter(waiter, answer)


def settle_waiter(waiter: asyncio.Future[Result], answer: Result | BaseException) -> None:
    """Give a caller its answer, unless the caller was cancelled."""
    if waiter.done():
        return
    if isinstance(answer, asyncio.CancelledError):
        waiter.cancel()
    elif isinstance(answer, BaseException):
        waiter.set_exception(answer)
    else:
        waiter.set_result(answer)


# Groups requests that arrive while earlier ones run, so that they share one round trip.


class TaskBatcher(Generic[Request, Result]):
    """Calls `serve` with a group of requests; it returns a result or an exception for each."""

    def __init__(
        self,
        serve: Callable[[Sequence[Request]], Awaitable[Sequence[Result | Exception]]],
        *,
        max_concurrent: int = 1,
    ) -> None:
        self._serve = serve
        self._at_once = max_concurrent
        self._waiting: deque[tuple[Request, asyncio.Future[Result]]] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    async def request_in_group(self, request: Request) -> Result:
        answer: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, answer))
        if len(self._tasks) < self._at_once:
            task = asyncio.create_task(self._serve_groups())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await answer

    async def aclose(self) -> None:
        """Answer all pending requests."""
        await asyncio.gather(*self._tasks)

    async def _serve_groups(self) -> None:
        while self._waiting:
            size = min(_MAX_GROUP_STATEMENTS, len(self._waiting))
            group = [self._waiting.popleft() for _ in range(size)]
            try:
                answers = await self._serve([request for request, _ in group])
            except BaseException as error:
                for _, answer in group:
                    settle_waiter(answer, error)
                if not isinstance(error, Exception):
                    raise
                continue
            for (_, answer), result in zip(group, answers, strict=True):
                settle_waiter(answer, result)
