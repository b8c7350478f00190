"""The command line: one file a verb. Nothing of it is loaded when a chat client starts the server."""

from __future__ import annotations

import contextlib
import sys
from typing import Annotated

import typer

ABOUT = (
    "Research with sources that exist: search the web from here, or serve an AI assistant over MCP."
)
EPILOG = (
    "Exit codes: 0 done; 1 nothing found, or a check failed; 2 wrong usage or configuration; "
    "3 an upstream failed; 70 a fault in Citewell itself; 74 reading or writing failed; "
    "130 interrupted; 141 nobody reads the output any more."
)


def main(argv: list[str]) -> int:
    """Run one command; the exit code of the process."""
    from citewell.cli import (
        audit,
        backup,
        cite,
        credits,  # noqa: A004 - the verb of the command line
        data,
        doctor,
        jobs,
        keys,
        library,
        migrate,
        read,
        reference,
        report,
        research,
        restore,
        search,
        serve,
        sessions,
        tools,
        verify,
        worker,
    )
    from citewell.cli.exits import ended

    _tolerate_odd_encodings()
    app = typer.Typer(
        help=ABOUT,
        epilog=EPILOG,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="rich" if sys.stdout.isatty() else None,
    )
    for verb in (
        serve,
        search,
        read,
        verify,
        audit,
        cite,
        research,
        jobs,
        report,
        credits,
        worker,
        sessions,
        doctor,
        tools,
        backup,
        restore,
        migrate,
        keys,
        reference,
    ):
        app.command(verb.__name__.rpartition(".")[2], epilog=EPILOG)(ended(verb.command))
    app.add_typer(library.group(EPILOG), name="library")
    app.add_typer(data.group(EPILOG), name="data")

    @app.callback()
    def _(
        *,
        version: Annotated[
            bool,
            typer.Option(
                "--version", is_eager=True, callback=_version, help="Show the version and exit."
            ),
        ] = False,
    ) -> None: ...

    try:
        typer.main.get_command(app).main(args=list(argv), prog_name="citewell")
    except SystemExit as end:
        sys.stdout.flush()  # a full disk shows itself here, while it can still be told
        return end.code if isinstance(end.code, int) else 0
    return 0


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    if wanted:
        from citewell import __version__

        sys.stdout.write(f"citewell {__version__}\n")
        raise typer.Exit


def _tolerate_odd_encodings() -> None:
    """A title the terminal cannot show must not end the command."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with contextlib.suppress(ValueError, OSError):
                reconfigure(errors="replace")
