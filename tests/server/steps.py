"""A small tool, and what runs a call of it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, TypeVar

from pydantic import Field

from citewell.core.config import Settings
from citewell.core.tooling import NOT_IN_CACHE_KEY, Owner, Tool, ToolArguments, ToolCall
from citewell.core.values.wire_values import UNTRUSTED_LABEL, LongText, WireValue
from citewell.server.call import CallRunner
from citewell.server.call_limits import CallLimits
from citewell.server.call_records import AuditTrail
from citewell.server.call_values import ToolInvocation, ToolOutcome
from citewell.sessions.session_tracking import SessionTracker
from citewell.store.cache.answer_sharing import AnswerSharing
from citewell.store.cache_store import open_cache_store
from tests.fake_services import refuse_services

T = TypeVar("T")


class Args(ToolArguments):
    """Repeat a text."""

    query: Annotated[str, Field(min_length=1)]
    times: Annotated[int, Field(default=1)]
    session_id: Annotated[
        str | None, NOT_IN_CACHE_KEY, Field(default=None, validation_alias="sessionId")
    ]


class Result(WireValue):
    text: LongText
    trust: str = UNTRUSTED_LABEL


async def repeat(args: Args, call: ToolCall) -> Result:
    return Result(text=args.query * args.times)


def tool(**changes: Any) -> Tool:
    fields: dict[str, Any] = {"args": Args, "result": Result, "run": repeat, "toolset": "core"}
    return Tool(**(fields | changes))


def invocation(
    arguments: dict[str, Any] | None = None, *, owner: Owner | None = None, **changes: Any
) -> ToolInvocation:
    raw = {"query": "hello"} | (arguments or {})
    call = ToolCall(owner=owner or Owner(), require_service=refuse_services)
    args = Args.model_validate(raw)
    return ToolInvocation(
        name="repeat",
        tool=tool(**changes),
        raw_arguments=raw,
        call=call,
        request_id="7",
        validated=args,
    )


def build_runner(
    *,
    limits: CallLimits | None = None,
    sessions: SessionTracker | None = None,
    audit: AuditTrail | None = None,
    **settings: Any,
) -> CallRunner:
    """Runs calls without a disk; what is not given must not be used."""
    chosen = Settings(**{"cache_max_disk_mb": 0, "audit_enabled": False} | settings)
    runner = CallRunner(
        chosen,
        store=open_cache_store(chosen),
        find_limits=lambda: limits,
        sharing=AnswerSharing(),
        find_sessions=lambda: _require(sessions),
        find_recorder=lambda: _require(None),
        record_usage=lambda *_: _require(None),
    )
    runner.audit = audit
    return runner


def _require(service: T | None) -> T:
    assert service is not None
    return service


def run(step: ToolInvocation, runner: CallRunner | None = None) -> ToolOutcome:
    """The outcome of one call."""
    return asyncio.run((runner or build_runner()).run_call(step))
