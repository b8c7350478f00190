"""Lets the client's own model write the report of a job, if `get_results` asks for it.

In the handshake era the server asks for a sample during the call; in the modern one the answer is an
input request, and the client calls again with the text. Either way the text becomes the `draft` of
the same call, so that it is checked like any other.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import uuid
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from citewell.core.errors import CitewellError
from citewell.core.tooling import Owner
from citewell.research.research_service import ResearchService
from citewell.server.app import App

if TYPE_CHECKING:
    from citewell.store.encryption import EncryptionKeyring, RowPlace

_SECRET_PURPOSE = "request state"  # noqa: S105 - what the secret is for
_CONTENT = b"asked"

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
    job_id = str((params.arguments or {}).get("jobId", ""))
    answered = (params.input_responses or {}).get(_INPUT_KEY)
    if answered is not None:
        await check_request_state(app, owner, f"{params.name} {job_id}", params.request_state)
        return _read_sampled_text(answered)
    if not context.session.check_client_capability(
        types.ClientCapabilities(sampling=types.SamplingCapability())
    ):
        return None
    try:
        writing = await app.require_service(ResearchService).load_writing_request(
            str(owner), job_id
        )
    except CitewellError:  # the tool itself says what is wrong with the job
        return None
    if writing is None:
        return None
    content = types.TextContent(type="text", text=writing.material)
    request = types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(
            messages=[types.SamplingMessage(role="user", content=content)],
            system_prompt=writing.instructions,
            max_tokens=writing.max_tokens,
            temperature=0,
        )
    )
    if context.protocol_version >= _FIRST_MODERN_YEAR:
        # A token that only this owner can send back, and only for this job.
        keyring, place = await _prepare_sealing(app, owner, f"{params.name} {job_id}")
        state = base64.urlsafe_b64encode(keyring.encrypt_bytes(place, _CONTENT)).decode()
        return types.InputRequiredResult(input_requests={_INPUT_KEY: request}, request_state=state)
    try:
        async with asyncio.timeout(_SAMPLE_TIMEOUT_SECONDS):
            sampled = await _request_sample(context, request)
    except (MCPError, TimeoutError):
        return None
    return _read_sampled_text(sampled)


async def _request_sample(
    context: ServerRequestContext[Any, Any], request: types.CreateMessageRequest
) -> types.CreateMessageResult:
    """What the client's model wrote. The id of the request is unique among all instances.

    Each of them has its own copy of the session, whose numbers would meet those of another copy.
    """
    channel = context.session._request_outbound  # noqa: SLF001 - no public call lets one choose the id
    wire = request.model_dump(by_alias=True, mode="json", exclude_none=True)
    answer = await channel.send_raw_request(
        wire["method"], wire.get("params"), {"request_id": f"sample-{uuid.uuid4().hex}"}
    )
    return types.CreateMessageResult.model_validate(answer, by_name=False)


def _read_sampled_text(sampled: object) -> str | None:
    content = getattr(sampled, "content", None)
    parts = content if isinstance(content, list) else [content]
    text = "\n\n".join(part.text for part in parts if isinstance(part, types.TextContent))
    return text.strip() or None


# The state that a client sends back with its answer to an input request, sealed for one owner and purpose.


async def _prepare_sealing(
    app: App, owner: Owner, purpose: str
) -> tuple[EncryptionKeyring, RowPlace]:
    from citewell.store.encryption import EncryptionKeyring, RowPlace

    secret = await app.open_state().vault.derive_store_secret(_SECRET_PURPOSE)
    place = RowPlace(owner=str(owner), table=_SECRET_PURPOSE, row=purpose)
    return EncryptionKeyring([secret]), place


async def check_request_state(app: App, owner: Owner, purpose: str, token: str | None) -> None:
    """Raise MCPError unless this is a token that was sealed for the same owner and purpose."""
    from citewell.store.failures import DecryptionFailed

    keyring, place = await _prepare_sealing(app, owner, purpose)
    try:
        keyring.decrypt_bytes(place, base64.urlsafe_b64decode((token or "").encode("ascii")))
    except (DecryptionFailed, binascii.Error, UnicodeEncodeError):
        raise MCPError(
            code=types.INVALID_PARAMS,
            message="Invalid or expired requestState",
            data={"reason": "invalid_request_state"},
        ) from None
