"""`citewell patents`: searches patents with the patent_search tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli.running.shared_options import AnswerJson
from citewell.cli.running.tool_command import print_item, run_search_tool
from citewell.cli.terminal import screen

_MAX_ABSTRACT_CHARS = 300


def command(
    query: Annotated[str | None, typer.Argument(help="Words, a title or a patent number.")] = None,
    *,
    search_type: Annotated[
        str, typer.Option("--type", help="prior_art, specific or landscape.")
    ] = "prior_art",
    office: Annotated[str, typer.Option(help="US, EP, WO, JP, CN, KR or all.")] = "all",
    assignee: Annotated[str | None, typer.Option(help="The company that owns it.")] = None,
    inventor: Annotated[str | None, typer.Option(help="A person who invented it.")] = None,
    cpc: Annotated[str | None, typer.Option(help="A CPC class, such as G06F.")] = None,
    year_from: Annotated[int | None, typer.Option(help="The first year of filing.")] = None,
    year_to: Annotated[int | None, typer.Option(help="The last year of filing.")] = None,
    count: Annotated[
        int, typer.Option("-n", "--num-results", min=1, max=10, help="How many patents.")
    ] = 5,
    provider: Annotated[str | None, typer.Option(help="Use only this provider.")] = None,
    as_json: AnswerJson = False,
) -> int:
    given = {
        "query": query,
        "search_type": search_type.lower().replace("-", "_"),
        "patent_office": office,
        "assignee": assignee,
        "inventor": inventor,
        "cpc_code": cpc,
        "year_from": year_from,
        "year_to": year_to,
        "num_results": count,
        "provider": provider,
    }
    return run_search_tool("patent_search", given, as_json=as_json, print_answer=_print_patents)


def _print_patents(body: Mapping[str, Any]) -> None:
    for place, patent in enumerate(body["patents"], start=1):
        facts = (
            patent["number"],
            patent.get("kind"),
            f"filed {patent['filed']}" if patent.get("filed") else "",
            f"granted {patent['granted']}" if patent.get("granted") else "",
            patent.get("status"),
        )
        also = patent.get("alsoPublishedAs") or ()
        lines = (
            f"Assignee: {patent['assignee']}" if patent.get("assignee") else "",
            f"Inventor: {patent['inventor']}" if patent.get("inventor") else "",
            f"Also published as: {', '.join(also[:5])}{' …' if len(also) > 5 else ''}"
            if also
            else "",
            _shorten_abstract(patent.get("abstract") or ""),
        )
        print_item(place, patent["title"], patent["url"], facts, [line for line in lines if line])
    if clusters := body.get("assigneeClusters"):
        listed = ", ".join(f"{name} {number}" for name, number in clusters.items())
        screen.print_text(f"By assignee: {listed}")
    screen.print_text(f"Search page: {body['searchUrl']}", style="dim", unwrapped=True)


def _shorten_abstract(text: str) -> str:
    if len(text) <= _MAX_ABSTRACT_CHARS:
        return text
    return text[:_MAX_ABSTRACT_CHARS].rpartition(" ")[0] + " …"
