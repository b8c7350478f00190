"""The frame of the command line; each room brings its own commands, which are loaded on first use.

A client that starts `serve` over stdio does not load this package.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Annotated

import typer


def main(argv: list[str]) -> int:
    """Run one command and return the exit code of the process."""
    from citewell.cli.command_group import EXIT_CODES_HELP, PROGRAM_HELP, CommandGroup

    _replace_unencodable_chars()
    app = typer.Typer(
        cls=CommandGroup,
        help=PROGRAM_HELP,
        epilog=EXIT_CODES_HELP,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,  # loading rich would double the time of --help
    )

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
