"""`citewell serve`: serves MCP over stdio or HTTP."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from citewell import config
from citewell.cli.running import exit_codes
from citewell.environment import split_name_list, warn_of_unfollowed_options


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
    uses_http = bool(http or host or settings.port)
    if check or uses_http:  # over stdio the server warns itself
        warn_of_unfollowed_options(settings.raw)
    if check:
        from citewell.server.http.start_check import check_start

        sys.stdout.write(f"{check_start(settings, uses_http=uses_http, insecure=insecure)}\n")
        return exit_codes.OK
    if not uses_http:
        from citewell.server.stdio.stdio_server import serve_stdio

        return serve_stdio({name: value for name, value in overrides.items() if value is not None})

    from citewell.server.http.hosting import serve_http

    return serve_http(settings, insecure=insecure)


def _parse_comma_list(given: str | None) -> tuple[str, ...] | None:
    return split_name_list(given) if given else None
