"""One line per call: who called what, how long it took, how it ended. Never the query, unless asked."""

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

from citewell.server.pipeline import Invocation, Outcome, Proceed
from citewell.text.secrets import masked


class Audit:
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

    async def __call__(self, invocation: Invocation, proceed: Proceed) -> Outcome:
        started = self._clock()
        outcome: Outcome | None = None
        try:
            outcome = await proceed(invocation)
            return outcome
        finally:
            line = self._line(invocation, outcome, started)
            self._write(json.dumps(line, ensure_ascii=False, separators=(",", ":")))

    def _line(
        self, invocation: Invocation, outcome: Outcome | None, started: float
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
        line["metadata"] = self._metadata(invocation)
        return line

    def _metadata(self, invocation: Invocation) -> dict[str, object]:
        metadata: dict[str, object] = {}
        query = invocation.raw.get("query")
        if isinstance(query, str):
            metadata["query_length"] = len(query)
            if self._include_query:
                metadata["query"] = masked(query)
        if routing := invocation.call.trace.wire():
            metadata["routing"] = routing
        return metadata


MOST_WAITING = 4096  # lines; beyond it they are counted and let go


class Aside:
    """Writes lines on a thread of its own: whoever reads them slowly, or not at all, holds up no call."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.lost = 0

    def __call__(self, line: str) -> None:
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, daemon=True, name="audit")
                    self._thread.start()
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            self.lost += 1

    def close(self, seconds: float = 2.0) -> None:
        """Write what is still waiting, for as long as somebody may be kept waiting for it."""
        if self._thread is not None:
            with contextlib.suppress(queue.Full):
                self._lines.put_nowait(None)
            self._thread.join(seconds)

    def _run(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                self._write(line)
            except (OSError, ValueError):  # a full disk, a closed stream
                self.lost += 1


def to_stderr(line: str) -> None:
    if sys.stderr is None:
        raise ValueError("there is no stderr")
    sys.stderr.write(line + "\n")


def to_file(path: Path) -> Callable[[str], None]:
    """Appends to `path`, created for its owner alone on the first line."""

    def write(line: str) -> None:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    return write
