"""`citewell tools`: what an assistant is offered, and what it costs its context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from citewell import config
from citewell.cli import exits, screen
from citewell.errors import Misconfigured
from citewell.server import manifest, selection
from citewell.server.reference import BUDGET_ALL, BUDGET_DEFAULT, tokens


def command(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
    profile: Annotated[str | None, typer.Option(help="The tools of this profile instead of all.")] = None,
    toolsets: Annotated[str | None, typer.Option(help="The tools of these toolsets, comma-separated.")] = None,
) -> int:
    """List the tools with their toolsets and sizes; a token is taken as four bytes."""
    entries = _chosen(profile, toolsets)
    rows = [_row(entry) for entry in entries]
    total = sum(row["tokens"] for row in rows)
    budget = BUDGET_DEFAULT if all(row["default"] for row in rows) else BUDGET_ALL
    if as_json:
        screen.say_json({"tools": rows, "tokens": total, "budget": budget})
    else:
        _show(rows)
        screen.say(f"{len(rows)} tools, {total} tokens of {budget}")
    return exits.OK if total <= budget else exits.NOTHING


def _chosen(profile: str | None, toolsets: str | None) -> list[Mapping[str, Any]]:
    settings = config.load()
    sets = tuple(name.strip() for name in (toolsets or "").split(",") if name.strip())
    try:
        return selection.chosen(
            manifest.load()["tools"],
            profile=profile or settings.profile if not sets else selection.DEFAULT,
            toolsets=sets or (() if profile else settings.toolsets or (selection.EVERYTHING,)),
        )
    except ValueError as error:
        raise Misconfigured(f"{str(error).capitalize()}.", action="inform_user") from None


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
