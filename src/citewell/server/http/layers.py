"""The ASGI layers that every HTTP request passes before it reaches a route."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from starlette.types import ASGIApp

from citewell.server.app import App
from citewell.server.http.access.access_audit import AccessAudit
from citewell.server.http.access.authentication import Authentication
from citewell.server.http.access.scope_check import ScopeCheck
from citewell.server.http.auth.auth_setup import AuthSetup, build_auth_setup
from citewell.server.http.auth.protected_resource import ResourceMetadata
from citewell.server.http.body_limit import BodyLimit
from citewell.server.http.cached_call_shortcut import CachedCallShortcut
from citewell.server.http.client_address import ClientAddresses
from citewell.server.http.draining import CallDrain, CallDraining
from citewell.server.http.limits.address_limits import AddressLimits
from citewell.server.http.limits.caller_limits import CallerLimits
from citewell.server.http.limits.trusted_networks import list_trusted_networks
from citewell.server.http.mcp_paths import McpPaths
from citewell.server.http.mcp_sessions import McpSessionLimits, build_session_book
from citewell.server.http.observing.request_records import RequestRecorder
from citewell.server.http.observing.server_state import ServerState
from citewell.server.http.origins.allowed_origins import build_allowed_origins
from citewell.server.http.origins.cross_origin import CrossOriginAccess
from citewell.server.http.origins.origin_check import HostCheck, OriginCheck
from citewell.server.http.page_routing.browser_hint import BrowserHint
from citewell.server.http.security_headers import SecurityHeaders

Layer = Callable[[ASGIApp], ASGIApp]
Offered = Mapping[str, frozenset[str]]  # the names of the tools at each MCP path

_ACCESS_LEVELS = {"off": None, "debug": logging.DEBUG, "info": logging.INFO}


def wrap_in_layers(
    routes: ASGIApp, app: App, offered: Offered, state: ServerState, drain: CallDrain
) -> ASGIApp:
    """`routes` behind all layers.

    The groups, and the layers in each, stand from the outside in: a request passes them
    downwards, its response upwards. Raises Misconfigured for settings that a layer cannot use.
    """
    auth = build_auth_setup(app, offered)
    layers = (
        *_list_process_layers(app, state, drain),
        *_list_browser_layers(app, offered, auth),
        *_list_request_layers(app, offered),
        *_list_caller_layers(app, offered, auth),
        *_list_session_layers(app, offered, state),
    )
    wrapped = routes
    for layer in reversed(layers):
        wrapped = layer(wrapped)
    return wrapped


def _list_process_layers(app: App, state: ServerState, drain: CallDrain) -> tuple[Layer, ...]:
    """What is known of every request, refused ones included."""
    level = _ACCESS_LEVELS[app.settings.access_log]
    return (
        partial(CallDraining, drain=drain),  # outermost: a call ends with its last byte
        partial(RequestRecorder, state=state, access_level=level),
        partial(ClientAddresses, trusted=list_trusted_networks(app.settings)),
        *((state.tracing.wrap_routes,) if state.tracing else ()),
    )


def _list_browser_layers(app: App, offered: Offered, auth: AuthSetup | None) -> tuple[Layer, ...]:
    """What browsers are told, and which hosts and pages are served."""
    settings, allowed = app.settings, build_allowed_origins(app.settings)
    return (
        partial(SecurityHeaders, settings=settings),
        partial(HostCheck, allowed=allowed),
        *_list_metadata_layers(offered, auth),  # before the check of origins: for pages of any
        partial(OriginCheck, allowed=allowed),
        partial(CrossOriginAccess, settings=settings),  # preflight requests have no credentials
    )


def _list_metadata_layers(offered: Offered, auth: AuthSetup | None) -> tuple[Layer, ...]:
    if auth is None or auth.resource is None:
        return ()
    return (
        partial(ResourceMetadata, resource=auth.resource, rules=auth.rules, paths=tuple(offered)),
    )


def _list_request_layers(app: App, offered: Offered) -> tuple[Layer, ...]:
    """How large a request may be, and what its path means."""
    return (
        partial(BodyLimit, max_bytes=app.settings.max_request_bytes),
        partial(McpPaths, paths=offered),  # what follows sees one spelling of each path
        partial(BrowserHint, paths=offered),  # a person without credentials is told what this is
    )


def _list_caller_layers(app: App, offered: Offered, auth: AuthSetup | None) -> tuple[Layer, ...]:
    """Who is calling, whether they may, and how much."""
    app.limit_owners()
    limited: dict[str, Any] = {
        "limits": app.limits,
        "tools": frozenset().union(*offered.values()),
        "max_bytes": app.settings.max_request_bytes,
    }
    audit = partial(AccessAudit, app=app)  # sees who is refused, and what administrators do
    by_address = partial(AddressLimits, **limited)  # cheaper than authentication
    return (
        *((audit,) if app.audit is not None else ()),
        *((by_address,) if app.limits.limits_addresses else ()),
        *_list_access_layers(app, auth),
        partial(CallerLimits, **limited),  # those of the verified caller
    )


def _list_access_layers(app: App, auth: AuthSetup | None) -> tuple[Layer, ...]:
    """None if nobody has to prove anything."""
    if auth is None:
        return ()
    rules, resource, max_bytes = auth.rules, auth.resource, app.settings.max_request_bytes
    return (
        partial(Authentication, authenticator=auth.authenticator, rules=rules, resource=resource),
        partial(ScopeCheck, rules=rules, resource=resource, max_body_bytes=max_bytes),
    )


def _list_session_layers(app: App, offered: Offered, state: ServerState) -> tuple[Layer, ...]:
    """Innermost: whoever comes here may call."""
    book = build_session_book(app.settings)
    state.count_sessions = book.count_sessions
    trusted = list_trusted_networks(app.settings)
    return (
        *_list_sharing_layers(app, offered),
        partial(McpSessionLimits, book=book, paths=offered, trusted=trusted),
        partial(CachedCallShortcut, app=app, offered=offered),
    )


def _list_sharing_layers(app: App, offered: Offered) -> tuple[Layer, ...]:
    """None if this process alone uses its store."""
    settings = app.settings
    if not settings.database_url:
        return ()
    from citewell.server.http.shared_sessions.session_sharing import SessionLimits, SessionSharing

    limits = SessionLimits(settings.max_caller_mcp_sessions, settings.mcp_session_idle_timeout)
    return (
        partial(
            SessionSharing,
            find_store=lambda: app.open_state().mcp_sessions,
            paths=offered,
            limits=limits,
            trusted=list_trusted_networks(settings),
        ),
    )
