"""The response to a call that a limit refuses: 429, with the same advice in headers and in JSON."""

from __future__ import annotations

import json

from starlette.types import Scope, Send

from citewell.server.http.limits.limit_headers import build_limit_headers
from citewell.server.http.observing.request_records import note_refusal
from citewell.server.http.request_messages import RequestMessage
from citewell.services.limits.call_limits import CallAdmission
from citewell.services.limits.limit_states import CallRefusal

RATE_LIMITED_CODE = -32010  # MCP leaves -32000 to -32019 to implementations


async def send_limit_refusal(
    admission: CallAdmission,
    refusal: CallRefusal,
    message: RequestMessage,
    *,
    scope: Scope,
    send: Send,
) -> None:
    note_refusal(scope, f"limit_{refusal.kind}".replace("-", "_"))
    error = refusal.build_error()
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": message.id,
            "error": {
                "code": RATE_LIMITED_CODE,
                "message": error.message,
                "data": error.build_error_block(),
            },
        },
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", str(refusal.retry_after).encode()),
        (b"cache-control", b"no-store"),
        *build_limit_headers(admission.states),
    ]
    await send({"type": "http.response.start", "status": 429, "headers": headers})
    await send({"type": "http.response.body", "body": body})
