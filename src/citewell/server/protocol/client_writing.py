"""Lets the client's own model write the report of a job, if `get_results` asks for it.

In the handshake era the server asks for a sample during the call; in the modern one the answer is an
input request, and the client calls again with the text. Either way the text becomes the `draft` of
the same call, so that it is checked like any other.
"""

from __future__ import annotations

import asyncio
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from citewell.errors import CitewellError
from citewell.model.research import WritingRequest
from citewell.server.app import App
from citewell.services.research.research_service import ResearchService
from citewell.tooling import Owner

_INPUT_KEY = "report"
_FIRST_MODERN_YEAR = "2026"
_SAMPLE_TIMEOUT_SECONDS = 600.0  # a person may have to agree first


async def request_client_draft(
    app: App,
    context: ServerRequestContext[Any, Any],
    params: types.CallToolRequestParams,
    owner: Owner,
) -> str | types.InputRequiredResult | None:
    """The text of the client's model, or the request for it; None if there will be none."""
    answered = (params.input_responses or {}).get(_INPUT_KEY)
    if answered is not None:
        return _read_sampled_text(answered)
    if not context.session.check_client_capability(
        types.ClientCapabilities(sampling=types.SamplingCapability())
    ):
        return None
    try:
        writing = await app.require_service(ResearchService).load_writing_request(
            str(owner), str((params.arguments or {}).get("jobId", ""))
        )
    except CitewellError:  # the tool itself says what is wrong with the job
        return None
    if writing is None:
        return None
    request = _build_sampling_request(writing)
    if context.protocol_version >= _FIRST_MODERN_YEAR:
        return types.InputRequiredResult(input_requests={_INPUT_KEY: request})
    try:
        async with asyncio.timeout(_SAMPLE_TIMEOUT_SECONDS):
            sampled = await context.session.send_request(
                request,
                types.CreateMessageResult,
                metadata=ServerMessageMetadata(related_request_id=context.request_id),
            )
    except (MCPError, TimeoutError):
        return None
    return _read_sampled_text(sampled)


def _build_sampling_request(writing: WritingRequest) -> types.CreateMessageRequest:
    content = types.TextContent(type="text", text=writing.material)
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(
            messages=[types.SamplingMessage(role="user", content=content)],
            system_prompt=writing.instructions,
            max_tokens=writing.max_tokens,
            temperature=0,
        )
    )


def _read_sampled_text(sampled: object) -> str | None:
    content = getattr(sampled, "content", None)
    parts = content if isinstance(content, list) else [content]
    text = "\n\n".join(part.text for part in parts if isinstance(part, types.TextContent))
    return text.strip() or None
