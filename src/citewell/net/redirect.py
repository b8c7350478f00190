"""Where a redirect leads and what may travel along; nobody else decides to follow one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote, urljoin

from citewell.errors import Unavailable
from citewell.net.message import Redirects, Request
from citewell.net.target import Target, read_url

MOST_HOPS = 5

_STATUSES = frozenset({301, 302, 303, 307, 308})
_PRIVATE = frozenset({"authorization", "cookie", "proxy-authorization"})


def follow(
    request: Request, target: Target, *, status: int, location: str | None
) -> Request | None:
    """The request for the next hop, still to be checked; None when the answer is final."""
    if status not in _STATUSES or not location or request.redirects is Redirects.NONE:
        return None
    onward = replace(request, url=_resolve(target, location), params={})
    if _turns_into_get(request.method, status):
        onward = replace(onward, method="GET", json=None, form=None)
    if read_url(onward.url).origin == target.origin:
        return onward
    if request.redirects is Redirects.SAME_ORIGIN:
        raise Unavailable("The upstream sent us to another site.")
    if onward.json is not None or onward.form is not None:
        raise Unavailable("The upstream wants our request body sent to another site.")
    return replace(onward, headers=_public(request.headers), secret_headers={})


def _resolve(target: Target, location: str) -> str:
    """Servers leave spaces in Location; everything else odd is left for the guard to refuse."""
    spaced = re.sub(r" +", lambda run: quote(run[0]), location.strip())
    try:
        return urljoin(target.url, spaced)
    except ValueError:
        raise Unavailable("The upstream sent us to an address that is none.") from None


def _turns_into_get(method: str, status: int) -> bool:
    if status == 303:
        return method != "HEAD"
    return status in {301, 302} and method == "POST"


def _public(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in _PRIVATE}
