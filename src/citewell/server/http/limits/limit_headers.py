"""Writes limits as the header fields `RateLimit` and `RateLimit-Policy` of the IETF's draft.

https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from starlette.types import Message, Send

from citewell.services.limits.limit_states import UNDISCLOSED_KINDS, LimitState

HeaderPairs = list[tuple[bytes, bytes]]


def build_limit_headers(states: Sequence[LimitState]) -> HeaderPairs:
    """The policies, and what is left of each: `"user";q=60;w=60` and `"user";r=59;t=1`."""
    shown = [state for state in states if state.kind not in UNDISCLOSED_KINDS]
    if not shown:
        return []
    policies = ", ".join(
        f'"{state.kind}";q={state.limit};w={math.ceil(state.window_seconds)}' for state in shown
    )
    left = ", ".join(
        f'"{state.kind}";r={state.remaining};t={math.ceil(state.reset_seconds)}' for state in shown
    )
    return [(b"ratelimit-policy", policies.encode()), (b"ratelimit", left.encode())]


def add_limit_headers(states: Sequence[LimitState], send: Send) -> Send:
    """A `send` whose response tells what is left of the limits."""
    headers = build_limit_headers(states)
    if not headers:
        return send

    async def telling(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *headers]
        await send(message)

    return telling
