"""The connector's fetch: the whole document for one id from search."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.connector.document_connector import ConnectorDocument, DocumentConnector
from citewell.core.tooling import Tool, ToolArguments, ToolCall


class Args(ToolArguments):
    """Get the full text of one document by its id from search; a plain http(s) address works too."""

    id: Annotated[str, Field(min_length=1, max_length=4096)]


async def run(args: Args, call: ToolCall) -> ConnectorDocument:
    return await call.require_service(DocumentConnector).fetch_document(
        args.id, progress=call.report_progress
    )


TOOL = Tool(
    args=Args,
    result=ConnectorDocument,
    run=run,
    toolset="connector",
    ttl_seconds=None,  # library documents belong to one owner; pages are cached by the reader
    has_long_timeout=True,
    is_always_inline=True,
)
