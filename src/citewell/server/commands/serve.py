"""Serve an AI assistant over MCP, by stdio or HTTP.

Over stdio, which is the default, a client starts this command itself and talks to it through standard input and output; run by hand it only waits. Over HTTP (--http, or if PORT is set) it runs by itself, and clients connect to http://HOST:PORT/mcp; open http://HOST:PORT/ in a browser to see how.

By default HTTP serves this machine alone. To serve others, switch on one of three ways to prove who is calling (OAuth, API tokens, or a proxy that logs people in), and then name the interface with --host; docs/operating has a guide for each.

Without a choice of tools the default profile is offered: sixteen tools that search, read, check
citations and drafts, keep research sessions and run deep research. Names of toolsets replace it;
with a plus before them, as in --toolsets +domains, they are added to it.
`citewell tools` lists all tools with their toolsets.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from citewell.cli import exit_codes
from citewell.core import config
from citewell.core.environment import split_name_list, warn_of_unfollowed_options
from citewell.server.settings import ServerSettings


def command(
    *,
    http: Annotated[
        bool,
        typer.Option(
            "--http", help="Serve streamable HTTP, for clients that connect to an address."
        ),
    ] = False,
    host: Annotated[
        str | None,
        typer.Option(
            help="Interface to listen on, which selects HTTP; 127.0.0.1 unless CITEWELL_HOST says otherwise."
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            help="Port to listen on, which selects HTTP; 8000 unless PORT says otherwise.",
        ),
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option(
            "--insecure",
            help="Listen on a public interface although nobody has to prove who is calling: anyone who reaches the port can use the server.",
        ),
    ] = False,
    profile: Annotated[
        str | None,
        typer.Option(help="Preset of tools: default, all, searxng, or a toolset's name."),
    ] = None,
    toolsets: Annotated[
        str | None,
        typer.Option(
            help="Toolsets to offer instead of the profile, comma-separated; +NAME adds to it."
        ),
    ] = None,
    tools: Annotated[
        str | None,
        typer.Option(
            help="Single tools to offer, with the toolsets if any; +NAME adds to the profile."
        ),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Offer only tools that change nothing.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Check settings, stored state, keys and port, and exit: with 0 if the server could start.",
        ),
    ] = False,
) -> int:
    overrides: dict[str, object] = {
        "profile": profile,
        "toolsets": _parse_comma_list(toolsets),
        "tools": _parse_comma_list(tools),
        "read_only": read_only or None,
    }
    settings = config.load_settings(None, **overrides, host=host, port=port)
    uses_http = bool(http or host or settings[ServerSettings].port)
    if check or uses_http:  # over stdio the server warns itself
        warn_of_unfollowed_options(settings.raw)
    if check:
        from citewell.server.http.hosting import check_start

        sys.stdout.write(f"{check_start(settings, uses_http=uses_http, insecure=insecure)}\n")
        return exit_codes.OK
    if not uses_http:
        from citewell.server.stdio.stdio_server import serve_stdio

        return serve_stdio({name: value for name, value in overrides.items() if value is not None})

    from citewell.server.http.hosting import serve_http

    return serve_http(settings, insecure=insecure)


def _parse_comma_list(given: str | None) -> tuple[str, ...] | None:
    return split_name_list(given) if given else None
