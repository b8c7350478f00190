"""`citewell search`: searches with the web_search tool."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import open_command_app
from citewell.cli.running.tool_errors import print_tool_error
from citewell.cli.terminal import screen
from citewell.server.pipeline import ToolOutcome

# Exit codes for an empty answer by the reason in its hints; otherwise nothing was found.
_EXIT_CODES_BY_HINT = {
    "engines_failed": exit_codes.UPSTREAM_FAILED,
    "rate_limited": exit_codes.UPSTREAM_FAILED,
    "bot_wall": exit_codes.UPSTREAM_FAILED,
    "json_disabled": exit_codes.WRONG_USAGE,
    "not_configured": exit_codes.WRONG_USAGE,
}


def command(
    query: Annotated[str, typer.Argument(help="What to search for, 1 to 500 characters.")],
    *,
    count: Annotated[
        int, typer.Option("-n", "--num-results", min=1, max=50, help="How many results.")
    ] = 5,
    lens: Annotated[
        str | None,
        typer.Option(help="Only authoritative hosts of a field, such as medical or docs."),
    ] = None,
    site: Annotated[
        list[str] | None, typer.Option(help="Only this domain; may be repeated.")
    ] = None,
    time_range: Annotated[str | None, typer.Option(help="day, week, month or year.")] = None,
    language: Annotated[str | None, typer.Option(help="ISO 639-1, such as de or pt-BR.")] = None,
    country: Annotated[str | None, typer.Option(help="ISO 3166-1 alpha-2, such as GB.")] = None,
    provider: Annotated[str | None, typer.Option(help="Use only this provider.")] = None,
    claim: Annotated[
        str | None,
        typer.Option(help="Show the sentence of each result that is closest to this claim."),
    ] = None,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Also read the page of each result as markdown.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the answer of the tool as JSON.")
    ] = False,
) -> int:
    given: dict[str, object] = {
        "query": query,
        "num_results": count,
        "lens": lens,
        "time_range": time_range,
        "language": language,
        "country": country,
        "provider": provider,
        "claim": claim,
        "fetch_content": fetch,
    }
    if site:
        given |= {"site": site[0]} if len(site) == 1 else {"sites": site}
    outcome = asyncio.run(
        _call_web_search({name: value for name, value in given.items() if value is not None})
    )
    if outcome.error is not None:
        return print_tool_error(outcome.error, as_json=as_json)
    body = outcome.body or {}
    if as_json:
        screen.print_json(body | {"_meta": outcome.meta})
    else:
        _print_search_answer(body, outcome.meta)
    return _choose_search_exit(body)


async def _call_web_search(arguments: Mapping[str, object]) -> ToolOutcome:
    async with open_command_app() as app:
        with screen.show_spinner("Searching") as progress:
            return await app.call_tool("web_search", arguments, report=progress.update_progress)


def _choose_search_exit(body: Mapping[str, Any]) -> int:
    if body.get("resultCount"):
        return exit_codes.OK
    reason = body.get("hints", {}).get("reason", "")
    return _EXIT_CODES_BY_HINT.get(reason, exit_codes.NOTHING_FOUND)


def _print_search_answer(body: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    for number, result in enumerate(body["results"], start=1):
        _print_search_result(number, result)
    if hints := body.get("hints"):
        _print_search_hints(hints)
    for note in body.get("notes") or ():
        screen.print_text(note, style="dim")
    screen.print_text(_describe_search_totals(body, meta), style="dim")


def _print_search_result(number: int, result: Mapping[str, Any]) -> None:
    screen.print_text(f"{number}. {result['title'] or result['displayLink']}", style="bold")
    screen.print_text(f"   {result['url']}", style="cyan", unwrapped=True)
    if facts := " · ".join(_list_result_facts(result)):
        screen.print_text(f"   {facts}", style="dim")
    for line in _list_result_lines(result):
        screen.print_text(f"   {line}")
    screen.print_text()


def _list_result_facts(result: Mapping[str, Any]) -> list[str]:
    """Date, reputation and engine of a result, as far as they are known."""
    reputation = result.get("sourceReputation")
    known = [
        (result.get("publishedAt") or "")[:10],
        f"{reputation['tier']} reputation: {reputation['basis']}" if reputation else "",
        f"via {result['engine']}" if result.get("engine") else "",
    ]
    return [fact for fact in known if fact]


def _list_result_lines(result: Mapping[str, Any]) -> list[str]:
    lines = [result["snippet"]]
    if claim := result.get("claimSignal"):
        lines.append(f"Closest to the claim: {claim}")
    if content := result.get("content"):
        lines += ["", *content["markdown"].splitlines()]
    if missing := result.get("contentError"):
        lines.append(f"Not read: {missing}")
    return [line for line in lines if line or content]


def _print_search_hints(hints: Mapping[str, Any]) -> None:
    screen.print_text(f"Nothing found ({hints['reason'].replace('_', ' ')}).", style="yellow")
    for line in (*hints.get("details", ()), *hints.get("suggestedActions", ())):
        screen.print_text(f"- {line}")


def _describe_search_totals(body: Mapping[str, Any], meta: Mapping[str, Any]) -> str:
    count = body["resultCount"]
    routing = meta.get("routing", {})
    served = f" from {routing['provider_used']}" if routing.get("provider_used") else ""
    age = f", cached {meta.get('ageSeconds', 0):.0f} s ago" if meta.get("cached") else ""
    return f"{count} {'result' if count == 1 else 'results'}{served}{age}"
