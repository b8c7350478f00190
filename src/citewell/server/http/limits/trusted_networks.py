"""Whose word on the address of a caller is taken, by the settings."""

from __future__ import annotations

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.server.http.auth.proxy_identity import TrustedProxies
from citewell.server.http.client_address import IpNetwork


def list_trusted_networks(settings: Settings) -> tuple[IpNetwork, ...]:
    """The trusted proxies if TRUST_PROXY is set; raises Misconfigured if none are named."""
    if not settings.trust_proxy:
        return ()
    if not settings.trusted_proxies:
        raise Misconfigured(
            "TRUST_PROXY needs CITEWELL_TRUSTED_PROXIES: without the address of the proxy, anybody "
            "could write any address into X-Forwarded-For. Name it, or remove TRUST_PROXY.",
            action="inform_user",
            settings=("TRUST_PROXY", "CITEWELL_TRUSTED_PROXIES"),
        )
    return TrustedProxies.from_names(settings.trusted_proxies).networks
