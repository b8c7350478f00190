"""`citewell search`: the web_search tool, from a shell."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli import exits, screen
from citewell.cli.opened import opened
from citewell.cli.refused import refused
from citewell.server.pipeline import Outcome

# An empty answer whose cause lies with an upstream is that upstream's failure.
_CAUSES = {
    "engines_failed": exits.UPSTREAM,
    "rate_limited": exits.UPSTREAM,
    "bot_wall": exits.UPSTREAM,
    "json_disabled": exits.USAGE,
    "not_configured": exits.USAGE,
}


def command(
    query: Annotated[str, typer.Argument(help="What to look for, 1 to 500 characters.")],
    *,
    count: Annotated[
        int, typer.Option("-n", "--num-results", help="How many results, 1 to 50.")
    ] = 5,
    lens: Annotated[
        str | None, typer.Option(help="A field's authoritative hosts, such as medical or docs.")
    ] = None,
    site: Annotated[
        list[str] | None, typer.Option(help="Only this domain; may be repeated.")
    ] = None,
    time_range: Annotated[str | None, typer.Option(help="day, week, month or year.")] = None,
    language: Annotated[str | None, typer.Option(help="ISO 639-1, such as de or pt-BR.")] = None,
    country: Annotated[str | None, typer.Option(help="ISO 3166-1 alpha-2, such as GB.")] = None,
    provider: Annotated[str | None, typer.Option(help="Use this provider and no other.")] = None,
    claim: Annotated[
        str | None, typer.Option(help="Show each result's sentence nearest to this claim.")
    ] = None,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Read each result's page as markdown.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tool's own answer.")] = False,
) -> int:
    """Search the web and list what was found, as an assistant would get it."""
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
    outcome = asyncio.run(_ask({name: value for name, value in given.items() if value is not None}))
    if outcome.is_error:
        return refused(outcome, as_json=as_json)
    body = outcome.body or {}
    if as_json:
        screen.say_json(body | {"_meta": outcome.meta})
    else:
        _show(body, outcome.meta)
    return _code(body)


async def _ask(arguments: Mapping[str, object]) -> Outcome:
    async with opened() as app:
        with screen.spinner("Searching") as progress:
            return await app.call("web_search", arguments, report=progress.report)


def _code(body: Mapping[str, Any]) -> int:
    if body.get("resultCount"):
        return exits.OK
    reason = body.get("hints", {}).get("reason", "")
    return _CAUSES.get(reason, exits.NOTHING)


def _show(body: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    for number, result in enumerate(body["results"], start=1):
        _show_result(number, result)
    if hints := body.get("hints"):
        _show_hints(hints)
    for note in body.get("notes") or ():
        screen.say(note, style="dim")
    screen.say(_footer(body, meta), style="dim")


def _show_result(number: int, result: Mapping[str, Any]) -> None:
    screen.say(f"{number}. {result['title'] or result['displayLink']}", style="bold")
    screen.say(f"   {result['url']}", style="cyan", whole=True)
    if facts := " · ".join(_facts(result)):
        screen.say(f"   {facts}", style="dim")
    for line in _texts(result):
        screen.say(f"   {line}")
    screen.say()


def _facts(result: Mapping[str, Any]) -> list[str]:
    """Date, reputation and engine, each where it is known."""
    reputation = result.get("sourceReputation")
    known = [
        (result.get("publishedAt") or "")[:10],
        f"{reputation['tier']} reputation: {reputation['basis']}" if reputation else "",
        f"via {result['engine']}" if result.get("engine") else "",
    ]
    return [fact for fact in known if fact]


def _texts(result: Mapping[str, Any]) -> list[str]:
    lines = [result["snippet"]]
    if claim := result.get("claimSignal"):
        lines.append(f"Nearest to the claim: {claim}")
    if content := result.get("content"):
        lines += ["", *content["markdown"].splitlines()]
    if missing := result.get("contentError"):
        lines.append(f"Not read: {missing}")
    return [line for line in lines if line or content]


def _show_hints(hints: Mapping[str, Any]) -> None:
    screen.say(f"Nothing found ({hints['reason'].replace('_', ' ')}).", style="yellow")
    for line in (*hints.get("details", ()), *hints.get("suggestedActions", ())):
        screen.say(f"- {line}")


def _footer(body: Mapping[str, Any], meta: Mapping[str, Any]) -> str:
    count = body["resultCount"]
    routing = meta.get("routing", {})
    served = f" from {routing['provider_used']}" if routing.get("provider_used") else ""
    age = f", kept {meta.get('ageSeconds', 0):.0f} s ago" if meta.get("cached") else ""
    return f"{count} {'result' if count == 1 else 'results'}{served}{age}"
