"""Save a copy of a source in the Internet Archive."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.citation_checks import ArchiveOutcome
from citewell.links.internet_archive import PageArchive


class Args(ToolArguments):
    """Save a public page to the Internet Archive (Wayback Machine) and return the snapshot's address, so that a citation outlives the page. Writes: it creates a public archive entry. Slow captures come back as existing or pending. verify_citation finds snapshots that exist already."""

    url: Annotated[str, Field(min_length=1, max_length=2048, description="Public http(s) page.")]


async def run(args: Args, call: ToolCall) -> ArchiveOutcome:
    return await call.require_service(PageArchive).capture_page(
        args.url, progress=call.report_progress
    )


TOOL = Tool(
    args=Args, result=ArchiveOutcome, run=run, toolset="trust", read_only=False, open_world=False
)
