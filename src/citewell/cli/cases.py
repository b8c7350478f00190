"""`citewell cases`: searches decisions of courts and texts of law with the legal_search tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli.running.shared_options import AnswerJson
from citewell.cli.running.tool_command import print_item, run_search_tool
from citewell.model.counted_words import pluralize

_REGULATION_SOURCES = frozenset({"ecfr", "federalregister"})  # one citation, written in two ways


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
    as_json: AnswerJson = False,
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
            _format_docket_number(case.get("docketNumber") or ""),
            f"cited {cited:,} {pluralize(cited, 'time')}" if cited else "",
            case.get("status"),
        )
        name = case.get("citation") or case["caseName"]
        lines = (_find_missing_name(case), _list_other_citations(case), case.get("snippet", ""))
        print_item(number, name, case["url"], facts, [line for line in lines if line])


def _format_docket_number(docket: str) -> str:
    """A bare number says what it counts; a docket with letters explains itself."""
    return f"No. {docket}" if docket[:1].isdigit() else docket


def _find_missing_name(case: Mapping[str, Any]) -> str:
    """The name, if the citation does not begin with it, as that of a section does not."""
    cited, name = case.get("citation") or "", str(case["caseName"])
    return "" if name.split(maxsplit=1)[0] in cited else name


def _list_other_citations(case: Mapping[str, Any]) -> str:
    cited = case.get("citation", "")
    others = [one for one in case.get("citations", ()) if one not in cited]
    if not others or case["source"] in _REGULATION_SOURCES:
        return ""
    return f"Also: {'; '.join(others)}"
