"""Turns an answer's status into our errors, in one place for every upstream."""

from __future__ import annotations

from collections.abc import Callable, Collection

from citewell.errors import (
    AuthRequired,
    NotFound,
    OutOfCredit,
    RateLimited,
    RejectedRequest,
    Unavailable,
    UpstreamError,
)
from citewell.net.limits import read_delay
from citewell.net.message import Response


class Overloaded(Unavailable):
    """A gateway's failure (502, 503, 504): the same request may succeed a moment later."""


def judge(
    response: Response, *, provider: str, accept: Collection[int], now: Callable[[], float]
) -> None:
    """Do nothing for a 2xx or an accepted status; raise what any other means."""
    status = response.status
    if 200 <= status < 300 or status in accept:
        return
    kind, message = _KINDS.get(status) or _family(status)
    delay = (
        read_delay(response.headers, now=now)
        if issubclass(kind, RateLimited | Overloaded)
        else None
    )
    raise kind(message, provider=provider, retry_after=delay, detail=f"HTTP {status}")


def _family(status: int) -> tuple[type[UpstreamError | NotFound], str]:
    if 400 <= status < 500:
        return RejectedRequest, "The upstream refused this request."
    if 300 <= status < 400:
        return Unavailable, "The upstream sent us elsewhere."
    return Unavailable, "The upstream failed."


_KINDS: dict[int, tuple[type[UpstreamError | NotFound], str]] = {
    401: (AuthRequired, "The upstream does not accept our key, or wants one."),
    402: (OutOfCredit, "The account with the upstream has no credit left."),
    403: (AuthRequired, "The upstream does not let us in."),
    404: (NotFound, "The upstream has no such thing."),
    410: (NotFound, "The upstream has this no longer."),
    429: (RateLimited, "The upstream asks us to slow down."),
    502: (Overloaded, "The upstream is failing."),
    503: (Overloaded, "The upstream is overloaded."),
    504: (Overloaded, "The upstream took too long."),
}
