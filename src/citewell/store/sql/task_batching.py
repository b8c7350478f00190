"""Groups requests that arrive while earlier ones run, so that they share one round trip."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Request = TypeVar("Request")
Result = TypeVar("Result")

_MAX_GROUP_STATEMENTS = 64  # limits how long the first request of a group waits for the last


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
                    _settle_answer(answer, error)
                if not isinstance(error, Exception):
                    raise
                continue
            for (_, answer), result in zip(group, answers, strict=True):
                _settle_answer(answer, result)


def _settle_answer(answer: asyncio.Future[Result], result: Result | BaseException) -> None:
    if answer.done():
        return  # the caller was cancelled
    if isinstance(result, asyncio.CancelledError):
        answer.cancel()
    elif isinstance(result, BaseException):
        answer.set_exception(result)
    else:
        answer.set_result(result)
