"""The messages between the server and a worker: JSON, with raw bytes beside it, decoded strictly.

Nothing is ever unpickled: a worker that hostile input has taken over can send wrong text, and no more.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, TypeVar, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from citewell.core import errors
from citewell.core.errors import CitewellError, FailureReason
from citewell.workers.worker_tasks import FailureCause, WorkerTask, build_task_failure

REQUEST_SIZES = struct.Struct("<II")  # bytes of the JSON and of the bodies that follow it
ANSWER_SIZES = struct.Struct(
    "<BII"
)  # the kind, bytes of the JSON, KiB that the worker has grown by
KIND_ANSWER, KIND_ERROR, KIND_FAILURE = range(3)

READY_MARK = b"+"  # a worker sends it once, before it reads its first request
WALL_FACTOR = 2.0
_PLAIN_TYPES = frozenset({str, int, float, bool, str | None, int | None, float | None})

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorReport:
    """A CitewellError as it travels; the receiver rebuilds it only from classes it expects."""

    name: str
    message: str
    detail: str | None = None
    reason: FailureReason | None = None
    provider: str | None = None
    retry_after: float | None = None
    action: str | None = None
    http_status: int | None = None
    settings: tuple[str, ...] = ()
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureReport:
    cause: FailureCause
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRequest:
    path: str
    arguments: Mapping[str, Any]
    seconds: float  # of processor time

    @property
    def wall_seconds(self) -> float:
        """Seconds by the clock; more, because on a busy machine a worker has to wait for its turn."""
        return self.seconds * WALL_FACTOR


def encode_request(path: str, arguments: Mapping[str, object], seconds: float) -> list[bytes]:
    """The request in parts, to be sent one after the other; large bodies are not copied."""
    bodies = {name: value for name, value in arguments.items() if isinstance(value, bytes)}
    plain = {name: value for name, value in arguments.items() if name not in bodies}
    head = _encode_json({
        "task": path,
        "seconds": seconds,
        "arguments": to_jsonable_python(plain),
        "bodies": {name: len(body) for name, body in bodies.items()},
    })  # fmt: skip
    total = sum(map(len, bodies.values()))
    return [REQUEST_SIZES.pack(len(head), total) + head, *bodies.values()]


def decode_request(head: bytes, body: bytes) -> TaskRequest:
    request = json.loads(head)
    arguments, start = dict(request["arguments"]), 0
    for name, size in request["bodies"].items():
        # The usual single body is the whole of the bytes and is not copied.
        arguments[name] = body if size == len(body) else body[start : start + size]
        start += size
    return TaskRequest(path=request["task"], arguments=arguments, seconds=request["seconds"])


def run_request(request: TaskRequest, allowed: frozenset[str]) -> bytes:
    """Run the task and encode its answer; raises LookupError for a function that is no task."""
    if request.path not in allowed:
        raise LookupError(request.path)
    function, hints = _load_task(request.path)
    arguments = {
        name: _rebuild_argument(hints[name], value) for name, value in request.arguments.items()
    }
    answer = function(**arguments)
    return _encode_answer(hints["return"], answer)


def encode_error(error: CitewellError) -> bytes:
    report = ErrorReport(
        name=type(error).__name__,
        message=error.message,
        detail=error.detail,
        reason=error.reason,
        provider=error.provider,
        retry_after=error.retry_after,
        action=error.suggested_action,
        http_status=error.http_status,
        settings=error.settings,
        remedy=error.remedy,
    )
    return _encode_json(to_jsonable_python(report))


def encode_failure(cause: FailureCause, place: str = "") -> bytes:
    return _encode_json({"cause": cause.value, "place": place})


def decode_answer(task: WorkerTask[R], kind: int, raw: bytes) -> R:
    """The task's answer. Raises the error or the failure that was sent instead.

    Whatever is not exactly of the declared type is a failure too (`FailureCause.CRASH`).
    """
    try:
        if kind == KIND_ANSWER:
            answer: R = _build_adapter(task.answer).validate_json(raw, strict=True)
            return answer
        if kind == KIND_ERROR:
            report = _build_adapter(ErrorReport).validate_json(raw, strict=True)
            raise _rebuild_error(task, report)
        failure = _build_adapter(FailureReport).validate_json(raw, strict=True)
    except (ValidationError, LookupError):
        raise build_task_failure(FailureCause.CRASH) from None
    raise build_task_failure(failure.cause, place=failure.place)


def _rebuild_error(task: WorkerTask[Any], report: ErrorReport) -> CitewellError:
    known = _list_known_errors() | {kind.__name__: kind for kind in task.errors}
    return known[report.name](
        report.message,
        detail=report.detail,
        reason=report.reason,
        provider=report.provider,
        retry_after=report.retry_after,
        action=report.action,
        http_status=report.http_status,
        settings=report.settings,
        remedy=report.remedy,
    )


@cache
def _list_known_errors() -> dict[str, type[CitewellError]]:
    found = (value for value in vars(errors).values() if isinstance(value, type))
    return {kind.__name__: kind for kind in found if issubclass(kind, CitewellError)}


@cache
def _load_task(path: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    module, _, name = path.partition(":")
    function = getattr(import_module(module), name)
    return function, get_type_hints(function)


def _rebuild_argument(hint: Any, value: Any) -> Any:
    if hint in _PLAIN_TYPES or isinstance(value, bytes):
        return value
    return _build_adapter(hint).validate_python(value)


@cache
def _build_adapter(hint: Any) -> TypeAdapter[Any]:
    return TypeAdapter(hint)


def _encode_answer(hint: Any, answer: Any) -> bytes:
    adapter = _build_adapter(hint)
    try:
        return adapter.dump_json(answer)
    except PydanticSerializationError:  # a lone surrogate, which some JSON on pages holds
        return _encode_json(adapter.dump_python(answer, mode="json"))


def _encode_json(value: Any) -> bytes:
    """JSON in UTF-8; half characters, which UTF-8 cannot hold, become question marks."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
