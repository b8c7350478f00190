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


_ACCESS_LEVELS = {"off": None, "debug": logging.DEBUG, "info": logging.INFO}


def wrap_in_layers(
    routes: ASGIApp,
    app: App,
    offered: Mapping[str, frozenset[str]],
    state: ServerState,
    drain: CallDrain,
) -> ASGIApp:
    """`routes` behind all layers. `offered` has the names of the tools at each MCP path.

    Raises Misconfigured for settings that a layer cannot use.
    """
    wrapped = routes
    for layer in reversed(_list_layers(app, offered, state, drain)):
        wrapped = layer(wrapped)
    return wrapped


def _list_layers(
    app: App, offered: Mapping[str, frozenset[str]], state: ServerState, drain: CallDrain
) -> tuple[Layer, ...]:
    """From the outside in: a request passes them downwards, its response upwards."""
    settings, auth = app.settings, build_auth_setup(app, offered)
    app.limit_owners()
    limited: dict[str, Any] = {
        "limits": app.limits,
        "tools": frozenset().union(*offered.values()),
        "max_bytes": settings.max_request_bytes,
    }
    allowed = build_allowed_origins(settings)
    sessions = build_session_book(settings)
    state.count_sessions = sessions.count_sessions
    return (
        partial(CallDraining, drain=drain),  # outermost: a call ends with its last byte
        partial(
            RequestRecorder, state=state, access_level=_ACCESS_LEVELS[settings.access_log]
        ),  # outside of whatever can refuse a request, so that refusals have an id too
        *((state.tracing.wrap_routes,) if state.tracing else ()),
        partial(SecurityHeaders, settings=settings),
        partial(HostCheck, allowed=allowed),
        *_list_metadata_layers(auth, offered),  # before the check of origins: for pages of any
        partial(OriginCheck, allowed=allowed),
        partial(CrossOriginAccess, settings=settings),  # preflight requests have no credentials
        partial(BodyLimit, max_bytes=settings.max_request_bytes),
        partial(McpPaths, paths=offered),  # what follows sees one spelling of each path
        partial(BrowserHint, paths=offered),  # a person without credentials is told what this is
        partial(AccessAudit, app=app),  # sees who is refused, and what administrators do
        partial(
            AddressLimits, **limited, trusted=list_trusted_networks(settings)
        ),  # before authentication, which costs more than counting
        *_list_caller_layers(auth, max_body_bytes=settings.max_request_bytes),
        partial(CallerLimits, **limited),  # after it: the limits are those of the verified caller
        partial(McpSessionLimits, book=sessions, paths=offered),  # for the verified caller
        partial(CachedCallShortcut, app=app, offered=offered),  # innermost: the caller may call
    )


def _list_metadata_layers(
    auth: AuthSetup | None, offered: Mapping[str, frozenset[str]]
) -> tuple[Layer, ...]:
    if auth is None or auth.resource is None:
        return ()
    return (
        partial(ResourceMetadata, resource=auth.resource, rules=auth.rules, paths=tuple(offered)),
    )


def _list_caller_layers(auth: AuthSetup | None, *, max_body_bytes: int) -> tuple[Layer, ...]:
    """Who is calling, and whether they may; none if nobody has to prove anything."""
    if auth is None:
        return ()
    rules, resource = auth.rules, auth.resource
    return (
        partial(Authentication, authenticator=auth.authenticator, rules=rules, resource=resource),
        partial(ScopeCheck, rules=rules, resource=resource, max_body_bytes=max_body_bytes),
    )
