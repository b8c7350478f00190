"""List, show, watch, cancel or erase research jobs.

It also records the cost of a paid call whose answer was lost.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import call_with_app, open_command_app
from citewell.core.errors import InvalidInput
from citewell.research.commands.research import watch_job
from citewell.research.research_service import ResearchService

JOB_ACTIONS = ("list", "show", "watch", "cancel", "erase", "reconcile")


def command(
    verb: Annotated[
        str, typer.Argument(help="list, show, watch, cancel, erase or reconcile.")
    ] = "list",
    job_id: Annotated[str | None, typer.Argument(help="The id of the job.")] = None,
    step: Annotated[str | None, typer.Argument(help="The uncertain step, for reconcile.")] = None,
    *,
    cost: Annotated[
        str, typer.Option(help="Dollars the provider charged for the uncertain call.")
    ] = "0",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    if verb not in JOB_ACTIONS:
        raise InvalidInput(f"jobs accepts {', '.join(JOB_ACTIONS)}, not {verb}.")
    if verb == "list":
        rows = call_with_app(
            lambda app: app.require_service(ResearchService).list_job_rows(
                str(app.local_owner), limit=50
            )
        )
        return _print_job_list(rows, as_json=as_json)
    if job_id is None:
        raise InvalidInput(f"`jobs {verb}` needs the id of a job; `citewell jobs` lists them.")
    if verb == "erase":
        call_with_app(
            lambda app: app.require_service(ResearchService).erase_job_thread(
                str(app.local_owner), job_id
            )
        )
        screen.print_text(f"Erased {job_id} and its thread. Its cost stays in the ledger.")
        return exit_codes.OK
    shown = asyncio.run(_run_job_action(verb, job_id, step, cost))
    if shown is None:
        return exit_codes.INTERRUPTED
    if as_json:
        screen.print_json(shown)
    else:
        _print_job_status(shown)
    return exit_codes.OK


async def _run_job_action(
    verb: str, job_id: str, step: str | None, cost: str
) -> dict[str, Any] | None:
    async with open_command_app() as app:
        research, owner = app.require_service(ResearchService), str(app.local_owner)
        if verb == "cancel":
            return await research.cancel_research_job(owner, job_id)
        if verb == "reconcile":
            if step is None:
                raise InvalidInput(
                    "`jobs reconcile` also needs the step; `citewell jobs show` names it."
                )
            return await research.reconcile_cost(owner, job_id, step, dollars=cost)
        if verb == "watch":
            research.start_serving()
            return await watch_job(app, job_id)
        return await research.wait_for_status(owner, job_id)


def _print_job_list(rows: list[dict[str, Any]], *, as_json: bool) -> int:
    if as_json:
        screen.print_json({"jobs": rows})
    elif not rows:
        screen.print_text("No research jobs. `citewell research` starts one.")
    else:
        screen.print_table(
            ("Job", "Status", "Tier", "Cost", "Asked", "Question"),
            [
                (
                    row["id"],
                    row["status"],
                    row["budgetTier"],
                    f"${row['costCents'] / 100:.2f}",
                    row["createdAt"] or "",
                    " ".join(row["query"].split())[:80],
                )
                for row in rows
            ],
        )
    return exit_codes.OK if rows else exit_codes.NOTHING_FOUND


def _print_job_status(status: dict[str, Any]) -> None:
    screen.print_text(f"{status['jobId']}: {status['status']}", style="bold")
    for name, part in status["progress"].items():
        error = (part.get("error") or {}).get("message", "")
        details = " ".join(str(value) for value in (part.get("note"), error) if value)
        screen.print_text(f"  {name}: {part['status']} {details}".rstrip())
    screen.print_text(status["nextStep"], style="dim")
