"""`citewell trials`: searches clinical trials with the clinical_search tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli.running.shared_options import AnswerJson
from citewell.cli.running.tool_command import print_item, run_search_tool
from citewell.model.counted_words import pluralize


def command(
    query: Annotated[str | None, typer.Argument(help="Words from any part of a record.")] = None,
    *,
    condition: Annotated[str | None, typer.Option(help="The disease or condition.")] = None,
    intervention: Annotated[str | None, typer.Option(help="The drug, device or treatment.")] = None,
    sponsor: Annotated[str | None, typer.Option(help="The lead sponsor.")] = None,
    status: Annotated[
        str | None, typer.Option(help="RECRUITING, COMPLETED, TERMINATED and others.")
    ] = None,
    phase: Annotated[str | None, typer.Option(help="EARLY_PHASE1 or PHASE1 to PHASE4.")] = None,
    with_results: Annotated[
        bool, typer.Option("--with-results", help="Only trials with posted results.")
    ] = False,
    count: Annotated[
        int, typer.Option("-n", "--num-results", min=1, max=100, help="How many trials.")
    ] = 10,
    page_token: Annotated[
        str | None, typer.Option(help="The next page; the token of the last answer.")
    ] = None,
    provider: Annotated[str | None, typer.Option(help="Use only this registry.")] = None,
    as_json: AnswerJson = False,
) -> int:
    given = {
        "query": query,
        "condition": condition,
        "intervention": intervention,
        "sponsor": sponsor,
        "status": status.upper() if status else None,
        "phase": phase.upper() if phase else None,
        "with_results": with_results,
        "num_results": count,
        "page_token": page_token,
        "provider": provider,
    }
    return run_search_tool(
        "clinical_search", given, as_json=as_json, print_answer=_print_trial_list
    )


def _print_trial_list(body: Mapping[str, Any]) -> None:
    for number, trial in enumerate(body["trials"], start=1):
        facts = (
            trial["nctId"],
            _format_registry_code(trial.get("status")),
            "/".join(
                _format_registry_code(phase) for phase in trial.get("phases", ()) if phase != "NA"
            ),
            f"start {trial['startDate']}" if trial.get("startDate") else "",
            f"{trial['enrollment']} {pluralize(trial['enrollment'], 'participant')}"
            if trial.get("enrollment")
            else "",
            "results posted" if trial["hasResults"] else "",
        )
        lines = (
            f"Conditions: {', '.join(trial['conditions'])}" if trial.get("conditions") else "",
            f"Interventions: {', '.join(trial['interventions'])}"
            if trial.get("interventions")
            else "",
            f"Sponsor: {trial['sponsor']}" if trial.get("sponsor") else "",
        )
        print_item(number, trial["title"], trial["url"], facts, [line for line in lines if line])


def _format_registry_code(code: str | None) -> str:
    """A code of the registry in words: ACTIVE_NOT_RECRUITING as "active not recruiting"."""
    return (code or "").replace("_", " ").lower().replace("phase", "phase ")
