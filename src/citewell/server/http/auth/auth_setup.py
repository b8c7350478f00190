"""Builds, from the settings, what the authentication layers need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.server.http.auth.api_tokens import ApiTokenVerifier
from citewell.server.http.auth.auth_ways import (
    check_auth_settings,
    choose_audiences,
    list_auth_ways,
)
from citewell.server.http.auth.authenticator import Authenticator, TokenVerifier
from citewell.server.http.auth.claim_rules import ClaimRules
from citewell.server.http.auth.issuer_metadata import IssuerClient
from citewell.server.http.auth.key_source import IssuerKeySetLoader, KeySource
from citewell.server.http.auth.protected_resource import ProtectedResource
from citewell.server.http.auth.proxy_identity import ProxyIdentity, TrustedProxies
from citewell.server.http.auth.scope_rules import ScopeRules
from citewell.server.http.auth.token_introspection import TokenIntrospector
from citewell.server.http.auth.token_verification import SignedTokenVerifier

if TYPE_CHECKING:
    from citewell.server.app import App


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthSetup:
    authenticator: Authenticator
    rules: ScopeRules
    resource: ProtectedResource | None  # None without OAuth


def build_auth_setup(app: App, offered: Mapping[str, frozenset[str]]) -> AuthSetup | None:
    """None if nobody has to prove anything. `offered` has the names of the tools at each MCP path.

    Raises Misconfigured if the settings do not fit together.
    """
    settings = app.settings
    check_auth_settings(settings)
    if not list_auth_ways(settings):
        return None
    signed, opaque = _build_oauth_verifiers(app)
    return AuthSetup(
        authenticator=Authenticator(
            proxy=_build_proxy_identity(app),
            api_tokens=(
                ApiTokenVerifier(lambda: app.open_state().tokens) if settings.api_tokens else None
            ),
            signed_tokens=signed,
            opaque_tokens=opaque,
        ),
        rules=ScopeRules.from_settings(settings, toolsets=app.map_toolsets(), offered=offered),
        resource=ProtectedResource.from_settings(settings),
    )


def build_issuer_client(app: App) -> IssuerClient | None:
    """The client for the configured issuer; None without OAuth."""
    settings = app.settings
    if not settings.oauth_issuer:
        return None
    named = tuple(url for url in (settings.oauth_jwks_url, settings.introspection_url) if url)
    return IssuerClient(app.network, settings.oauth_issuer, named_urls=named)


def build_key_set_loader(app: App, client: IssuerClient) -> IssuerKeySetLoader:
    return IssuerKeySetLoader(client, jwks_url=app.settings.oauth_jwks_url)


def _build_oauth_verifiers(app: App) -> tuple[TokenVerifier | None, TokenVerifier | None]:
    """The verifiers of signed and of opaque tokens."""
    settings, client = app.settings, build_issuer_client(app)
    if client is None:
        return None, None
    rules = ClaimRules(
        issuer=client.issuer,
        audiences=frozenset(choose_audiences(settings)),
        tenant_claim=settings.oauth_tenant_claim,
        user_claim=settings.oauth_user_claim,
    )
    keys = KeySource(build_key_set_loader(app, client), refresh_seconds=settings.jwks_refresh)
    opaque = None
    if settings.introspection_client_id and settings.introspection_client_secret:
        opaque = TokenIntrospector(
            client,
            rules,
            credentials=(settings.introspection_client_id, settings.introspection_client_secret),
            url=settings.introspection_url,
        )
    return SignedTokenVerifier(keys, rules), opaque


def _build_proxy_identity(app: App) -> ProxyIdentity | None:
    settings = app.settings
    if not settings.proxy_user_header:
        return None
    return ProxyIdentity(
        TrustedProxies.from_names(settings.trusted_proxies),
        user_header=settings.proxy_user_header,
        tenant_header=settings.proxy_tenant_header,
    )
