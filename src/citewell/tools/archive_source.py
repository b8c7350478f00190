"""Have the Internet Archive keep a copy of a source."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.archive import Archived
from citewell.services.archive import Archive
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """Save a public page to the Internet Archive (Wayback Machine) and return the snapshot's address, so that a citation outlives the page. Writes: it creates a public archive entry. Slow captures come back as existing or pending. verify_citation finds snapshots that exist already."""

    url: Annotated[str, Field(min_length=1, max_length=2048, description="Public http(s) page.")]


async def run(args: Args, call: Call) -> Archived:
    return await call.service(Archive).capture(args.url, progress=call.progress)


TOOL = Tool(args=Args, result=Archived, run=run, toolset="trust", read_only=False, open_world=False)
