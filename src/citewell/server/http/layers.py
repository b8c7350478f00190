"""The ASGI layers that every HTTP request passes before it reaches a route."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial

from starlette.types import ASGIApp

from citewell.server.app import App
from citewell.server.http.cached_call_shortcut import CachedCallShortcut
from citewell.server.http.observing.request_records import RequestRecorder
from citewell.server.http.observing.server_state import ServerState

Layer = Callable[[ASGIApp], ASGIApp]


_ACCESS_LEVELS = {"off": None, "debug": logging.DEBUG, "info": logging.INFO}


def wrap_in_layers(
    routes: ASGIApp, app: App, offered: Mapping[str, frozenset[str]], state: ServerState
) -> ASGIApp:
    """`routes` behind all layers. `offered` has the names of the tools at each MCP path."""
    wrapped = routes
    for layer in reversed(_list_layers(app, offered, state)):
        wrapped = layer(wrapped)
    return wrapped


def _list_layers(
    app: App, offered: Mapping[str, frozenset[str]], state: ServerState
) -> tuple[Layer, ...]:
    """From the outside in: a request passes them downwards, its response upwards."""
    return (
        partial(
            RequestRecorder,
            state=state,
            access_level=_ACCESS_LEVELS[app.settings.access_log],
        ),  # before whatever can refuse a request, so that refusals have an id too
        partial(
            CachedCallShortcut, app=app, offered=offered
        ),  # innermost: whoever comes here may call
    )
