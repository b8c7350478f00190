"""Research a company's brand from its own pages.

Colours, logos, typefaces and tone of voice, as an assistant would get from brand_research.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import AnswerJson, open_command_app
from citewell.cli.tool_command import print_tool_error

if TYPE_CHECKING:
    from citewell.server.call_values import ToolOutcome

_LOGO_LABELS = {
    "primary": "Logo",
    "dark": "Logo on dark",
    "icon": "Icon",
    "favicon": "Favicon",
    "og_image": "Preview image",
}


def command(
    company: Annotated[str, typer.Argument(help="A domain such as example.com, or a name.")],
    *,
    depth: Annotated[str, typer.Option(help="quick, standard or full.")] = "standard",
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Print W3C design tokens as JSON.")
    ] = False,
    as_json: AnswerJson = False,
) -> int:
    name = "url" if "." in company and " " not in company else "company_name"
    given = {name: company, "depth": depth, "include_design_tokens": tokens}
    outcome = asyncio.run(_call_brand_tool(given))
    if outcome.error is not None:
        return print_tool_error(outcome.error, as_json=as_json)
    body = outcome.body or {}
    if as_json:
        screen.print_json(body | {"_meta": outcome.meta})
    elif tokens:
        screen.print_json(body["design_tokens"])
    else:
        _print_brand(body)
    return exit_codes.OK


async def _call_brand_tool(arguments: Mapping[str, object]) -> ToolOutcome:
    async with open_command_app() as app:
        with screen.show_spinner("Reading") as progress:
            return await app.call_tool("brand_research", arguments, report=progress.update_progress)


def _print_brand(body: Mapping[str, Any]) -> None:
    identity = body["identity"]
    screen.print_text(identity.get("name") or identity["domain"], style="bold")
    for line in _list_brand_lines(body):
        screen.print_text(line)
    coverage = ", ".join(
        f"{name.replace('_', ' ')} {level}" for name, level in body["coverage"].items()
    )
    screen.print_text(f"Coverage: {coverage}", style="dim")
    if suggestion := body.get("suggestion"):
        screen.print_text(suggestion, style="yellow")


def _list_brand_lines(body: Mapping[str, Any]) -> Iterator[str]:
    identity = body["identity"]
    labels = ("tagline", "description", "industry", "founded", "location")
    yield from (f"{name.capitalize()}: {identity[name]}" for name in labels if name in identity)
    for color in body["colors"]["palette"]:
        facts = " · ".join(color[key] for key in ("name", "role") if key in color)
        yield f"Colour: {color['hex']} {facts}".rstrip()
    for role, font in body["typography"].items():
        if isinstance(font, Mapping) and "family" in font:
            yield f"{role.capitalize()} typeface: {font['family']}"
    for role, logo in body["logos"].items():
        address = logo["url"] if isinstance(logo, Mapping) else logo
        yield f"{_LOGO_LABELS[role]}: {address}"
    if summary := body["tone_of_voice"].get("summary"):
        yield f"Tone of voice: {summary}"
    for network, address in body["social"].items():
        yield f"{network.capitalize()}: {address}"
    if guidelines := body.get("guidelines_url"):
        yield f"Guidelines: {guidelines}"
