"""Callers who ask while others are being served form the next group, and share one journey."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Request = TypeVar("Request")
Result = TypeVar("Result")

_GROUP = 64  # bounds how long the first of a group waits for the last


class Together(Generic[Request, Result]):
    """`serve` gets the requests of a group and answers each with a result or its own exception."""

    def __init__(
        self,
        serve: Callable[[Sequence[Request]], Awaitable[Sequence[Result | Exception]]],
        *,
        at_once: int = 1,
    ) -> None:
        self._serve = serve
        self._at_once = at_once
        self._waiting: deque[tuple[Request, asyncio.Future[Result]]] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    async def ask(self, request: Request) -> Result:
        answer: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, answer))
        if len(self._tasks) < self._at_once:
            task = asyncio.create_task(self._work())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await answer

    async def aclose(self) -> None:
        """Answer everything asked so far."""
        await asyncio.gather(*self._tasks)

    async def _work(self) -> None:
        while self._waiting:
            size = min(_GROUP, len(self._waiting))
            group = [self._waiting.popleft() for _ in range(size)]
            try:
                answers = await self._serve([request for request, _ in group])
            except BaseException as error:
                for _, answer in group:
                    _settle(answer, error)
                if not isinstance(error, Exception):
                    raise
                continue
            for (_, answer), result in zip(group, answers, strict=True):
                _settle(answer, result)


def _settle(answer: asyncio.Future[Result], result: Result | BaseException) -> None:
    if answer.done():
        return  # whoever asked has gone
    if isinstance(result, asyncio.CancelledError):
        answer.cancel()
    elif isinstance(result, BaseException):
        answer.set_exception(result)
    else:
        answer.set_result(result)
