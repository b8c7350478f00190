"""A tool call on its way through the middleware to the tool and back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from citewell.tooling import Arguments, Call, Tool


@dataclass(slots=True, kw_only=True)
class Invocation:
    """One `tools/call` while it runs. `args` is there once validation has passed."""

    name: str
    tool: Tool
    raw: Mapping[str, Any]
    call: Call
    request_id: str = ""
    args: Arguments | None = None

    @property
    def arguments(self) -> Arguments:
        if self.args is None:
            raise RuntimeError("validation runs before anything that reads arguments")
        return self.args


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A large body kept aside, to be fetched when wanted."""

    uri: str
    name: str
    mime: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the client will see: structured content, or an error's text."""

    body: dict[str, Any] | None = None
    text: str | None = None
    links: tuple[Link, ...] = ()
    meta: dict[str, Any] = field(default_factory=dict)
    is_error: bool = False
    empty: bool = False  # found nothing; kept for a minute at most


Proceed = Callable[[Invocation], Awaitable[Outcome]]


class Middleware(Protocol):
    async def __call__(self, invocation: Invocation, proceed: Proceed) -> Outcome: ...


async def run_tool(invocation: Invocation) -> Outcome:
    """The innermost step: the tool itself."""
    result = await invocation.tool.run(invocation.arguments, invocation.call)
    empty = invocation.tool.empty
    return Outcome(body=result.wire(), empty=bool(empty and empty(result)))


def _bind(middleware: Middleware, proceed: Proceed, invocation: Invocation) -> Awaitable[Outcome]:
    return middleware(invocation, proceed)


def compose(middleware: Sequence[Middleware], innermost: Proceed = run_tool) -> Proceed:
    """Wrap the tool in its middleware, the first one outermost."""
    chain = innermost
    for layer in reversed(middleware):
        chain = partial(_bind, layer, chain)
    return chain
