"""Read a large result page by page, for clients that cannot read resources."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.argument_types import OptionalName
from citewell.reading.pages.artifacts import ArtifactPage, ArtifactReader


class Args(ToolArguments):
    """Read a research://artifact link page by page, or the section with a heading."""

    id: Annotated[
        str,
        Field(min_length=1, max_length=120, description="The artifact's id or its whole address."),
    ]
    offset: Annotated[int, Field(default=0, ge=0, description="nextOffset of the page before.")]
    section: Annotated[
        OptionalName, Field(default=None, description="Read from this heading of sections.")
    ]
    max_length: Annotated[int, Field(default=8000, ge=500, le=20000, description="Characters.")]


async def run(args: Args, call: ToolCall) -> ArtifactPage:
    return await call.require_service(ArtifactReader).read_artifact_page(
        call.owner, args.id, offset=args.offset, size=args.max_length, section=args.section
    )


TOOL = Tool(
    args=Args,
    result=ArtifactPage,
    run=run,
    toolset="core",
    in_default_profile=True,
    open_world=False,
    is_always_inline=True,
)
