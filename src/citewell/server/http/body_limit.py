"""Refuses request bodies over MAX_REQUEST_BODY_BYTES, before they are held in memory."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.server.http.header_values import find_header_values
from citewell.server.http.refusals import send_refusal

_REFUSAL_CODE = "body_too_large"


class BodyTooLarge(HTTPException):
    """Raised while a body is read; Starlette turns it into a response inside a route."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(
            413, f"The request body has more than {max_bytes} bytes. Send less at a time."
        )


class BodyLimit:
    def __init__(self, inner: ASGIApp, max_bytes: int) -> None:
        self._inner = inner
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        try:
            for length in find_header_values(scope, b"content-length"):
                if length.isdigit() and int(length) > self._max_bytes:
                    raise BodyTooLarge(self._max_bytes)  # noqa: TRY301 - the same answer as for a body without a length
            await self._inner(scope, self._count_bytes(receive), send)
        except BodyTooLarge as error:
            # The connection stays open: a client that is still sending could not read the answer.
            await send_refusal(send, error.status_code, _REFUSAL_CODE, error.detail)

    def _count_bytes(self, receive: Receive) -> Receive:
        seen = 0

        async def receive_counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._max_bytes:
                raise BodyTooLarge(self._max_bytes)
            return message

        return receive_counted
