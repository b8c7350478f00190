"""The audit log: an event for each call, written as a JSON line and stored; the query only if configured."""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from citewell.errors import CitewellError
from citewell.server.middleware.error_rendering import render_error
from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome
from citewell.text.safety.secret_masking import mask_secrets

if TYPE_CHECKING:
    from citewell.model.audit_event import AuditEvent
    from citewell.services.audit_log.audit_recorder import AuditRecorder

logger = logging.getLogger(__name__)


MAX_QUERY_CHARS = 4000  # of a query in the audit log
_LINE_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_MIN_SECRET_CHARS = 10  # no shorter text is masked anyway


class AuditTrail:
    """Takes audit events: each is written as a JSON line and, with a recorder, stored durably."""

    def __init__(
        self,
        write: Callable[[str], None],
        *,
        find_recorder: Callable[[], AuditRecorder] | None = None,
        is_required: bool = True,
        pod_id: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """With `is_required`, an event that cannot be stored raises the error of the store."""
        self._write = write
        self._find_recorder = find_recorder
        self._is_required = is_required
        self.pod_id = pod_id
        self.clock = clock

    async def record_event(self, event: AuditEvent) -> None:
        """Durable once this returns."""
        recorder = self._find_recorder() if self._find_recorder else None
        if recorder is not None and recorder.is_paced_out(event):
            return
        self._write_line(event)
        if recorder is None:
            return
        try:
            await recorder.record_event(event)
        except CitewellError as error:
            if self._is_required:
                raise
            logger.warning("An audit row could not be stored. %s", error.message)

    def record_aside(self, event: AuditEvent) -> None:
        """Write the line now, and store the event a little later."""
        recorder = self._find_recorder() if self._find_recorder else None
        if recorder is not None and recorder.is_paced_out(event):
            return
        self._write_line(event)
        if recorder is not None:
            recorder.record_aside(event)

    def _write_line(self, event: AuditEvent) -> None:
        self._write(_LINE_ENCODER.encode(event.build_line()))


class AuditMiddleware:
    """Records every call with its outcome, and returns the answer only once that is stored."""

    def __init__(self, trail: AuditTrail, *, include_query: bool = False) -> None:
        self._trail = trail
        self._include_query = include_query

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        started = self._trail.clock()
        outcome: ToolOutcome | None = None
        try:
            outcome = await proceed(invocation)
        finally:
            if outcome is None:  # cancelled: nothing can be awaited here, and nobody waits
                self._trail.record_aside(self._build_event(invocation, None, started))
        try:
            await self._trail.record_event(self._build_event(invocation, outcome, started))
        except CitewellError as error:
            return render_error(_build_audit_failure(error))
        return outcome

    def _build_event(
        self, invocation: ToolInvocation, outcome: ToolOutcome | None, started: float
    ) -> AuditEvent:
        from citewell.model.audit_event import AuditEvent

        owner, origin = invocation.call.owner, invocation.origin
        success = outcome is not None and not outcome.is_error
        failure = str(outcome.meta.get("errorKind", "error")) if outcome else "cancelled"
        return AuditEvent(
            happened_at=started,
            tenant_id=owner.tenant,
            user_id=owner.user,
            session_id=invocation.call.session_id or origin.session_id,
            tool_name=invocation.name,
            request_id=invocation.request_id or None,
            pod_id=self._trail.pod_id,
            source_ip=origin.source_ip,
            duration_ms=round(1000 * (self._trail.clock() - started)),
            success=success,
            error_code=None if success else failure,
            metadata=self._build_audit_metadata(invocation),
        )

    def _build_audit_metadata(self, invocation: ToolInvocation) -> dict[str, object]:
        metadata: dict[str, object] = {}
        query = invocation.raw_arguments.get("query")
        if isinstance(query, str):
            metadata["query_length"] = len(query)
            if self._include_query:
                metadata["query"] = query[:MAX_QUERY_CHARS]
        if routing := invocation.call.trace.to_wire():
            metadata["routing"] = routing
        return mask_values(metadata | invocation.call.audit)


def mask_values(values: Mapping[str, object]) -> dict[str, object]:
    """The values as JSON values, with every text in them masked."""
    return {name: _mask_value(value) for name, value in values.items()}


def _mask_value(value: object) -> object:
    if isinstance(value, str):
        return mask_secrets(value) if len(value) >= _MIN_SECRET_CHARS else value
    if isinstance(value, Mapping):
        return {str(key): _mask_value(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_mask_value(one) for one in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _build_audit_failure(error: CitewellError) -> CitewellError:
    return error.copy_with_message(
        f"The call was not answered, because the audit log cannot be written. {error.message}"
    )


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
