"""Search the web and list the results.

They are what an assistant would get from web_search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli.command_app import AnswerJson
from citewell.cli.tool_command import print_item, run_search_tool


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
    as_json: AnswerJson = False,
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
    return run_search_tool("web_search", given, as_json=as_json, print_answer=_print_search_answer)


def _print_search_answer(body: Mapping[str, Any]) -> None:
    for number, result in enumerate(body["results"], start=1):
        print_item(
            number,
            result["title"] or result["displayLink"],
            result["url"],
            _list_result_facts(result),
            _list_result_lines(result),
        )


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
