"""A small tool and a way to run it through middleware under test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from citewell.model.wire_values import UNTRUSTED_LABEL, LongText, WireValue
from citewell.server.pipeline import Middleware, ToolInvocation, ToolOutcome, compose_pipeline
from citewell.tooling import NOT_IN_CACHE_KEY, Owner, Tool, ToolArguments, ToolCall
from tests.fake_services import refuse_services


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


async def run(args: Args, call: ToolCall) -> Result:
    return Result(text=args.query * args.times)


def tool(**changes: Any) -> Tool:
    fields: dict[str, Any] = {"args": Args, "result": Result, "run": run, "toolset": "core"}
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


async def through(layers: Sequence[Middleware], step: ToolInvocation) -> ToolOutcome:
    return await compose_pipeline(layers)(step)
