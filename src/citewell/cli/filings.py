"""`citewell filings`: searches company filings with the filing_search tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli.running.shared_options import AnswerJson
from citewell.cli.running.tool_command import print_item, run_search_tool
from citewell.cli.terminal import screen

_PERIOD_TITLES = {
    "latestAnnual": "Latest year",
    "latestQuarter": "Latest quarter",
    "trailingTwelveMonths": "Last twelve months",
}


def command(
    query: Annotated[
        str | None,
        typer.Argument(help='A company, ticker or CIK, or words in the filings, best in "quotes".'),
    ] = None,
    *,
    form_type: Annotated[
        str | None, typer.Option("--form", help="10-K, 10-Q, 8-K, DEF 14A, 10-K/A and others.")
    ] = None,
    ticker: Annotated[str | None, typer.Option(help="The company's ticker.")] = None,
    date_from: Annotated[str | None, typer.Option(help="Filed on this day or later.")] = None,
    date_to: Annotated[str | None, typer.Option(help="Filed on this day or earlier.")] = None,
    facts: Annotated[
        bool, typer.Option("--facts", help="The newest reported figures instead of filings.")
    ] = False,
    count: Annotated[
        int | None, typer.Option("-n", "--num-results", min=1, max=10, help="How many results.")
    ] = None,
    provider: Annotated[str | None, typer.Option(help="Use only this register.")] = None,
    as_json: AnswerJson = False,
) -> int:
    given = {
        "query": query,
        "form_type": form_type,
        "ticker": ticker,
        "date_from": date_from,
        "date_to": date_to,
        "facts": facts,
        "num_results": count or (10 if facts else 5),
        "provider": provider,
    }
    return run_search_tool("filing_search", given, as_json=as_json, print_answer=_print_filings)


def _print_filings(body: Mapping[str, Any]) -> None:
    if company := body.get("company"):
        known = ", ".join([*company["tickers"], f"CIK {company['cik']}"])
        screen.print_text(f"{company['name']} ({known})", style="bold")
        screen.print_text()
    for number, item in enumerate(body["filings"], start=1):
        if "concept" in item:
            _print_fact(number, item)
        else:
            _print_filing(number, item)


def _print_filing(number: int, filing: Mapping[str, Any]) -> None:
    period, items = filing.get("periodOfReport"), filing.get("items")
    facts = (
        f"filed {filing['filingDate']}" if filing.get("filingDate") else "",
        f"reports on {period}" if period else "",
        "amendment" if filing["isAmendment"] else "",
        f"items {', '.join(items)}" if items else "",
        filing["accession"],
    )
    description = str(filing.get("description", ""))
    own = description.upper() not in {"", filing["formType"], f"FORM {filing['formType']}"}
    title = f"{filing['formType']} · {filing['company']}"
    print_item(number, title, filing["url"], facts, [description] if own else [])


def _print_fact(number: int, fact: Mapping[str, Any]) -> None:
    name = fact.get("label") or fact["concept"].partition(":")[2]
    lines = [
        f"{title}: {value['value']} {fact['unit']} · {' · '.join(_list_period_facts(value))}"
        for key, title in _PERIOD_TITLES.items()
        if (value := fact.get(key))
    ]
    facts = (*_list_period_facts(fact), fact["concept"])
    print_item(number, f"{name}: {fact['value']} {fact['unit']}", fact.get("url"), facts, lines)


def _list_period_facts(value: Mapping[str, Any]) -> tuple[str, ...]:
    start, filed = value.get("periodStart"), value.get("filingDate")
    period = f"{start} to {value['periodEnd']}" if start else value["periodEnd"]
    return (period, value["formType"], *([f"filed {filed}"] if filed else []))
