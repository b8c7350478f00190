"""The way of a tool call: the steps around the tool, in their order."""

from __future__ import annotations

import asyncio
import logging
import platform
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from citewell.audit.settings import AuditSettings
from citewell.core.config import Settings
from citewell.core.errors import CitewellError, FailureReason, InternalError, NetworkFailed
from citewell.core.settings import CoreSettings
from citewell.core.tooling import Owner, ToolCall
from citewell.core.values.routing_trace import hold_trace
from citewell.people.settings import PeopleSettings
from citewell.search.settings import SearchSettings
from citewell.server import call_records
from citewell.server.call_answers import AnswerCache, AnswerSize, KnownCallKeys
from citewell.server.call_values import ArgumentValidation, NextStep, ToolInvocation, ToolOutcome
from citewell.server.capabilities.tool_selection import find_argument_changes, list_changed_defaults
from citewell.server.log_output import BackgroundLineWriter, write_to_stderr
from citewell.server.settings import ServerSettings
from citewell.store.cache.answer_sharing import AnswerSharing
from citewell.store.cache_store import CacheStore

if TYPE_CHECKING:
    from citewell.audit.audit_recorder import AuditRecorder
    from citewell.server.call_limits import CallLimits
    from citewell.sessions.session_tracking import SessionTracker

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 4.0  # at least every 5 are promised, also on a busy machine
_GATHER_SECONDS = 0.05  # for which audit lines may wait to be written together


def build_argument_changes(settings: Settings) -> dict[str, dict[str, dict[str, Any]]]:
    """What the profile and the settings change of the arguments of tools."""
    search_settings = settings[SearchSettings]
    return find_argument_changes(
        settings[CoreSettings].profile,
        default_count=search_settings.search_results,
        max_count=search_settings.search_max_results,
    )


class CallRunner:
    """Runs the tool calls of one server."""

    def __init__(
        self,
        settings: Settings,
        *,
        store: CacheStore,
        find_limits: Callable[[], CallLimits | None],
        sharing: AnswerSharing,
        find_sessions: Callable[[], SessionTracker],
        find_recorder: Callable[[], AuditRecorder],
        record_usage: Callable[[Owner, str], None],
    ) -> None:
        """`find_limits` returns None while no call counts for a day."""
        audit_settings = settings[AuditSettings]
        server_settings = settings[ServerSettings]
        self._short_seconds = server_settings.tool_timeout
        self._long_seconds = settings[CoreSettings].long_tool_timeout
        self._find_limits = find_limits
        self._find_sessions = find_sessions
        self._record_usage = record_usage if settings[PeopleSettings].analytics_enabled else None
        self._audit_lines = _build_audit_writer(settings)
        self.audit = (
            call_records.AuditTrail(
                self._audit_lines,
                find_recorder=find_recorder,
                is_required=audit_settings.audit_required,
                include_query=audit_settings.audit_include_query,
                pod_id=settings.raw.get("HOSTNAME") or platform.node(),
            )
            if self._audit_lines
            else None
        )
        self.metrics = call_records.CallMetrics()
        self.recent = call_records.RecentErrors()
        self._validation = ArgumentValidation(
            list_changed_defaults(build_argument_changes(settings))
        )
        self._cache = AnswerCache(store.loader, sharing=sharing)
        self._size = AnswerSize(
            store.artifacts,
            threshold=server_settings.link_threshold,
            limit=server_settings.answer_limit,
        )
        self._known_keys = KnownCallKeys()

    async def run_call(
        self, invocation: ToolInvocation, answer: NextStep | None = None
    ) -> ToolOutcome:
        """Answer the call and record it; a failure is returned as an outcome, not raised.

        `answer` takes the place of the tool and of every step that is not a record of the call.
        """
        started, happened_at = time.perf_counter(), self.audit.clock() if self.audit else 0.0
        answered: ToolOutcome | None = None
        recorded: ToolOutcome | None = None
        try:
            try:
                answered = await (answer or self._answer_call)(invocation)
            except Exception as error:  # noqa: BLE001 - a faulty call must not end the process
                answered = _render_failure(invocation, error)
            self.recent.add_error(invocation, answered)
            recorded = await self._audit_outcome(invocation, answered, happened_at)
            return recorded
        finally:
            # Here, so that every call counts, with its whole duration.
            self.metrics.count_call(invocation, recorded, time.perf_counter() - started)
            self._count_usage(invocation)
            if answered is None and self.audit:  # cancelled: nothing can be awaited here
                event = self.audit.build_call_event(invocation, None, happened_at)
                self.audit.record_aside(event)

    async def deliver_outcome(
        self, invocation: ToolInvocation, load: Callable[[], Awaitable[dict[str, Any]]]
    ) -> ToolOutcome:
        """The body that `load` returns, cut and linked, or its error, without counting a call."""
        try:
            return await self._size.fit_outcome(invocation, ToolOutcome(body=await load()))
        except Exception as error:  # noqa: BLE001 - as for a call
            return _render_failure(invocation, error)

    async def _answer_call(self, invocation: ToolInvocation) -> ToolOutcome:
        """The answer within the time limit of the tool, in the size and form that is sent."""
        started, session_id = time.perf_counter(), invocation.call.session_id
        if invocation.held is not None and session_id is None:
            return _add_routing(invocation, self._cache.give_held_answer(invocation.held), started)
        is_long = invocation.tool.has_long_timeout
        limit = self._long_seconds if is_long else self._short_seconds
        heartbeat = ProgressHeartbeat(invocation.call)
        try:
            async with asyncio.timeout(limit):
                if invocation.validated is None:
                    self._validation.validate_invocation(invocation)
                session_id = invocation.call.session_id
                if session_id is None or invocation.tool.toolset == call_records.SESSION_TOOLSET:
                    outcome = await self._find_answer(invocation)
                else:
                    outcome = await call_records.link_call(
                        invocation, session_id, self._find_answer, self._find_sessions
                    )
                # After the cache and the session, which have the whole answer.
                return await self._size.fit_outcome(invocation, outcome)
        except TimeoutError:
            raise NetworkFailed(
                f"{invocation.name} did not finish within {limit:g} seconds. Reduce the request, or try again.",
                reason=FailureReason.TIMEOUT,
            ) from None
        finally:
            heartbeat.stop_heartbeat()

    async def _find_answer(self, invocation: ToolInvocation) -> ToolOutcome:
        """The answer of the cache or of the tool. Only a call that runs its tool counts for the day."""
        started = time.perf_counter()
        limits, owner = self._find_limits(), invocation.call.owner
        with hold_trace(invocation.call.trace):
            if (
                limits is None
                or not limits.has_daily_quotas(owner)
                or self._cache.find_held_answer(invocation) is not None
            ):
                outcome = await self._cache.load_answer(invocation, run_tool)
            else:
                counted = await limits.charge_day(owner)
                outcome = await self._cache.load_answer(invocation, run_tool)
                if outcome.meta.get("cached"):  # by another process, or by a call at the same time
                    await limits.return_day(counted)
        return _add_routing(invocation, outcome, started)

    async def _audit_outcome(
        self, invocation: ToolInvocation, outcome: ToolOutcome, happened_at: float
    ) -> ToolOutcome:
        """The outcome, once its event is stored; an error if it cannot be."""
        if self.audit is None:
            return outcome
        try:
            await self.audit.record_event(
                self.audit.build_call_event(invocation, outcome, happened_at)
            )
        except CitewellError as error:
            return call_records.render_error(
                error.copy_with_message(
                    f"The call was not answered, because the audit log cannot be written. {error.message}"
                )
            )
        return outcome

    def _count_usage(self, invocation: ToolInvocation) -> None:
        """Count the call of a named user for get_my_analytics, which asks for consent before it is kept."""
        owner = invocation.call.owner
        if self._record_usage is None or owner.is_anonymous:
            return
        try:
            self._record_usage(owner, invocation.name)
        except CitewellError as error:  # such as a store that cannot be opened
            logger.warning("The usage of a call was not recorded. %s", error.message)

    def find_held_answer(self, invocation: ToolInvocation) -> bool:
        """Whether memory has the answer, small enough to send inline; then the invocation holds it."""
        if invocation.tool.ttl_seconds is None:
            return False
        try:
            invocation.cache_key = self._known_keys.find_key(
                invocation, self._validation.validate_invocation
            )
            held = self._cache.find_held_answer(invocation)
            if held is None or self._is_linked(invocation, len(held.value)):
                return False
        except CitewellError:  # the arguments are not valid
            return False
        invocation.held = held
        return True

    def _is_linked(self, invocation: ToolInvocation, size: int) -> bool:
        """Whether an answer of this size is stored as an artifact."""
        if not self._size.is_too_large(invocation.tool, size):
            return False
        if invocation.validated is None:
            self._validation.validate_invocation(invocation)
        return self._size.can_link(invocation)

    async def aclose(self) -> None:
        """Write the audit lines that are still waiting."""
        if self._audit_lines is not None:
            await asyncio.to_thread(self._audit_lines.flush_and_stop)


async def run_tool(invocation: ToolInvocation) -> ToolOutcome:
    """Run the tool itself."""
    result = await invocation.tool.run(invocation.arguments, invocation.call)
    empty = invocation.tool.is_empty_result
    return ToolOutcome(
        body=result.to_wire(),
        sources=tuple(invocation.call.sources),
        found_nothing=bool(empty and empty(result)),
    )


def _render_failure(invocation: ToolInvocation, error: Exception) -> ToolOutcome:
    """The outcome for the error of a call. A bug is logged with its traceback."""
    if not isinstance(error, CitewellError):
        logger.error("tool %s failed unexpectedly", invocation.name, exc_info=error)
        error = InternalError(
            f"{invocation.name} failed because of a bug in the server. The server's log has the details."
        )
    outcome = call_records.render_error(error)
    if routing := invocation.call.trace.to_wire():
        outcome.meta["routing"] = routing
    return outcome


def _add_routing(invocation: ToolInvocation, outcome: ToolOutcome, started: float) -> ToolOutcome:
    """Add to `_meta.routing` which provider served a call, who was asked and how long it took."""
    hit = bool(outcome.meta.get("cached"))
    routing: dict[str, object] = {} if hit else invocation.call.trace.to_wire()
    if routing or (hit and outcome.meta.get("routed")):
        routing |= {"cache_hit": hit, "latency_ms": round(1000 * (time.perf_counter() - started))}
        outcome.meta.pop("routed", None)
        outcome.meta["routing"] = routing
    return outcome


class ProgressHeartbeat:
    """Sends progress messages at an interval; short calls cost only a timer, not a task."""

    def __init__(self, call: ToolCall, every: float = HEARTBEAT_SECONDS) -> None:
        self._call = call
        self._every = every
        self._task: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(every, self._start_task)

    def stop_heartbeat(self) -> None:
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    def _start_task(self) -> None:
        self._task = asyncio.create_task(self._send_heartbeats())

    async def _send_heartbeats(self) -> None:
        elapsed = self._every
        while True:
            await self._call.report_still_working(elapsed)
            await asyncio.sleep(self._every)
            elapsed += self._every


def _build_audit_writer(settings: Settings) -> BackgroundLineWriter | None:
    audit_settings = settings[AuditSettings]
    if not audit_settings.audit_enabled:
        return None
    return BackgroundLineWriter(
        _choose_line_output(settings),
        max_waiting=audit_settings.audit_buffer_size,
        gather_seconds=_GATHER_SECONDS,
    )


def _choose_line_output(settings: Settings) -> Callable[[str], None]:
    audit_settings = settings[AuditSettings]
    if audit_settings.audit_path is None:
        return write_to_stderr
    from citewell.audit.audit_files import AuditFile

    return AuditFile(
        audit_settings.audit_path,
        max_bytes=audit_settings.audit_max_bytes,
        retention_days=audit_settings.audit_retention_days,
    ).write_line
