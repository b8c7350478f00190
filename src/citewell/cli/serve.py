"""`citewell serve`: MCP over stdio, or over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from citewell import config
from citewell.cli.exits import USAGE

HTTP = "HTTP"


def command(
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Serve streamable HTTP instead of stdio.")
    ] = False,
    host: Annotated[
        str | None, typer.Option(help="Interface to listen on.", rich_help_panel=HTTP)
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            help="Port to listen on; 8000 unless set.",
            rich_help_panel=HTTP,
        ),
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option(
            "--insecure",
            help="Listen on a public interface without authentication.",
            rich_help_panel=HTTP,
        ),
    ] = False,
    profile: Annotated[
        str | None,
        typer.Option(help="Preset of tools: default, all, searxng, or a toolset's name."),
    ] = None,
    toolsets: Annotated[
        str | None, typer.Option(help="Toolsets instead of the profile's, comma-separated.")
    ] = None,
    tools: Annotated[
        str | None, typer.Option(help="Single tools besides the toolsets, comma-separated.")
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Offer only tools that change nothing.")
    ] = False,
) -> int:
    """Serve an AI assistant over MCP: stdio, or HTTP with --http or PORT set."""
    overrides: dict[str, object] = {
        "profile": profile,
        "toolsets": _names(toolsets),
        "tools": _names(tools),
        "read_only": read_only or None,
    }
    settings = config.load(None, **overrides, host=host, port=port)
    if not (http or host or settings.port):
        from citewell.server.stdio import serve

        return serve({name: value for name, value in overrides.items() if value is not None})

    from citewell.server.hosting import serve_http

    try:
        return serve_http(settings, insecure=insecure)
    except SystemExit:  # uvicorn has said why it cannot listen there
        return USAGE


def _names(given: str | None) -> tuple[str, ...] | None:
    return tuple(name.strip() for name in given.split(",") if name.strip()) if given else None
