"""What a task is, who can run one, and how a task fails."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, get_type_hints

from citewell.core.errors import CitewellError, TooLarge
from citewell.core.values.counted_words import describe_duration

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True)
class WorkerTask(Generic[R_co]):
    """A function of the task table, as the server knows it, which need not import its module."""

    path: str  # "module:function", one of TASK_PATHS
    answer: Any  # the type that the function returns; an answer of another shape is refused
    errors: tuple[type[CitewellError], ...] = ()  # the function's errors beyond those of `errors`


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFigures:
    """How a pool of workers is doing."""

    workers: int = 0  # processes that run now
    idle: int = 0  # of these, those without work
    replaced: int = 0  # processes ended since the start because a task spoilt them
    failed_starts: int = 0  # processes in a row that did not start


class TaskRunner(Protocol):
    """Runs tasks apart from the server: in worker processes, or in a thread in tests."""

    async def run_task(
        self, task: WorkerTask[R], *, limit_seconds: float | None = None, **arguments: object
    ) -> R:
        """The function's answer. Raises its CitewellErrors, or TaskFailure if it did not get to an end."""
        ...

    def prepare_worker(self) -> None:
        """Start a worker in the background if none is free, because a task will come soon."""
        ...

    def measure_pool(self) -> PoolFigures: ...

    async def aclose(self) -> None: ...


class DeferredRunner:
    """Builds the real runner at its first task, so that a server starts without loading it."""

    def __init__(self, build: Callable[[], TaskRunner]) -> None:
        self._build = build
        self._runner: TaskRunner | None = None

    def _require_runner(self) -> TaskRunner:
        if self._runner is None:
            self._runner = self._build()
        return self._runner

    async def run_task(
        self, task: WorkerTask[R], *, limit_seconds: float | None = None, **arguments: object
    ) -> R:
        runner = self._require_runner()
        return await runner.run_task(task, limit_seconds=limit_seconds, **arguments)

    def prepare_worker(self) -> None:
        self._require_runner().prepare_worker()

    def measure_pool(self) -> PoolFigures:
        """The figures of the real runner; zeros as long as no task has come."""
        return PoolFigures() if self._runner is None else self._runner.measure_pool()

    async def aclose(self) -> None:
        if self._runner is not None:
            await self._runner.aclose()


async def run_function(
    workers: TaskRunner, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """Run a function of the task table that the server has imported, as `asyncio.to_thread` would."""
    answer = get_type_hints(function)["return"]
    task: WorkerTask[R] = WorkerTask(f"{function.__module__}:{function.__qualname__}", answer)
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    return await workers.run_task(task, limit_seconds=None, **given)


class FailureCause(StrEnum):
    """Why a task has neither an answer nor an error of its own."""

    TIME = "time"  # it took longer than its limit
    MEMORY = "memory"  # it needed more memory than a worker may have
    DEPTH = "depth"  # its input is nested too deeply
    CRASH = "crash"  # the process ended, or answered what it must not
    BUG = "bug"  # the function raised an error that is not one of ours


_MESSAGES_BY_CAUSE = {
    FailureCause.TIME: "Reading it took longer than {duration} and was stopped.",
    FailureCause.MEMORY: "Reading it takes more memory than is allowed; it may be a bomb.",
    FailureCause.DEPTH: "It is nested too deeply to be read.",
    FailureCause.CRASH: "It crashed its reader; it is damaged or malicious.",
    FailureCause.BUG: "Its reader failed on it.",
}


class TaskFailure(TooLarge):
    """A task was stopped or died. Only its caller is told; the worker is replaced if need be."""

    cause: FailureCause = FailureCause.CRASH
    place: str = ""  # for the log: the type of the exception and the line of ours that raised it


def build_task_failure(
    cause: FailureCause, *, seconds: float = 0.0, place: str = ""
) -> TaskFailure:
    """The failure with its message; `seconds` is the limit that the task exceeded."""
    message = _MESSAGES_BY_CAUSE[cause].format(duration=describe_duration(seconds))
    failure = TaskFailure(message, detail=message.rstrip("."))
    failure.cause, failure.place = cause, place
    return failure
