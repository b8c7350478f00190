"""The connector's fetch: one id from search, the whole document."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.services.connector import Connector, Document
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """Get the full text of one document by its id from search; a plain http(s) address works too."""

    id: Annotated[str, Field(min_length=1, max_length=4096)]


async def run(args: Args, call: Call) -> Document:
    return await call.service(Connector).fetch(args.id, progress=call.progress)


TOOL = Tool(
    args=Args,
    result=Document,
    run=run,
    toolset="connector",
    ttl=None,  # documents of the library are each owner's own; pages are kept below
    long=True,
    inline=True,
    publish_result=True,
)
