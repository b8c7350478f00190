"""Sends JSON to an address that the operator chose, signed with a shared secret."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

from citewell.core.errors import CitewellError
from citewell.net.http.messages import HttpRequest, RedirectPolicy, RequestSender

_TIMEOUT_SECONDS = 10.0
_MAX_RESPONSE_BYTES = 64 * 1024


class SignedWebhook:
    """Posts one body at a time; what was not accepted is for the caller to send again."""

    def __init__(
        self,
        sender: RequestSender,
        *,
        url: str,
        secret: str | None,
        clock: Callable[[], float],
        max_seconds: float = _TIMEOUT_SECONDS,
    ) -> None:
        """`max_seconds` is how long the receiver may take for one body."""
        self._sender = sender
        self._url = url
        self._secret = secret
        self._clock = clock
        self._max_seconds = max_seconds

    async def find_refusal(self, body: bytes, delivery: str) -> str | None:
        """Post the body; why the receiver did not take it, None if it did."""
        request = HttpRequest(
            url=self._url,
            method="POST",
            headers={"content-type": "application/json", "x-citewell-delivery": delivery},
            secret_headers=self._sign_body(body),
            content=body,
            timeout=self._max_seconds,
            max_bytes=_MAX_RESPONSE_BYTES,
            redirects=RedirectPolicy.NONE,  # what concerns people goes only where it was told to
        )
        try:
            response = await self._sender.send_request(request)
        except CitewellError as error:
            return error.message
        return None if 200 <= response.status < 300 else f"It answered {response.status}."

    def _sign_body(self, body: bytes) -> dict[str, str]:
        """The signature over time and body, if a secret is set."""
        if not self._secret:
            return {}
        moment = str(int(self._clock()))
        covered = moment.encode() + b"." + body
        signature = hmac.new(self._secret.encode(), covered, hashlib.sha256).hexdigest()
        return {"x-citewell-signature": f"t={moment},v1={signature}"}
