"""Which ways of proving who is calling are configured, and whether their settings fit together."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.net.settings import NetSettings
from citewell.server.http.auth.caller import CallerProof, TrustedProxies
from citewell.server.settings import ServerSettings

MCP_PATH = "/mcp"
WAYS_HELP = (
    "Set OAUTH_ISSUER_URL and OAUTH_AUDIENCE (tokens of an identity provider), or "
    "CITEWELL_API_TOKENS=true (tokens made by `citewell users token create`), or "
    "CITEWELL_PROXY_USER_HEADER and CITEWELL_TRUSTED_PROXIES (a proxy that logs people in)"
)
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def list_auth_ways(settings: Settings) -> tuple[CallerProof, ...]:
    """The ways that are configured; empty if nobody has to prove anything."""
    server_settings = settings[ServerSettings]
    configured = {
        CallerProof.OAUTH: server_settings.oauth_issuer,
        CallerProof.API_TOKEN: server_settings.api_tokens,
        CallerProof.PROXY: server_settings.proxy_user_header,
    }
    return tuple(way for way, is_on in configured.items() if is_on)


def check_auth_settings(settings: Settings) -> None:
    """Raises Misconfigured with the first thing to change if the settings do not fit together."""
    for fault in _find_faults(settings):
        raise Misconfigured(fault, action="inform_user")


def choose_audiences(settings: Settings) -> tuple[str, ...]:
    """The audiences that are accepted: those named, else the public address of `/mcp`."""
    server_settings = settings[ServerSettings]
    if server_settings.oauth_audiences or server_settings.public_url is None:
        return server_settings.oauth_audiences
    return (server_settings.public_url.rstrip("/") + MCP_PATH,)


def _find_faults(settings: Settings) -> Iterator[str]:
    server_settings = settings[ServerSettings]
    yield from _find_oauth_faults(settings)
    TrustedProxies.from_names(server_settings.trusted_proxies)
    if server_settings.proxy_user_header and not server_settings.trusted_proxies:
        yield (
            "CITEWELL_PROXY_USER_HEADER needs CITEWELL_TRUSTED_PROXIES: without the address of the "
            "proxy anyone could send the header."
        )
    if server_settings.proxy_tenant_header and not server_settings.proxy_user_header:
        yield "CITEWELL_PROXY_TENANT_HEADER needs CITEWELL_PROXY_USER_HEADER."
    if server_settings.enforce_scopes and not (
        server_settings.oauth_issuer or server_settings.api_tokens
    ):
        yield (
            "ENFORCE_SCOPES is set, but no way in which a caller could have scopes: set "
            "OAUTH_ISSUER_URL or CITEWELL_API_TOKENS too."
        )


def _find_oauth_faults(settings: Settings) -> Iterator[str]:
    server_settings = settings[ServerSettings]
    if not server_settings.oauth_issuer:
        if server_settings.oauth_audiences or server_settings.introspection_client_id:
            yield "OAUTH_AUDIENCE and OAUTH_INTROSPECTION_* need OAUTH_ISSUER_URL."
        return
    if not choose_audiences(settings):
        yield (
            "OAUTH_ISSUER_URL needs OAUTH_AUDIENCE, the audience of tokens for this server, such as "
            "https://research.example.org/mcp: without it tokens for other services would do."
        )
    if not _has_known_address(settings):
        yield (
            "OAuth clients have to be told this server's address: set CITEWELL_PUBLIC_URL, such as "
            "https://research.example.org, or an address as OAUTH_AUDIENCE."
        )
    for name, url in (
        ("OAUTH_ISSUER_URL", server_settings.oauth_issuer),
        ("OAUTH_JWKS_URL", server_settings.oauth_jwks_url),
        ("OAUTH_INTROSPECTION_URL", server_settings.introspection_url),
    ):
        if url and not _is_safe_url(url, settings):
            yield (
                f"{name} must be an https address. http is for this machine alone, and for hosts "
                "in CITEWELL_ALLOW_PRIVATE_HOSTS."
            )
    if bool(server_settings.introspection_client_id) != bool(
        server_settings.introspection_client_secret
    ):
        yield (
            "OAUTH_INTROSPECTION_CLIENT_ID and OAUTH_INTROSPECTION_CLIENT_SECRET belong together."
        )


def _has_known_address(settings: Settings) -> bool:
    """Whether the server can tell clients where it is; on loopback their Host header says it."""
    server_settings = settings[ServerSettings]
    return bool(
        server_settings.public_url
        or server_settings.host in _LOOPBACK_NAMES
        or any(name.startswith(("https://", "http://")) for name in server_settings.oauth_audiences)
    )


def _is_safe_url(url: str, settings: Settings) -> bool:
    net_settings = settings[NetSettings]
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return False
    if not host or parts.query or parts.fragment or parts.username:
        return False
    if parts.scheme == "https":
        return True
    named = set(net_settings.allow_private_hosts)
    is_private = (
        net_settings.allow_private_ips
        or host in _LOOPBACK_NAMES
        or bool({host, f"{host}:{port}"} & named)
    )
    return parts.scheme == "http" and is_private
