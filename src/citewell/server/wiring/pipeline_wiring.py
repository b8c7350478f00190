"""Puts the middleware of tool calls in order."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from citewell.config import Settings
from citewell.errors import CitewellError
from citewell.server.capabilities.tool_selection import (
    find_argument_changes,
    list_changed_defaults,
)
from citewell.server.middleware.answer_caching import (
    CacheMiddleware,
    KnownCallKeys,
    build_call_key,
    hash_sent_call,
)
from citewell.server.middleware.answer_size import SizeMiddleware
from citewell.server.middleware.argument_validation import ValidationMiddleware
from citewell.server.middleware.audit_logging import (
    AuditMiddleware,
    AuditTrail,
    BackgroundLineWriter,
    write_to_stderr,
)
from citewell.server.middleware.call_metrics import MetricsMiddleware
from citewell.server.middleware.call_timeout import TimeoutMiddleware
from citewell.server.middleware.daily_quotas import QuotaMiddleware
from citewell.server.middleware.error_rendering import ErrorMiddleware
from citewell.server.middleware.recent_errors import RecentErrorsMiddleware
from citewell.server.middleware.routing_metadata import RoutingMiddleware
from citewell.server.middleware.session_linking import SessionMiddleware
from citewell.server.pipeline import (
    Middleware,
    NextStep,
    ToolInvocation,
    ToolOutcome,
    compose_pipeline,
)
from citewell.store.cache.answer_sharing import AnswerSharing
from citewell.store.cache_store import CacheStore
from citewell.tooling import Owner

if TYPE_CHECKING:
    from citewell.services.audit_log.audit_recorder import AuditRecorder
    from citewell.services.limits.call_limits import CallLimits
    from citewell.services.sessions.session_tracking import SessionTracker


_GATHER_SECONDS = 0.05  # for which audit lines may wait to be written together


def build_argument_changes(settings: Settings) -> dict[str, dict[str, dict[str, Any]]]:
    """What the profile and the settings change of the arguments of tools."""
    return find_argument_changes(
        settings.profile,
        default_count=settings.search_results,
        max_count=settings.search_max_results,
    )


class CallPipeline:
    """The middleware of one server. `run_call` passes an invocation through it to the tool.

    `run_held_call` is for a call whose answer `find_held_answer` found in memory: it has only what
    such a call needs.
    """

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
        self._audit_lines = _build_audit_writer(settings)
        self.audit = (
            AuditTrail(
                self._audit_lines,
                find_recorder=find_recorder,
                is_required=settings.audit_required,
                pod_id=settings.raw.get("HOSTNAME") or platform.node(),
            )
            if self._audit_lines
            else None
        )
        self.metrics = MetricsMiddleware()
        self.recent = RecentErrorsMiddleware()
        self.validation = ValidationMiddleware(
            list_changed_defaults(build_argument_changes(settings))
        )
        self.caching = CacheMiddleware(store.loader, sharing=sharing)
        timeout = TimeoutMiddleware(short=settings.tool_timeout, long=settings.long_tool_timeout)
        self.size = SizeMiddleware(
            store.artifacts, threshold=settings.link_threshold, limit=settings.answer_limit
        )
        self._known_keys = KnownCallKeys()
        routing = RoutingMiddleware()  # sees below it whether the answer came from the cache
        # From the outside in: a call passes them downwards, its answer upwards.
        recording: tuple[Middleware, ...] = (
            self.metrics,  # outermost, so that every call counts, with its whole duration
            *_list_usage_middleware(settings, record_usage),
            *self._list_audit_middleware(settings),
            self.recent,
            ErrorMiddleware(),  # above it a failure is an outcome, below it an exception
        )
        self.run_held_call = compose_pipeline(
            (*recording, routing), innermost=self.caching.give_held_answer
        )
        self.run_call = compose_pipeline(
            (
                *recording,
                timeout,
                self.validation,  # everything below may read the validated arguments
                self.size,  # links too: what is cached and recorded below is the whole answer
                SessionMiddleware(find_sessions),
                routing,
                QuotaMiddleware(
                    find_limits,
                    is_cached=lambda call: self.caching.find_held_answer(call) is not None,
                ),
                self.caching,  # innermost: a cached answer is recorded like a new one
            )
        )

    async def deliver_outcome(self, invocation: ToolInvocation, load: NextStep) -> ToolOutcome:
        """What `load` returns or raises, cut and linked or as an error, without counting a call."""
        return await compose_pipeline((ErrorMiddleware(), self.size), innermost=load)(invocation)

    def find_held_answer(self, invocation: ToolInvocation) -> bool:
        """Whether memory has the answer, small enough to send inline; then the invocation holds it."""
        if invocation.tool.ttl_seconds is None:
            return False
        try:
            invocation.cache_key = self._find_call_key(invocation)
            held = self.caching.find_held_answer(invocation)
            if held is None or self._is_linked(invocation, len(held.value)):
                return False
        except CitewellError:  # the arguments are not valid
            return False
        invocation.held = held
        return True

    def _find_call_key(self, invocation: ToolInvocation) -> str:
        """The cache key; a call that names a research session is always validated."""
        sent = hash_sent_call(invocation)
        key = self._known_keys.find_key(sent)
        if key is None:
            self.validation.validate_invocation(invocation)
            key = build_call_key(invocation)
            if invocation.call.session_id is None:
                self._known_keys.add_key(sent, key)
        return key

    def _is_linked(self, invocation: ToolInvocation, size: int) -> bool:
        """Whether an answer of this size is stored as an artifact."""
        if not self.size.is_too_large(invocation.tool, size):
            return False
        if invocation.validated is None:
            self.validation.validate_invocation(invocation)
        return self.size.can_link(invocation)

    async def aclose(self) -> None:
        """Write the audit lines that are still waiting."""
        if self._audit_lines is not None:
            await asyncio.to_thread(self._audit_lines.flush_and_stop)

    def _list_audit_middleware(self, settings: Settings) -> tuple[Middleware, ...]:
        """The audit log, if it is switched on."""
        if self.audit is None:
            return ()
        return (AuditMiddleware(self.audit, include_query=settings.audit_include_query),)


def _list_usage_middleware(
    settings: Settings, record_usage: Callable[[Owner, str], None]
) -> tuple[Middleware, ...]:
    """The counting of calls for get_my_analytics, if it is switched on."""
    if not settings.analytics_enabled:
        return ()
    from citewell.server.middleware.usage_recording import UsageMiddleware

    return (UsageMiddleware(record_usage),)


def _build_audit_writer(settings: Settings) -> BackgroundLineWriter | None:
    if not settings.audit_enabled:
        return None
    return BackgroundLineWriter(
        _choose_line_output(settings),
        max_waiting=settings.audit_buffer_size,
        gather_seconds=_GATHER_SECONDS,
    )


def _choose_line_output(settings: Settings) -> Callable[[str], None]:
    if settings.audit_path is None:
        return write_to_stderr
    from citewell.services.audit_log.audit_files import AuditFile

    return AuditFile(
        settings.audit_path,
        max_bytes=settings.audit_max_bytes,
        retention_days=settings.audit_retention_days,
    ).write_line
