"""`citewell cases`: searches decisions of courts and texts of law with the legal_search tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli.running.tool_command import print_item, run_search_tool


def command(
    query: Annotated[str, typer.Argument(help="A topic, case name, citation or statute.")],
    *,
    jurisdiction: Annotated[
        str | None,
        typer.Option(
            "-j", "--jurisdiction", help="A court's id or name (scotus, 9th Circuit), uk, eu, cfr."
        ),
    ] = None,
    date_from: Annotated[str | None, typer.Option(help="Decided from YYYY-MM-DD.")] = None,
    date_to: Annotated[str | None, typer.Option(help="Decided until YYYY-MM-DD.")] = None,
    count: Annotated[
        int, typer.Option("-n", "--num-results", min=1, max=20, help="How many cases.")
    ] = 10,
    provider: Annotated[str | None, typer.Option(help="Use only this registry.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the answer of the tool as JSON.")
    ] = False,
) -> int:
    given = {
        "query": query,
        "jurisdiction": jurisdiction,
        "date_from": date_from,
        "date_to": date_to,
        "num_results": count,
        "provider": provider,
    }
    return run_search_tool("legal_search", given, as_json=as_json, print_answer=_print_cases)


def _print_cases(body: Mapping[str, Any]) -> None:
    for number, case in enumerate(body["cases"], start=1):
        cited = case.get("citationCount")
        facts = (
            case.get("court"),
            case.get("dateFiled"),
            case.get("docketNumber"),
            f"cited {cited:,} times" if cited else "",
            case.get("status"),
        )
        others = [one for one in case.get("citations", ()) if one not in case.get("citation", "")]
        lines = (
            f"Also: {'; '.join(others)}" if others else "",
            case.get("snippet", ""),
        )
        name = case.get("citation") or case["caseName"]
        print_item(number, name, case["url"], facts, [line for line in lines if line])
