"""The audit log: one JSON line per call with owner, tool, duration and outcome; the query only if configured."""

from __future__ import annotations

import contextlib
import json
import queue
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome
from citewell.text.safety.secret_masking import mask_secrets


class AuditMiddleware:
    def __init__(
        self,
        write: Callable[[str], None],
        *,
        include_query: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._write = write
        self._include_query = include_query
        self._clock = clock

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        started = self._clock()
        outcome: ToolOutcome | None = None
        try:
            outcome = await proceed(invocation)
            return outcome
        finally:
            line = self._build_audit_line(invocation, outcome, started)
            self._write(json.dumps(line, ensure_ascii=False, separators=(",", ":")))

    def _build_audit_line(
        self, invocation: ToolInvocation, outcome: ToolOutcome | None, started: float
    ) -> dict[str, object]:
        success = outcome is not None and not outcome.is_error
        line: dict[str, object] = {
            "timestamp": datetime.fromtimestamp(started, UTC).isoformat(timespec="milliseconds"),
            "event_type": "tool_call",
            "tenant_id": invocation.call.owner.tenant,
            "user_id": invocation.call.owner.user,
            "request_id": invocation.request_id,
            "tool_name": invocation.name,
            "duration_ms": round(1000 * (self._clock() - started)),
            "success": success,
        }
        if not success:
            line["error_code"] = outcome.meta.get("errorKind", "error") if outcome else "cancelled"
        line["metadata"] = self._build_audit_metadata(invocation)
        return line

    def _build_audit_metadata(self, invocation: ToolInvocation) -> dict[str, object]:
        metadata: dict[str, object] = {}
        query = invocation.raw_arguments.get("query")
        if isinstance(query, str):
            metadata["query_length"] = len(query)
            if self._include_query:
                metadata["query"] = mask_secrets(query)
        if routing := invocation.call.trace.to_wire():
            metadata["routing"] = routing
        return metadata | invocation.call.audit


MAX_WAITING_LINES = 4096  # further lines are counted as lost


class BackgroundLineWriter:
    """Writes lines on a separate thread, so that a slow reader or disk does not delay calls."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._lines: queue.Queue[str | None] = queue.Queue(MAX_WAITING_LINES)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
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
        if self._thread is not None:
            with contextlib.suppress(queue.Full):
                self._lines.put_nowait(None)
            self._thread.join(seconds)

    def _write_queued_lines(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                self._write(line)
            except (OSError, ValueError):  # such as a full disk or a closed stream
                self.lost += 1


def write_to_stderr(line: str) -> None:
    if sys.stderr is None:
        raise ValueError("stderr is closed")
    sys.stderr.write(line + "\n")


def build_file_writer(path: Path) -> Callable[[str], None]:
    """A function that appends lines to `path`; the file is created readable only by its owner."""

    def write(line: str) -> None:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    return write
