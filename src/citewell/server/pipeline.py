"""How a tool call passes through the middleware to the tool and back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from citewell.model.research_session import SessionSource
from citewell.store.cache.tiered_cache import CacheEntry
from citewell.tooling import Tool, ToolArguments, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOrigin:
    """Where a call came from, for the audit log."""

    source_ip: str | None = None
    session_id: str | None = None  # of the MCP session


@dataclass(slots=True, kw_only=True)
class ToolInvocation:
    """One `tools/call` while it runs. `validated` is None until the arguments are validated."""

    name: str
    tool: Tool
    raw_arguments: Mapping[str, Any]
    call: ToolCall
    request_id: str = ""
    origin: CallOrigin = field(default_factory=CallOrigin)
    validated: ToolArguments | None = None
    cache_key: str | None = None  # once it is known
    held: CacheEntry | None = None  # the answer, for a call that is given it from memory

    @property
    def arguments(self) -> ToolArguments:
        if self.validated is None:
            raise RuntimeError("The arguments were read before they were validated")
        return self.validated


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactLink:
    """A large result that is stored as an artifact instead of being sent inline."""

    uri: str
    name: str
    mime: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolError:
    """The error of a call, with secrets masked: the sentence for the reader and the error block."""

    message: str
    block: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What the client receives: structured content, or the text of an error."""

    body: dict[str, Any] | None = None
    text: str | None = None
    links: tuple[ArtifactLink, ...] = ()
    meta: dict[str, Any] = field(default_factory=dict)
    error: ToolError | None = None  # what `text` says, for code
    sources: tuple[SessionSource, ...] = ()  # that the tool reported
    found_nothing: bool = False  # the tool found nothing; such an answer is cached only briefly

    @property
    def is_error(self) -> bool:
        return self.error is not None


NextStep = Callable[[ToolInvocation], Awaitable[ToolOutcome]]


class Middleware(Protocol):
    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome: ...


async def run_tool(invocation: ToolInvocation) -> ToolOutcome:
    """Run the tool itself; the innermost step of the pipeline."""
    result = await invocation.tool.run(invocation.arguments, invocation.call)
    empty = invocation.tool.is_empty_result
    return ToolOutcome(
        body=result.to_wire(),
        sources=tuple(invocation.call.sources),
        found_nothing=bool(empty and empty(result)),
    )


def _call_middleware(
    middleware: Middleware, proceed: NextStep, invocation: ToolInvocation
) -> Awaitable[ToolOutcome]:
    return middleware(invocation, proceed)


def compose_pipeline(middleware: Sequence[Middleware], innermost: NextStep = run_tool) -> NextStep:
    """Wrap `innermost` in the middleware; the first one is the outermost."""
    chain = innermost
    for layer in reversed(middleware):
        chain = partial(_call_middleware, layer, chain)
    return chain
