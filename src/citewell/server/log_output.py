"""Log output: one line per record on stderr, as text or JSON, with credentials masked."""

from __future__ import annotations

import hashlib
import json
import logging
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime

from citewell.server.middleware.audit_logging import BackgroundLineWriter, write_to_stderr
from citewell.text.safety.secret_masking import mask_secrets
from citewell.tooling import Owner

_HASH_CHARS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class LogContext:
    """The request during which something is logged."""

    request_id: str = ""
    owner: Owner | None = None

    def list_fields(self) -> dict[str, str]:
        """What is known of the request; of the user only a hash, as logs are read by many."""
        found = {"request_id": self.request_id} if self.request_id else {}
        if self.owner is not None:
            found |= {"tenant": self.owner.tenant, "user_hash": hash_user_name(self.owner)}
        return found


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
        context = find_log_context()
        told = "".join(f" {name}={value}" for name, value in _list_context_fields(context))
        return mask_secrets(super().format(record) + told)


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
        line |= dict(_list_context_fields(find_log_context()))
        fields = getattr(record, "fields", {})
        line |= {
            name: mask_secrets(value) if isinstance(value, str) else value
            for name, value in fields.items()
        }
        if record.exc_info:
            line["exception"] = mask_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=str)


def _list_context_fields(context: LogContext | None) -> list[tuple[str, str]]:
    return [] if context is None else [*context.list_fields().items()]


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
