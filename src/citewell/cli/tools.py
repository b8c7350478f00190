"""`citewell tools`: what an assistant is offered, and what it costs its context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from citewell.cli import exits, screen
from citewell.errors import Misconfigured
from citewell.server import manifest, selection
from citewell.server.reference import BUDGET_ALL, BUDGET_DEFAULT, tokens


def command(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
    profile: Annotated[
        str | None, typer.Option(help="The tools of this profile instead of all.")
    ] = None,
    toolsets: Annotated[
        str | None, typer.Option(help="The tools of these toolsets, comma-separated.")
    ] = None,
) -> int:
    """List the tools with their toolsets and sizes; a token is taken as four bytes."""
    everything = [_row(entry) for entry in manifest.load()["tools"]]
    shown = {entry["name"] for entry in _chosen(profile, toolsets)}
    rows = [row for row in everything if row["name"] in shown]
    totals = _totals(everything)
    if as_json:
        screen.say_json(
            {"tools": rows, "tokens": sum(row["tokens"] for row in rows), "budgets": totals}
        )
    else:
        _show(rows)
        for name, total in totals.items():
            screen.say(f"{name}: {total['tokens']} of {total['budget']} tokens")
    within = all(total["tokens"] <= total["budget"] for total in totals.values())
    return exits.OK if within else exits.NOTHING


def _chosen(profile: str | None, toolsets: str | None) -> list[Mapping[str, Any]]:
    """Every tool unless the command says otherwise."""
    sets = [name.strip() for name in (toolsets or "").split(",") if name.strip()]
    try:
        return selection.chosen(
            manifest.load()["tools"], profile=profile or selection.EVERYTHING, toolsets=sets
        )
    except ValueError as error:
        raise Misconfigured(f"{str(error).capitalize()}.", action="inform_user") from None


def _totals(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    return {
        "default profile": {
            "tokens": sum(row["tokens"] for row in rows if row["default"]),
            "budget": BUDGET_DEFAULT,
        },
        "all tools": {"tokens": sum(row["tokens"] for row in rows), "budget": BUDGET_ALL},
    }


def _row(entry: Mapping[str, Any]) -> dict[str, Any]:
    wire = entry["wire"]
    return {
        "name": entry["name"],
        "toolset": entry["toolset"],
        "default": entry["default"],
        "readOnly": entry["readOnly"],
        "tokens": tokens(wire),
        "description": wire["description"],
    }


def _show(rows: Sequence[Mapping[str, Any]]) -> None:
    cells = [
        (row["name"], row["toolset"], "yes" if row["default"] else "no", str(row["tokens"]))
        for row in rows
    ]
    screen.table(("TOOL", "TOOLSET", "DEFAULT", "TOKENS"), cells)
