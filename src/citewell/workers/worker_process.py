"""The worker process: it enters its sandbox before it reads any input, then runs one task after another."""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
from collections.abc import Iterable
from importlib import import_module
from typing import BinaryIO

from citewell.core.errors import CitewellError
from citewell.workers import sandbox, worker_messages
from citewell.workers.sandbox import ProcessMemory
from citewell.workers.task_table import PRELOADED_MODULES, TASK_PATHS
from citewell.workers.worker_messages import TaskRequest
from citewell.workers.worker_tasks import FailureCause

# Parsing makes many objects that live as long as the page: looking for cycles often is wasted time.
_COLLECTION_THRESHOLD = 50_000
_ALARM_GRACE_SECONDS = 5.0  # the server has killed us before, unless it is gone


def run_worker(
    *, preload: Iterable[str] = PRELOADED_MODULES, tasks: frozenset[str] = TASK_PATHS
) -> None:
    memory, parent = int(sys.argv[1]), int(sys.argv[2])
    source, sink = _take_over_pipes()
    for module in preload:
        import_module(module)
    gc.freeze()
    gc.set_threshold(_COLLECTION_THRESHOLD)
    sandbox.enter_sandbox(memory_bytes=memory, parent_pid=parent)
    used = ProcessMemory()
    sink.write(worker_messages.READY_MARK)
    sink.flush()
    while _serve_request(source, sink, tasks, used):
        pass


def _take_over_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the server on new descriptors; output of libraries is discarded."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    return source, sink


def _serve_request(
    source: BinaryIO, sink: BinaryIO, tasks: frozenset[str], used: ProcessMemory
) -> bool:
    """Answer one request; False once the server has closed the pipe."""
    sizes = source.read(worker_messages.REQUEST_SIZES.size)
    if len(sizes) < worker_messages.REQUEST_SIZES.size:
        return False
    head_size, body_size = worker_messages.REQUEST_SIZES.unpack(sizes)
    head, body = source.read(head_size), source.read(body_size)
    if len(body) < body_size:
        return False
    request = worker_messages.decode_request(head, body)
    del head, body
    _set_alarms(cpu=request.seconds, wall=request.wall_seconds + _ALARM_GRACE_SECONDS)
    kind, answer = build_answer(request, tasks)
    _set_alarms(cpu=0, wall=0)
    del request
    grown = used.return_free_memory()
    sink.write(worker_messages.ANSWER_SIZES.pack(kind, len(answer), grown // 1024))
    sink.write(answer)
    sink.flush()
    return True


def build_answer(request: TaskRequest, tasks: frozenset[str]) -> tuple[int, bytes]:
    """The kind of answer and its bytes; a failure is encoded after the attempt's memory is freed."""
    try:
        return worker_messages.KIND_ANSWER, worker_messages.run_request(request, tasks)
    except CitewellError as error:
        return worker_messages.KIND_ERROR, worker_messages.encode_error(error)
    except MemoryError:
        failure = (FailureCause.MEMORY, "")
    except RecursionError:
        failure = (FailureCause.DEPTH, "")
    except Exception as error:  # noqa: BLE001 - parsers raise anything on bad input
        failure = (FailureCause.BUG, _describe_place(error))
    return worker_messages.KIND_FAILURE, worker_messages.encode_failure(*failure)


def _describe_place(error: Exception) -> str:
    """The type of the error and the last line of ours it passed; never its text, which may be foreign."""
    lines = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if f"{os.sep}citewell{os.sep}" in frame.filename
    ]
    where = f" at {lines[-1].filename.rpartition(os.sep)[2]}:{lines[-1].lineno}" if lines else ""
    return f"{type(error).__name__}{where}"


def _set_alarms(*, cpu: float, wall: float) -> None:
    """End this process after so many seconds of its processor time or by the clock; 0 is never."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, cpu)
        signal.setitimer(signal.ITIMER_REAL, wall)


if __name__ == "__main__":
    run_worker()
