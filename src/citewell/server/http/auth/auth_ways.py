"""Which ways of proving who is calling are configured, and whether their settings fit together."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.server.http.auth.caller import CallerProof
from citewell.server.http.auth.proxy_identity import TrustedProxies

MCP_PATH = "/mcp"
WAYS_HELP = (
    "Set OAUTH_ISSUER_URL and OAUTH_AUDIENCE (tokens of an identity provider), or "
    "CITEWELL_API_TOKENS=true (tokens made by `citewell users token create`), or "
    "CITEWELL_PROXY_USER_HEADER and CITEWELL_TRUSTED_PROXIES (a proxy that logs people in)"
)
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def list_auth_ways(settings: Settings) -> tuple[CallerProof, ...]:
    """The ways that are configured; empty if nobody has to prove anything."""
    configured = {
        CallerProof.OAUTH: settings.oauth_issuer,
        CallerProof.API_TOKEN: settings.api_tokens,
        CallerProof.PROXY: settings.proxy_user_header,
    }
    return tuple(way for way, is_on in configured.items() if is_on)


def check_auth_settings(settings: Settings) -> None:
    """Raises Misconfigured with the first thing to change if the settings do not fit together."""
    for fault in _find_faults(settings):
        raise Misconfigured(fault, action="inform_user")


def choose_audiences(settings: Settings) -> tuple[str, ...]:
    """The audiences that are accepted: those named, else the public address of `/mcp`."""
    if settings.oauth_audiences or settings.public_url is None:
        return settings.oauth_audiences
    return (settings.public_url.rstrip("/") + MCP_PATH,)


def _find_faults(settings: Settings) -> Iterator[str]:
    yield from _find_oauth_faults(settings)
    TrustedProxies.from_names(settings.trusted_proxies)
    if settings.proxy_user_header and not settings.trusted_proxies:
        yield (
            "CITEWELL_PROXY_USER_HEADER needs CITEWELL_TRUSTED_PROXIES: without the address of the "
            "proxy anyone could send the header."
        )
    if settings.proxy_tenant_header and not settings.proxy_user_header:
        yield "CITEWELL_PROXY_TENANT_HEADER needs CITEWELL_PROXY_USER_HEADER."
    if settings.enforce_scopes and not (settings.oauth_issuer or settings.api_tokens):
        yield (
            "ENFORCE_SCOPES is set, but no way in which a caller could have scopes: set "
            "OAUTH_ISSUER_URL or CITEWELL_API_TOKENS too."
        )


def _find_oauth_faults(settings: Settings) -> Iterator[str]:
    if not settings.oauth_issuer:
        if settings.oauth_audiences or settings.introspection_client_id:
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
        ("OAUTH_ISSUER_URL", settings.oauth_issuer),
        ("OAUTH_JWKS_URL", settings.oauth_jwks_url),
        ("OAUTH_INTROSPECTION_URL", settings.introspection_url),
    ):
        if url and not _is_safe_url(url, settings):
            yield (
                f"{name} must be an https address. http is for this machine alone, and for hosts "
                "in CITEWELL_ALLOW_PRIVATE_HOSTS."
            )
    if bool(settings.introspection_client_id) != bool(settings.introspection_client_secret):
        yield (
            "OAUTH_INTROSPECTION_CLIENT_ID and OAUTH_INTROSPECTION_CLIENT_SECRET belong together."
        )


def _has_known_address(settings: Settings) -> bool:
    """Whether the server can tell clients where it is; on loopback their Host header says it."""
    return bool(
        settings.public_url
        or settings.host in _LOOPBACK_NAMES
        or any(name.startswith(("https://", "http://")) for name in settings.oauth_audiences)
    )


def _is_safe_url(url: str, settings: Settings) -> bool:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return False
    if not host or parts.query or parts.fragment or parts.username:
        return False
    if parts.scheme == "https":
        return True
    named = set(settings.allow_private_hosts)
    is_private = (
        settings.allow_private_ips
        or host in _LOOPBACK_NAMES
        or bool({host, f"{host}:{port}"} & named)
    )
    return parts.scheme == "http" and is_private
