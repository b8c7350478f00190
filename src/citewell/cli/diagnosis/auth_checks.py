"""The doctor's checks of authentication: which ways are configured, and whether the issuer can be used."""

from __future__ import annotations

from citewell.cli.diagnosis.installation_checks import InstallationCheck
from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.model.counted_words import pluralize
from citewell.server.app import App
from citewell.server.http.auth.auth_setup import build_issuer_client, build_key_set_loader
from citewell.server.http.auth.auth_ways import (
    check_auth_settings,
    choose_audiences,
    list_auth_ways,
)
from citewell.server.http.auth.caller import CallerProof
from citewell.server.http.auth.refusals import VerifierUnavailable

_WAYS_NAME, _ISSUER_NAME = "authentication", "oauth issuer"


async def check_authentication(app: App, *, offline: bool) -> tuple[InstallationCheck, ...]:
    """What callers over HTTP have to prove; with OAuth also whether metadata and keys can be read."""
    try:
        check_auth_settings(app.settings)
    except Misconfigured as error:
        return (InstallationCheck(name=_WAYS_NAME, state="failed", detail=error.message),)
    ways = InstallationCheck(name=_WAYS_NAME, state="ok", detail=_describe_ways(app.settings))
    if not app.settings.oauth_issuer:
        return (ways,)
    return ways, await _check_issuer(app, offline=offline)


def _describe_ways(settings: Settings) -> str:
    told = {
        CallerProof.OAUTH: (
            f"OAuth tokens of {settings.oauth_issuer} for {', '.join(choose_audiences(settings))}"
        ),
        CallerProof.API_TOKEN: "API tokens",
        CallerProof.PROXY: (
            f"the header {settings.proxy_user_header} from {', '.join(settings.trusted_proxies)}"
        ),
    }
    ways = [told[way] for way in list_auth_ways(settings)]
    return "; ".join(ways) or "none: over HTTP this machine alone is served"


async def _check_issuer(app: App, *, offline: bool) -> InstallationCheck:
    client = build_issuer_client(app)
    if offline or client is None:
        return InstallationCheck(name=_ISSUER_NAME, state="ok", detail="not asked with --offline")
    try:
        keys = await build_key_set_loader(app, client).load_key_set()
    except VerifierUnavailable as failure:
        return InstallationCheck(name=_ISSUER_NAME, state="failed", detail=failure.message)
    return InstallationCheck(
        name=_ISSUER_NAME,
        state="ok",
        detail=f"metadata and {len(keys.keys)} {pluralize(len(keys.keys), 'key')} can be read",
    )
