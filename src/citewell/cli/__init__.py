"""The frame of the command line; each room brings its own commands, which are loaded on first use.

A client that starts `serve` over stdio does not load this package.
"""

from __future__ import annotations

import contextlib
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from citewell.core.room_modules import list_commands


def main(argv: list[str]) -> int:
    """Run one command and return the exit code of the process."""
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


PROGRAM_HELP = (
    "Research with sources that exist: search the web from here, or serve an AI assistant over MCP."
)
EXIT_CODES_HELP = (
    "Exit codes: 0 success; 1 nothing found, or a check failed; 2 wrong usage or configuration; "
    "3 an upstream failed, or something could not be checked; 70 a bug in Citewell; 74 reading or writing failed; "
    "130 interrupted; 141 the output was closed early."
)
HIDDEN_COMMANDS = frozenset({"reference"})  # for developers of Citewell

# The order in which help lists commands; others follow.
_COMMAND_ORDER = (
    "serve", "search", "news", "images", "papers", "patents", "cases", "trials", "series",
    "places", "filings", "answer", "brand", "read", "check", "verify", "audit", "cite",
    "research", "jobs", "report", "credits", "watch", "worker", "sessions", "library", "data",
    "doctor", "tools", "backup", "restore", "migrate", "keys", "audit-log", "users", "consent",
    "workspaces", "reference",
)  # fmt: skip


def rank_command(name: str) -> int:
    """The place of a command in the list of all."""
    return _COMMAND_ORDER.index(name) if name in _COMMAND_ORDER else len(_COMMAND_ORDER)


class CommandGroup(typer.core.TyperGroup):
    """Lists commands by name and help text alone, and loads the one that is run."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {
            name: typer.core.TyperCommand(
                name, help=list_commands()[name].help, hidden=name in HIDDEN_COMMANDS
            )
            for name in sorted(list_commands(), key=rank_command)
        }

    def invoke(self, ctx: Any) -> Any:
        """Run the command that is named; a wrong value of an option is described in our own words."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = _describe_wrong_value(error)
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that `args` name, loaded; raises the parser's usage error for an unknown name."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, load_command(name) if name else None, rest


def load_command(name: str) -> Any:
    """The parser's command for the module of this name in the `commands` of a room.

    It is the module's `command`, or a group of its SUBCOMMANDS; for the command of a domain it is
    made from the arguments of a tool.
    """
    from citewell.cli.exit_codes import wrap_command

    file = list_commands()[name]
    module = None if file.tool else import_module(file.module)
    app = typer.Typer(
        help=file.help,
        epilog=EXIT_CODES_HELP,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
    )
    for word, function in getattr(module, "SUBCOMMANDS", {}).items():
        app.command(word, epilog=EXIT_CODES_HELP)(wrap_command(function))
    if app.registered_commands:
        app.callback()(_keep_group)
    else:
        if module is None:
            from citewell.cli.tool_command import derive_command

            function = derive_command(file.module)
        else:
            function = module.command
        app.command(name, help=file.help, epilog=EXIT_CODES_HELP)(wrap_command(function))
    return typer.main.get_command(app)


def _keep_group() -> None:
    """Does nothing; with it a single subcommand still has to be named."""


def _describe_wrong_value(error: typer.BadParameter) -> str:
    """What the option accepts, if the parser found its value invalid; else the parser's message."""
    from pydantic import ValidationError

    if not isinstance(error.__cause__, ValidationError):
        return error.message
    item = error.__cause__.errors()[0]
    wanted = _WANTED_BY_ERROR_TYPE.get(item["type"])
    if wanted is None:
        return item["msg"].removeprefix("Value error, ")
    return f"It must {wanted.format(**item.get('ctx') or {})}."


# What to write, for each type of pydantic's errors that an option can have.
_WANTED_BY_ERROR_TYPE = {
    "bool_parsing": "be true or false",
    "bool_type": "be true or false",
    "float_parsing": "be a number",
    "float_type": "be a number",
    "greater_than_equal": "be {ge} or more",
    "int_from_float": "be a whole number",
    "int_parsing": "be a whole number",
    "int_type": "be a whole number",
    "less_than_equal": "be {le} or less",
    "literal_error": "be {expected}",
    "string_pattern_mismatch": "match {pattern}",
    "string_too_short": "have at least {min_length} characters",
    "string_type": "be text",
}
