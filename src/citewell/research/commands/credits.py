"""Show the remaining research budget, or add to it.

Until credit is added there is no limit.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import open_command_app
from citewell.core.errors import InvalidInput
from citewell.research.research_service import ResearchService

CREDIT_ACTIONS = ("show", "add")


def command(
    verb: Annotated[str, typer.Argument(help="show or add.")] = "show",
    dollars: Annotated[
        str | None, typer.Argument(help="How much to add, such as 25 or 2.50.")
    ] = None,
    *,
    note: Annotated[str, typer.Option(help="What the credit is for.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    if verb not in CREDIT_ACTIONS:
        raise InvalidInput(f"credits accepts {' or '.join(CREDIT_ACTIONS)}, not {verb}.")
    if verb == "add" and dollars is None:
        raise InvalidInput("`credits add` needs an amount in dollars, such as 25.")
    shown = asyncio.run(_load_credit_balance(dollars if verb == "add" else None, note))
    if as_json:
        screen.print_json(shown)
    else:
        _print_credit_balance(shown)
    return exit_codes.OK


async def _load_credit_balance(dollars: str | None, note: str) -> dict[str, Any]:
    async with open_command_app() as app:
        research, owner = app.require_service(ResearchService), str(app.local_owner)
        if dollars is not None:
            await research.add_credit(owner, dollars, note=note)
        return await research.load_balance_view(owner, transactions=True)


def _print_credit_balance(shown: dict[str, Any]) -> None:
    if shown["unlimited"]:
        screen.print_text(shown["note"])
    else:
        screen.print_text(f"{shown['balanceDollars']} left", style="bold")
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
        screen.print_table(("When", "Type", "Dollars", "Who", "What"), rows)
