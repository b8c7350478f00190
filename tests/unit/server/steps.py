"""A small tool and a way to run it through middleware under test."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from citewell.model.base import UNTRUSTED, Value
from citewell.server.pipeline import Invocation, Middleware, Outcome, compose
from citewell.tooling import UNKEYED, Arguments, Call, Owner, Tool


class Args(Arguments):
    """Repeat a text."""

    query: Annotated[str, Field(min_length=1)]
    times: Annotated[int, Field(default=1)]
    session_id: Annotated[str | None, UNKEYED, Field(default=None, validation_alias="sessionId")]


class Result(Value):
    text: str
    trust: str = UNTRUSTED


async def run(args: Args, call: Call) -> Result:
    return Result(text=args.query * args.times)


def tool(**changes: Any) -> Tool:
    return Tool(**({"args": Args, "result": Result, "run": run, "toolset": "core"} | changes))


def invocation(
    arguments: dict[str, Any] | None = None, *, owner: Owner | None = None, **changes: Any
) -> Invocation:
    raw = {"query": "hello"} | (arguments or {})
    call = Call(owner=owner or Owner(), provide=lambda kind: None)
    args = Args.model_validate(raw)
    return Invocation(
        name="repeat", tool=tool(**changes), raw=raw, call=call, request_id="7", args=args
    )


async def through(layers: list[Middleware], step: Invocation) -> Outcome:
    return await compose(layers)(step)
