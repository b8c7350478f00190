"""The address under which the sender of a request reached this server."""

from __future__ import annotations

import re

from starlette.requests import Request

from citewell.config import Settings
from citewell.server.http.auth.auth_ways import list_auth_ways
from citewell.server.http.auth.caller import CallerProof
from citewell.server.http.transport import is_loopback_host
from citewell.server.pages.client_guides import ServerAddress

_HOST_PATTERN = re.compile(r"(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?")


def find_own_url(request: Request, public_url: str | None) -> str:
    """`public_url`, or scheme and host as the sender wrote them, without a slash at the end.

    A Host header with other characters than names and numbers is not repeated; then it is the
    address that the connection came in at.
    """
    if public_url:
        return public_url.rstrip("/")
    host = request.headers.get("host", "")
    if not _HOST_PATTERN.fullmatch(host):
        name, port = request.scope.get("server") or ("127.0.0.1", None)
        shown = f"[{name}]" if ":" in name else name
        host = f"{shown}:{port}" if port else shown
    return f"{request.url.scheme}://{host}"


def build_server_address(url: str, settings: Settings) -> ServerAddress:
    """What clients have to know of this server, which is reached at `url`."""
    ways = list_auth_ways(settings)
    return ServerAddress(
        base_url=url,
        is_public=is_public_url(url),
        takes_token=CallerProof.API_TOKEN in ways,
        signs_in=CallerProof.OAUTH in ways,
        is_behind_gateway=CallerProof.PROXY in ways,
    )


def is_public_url(url: str) -> bool:
    """True if it is https and not on this machine: what assistants in the cloud can call."""
    scheme, _, host = url.partition("://")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return scheme == "https" and not is_loopback_host(name)
