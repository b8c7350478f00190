"""Turns a response's HTTP status into our errors, for every upstream."""

from __future__ import annotations

from collections.abc import Callable, Collection

from citewell.errors import (
    AuthRequired,
    NotFound,
    OutOfCredit,
    RateLimited,
    RejectedRequest,
    UpstreamError,
    UpstreamUnavailable,
)
from citewell.net.http.messages import HttpResponse
from citewell.net.http.rate_limit_headers import read_retry_delay


class GatewayOverloaded(UpstreamUnavailable):
    """A gateway error (502, 503, 504): the same request may succeed a moment later."""


def check_status(
    response: HttpResponse, *, provider: str, accept: Collection[int], now: Callable[[], float]
) -> None:
    """Raise the error that a status means; do nothing for 2xx and for statuses in `accept`."""
    status = response.status
    if 200 <= status < 300 or status in accept:
        return
    kind, message = _ERRORS_BY_STATUS.get(status) or _classify_status(status)
    delay = (
        read_retry_delay(response.headers, now=now)
        if issubclass(kind, RateLimited | GatewayOverloaded)
        else None
    )
    raise kind(
        message,
        provider=provider,
        retry_after=delay,
        detail=f"HTTP {status}",
        http_status=status,
    )


def _classify_status(status: int) -> tuple[type[UpstreamError | NotFound], str]:
    if 400 <= status < 500:
        return RejectedRequest, "The upstream refused this request."
    if 300 <= status < 400:
        return UpstreamUnavailable, "The upstream answered with an unexpected redirect."
    return UpstreamUnavailable, "The upstream failed."


_ERRORS_BY_STATUS: dict[int, tuple[type[UpstreamError | NotFound], str]] = {
    401: (AuthRequired, "The upstream rejected the API key, or requires one."),
    402: (OutOfCredit, "The account with the upstream has no credit left."),
    403: (AuthRequired, "The upstream denied access."),
    404: (NotFound, "The upstream has no such record."),
    410: (NotFound, "The upstream no longer has this record."),
    429: (RateLimited, "The upstream asks us to slow down."),
    502: (GatewayOverloaded, "The upstream's gateway failed."),
    503: (GatewayOverloaded, "The upstream is overloaded."),
    504: (GatewayOverloaded, "The upstream took too long."),
}
