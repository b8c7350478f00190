"""Save a finding to the user's long-term memory."""

from __future__ import annotations

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.people.memory_service import MemoryNote, MemorySaved, MemoryService


class Args(ToolArguments, MemoryNote):
    """Save a finding to the user's own long-term memory, for memory_recall in later sessions. Writes: it adds a note and deletes nothing. Without the user's recorded consent nothing is kept (status no_consent)."""


async def run(args: Args, call: ToolCall) -> MemorySaved:
    return await call.require_service(MemoryService).save_memory(
        call.owner, args.build_request(MemoryNote)
    )


TOOL = Tool(
    args=Args,
    result=MemorySaved,
    run=run,
    toolset="people",
    in_default_profile=True,
    required_setting="MEMORY_ENABLED",
    read_only=False,
    idempotent=False,
    open_world=False,
    is_always_inline=True,
)
