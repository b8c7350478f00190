"""The command line, one module per command. A client that starts `serve` over stdio does not load it."""

from __future__ import annotations

import contextlib
import sys
from typing import Annotated

import typer

PROGRAM_HELP = (
    "Research with sources that exist: search the web from here, or serve an AI assistant over MCP."
)
EXIT_CODES_HELP = (
    "Exit codes: 0 success; 1 nothing found, or a check failed; 2 wrong usage or configuration; "
    "3 an upstream failed; 70 a bug in Citewell; 74 reading or writing failed; "
    "130 interrupted; 141 the output was closed early."
)


def main(argv: list[str]) -> int:
    """Run one command and return the exit code of the process."""
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
    from citewell.cli.running.exit_codes import wrap_command

    _replace_unencodable_chars()
    app = typer.Typer(
        help=PROGRAM_HELP,
        epilog=EXIT_CODES_HELP,
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
        app.command(verb.__name__.rpartition(".")[2], epilog=EXIT_CODES_HELP)(
            wrap_command(verb.command)
        )
    app.add_typer(library.group(EXIT_CODES_HELP), name="library")
    app.add_typer(data.group(EXIT_CODES_HELP), name="data")

    @app.callback()
    def _(
        *,
        version: Annotated[
            bool,
            typer.Option(
                "--version",
                is_eager=True,
                callback=_print_version,
                help="Show the version and exit.",
            ),
        ] = False,
    ) -> None: ...

    try:
        typer.main.get_command(app).main(args=list(argv), prog_name="citewell")
    except SystemExit as end:
        sys.stdout.flush()  # raises for a full disk while the error can still be reported
        return end.code if isinstance(end.code, int) else 0
    return 0


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - the signature that typer calls
    if wanted:
        from citewell import __version__

        sys.stdout.write(f"citewell {__version__}\n")
        raise typer.Exit


def _replace_unencodable_chars() -> None:
    """Print a replacement for characters the terminal cannot encode, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with contextlib.suppress(ValueError, OSError):
                reconfigure(errors="replace")
