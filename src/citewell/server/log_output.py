"""Log output: one line per record on stderr, as text or JSON, with credentials masked."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime

from citewell.core.tooling import Owner
from citewell.text.safety.secret_masking import mask_secrets

_HASH_CHARS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class LogContext:
    """The request during which something is logged."""

    request_id: str = ""
    owner: Owner | None = None


_CONTEXT: ContextVar[LogContext | None] = ContextVar("citewell_log_context", default=None)


class LogContextBlock:
    """What `hold_log_context` returns; a class, because every request passes it."""

    __slots__ = ("_before", "_context")

    def __init__(self, context: LogContext) -> None:
        self._context = context

    def __enter__(self) -> None:
        self._before = _CONTEXT.set(self._context)

    def __exit__(self, *_: object) -> None:
        _CONTEXT.reset(self._before)


def hold_log_context(context: LogContext) -> LogContextBlock:
    """Records that are logged in this `with` block, and in tasks started by it, name this request."""
    return LogContextBlock(context)


def find_log_context() -> LogContext | None:
    return _CONTEXT.get()


def hash_user_name(owner: Owner) -> str:
    """A short hash that is the same for one user in all logs; a pseudonym, not a secret."""
    return hashlib.sha256(str(owner).encode()).hexdigest()[:_HASH_CHARS]


class _MaskingFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={value}" for name, value in _list_context_fields())
        return mask_secrets(super().format(record) + fields)


class _JsonFormatter(logging.Formatter):
    """One JSON object per record; a traceback is one string in it, so a record stays one line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(
                timespec="milliseconds"
            ),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": mask_secrets(record.getMessage()),
        }
        line |= dict(_list_context_fields())
        line |= {
            name: mask_secrets(value) if isinstance(value, str) else value
            for name, value in getattr(record, "fields", {}).items()
        }
        if record.exc_info:
            line["exception"] = mask_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=str)


def _list_context_fields() -> Iterator[tuple[str, str]]:
    """What is known of the request; of the user only a hash, as logs are read by many."""
    context = find_log_context()
    if context is not None and context.request_id:
        yield "request_id", context.request_id
    if context is not None and context.owner is not None:
        yield "tenant", context.owner.tenant
        yield "user_hash", hash_user_name(context.owner)


MAX_WAITING_LINES = 4096  # if nothing else is chosen; further lines are counted as lost
_MAX_LINES_PER_WRITE = 256


class BackgroundLineWriter:
    """Writes lines on a separate thread, so that a slow reader or disk does not delay calls."""

    def __init__(
        self,
        write: Callable[[str], None],
        *,
        max_waiting: int = MAX_WAITING_LINES,
        gather_seconds: float = 0.0,
    ) -> None:
        """`gather_seconds` is how long lines may wait to be written together, which costs calls less."""
        self._write = write
        self._gather_seconds = gather_seconds
        self._lines: queue.Queue[str | None] = queue.Queue(max_waiting)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self.lost = 0

    def __call__(self, line: str) -> None:
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._write_queued_lines, daemon=True, name="audit"
                    )
                    self._thread.start()
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            self.lost += 1

    def flush_and_stop(self, seconds: float = 2.0) -> None:
        """Write the waiting lines and stop, within `seconds`."""
        self._stopping.set()
        if self._thread is not None:
            with contextlib.suppress(queue.Full):
                self._lines.put_nowait(None)
            self._thread.join(seconds)

    def _write_queued_lines(self) -> None:
        is_open = True
        while is_open:
            lines = [self._lines.get()]
            if self._gather_seconds and lines[0] is not None:
                self._stopping.wait(self._gather_seconds)
            with contextlib.suppress(queue.Empty):
                while lines[-1] is not None and len(lines) < _MAX_LINES_PER_WRITE:
                    lines.append(self._lines.get_nowait())
            is_open = lines[-1] is not None
            self._write_together([line for line in lines if line is not None])

    def _write_together(self, lines: list[str]) -> None:
        try:
            if lines:
                self._write("\n".join(lines))
        except (OSError, ValueError):  # such as a full disk or a closed stream
            self.lost += len(lines)


def write_to_stderr(line: str) -> None:
    if sys.stderr is None:
        raise ValueError("stderr is closed")
    sys.stderr.write(line + "\n")


class _BackgroundHandler(logging.Handler):
    """Writes on a separate thread, so that a client that does not read stderr blocks nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._write = BackgroundLineWriter(write_to_stderr)

    def emit(self, record: logging.LogRecord) -> None:
        self._write(self.format(record))


def configure_logging(level: str, form: str = "text") -> None:
    """Log to stderr from this `level` on; `form` is text or json."""
    handler = _BackgroundHandler()
    handler.setFormatter(build_log_formatter(form))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("citewell").setLevel(
        level.upper() if level.upper() in logging.getLevelNamesMapping() else "INFO"
    )


def build_log_formatter(form: str) -> logging.Formatter:
    if form == "json":
        return _JsonFormatter()
    return _MaskingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
