"""What is kept of calls: counts and latencies per tool, the last errors, and steps of research sessions."""

from __future__ import annotations

import json
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from citewell.core.errors import CitewellError, SessionNotFound
from citewell.core.tooling import Owner
from citewell.core.values.research_session import CallOutcome, SessionSource
from citewell.server.call_values import NextStep, ToolError, ToolInvocation, ToolOutcome
from citewell.text.safety.secret_masking import mask_secrets

if TYPE_CHECKING:
    from citewell.audit.audit_recorder import AuditRecorder
    from citewell.audit.audit_segments import AuditEvent
    from citewell.sessions.session_tracking import SessionTracker
    from citewell.store.key_vault import KeyVault

SESSION_TOOLSET = "sessions"  # tools of this toolset write to the session themselves
SESSION_LOST_WARNING = (
    "This sessionId is unknown or has expired, so nothing of this answer was recorded. "
    "Open a session with sequential_search, stepNumber 1, and pass the sessionId that it returns."
)

_CANCELLED = "cancelled"  # the call ended without an outcome
LATENCY_BUCKETS_SECONDS = (0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


@dataclass(slots=True)
class ToolTally:
    calls: int = 0
    errors: int = 0
    cache_hits: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * len(LATENCY_BUCKETS_SECONDS))
    error_kinds: Counter[str] = field(default_factory=Counter)

    def add_call(self, seconds: float, *, error_kind: str | None, hit: bool) -> None:
        """`error_kind` is None for a call that succeeded."""
        self.calls += 1
        self.cache_hits += hit
        if error_kind is not None:
            self.errors += 1
            self.error_kinds[error_kind] += 1
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)
        for index, bound in enumerate(LATENCY_BUCKETS_SECONDS):
            if seconds <= bound:
                self.buckets[index] += 1
                break

    def to_wire(self) -> dict[str, object]:
        calls = self.calls or 1
        return {
            "calls": self.calls,
            "errors": self.errors,
            "errorRate": round(self.errors / calls, 4),
            "cacheHits": self.cache_hits,
            "averageMs": round(1000 * self.seconds / calls, 1),
            "slowestMs": round(1000 * self.slowest, 1),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCall:
    """One call that has ended."""

    tool: str
    owner: Owner
    seconds: float
    is_error: bool
    is_cached: bool


class CallMetrics:
    """Counts calls in memory; a restart begins at zero, as Prometheus expects."""

    def __init__(self) -> None:
        self._observers: list[Callable[[MeasuredCall], None]] = []
        self.tools: dict[str, ToolTally] = {}

    def add_observer(self, observer: Callable[[MeasuredCall], None]) -> None:
        """Call `observer` with every call that ends from now on."""
        self._observers.append(observer)

    def count_call(
        self, invocation: ToolInvocation, outcome: ToolOutcome | None, seconds: float
    ) -> None:
        """Count a call that took so long; without an outcome it was cancelled."""
        error_kind: str | None = _CANCELLED
        hit = False
        if outcome is not None:
            hit = bool(outcome.meta.get("cached"))
            error_kind = outcome.meta.get("errorKind", "error") if outcome.is_error else None
        tally = self.tools.get(invocation.name)
        if tally is None:
            tally = self.tools[invocation.name] = ToolTally()
        tally.add_call(seconds, error_kind=error_kind, hit=hit)
        call = MeasuredCall(
            tool=invocation.name,
            owner=invocation.call.owner,
            seconds=seconds,
            is_error=error_kind is not None,
            is_cached=hit,
        )
        for observer in self._observers:
            observer(call)


MAX_RECENT_ERRORS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentError:
    at: float
    owner: Owner
    tool: str
    kind: str
    message: str

    def to_wire(self) -> dict[str, object]:
        when = datetime.fromtimestamp(self.at, UTC).isoformat(timespec="seconds")
        return {"at": when, "tool": self.tool, "kind": self.kind, "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorGroup:
    """The kept errors of one tool and kind, of all owners and without their messages."""

    tool: str
    kind: str
    count: int
    last_at: float


class RecentErrors:
    """The last errors, newest first, for `diagnostics://errors/recent`; each owner sees only their own."""

    def __init__(self) -> None:
        self._errors: deque[RecentError] = deque(maxlen=MAX_RECENT_ERRORS)

    def add_error(self, invocation: ToolInvocation, outcome: ToolOutcome) -> None:
        """Keep the error of an outcome, if it is one."""
        if outcome.error is not None:
            self._errors.appendleft(
                RecentError(
                    at=time.time(),
                    owner=invocation.call.owner,
                    tool=invocation.name,
                    kind=str(outcome.meta.get("errorKind", "internal")),
                    message=outcome.error.message.partition("\n")[0],
                )
            )

    def list_owner_errors(self, owner: Owner) -> list[dict[str, object]]:
        return [error.to_wire() for error in self._errors if error.owner == owner]

    def list_error_groups(self) -> list[ErrorGroup]:
        """The kept errors of all owners by tool and kind, the most recent group first."""
        found: dict[tuple[str, str], list[float]] = {}
        for error in self._errors:
            found.setdefault((error.tool, error.kind), []).append(error.at)
        return [
            ErrorGroup(tool=tool, kind=kind, count=len(times), last_at=max(times))
            for (tool, kind), times in found.items()
        ]

    async def forget_tagged_errors(self, tag: str, vault: KeyVault) -> None:
        """Drop the errors of the owner with this hashed tag."""
        for owner in {error.owner for error in self._errors}:
            if await vault.hash_owner_tag(str(owner)) == tag:
                self.forget_owner(owner)

    def forget_owner(self, owner: Owner) -> None:
        """Drop the errors of one owner."""
        others = [error for error in self._errors if error.owner != owner]
        self._errors.clear()
        self._errors.extend(others)


def render_error(error: CitewellError) -> ToolOutcome:
    """The outcome for an error: a sentence and the error block, or one JSON object for errors with a code."""
    message, block = mask_secrets(error.message), error.build_error_block()
    if error.code is not None:
        text = _encode_masked_json({"error": error.code, "message": error.message, **block})
    else:
        text = f"{message}\n\n{_encode_masked_json({'error': block})}"
    return ToolOutcome(
        text=text,
        error=ToolError(message=message, block=json.loads(_encode_masked_json(block))),
        meta={"errorKind": error.kind},
    )


def _encode_masked_json(value: dict[str, object]) -> str:
    return mask_secrets(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


# Records each call that names a research session in that session.


async def link_call(
    invocation: ToolInvocation,
    session_id: str,
    answer: NextStep,
    find_sessions: Callable[[], SessionTracker],
) -> ToolOutcome:
    """Add the sources that a tool reported, and the outcome of the call, to its session.

    If there is no such session, the answer itself says so, because models do not see `_meta`.
    """
    try:
        outcome = await answer(invocation)
    except CitewellError as error:
        sessions = find_sessions()
        events = [_build_failure_event(invocation, error, at=sessions.format_now())]
        linked = await _link_to_session(invocation, session_id, [], events, sessions)
        if linked or isinstance(error, SessionNotFound):
            raise
        warned = error.copy_with_message(error.message)
        warned.extra["sessionWarning"] = SESSION_LOST_WARNING
        raise warned from None
    sessions = find_sessions()
    sources = [replace(source, tool=invocation.name) for source in outcome.sources]
    events = _build_success_events(invocation, at=sessions.format_now())
    if await _link_to_session(invocation, session_id, sources, events, sessions):
        return replace(outcome, meta=outcome.meta | {"session": {"linked": True}})
    meta = {"linked": False, "reason": "session not found or expired"}
    return replace(
        outcome,
        body={"sessionWarning": SESSION_LOST_WARNING} | (outcome.body or {}),
        text=None,  # of the answer without the warning
        meta=outcome.meta | {"session": meta},
    )


async def _link_to_session(
    invocation: ToolInvocation,
    session_id: str,
    sources: list[SessionSource],
    events: list[CallOutcome],
    sessions: SessionTracker,
) -> bool:
    try:
        await sessions.link_findings(
            str(invocation.call.owner), session_id, sources=sources, events=events
        )
    except SessionNotFound:
        return False
    return True


def _build_success_events(invocation: ToolInvocation, *, at: str) -> list[CallOutcome]:
    trace = invocation.call.trace
    missed = [name for name in trace.attempted if name not in trace.used]
    return [
        *[CallOutcome(at=at, provider=name) for name in trace.used],
        *[CallOutcome(at=at, provider=name, kind="upstream_unavailable") for name in missed],
    ]


def _build_failure_event(
    invocation: ToolInvocation, error: CitewellError, *, at: str
) -> CallOutcome:
    url = invocation.raw_arguments.get("url")
    return CallOutcome(
        at=at,
        kind=error.kind,
        url=url if isinstance(url, str) else None,
        provider=error.provider,
    )


# The audit log: an event for each call, written as a JSON line and stored; the query only if configured.


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
        include_query: bool = False,
        pod_id: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """With `is_required`, an event that cannot be stored raises the error of the store."""
        self._write = write
        self._find_recorder = find_recorder
        self._is_required = is_required
        self._include_query = include_query
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

    def build_call_event(
        self, invocation: ToolInvocation, outcome: ToolOutcome | None, started: float
    ) -> AuditEvent:
        """The event of a call that began at `started` and has ended; without an outcome it was cancelled."""
        from citewell.audit.audit_segments import AuditEvent

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
            pod_id=self.pod_id,
            source_ip=origin.source_ip,
            duration_ms=round(1000 * (self.clock() - started)),
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
        return {str(key): _mask_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mask_value(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)
