"""Follows redirects, without sending secrets to another origin."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from urllib.parse import quote, urljoin

from citewell.errors import FailureReason, UpstreamUnavailable
from citewell.net.guard.url_grammar import RequestTarget, parse_url
from citewell.net.http.messages import HttpRequest, HttpResponse, RedirectPolicy

MAX_REDIRECT_HOPS = 5

_REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
_SECRET_HEADER_NAMES = frozenset({"authorization", "cookie", "proxy-authorization"})


def build_redirect_request(
    request: HttpRequest, target: RequestTarget, *, status: int, location: str | None
) -> HttpRequest | None:
    """The request for the next hop, not yet checked by the guard; None if the response is final.

    Raises UpstreamUnavailable for a redirect that the request's policy does not allow.
    """
    if status not in _REDIRECT_STATUSES or not location or request.redirects is RedirectPolicy.NONE:
        return None
    onward = replace(
        request, url=_resolve_location(target, location), params={}, redirect_status=status
    )
    if _turns_into_get(request.method, status):
        onward = replace(onward, method="GET", json=None, form=None, content=None)
    if parse_url(onward.url).origin == target.origin:
        return onward
    if request.redirects is RedirectPolicy.SAME_ORIGIN:
        raise UpstreamUnavailable("The upstream redirected to another site.")
    if any(body is not None for body in (onward.json, onward.form, onward.content)):
        raise UpstreamUnavailable("The upstream redirected a request with a body to another site.")
    return replace(onward, headers=_drop_secret_headers(request.headers), secret_headers={})


async def follow_redirects(
    request: HttpRequest,
    exchange: Callable[[HttpRequest], Awaitable[HttpResponse | HttpRequest]],
) -> HttpResponse:
    """The final response, with the addresses that redirected to it.

    `exchange` sends one request and returns the final response, or the request for the next hop.
    Raises UpstreamUnavailable if the redirects go in a circle or are too many.
    """
    hops: list[str] = []
    statuses: list[int] = []
    while True:
        answer = await exchange(request)
        if isinstance(answer, HttpResponse):
            return replace(answer, hops=tuple(hops), hop_statuses=tuple(statuses))
        hops.append(request.url)
        statuses.append(answer.redirect_status or 0)
        if answer.url in hops and answer.method == request.method:
            raise UpstreamUnavailable(
                "The upstream sends us round in circles.", reason=FailureReason.TOO_MANY_REDIRECTS
            )
        if len(hops) > MAX_REDIRECT_HOPS:
            raise build_redirect_limit_error()
        request = answer


def build_redirect_limit_error() -> UpstreamUnavailable:
    return UpstreamUnavailable(
        f"The upstream sent us on more than {MAX_REDIRECT_HOPS} times.",
        reason=FailureReason.TOO_MANY_REDIRECTS,
    )


def _resolve_location(target: RequestTarget, location: str) -> str:
    """The absolute URL of `location`. Spaces are escaped; other invalid characters are left to the guard."""
    spaced = re.sub(r" +", lambda run: quote(run[0]), location.strip())
    try:
        return urljoin(target.url, spaced)
    except ValueError:
        raise UpstreamUnavailable("The upstream redirected to an invalid address.") from None


def _turns_into_get(method: str, status: int) -> bool:
    if status == 303:
        return method != "HEAD"
    return status in {301, 302} and method == "POST"


def _drop_secret_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value for name, value in headers.items() if name.lower() not in _SECRET_HEADER_NAMES
    }
