"""The ASGI layers that every HTTP request passes before it reaches a route."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.core.config import Settings
from citewell.server.app import App
from citewell.server.http import origins
from citewell.server.http.auth.auth_setup import AuthSetup, build_auth_setup
from citewell.server.http.auth.protected_resource import ResourceMetadata
from citewell.server.http.authentication import AccessAudit, Authentication, ScopeCheck
from citewell.server.http.cached_call_shortcut import CachedCallShortcut
from citewell.server.http.draining import CallDrain, CallDraining
from citewell.server.http.limits import CallLimitLayer, list_trusted_networks
from citewell.server.http.mcp_sessions import McpSessionLimits, build_session_book
from citewell.server.http.observing.request_records import RequestRecorder, ServerState
from citewell.server.http.refusals import RawHeader, send_refusal
from citewell.server.http.request_facts import ClientAddresses, find_header_values
from citewell.server.pages.page_frame import build_page_response, render_message_page, wants_html
from citewell.server.settings import ServerSettings
from citewell.store.settings import StoreSettings

MCP_PATH = "/mcp"
TOOLSETS_PARAMETER = "toolsets"
MAX_SHOWN_CHARS = 80  # of a name that is not known

HSTS_SECONDS = 365 * 24 * 3600

_REFUSAL_CODE = "body_too_large"


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
    level = _ACCESS_LEVELS[app.settings[ServerSettings].access_log]
    return (
        partial(CallDraining, drain=drain),  # outermost: a call ends with its last byte
        partial(RequestRecorder, state=state, access_level=level),
        partial(ClientAddresses, trusted=list_trusted_networks(app.settings)),
        *((state.tracing.wrap_routes,) if state.tracing else ()),
    )


def _list_browser_layers(app: App, offered: Offered, auth: AuthSetup | None) -> tuple[Layer, ...]:
    """What browsers are told, and which hosts and pages are served."""
    settings, allowed = app.settings, origins.build_allowed_origins(app.settings)
    metadata: tuple[Layer, ...] = ()  # before the check of origins: for pages of any
    if auth is not None and auth.resource is not None:
        resource, rules, paths = auth.resource, auth.rules, tuple(offered)
        metadata = (partial(ResourceMetadata, resource=resource, rules=rules, paths=paths),)
    return (
        partial(SecurityHeaders, settings=settings),
        partial(origins.HostCheck, allowed=allowed),
        *metadata,
        partial(origins.OriginCheck, allowed=allowed),
        # Preflight requests have no credentials.
        partial(origins.CrossOriginAccess, settings=settings),
    )


def _list_request_layers(app: App, offered: Offered) -> tuple[Layer, ...]:
    """How large a request may be, and what its path means."""
    return (
        partial(BodyLimit, max_bytes=app.settings[ServerSettings].max_request_bytes),
        partial(McpPaths, paths=offered),  # what follows sees one spelling of each path
        partial(BrowserHint, paths=offered),  # a person without credentials is told what this is
    )


def _list_caller_layers(app: App, offered: Offered, auth: AuthSetup | None) -> tuple[Layer, ...]:
    """Who is calling, whether they may, and how much."""
    app.limit_owners()
    limited: dict[str, Any] = {
        "limits": app.limits,
        "tools": frozenset().union(*offered.values()),
        "max_bytes": app.settings[ServerSettings].max_request_bytes,
    }
    audit = partial(AccessAudit, app=app)  # sees who is refused, and what administrators do
    by_address = partial(CallLimitLayer, **limited, by_address=True)  # cheaper than authentication
    return (
        *((audit,) if app.audit is not None else ()),
        *((by_address,) if app.limits.limits_addresses else ()),
        *_list_access_layers(app, auth),
        partial(CallLimitLayer, **limited),  # those of the verified caller
    )


def _list_access_layers(app: App, auth: AuthSetup | None) -> tuple[Layer, ...]:
    """None if nobody has to prove anything."""
    if auth is None:
        return ()
    rules, resource, max_bytes = (
        auth.rules,
        auth.resource,
        app.settings[ServerSettings].max_request_bytes,
    )
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
    server_settings = settings[ServerSettings]
    if not settings[StoreSettings].database_url:
        return ()
    from citewell.server.http.session_sharing import SessionLimits, SessionSharing

    limits = SessionLimits(
        server_settings.max_caller_mcp_sessions,
        server_settings.mcp_session_idle_timeout,
    )
    return (
        partial(
            SessionSharing,
            find_store=lambda: app.open_state().mcp_sessions,
            paths=offered,
            limits=limits,
            trusted=list_trusted_networks(settings),
        ),
    )


# Answers people who open the address of a client in a browser.


class BrowserHint:
    """Shows a short page at the MCP paths, which would otherwise answer a browser with an MCP error."""

    def __init__(self, inner: ASGIApp, paths: Iterable[str]) -> None:
        self._inner = inner
        self._paths = frozenset(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] == "http"
            and scope["method"] in {"GET", "HEAD"}
            and scope["path"] in self._paths
            and wants_html(Request(scope))
        ):
            content = render_message_page(
                "This address is for AI assistants",
                "Nothing is wrong: Citewell answers here, but in the Model Context Protocol, which "
                "browsers do not speak. Give this address to your assistant; the front page says how.",
            )
            page = build_page_response("For AI assistants · Citewell", content, status=406)
            await page(scope, receive, send)
            return
        await self._inner(scope, receive, send)


# Refuses request bodies over MAX_REQUEST_BODY_BYTES, before they are held in memory.


class BodyTooLarge(HTTPException):
    """Raised while a body is read; Starlette turns it into a response inside a route."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(
            413, f"The request body has more than {max_bytes} bytes. Send less at a time."
        )


class BodyLimit:
    def __init__(self, inner: ASGIApp, max_bytes: int) -> None:
        self._inner = inner
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        try:
            for length in find_header_values(scope, b"content-length"):
                if length.isdigit() and int(length) > self._max_bytes:
                    raise BodyTooLarge(self._max_bytes)  # noqa: TRY301 - the same answer as for a body without a length
            await self._inner(scope, self._count_bytes(receive), send)
        except BodyTooLarge as error:
            # The connection stays open: a client that is still sending could not read the answer.
            await send_refusal(send, error.status_code, _REFUSAL_CODE, error.detail)

    def _count_bytes(self, receive: Receive) -> Receive:
        seen = 0

        async def receive_counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._max_bytes:
                raise BodyTooLarge(self._max_bytes)
            return message

        return receive_counted


# Adds the headers that tell browsers what a response may do.


class SecurityHeaders:
    """A response keeps the headers that its route has set, such as a page's own policy with a nonce."""

    def __init__(self, inner: ASGIApp, settings: Settings) -> None:
        self._inner = inner
        self._headers = build_security_headers(settings)
        self._names = frozenset(name for name, _ in self._headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message.get("headers", ())
                kept = self._names.intersection([name.lower() for name, _ in given])
                added = (
                    [pair for pair in self._headers if pair[0] not in kept]
                    if kept
                    else self._headers
                )
                message["headers"] = [*given, *added]
            await send(message)

        await self._inner(scope, receive, send_with_headers)


def build_security_headers(settings: Settings) -> tuple[RawHeader, ...]:
    server_settings = settings[ServerSettings]
    headers = {
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "content-security-policy": server_settings.content_policy,
        "referrer-policy": server_settings.referrer_policy,
        "permissions-policy": server_settings.permissions_policy,
        "cache-control": "no-store",
    }
    if (server_settings.public_url or "").lower().startswith("https://"):
        headers["strict-transport-security"] = f"max-age={HSTS_SECONDS}"
    return tuple((name.encode(), value.encode()) for name, value in headers.items() if value)


# Gives each MCP path its other spellings: with a slash at the end, and `/mcp?toolsets=NAME`.


class McpPaths:
    """Rewrites the path of a request, so that everything behind it sees one spelling only."""

    def __init__(self, inner: ASGIApp, paths: Iterable[str]) -> None:
        self._inner = inner
        self._paths = frozenset(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "").removesuffix("/")
        if scope["type"] != "http" or path not in self._paths:
            await self._inner(scope, receive, send)
            return
        chosen = _find_chosen_toolset(scope) if path == MCP_PATH else None
        if chosen is not None:
            path = f"{MCP_PATH}/{chosen}"
        if chosen is None and scope.get("raw_path") == path.encode():
            await self._inner(scope, receive, send)  # it is spelled like that already
        elif path in self._paths and chosen != "":
            await self._inner({**scope, "path": path, "raw_path": path.encode()}, receive, send)
        else:
            known = sorted(path.removeprefix(f"{MCP_PATH}/") for path in self._paths - {MCP_PATH})
            text = (
                f"{TOOLSETS_PARAMETER}={(chosen or '')[:MAX_SHOWN_CHARS]} does not name one "
                f"toolset. Name one of {', '.join(known)}."
            )
            await send_refusal(send, 400, "unknown_toolset", text)


def _find_chosen_toolset(scope: Scope) -> str | None:
    """The value of `toolsets`; None if the query does not have it. Repeated values are joined."""
    query = scope.get("query_string", b"").decode("latin-1")
    if TOOLSETS_PARAMETER not in query:
        return None
    try:
        given = parse_qs(query, keep_blank_values=True, max_num_fields=20)
    except ValueError:
        return ""
    values = given.get(TOOLSETS_PARAMETER)
    return None if values is None else ",".join(values).strip()
