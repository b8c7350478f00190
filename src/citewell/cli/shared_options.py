"""Options and values that several commands have in common."""

from __future__ import annotations

from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AnswerJson = Annotated[bool, typer.Option("--json", help="Print the answer of the tool as JSON.")]
TenantArgument = Annotated[str, typer.Argument(help="The tenant of the user.")]
UserArgument = Annotated[str, typer.Argument(help="The user.")]
STDIN_NAME = "-"  # given instead of a file or a text, it means standard input
