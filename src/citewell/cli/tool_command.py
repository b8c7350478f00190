"""Runs one tool for a command: calls it, prints its answer or error, and chooses the exit code."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import open_command_app

if TYPE_CHECKING:
    from citewell.server.app import App
    from citewell.server.call_values import ToolError, ToolOutcome


PrintAnswer = Callable[[Mapping[str, Any]], None]
AfterCall = Callable[["App", Mapping[str, Any]], Awaitable[None]]

# Exit codes for an empty answer by the reason in its hints; otherwise nothing was found.
_EXIT_CODES_BY_HINT = {
    "engines_failed": exit_codes.UPSTREAM_FAILED,
    "rate_limited": exit_codes.UPSTREAM_FAILED,
    "bot_wall": exit_codes.UPSTREAM_FAILED,
    "json_disabled": exit_codes.WRONG_USAGE,
    "not_configured": exit_codes.WRONG_USAGE,
}
_WORDS_BY_ACTION = {
    "broaden-query": "Try fewer or broader words.",
    "remove-filter": "Try without {}.",
    "set-argument": "Give {}.",
    "try-different-provider": "Try --provider {}.",
}


def run_search_tool(
    tool: str,
    arguments: Mapping[str, object],
    *,
    as_json: bool,
    print_answer: PrintAnswer,
    doing: str = "Searching",
    after_call: AfterCall | None = None,
) -> int:
    """Call a search tool without the arguments that are None, print what it returns, and say how it went.

    `print_answer` prints the results; hints, notes and the line of totals are printed after it.
    `after_call` gets the answer before it is printed, while the app is still open.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    outcome = asyncio.run(_call_tool(tool, given, doing, after_call))
    if outcome.error is not None:
        return print_tool_error(outcome.error, as_json=as_json)
    body = outcome.body or {}
    if as_json:
        screen.print_json(body | {"_meta": outcome.meta})
    else:
        print_answer(body)
        _print_answer_end(body, outcome.meta)
    if body.get("resultCount") or body.get("citations"):  # answer counts nothing, but cites
        return exit_codes.OK
    reason = body.get("hints", {}).get("reason", "")
    return _EXIT_CODES_BY_HINT.get(reason, exit_codes.NOTHING_FOUND)


async def _call_tool(
    tool: str, arguments: Mapping[str, object], doing: str, after_call: AfterCall | None
) -> ToolOutcome:
    async with open_command_app() as app:
        with screen.show_spinner(doing) as progress:
            outcome = await app.call_tool(tool, arguments, report=progress.update_progress)
            if after_call is not None and outcome.body:
                await after_call(app, outcome.body)
            return outcome


def print_item(
    number: int, title: str, url: str | None, facts: Sequence[str | None], lines: Sequence[str] = ()
) -> None:
    """Print one numbered result: its title, address, a line of facts, and its text."""
    screen.print_text(f"{number}. {title}", style="bold")
    if url:
        screen.print_text(f"   {url}", style="cyan", unwrapped=True)
    if line := " · ".join(fact for fact in facts if fact):
        screen.print_text(f"   {line}", style="dim")
    for text in lines:
        screen.print_text(f"   {text}")
    screen.print_text()


def _print_answer_end(body: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    if hints := body.get("hints"):
        screen.print_text(f"Nothing found ({hints['reason'].replace('_', ' ')}).", style="yellow")
        for line in (
            *hints.get("details", ()),
            *map(_word_suggested_action, hints.get("suggestedActions", ())),
        ):
            screen.print_text(f"- {line}")
    for note in body.get("notes") or ():
        screen.print_text(note, style="dim")
    screen.print_text(_describe_search_totals(body, meta), style="dim")


def _word_suggested_action(action: str) -> str:
    """A suggestion of the answer as a sentence; one of another form stays as it is."""
    verb, _, subject = action.partition(": ")
    wording = _WORDS_BY_ACTION.get(verb)
    return wording.format(subject) if wording else action


def _describe_search_totals(body: Mapping[str, Any], meta: Mapping[str, Any]) -> str:
    count = body["resultCount"] if "resultCount" in body else len(body["citations"])
    kind = "result" if "resultCount" in body else "citation"
    routing = meta.get("routing", {})
    served = f" from {routing['provider_used']}" if routing.get("provider_used") else ""
    age = f", cached {meta.get('ageSeconds', 0):.0f} s ago" if meta.get("cached") else ""
    return f"{count} {kind}{'' if count == 1 else 's'}{served}{age}"


# Prints the error of a tool: message and advice on stderr, and JSON if wanted.


def print_tool_error(error: ToolError, *, as_json: bool) -> int:
    """Print the error and return the exit code."""
    if as_json:
        screen.print_json({"error": {"message": error.message, **error.block}})
    exit_codes.print_error(error.message, error.block)
    return exit_codes.find_exit_code(error.block["kind"])
