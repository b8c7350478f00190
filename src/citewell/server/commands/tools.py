"""List the tools with their toolsets and sizes.

Sizes are in tokens of four bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from citewell.cli import exit_codes, screen
from citewell.core.environment import split_name_list
from citewell.core.errors import Misconfigured
from citewell.core.values.counted_words import pluralize
from citewell.server.capabilities import tool_selection
from citewell.server.reference import MAX_ALL_TOKENS, MAX_DEFAULT_TOKENS, estimate_tool_tokens
from citewell.server.reference.reference_pages import describe_default


def command(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
    profile: Annotated[str | None, typer.Option(help="Only the tools of this profile.")] = None,
    toolsets: Annotated[
        str | None,
        typer.Option(
            help="Only the tools of these toolsets, comma-separated; +NAME adds to the profile."
        ),
    ] = None,
) -> int:
    everything = [_build_tool_row(entry) for entry in tool_selection.load_manifest()["tools"]]
    shown = {entry["name"] for entry in _choose_listed_tools(profile, toolsets)}
    rows = [row for row in everything if row["name"] in shown]
    totals = _sum_token_budgets(everything)
    if as_json:
        screen.print_json(
            {"tools": rows, "tokens": sum(row["tokens"] for row in rows), "budgets": totals}
        )
    else:
        _print_tool_table(rows)
        for name, total in totals.items():
            screen.print_text(
                f"{name}: {total['tokens']} of {total['budget']} {pluralize(total['budget'], 'token')}"
            )
    within = all(total["tokens"] <= total["budget"] for total in totals.values())
    return exit_codes.OK if within else exit_codes.NOTHING_FOUND


def _choose_listed_tools(profile: str | None, toolsets: str | None) -> list[Mapping[str, Any]]:
    """The tools of the profile or toolsets; all tools if neither is given."""
    entries = tool_selection.load_manifest()["tools"]
    sets = split_name_list(toolsets or "")
    unnamed = tool_selection.DEFAULT_PROFILE if sets else tool_selection.ALL_TOOLS
    try:
        return tool_selection.select_entries(
            entries,
            profile=profile or unnamed,
            toolsets=sets,
            switched_on=tool_selection.list_required_settings(entries),
        )
    except ValueError as error:
        raise Misconfigured(f"{str(error).capitalize()}.", action="inform_user") from None


def _sum_token_budgets(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    return {
        "default profile": {
            "tokens": sum(
                row["tokens"] for row in rows if row["default"] and not row["requiredSetting"]
            ),
            "budget": MAX_DEFAULT_TOKENS,
        },
        "all tools": {"tokens": sum(row["tokens"] for row in rows), "budget": MAX_ALL_TOKENS},
    }


def _build_tool_row(entry: Mapping[str, Any]) -> dict[str, Any]:
    wire = entry["wire"]
    return {
        "name": entry["name"],
        "toolset": entry["toolset"],
        "default": entry["default"],
        "requiredSetting": entry["requiredSetting"],
        "readOnly": entry["readOnly"],
        "tokens": estimate_tool_tokens(wire),
        "description": wire["description"],
    }


def _print_tool_table(rows: Sequence[Mapping[str, Any]]) -> None:
    cells = [
        (row["name"], row["toolset"], describe_default(row), str(row["tokens"])) for row in rows
    ]
    screen.print_table(("TOOL", "TOOLSET", "DEFAULT", "TOKENS"), cells)
