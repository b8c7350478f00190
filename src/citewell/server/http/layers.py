"""The ASGI layers that every HTTP request passes before it reaches a route."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from starlette.types import ASGIApp

from citewell.server.app import App
from citewell.server.http.cached_call_shortcut import CachedCallShortcut

Layer = Callable[[ASGIApp], ASGIApp]


def wrap_in_layers(routes: ASGIApp, app: App, offered: Mapping[str, frozenset[str]]) -> ASGIApp:
    """`routes` behind all layers. `offered` has the names of the tools at each MCP path."""
    wrapped = routes
    for layer in reversed(_list_layers(app, offered)):
        wrapped = layer(wrapped)
    return wrapped


def _list_layers(app: App, offered: Mapping[str, frozenset[str]]) -> tuple[Layer, ...]:
    """From the outside in: a request passes them downwards, its response upwards."""
    return (
        partial(
            CachedCallShortcut, app=app, offered=offered
        ),  # innermost: whoever comes here may call
    )
