"""What `citewell serve --http` prints once it listens: addresses, who may call, and the dashboard."""

from __future__ import annotations

from citewell.config import Settings
from citewell.server.http.auth.auth_ways import list_auth_ways
from citewell.server.http.auth.caller import CallerProof
from citewell.server.http.origins.allowed_origins import bracket_ipv6
from citewell.server.http.transport import is_loopback_host

_ALL_INTERFACES = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not bound
_CALLERS = {
    CallerProof.OAUTH: "whoever signs in with your identity provider (OAuth)",
    CallerProof.API_TOKEN: "holders of a token made by `citewell users token create`",
    CallerProof.PROXY: "whoever your proxy has logged in",
}


def describe_addresses(addresses: list[tuple[str, int]]) -> str:
    """A line for the host and port of each socket."""
    return "".join(f"citewell serves MCP at {_build_url(*pair)}/mcp\n" for pair in addresses)


def describe_start(settings: Settings, addresses: list[tuple[str, int]]) -> str:
    """The whole message."""
    base = settings.public_url.rstrip("/") if settings.public_url else _find_open_url(addresses)
    dashboard = (
        f"{base}/dashboard (log in with ADMIN_API_KEY)"
        if settings.admin_key
        else "off; set ADMIN_API_KEY to switch it on"
    )
    return (
        f"{describe_addresses(addresses)}"
        f"  Connect a client:  {base}/ shows how\n"
        f"  Who may call:      {_describe_callers(settings)}\n"
        f"  Dashboard:         {dashboard}\n"
    )


def _find_open_url(addresses: list[tuple[str, int]]) -> str:
    """An address that a browser on this machine can open."""
    host, port = addresses[0]
    if host in _ALL_INTERFACES:
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"  # noqa: S104 - compared, not bound
    return _build_url(host, port)


def _build_url(host: str, port: int) -> str:
    return f"http://{bracket_ipv6(host)}:{port}"


def _describe_callers(settings: Settings) -> str:
    ways = list_auth_ways(settings)
    if ways:
        return "; ".join(_CALLERS[way] for way in ways)
    if is_loopback_host(settings.host):
        return "anyone on this machine, without signing in"
    return "ANYONE who can reach this address, without signing in"
