"""The group of all commands, which imports the module of a command only when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
import typer.core
import typer.main

from citewell.cli.running.command_help import COMMAND_HELP, EXIT_CODES_HELP, HIDDEN_COMMANDS


class CommandGroup(typer.core.TyperGroup):
    """Lists commands by name and help text alone, and loads the one that is run."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {
            name: typer.core.TyperCommand(name, help=text, hidden=name in HIDDEN_COMMANDS)
            for name, text in COMMAND_HELP.items()
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
    """The parser's command for the module of this name in `citewell.cli`, where an underscore stands for a hyphen.

    It is the module's `command`, or a group of its SUBCOMMANDS.
    """
    from citewell.cli.running.exit_codes import wrap_command

    module = import_module(f"citewell.cli.{name.replace('-', '_')}")
    app = typer.Typer(
        help=COMMAND_HELP[name],
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
        text = COMMAND_HELP[name]
        app.command(name, help=text, epilog=EXIT_CODES_HELP)(wrap_command(module.command))
    return typer.main.get_command(app)


def _keep_group() -> None:
    """Does nothing; with it a single subcommand still has to be named."""


def _describe_wrong_value(error: typer.BadParameter) -> str:
    """What the option accepts, if the parser found its value invalid; else the parser's message."""
    from pydantic import ValidationError

    from citewell.config import describe_invalid_value

    if not isinstance(error.__cause__, ValidationError):
        return error.message
    told = describe_invalid_value(error.__cause__.errors()[0])
    return f"It{told}." if told.startswith(" must") else told.removeprefix(": ")
