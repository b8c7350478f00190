"""The doctor's checks for HTTP mode: what is exposed, who may call, how much, and what is recorded."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from citewell.audit.settings import AuditSettings
from citewell.core.config import Settings, list_settings
from citewell.core.errors import CitewellError
from citewell.net.http.messages import HttpRequest
from citewell.server.app import App
from citewell.server.commands.diagnosis.installation_checks import InstallationCheck
from citewell.server.http.auth import auth_ways
from citewell.server.http.auth.caller import CallerProof
from citewell.server.http.listening import is_loopback_host
from citewell.server.settings import ServerSettings
from citewell.store.settings import StoreSettings

_DEFAULT_PORT = 8000
_MAX_CLOCK_ERROR_SECONDS = 60.0  # beyond that tokens are refused as expired or not yet valid
_METADATA_PATH = "/.well-known/openid-configuration"
_MEGABYTE = 2**20
_LIMIT_NAMES = ("RATE_LIMIT", "DAILY_QUOTA", "MAX_CALLS", "CONCURRENT_CALLS")
_WAY_NAMES = {
    CallerProof.OAUTH: "OAuth tokens of {issuer} for {audiences}",
    CallerProof.API_TOKEN: "API tokens of `citewell users token create`",
    CallerProof.PROXY: "the header {header} of {proxies}",
}


async def check_http_mode(app: App, *, offline: bool) -> tuple[InstallationCheck, ...]:
    """All checks of HTTP mode; none if only stdio is set up."""
    settings = app.settings
    server_settings = settings[ServerSettings]
    chosen = server_settings.port or server_settings.admin_key or server_settings.public_url
    if not (chosen or auth_ways.list_auth_ways(settings)) and is_loopback_host(
        server_settings.host
    ):
        return ()
    return (
        check_exposure(settings),
        check_authentication(settings),
        check_limits(settings),
        check_operator_pages(settings),
        check_audit_log(settings),
        await check_clock(app, offline=offline),
    )


def check_exposure(settings: Settings) -> InstallationCheck:
    server_settings = settings[ServerSettings]
    place = f"listens on {server_settings.host}:{server_settings.port or _DEFAULT_PORT}"
    hosts = (
        f"; also answers to {', '.join(server_settings.allowed_hosts)}"
        if server_settings.allowed_hosts
        else ""
    )
    if is_loopback_host(server_settings.host):
        return _build_check("http exposure", f"{place}: this machine only{hosts}")
    if auth_ways.list_auth_ways(settings):
        return _build_check("http exposure", f"{place}: everybody who can reach the port{hosts}")
    return _build_check(
        "http exposure",
        f"{place}, but nobody has to prove who they are: the server does not start so without --insecure",
        state="failed",
        change=auth_ways.WAYS_HELP,
    )


def check_authentication(settings: Settings) -> InstallationCheck:
    server_settings = settings[ServerSettings]
    try:
        auth_ways.check_auth_settings(settings)
    except CitewellError as error:
        return _build_check("http authentication", error.message, state="failed")
    ways = [
        _WAY_NAMES[way].format(
            issuer=server_settings.oauth_issuer,
            audiences=", ".join(auth_ways.choose_audiences(settings)),
            header=server_settings.proxy_user_header,
            proxies=", ".join(server_settings.trusted_proxies),
        )
        for way in auth_ways.list_auth_ways(settings)
    ]
    return _build_check("http authentication", "; ".join(ways) or "none; all callers are one user")


def check_limits(settings: Settings) -> InstallationCheck:
    server_settings = settings[ServerSettings]
    parts = [
        f"bodies of {server_settings.max_request_bytes / _MEGABYTE:.3g} MB",
        f"{server_settings.max_connections} connections",
        f"{server_settings.max_mcp_sessions} MCP sessions",
        *_list_rate_limits(settings),
    ]
    return _build_check("http limits", ", ".join(parts))


def _list_rate_limits(settings: Settings) -> Iterator[str]:
    """The limits of calls, as their settings name them."""
    for setting in list_settings():
        value = settings.get_value(setting)
        if value and any(part in setting.name for part in _LIMIT_NAMES):
            yield f"{setting.name}={format(value, 'g' if isinstance(value, float) else '')}"


def check_operator_pages(settings: Settings) -> InstallationCheck:
    server_settings = settings[ServerSettings]
    if server_settings.open_metrics:
        return _build_check(
            "http operators",
            "/metrics is open to everybody who can reach the port",
            state="ok" if is_loopback_host(server_settings.host) else "warning",
        )
    if server_settings.admin_key or auth_ways.list_auth_ways(settings):
        return _build_check(
            "http operators",
            "/metrics and /dashboard need the admin key or the scope citewell:admin",
        )
    return _build_check(
        "http operators",
        "nobody can open /metrics and /dashboard",
        state="warning",
        change="ADMIN_API_KEY=… (16 characters or more)",
    )


def check_audit_log(settings: Settings) -> InstallationCheck:
    audit_settings = settings[AuditSettings]
    if not audit_settings.audit_enabled:
        return _build_check(
            "audit", "off: no call is recorded", state="warning", change="AUDIT_ENABLED=true"
        )
    place = audit_settings.audit_path or "stderr"
    query = "with the words of queries" if audit_settings.audit_include_query else "without queries"
    return _build_check("audit", f"lines go to {place}, {query}")


async def check_clock(
    app: App, *, offline: bool, clock: Callable[[], float] = time.time
) -> InstallationCheck:
    """Compares the clock with our own files, and with the identity provider if there is one."""
    now = clock()
    try:
        files = [*app.settings[StoreSettings].data_path.iterdir()]
        newest = max((path.stat().st_mtime for path in files), default=0.0)
    except OSError:
        newest = 0.0
    if newest - now > _MAX_CLOCK_ERROR_SECONDS:
        detail = (
            f"{_format_clock_time(now)}, but a file of ours is from {_format_clock_time(newest)}"
        )
        return _build_check("clock", detail, state="failed", change="set the clock, or run NTP")
    stated = None if offline else await _ask_issuer_time(app)
    if stated is None:
        return _build_check("clock", _format_clock_time(now))
    error = clock() - stated
    sane = abs(error) <= _MAX_CLOCK_ERROR_SECONDS
    return _build_check(
        "clock",
        f"{_format_clock_time(now)}, {abs(error):.0f} s {'ahead of' if error > 0 else 'behind'} the identity provider",
        state="ok" if sane else "failed",
        change="" if sane else "set the clock, or run NTP; tokens are refused until then",
    )


async def _ask_issuer_time(app: App) -> float | None:
    """The time that the identity provider tells with its metadata; None if it does not answer."""
    issuer = app.settings[ServerSettings].oauth_issuer
    if issuer is None:
        return None
    try:
        response = await app.network.client.send_request(
            HttpRequest(url=issuer.rstrip("/") + _METADATA_PATH)
        )
        return parsedate_to_datetime(response.headers.get("date", "")).timestamp()
    except (CitewellError, ValueError, TypeError):
        return None


def _format_clock_time(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _build_check(
    name: str, detail: str, *, state: str = "ok", change: str = ""
) -> InstallationCheck:
    return InstallationCheck(name=name, state=state, detail=detail, change=change)
