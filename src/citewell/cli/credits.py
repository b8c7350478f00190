"""`citewell credits`: the budget that research jobs draw on."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from citewell.cli import exits, screen
from citewell.cli.opened import opened
from citewell.errors import InvalidInput
from citewell.services.research.service import Research
from citewell.tooling import Owner

VERBS = ("show", "add")


def command(
    verb: Annotated[str, typer.Argument(help="show or add.")] = "show",
    dollars: Annotated[
        str | None, typer.Argument(help="How much to add, such as 25 or 2.50.")
    ] = None,
    *,
    note: Annotated[str, typer.Option(help="What the credit is for.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    """Show what is left of the research budget, or add to it; without any credit there is no limit."""
    if verb not in VERBS:
        raise InvalidInput(f"credits takes {' or '.join(VERBS)}, not {verb}.")
    if verb == "add" and dollars is None:
        raise InvalidInput("credits add needs an amount in dollars, such as 25.")
    shown = asyncio.run(_run(dollars if verb == "add" else None, note))
    if as_json:
        screen.say_json(shown)
    else:
        _show(shown)
    return exits.OK


async def _run(dollars: str | None, note: str) -> dict[str, Any]:
    async with opened() as app:
        research, owner = app.service(Research), str(Owner())
        if dollars is not None:
            await research.credit(owner, dollars, note=note)
        return await research.balance(owner, transactions=True)


def _show(shown: dict[str, Any]) -> None:
    if shown["unlimited"]:
        screen.say(shown["note"])
    else:
        screen.say(f"{shown['balanceDollars']} left", style="bold")
    rows = [
        (
            row.get("createdAt") or "",
            row["type"],
            f"{row['amountCents'] / 100:.2f}",
            row.get("provider") or row.get("creditSource") or "",
            row.get("description") or row.get("jobId") or "",
        )
        for row in shown["transactions"]
    ]
    if rows:
        screen.table(("When", "Type", "Dollars", "Who", "What"), rows)
