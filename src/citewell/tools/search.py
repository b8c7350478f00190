"""The connector's search: one query, a list of ids to fetch."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.services.connector import Connector, Listing
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """Find documents in the user's library and on the web. Returns ids for fetch, with titles and links."""

    query: Annotated[str, Field(min_length=1, max_length=500)]


async def run(args: Args, call: Call) -> Listing:
    return await call.service(Connector).search(
        args.query, trace=call.trace, tenant=call.owner.tenant
    )


TOOL = Tool(
    args=Args,
    result=Listing,
    run=run,
    toolset="connector",
    ttl=None,  # the library's part is each owner's own; the web's part is kept below
    empty=lambda listing: not listing.results,
    inline=True,
    publish_result=True,
)
