"""Read a large result page by page, for clients that cannot read resources."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.services.reading.artifact_pages import ArtifactPage, ArtifactReader
from citewell.tooling import Tool, ToolArguments, ToolCall


class Args(ToolArguments):
    """Read the next page of a result that came back as a research://artifact link."""

    id: Annotated[
        str,
        Field(min_length=1, max_length=120, description="The artifact's id or its whole address."),
    ]
    offset: Annotated[int, Field(default=0, ge=0, description="nextOffset of the page before.")]
    max_length: Annotated[int, Field(default=8000, ge=500, le=20000, description="Characters.")]


async def run(args: Args, call: ToolCall) -> ArtifactPage:
    return await call.require_service(ArtifactReader).read_artifact_page(
        call.owner, args.id, offset=args.offset, size=args.max_length
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
