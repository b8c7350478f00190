"""One line per call: who called what, how long it took, how it ended. Never the query, unless asked."""

from __future__ import annotations

import json
import sys
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


def to_stderr(line: str) -> None:
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
