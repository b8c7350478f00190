"""The connector's search: returns ids that fetch accepts."""

from __future__ import annotations

from citewell.connector.document_connector import DocumentConnector, DocumentListing
from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.argument_types import QueryText


class Args(ToolArguments):
    """Find documents in the user's library and on the web. Returns ids for fetch, with titles and links."""

    query: QueryText


async def run(args: Args, call: ToolCall) -> DocumentListing:
    return await call.require_service(DocumentConnector).search_everywhere(
        args.query, trace=call.trace, tenant=call.owner.tenant
    )


TOOL = Tool(
    args=Args,
    result=DocumentListing,
    run=run,
    toolset="connector",
    ttl_seconds=None,  # library results belong to one owner; web results are cached by the search service
    is_empty_result=lambda listing: not listing.results,
    is_always_inline=True,
)
