"""`citewell jobs`: research jobs on record, and what to do with one."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from citewell.cli import exits, screen
from citewell.cli.opened import opened
from citewell.cli.research import watched
from citewell.errors import InvalidInput
from citewell.services.research.service import Research
from citewell.tooling import Owner

VERBS = ("list", "show", "watch", "cancel", "erase", "reconcile")


def command(
    verb: Annotated[
        str, typer.Argument(help="list, show, watch, cancel, erase or reconcile.")
    ] = "list",
    job_id: Annotated[str | None, typer.Argument(help="The job.")] = None,
    step: Annotated[str | None, typer.Argument(help="The uncertain step, for reconcile.")] = None,
    *,
    cost: Annotated[
        str, typer.Option(help="Dollars the provider charged for the uncertain call.")
    ] = "0",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    """List research jobs; show, watch, cancel or erase one with its thread; settle a call whose answer was lost."""
    if verb not in VERBS:
        raise InvalidInput(f"jobs takes {', '.join(VERBS)}, not {verb}.")
    if verb == "list":
        return _list(asyncio.run(_all()), as_json=as_json)
    if job_id is None:
        raise InvalidInput(f"jobs {verb} needs the id of a job; `citewell jobs` lists them.")
    if verb == "erase":
        asyncio.run(_erase(job_id))
        screen.say(f"Erased {job_id} and its thread. The ledger keeps what it cost.")
        return exits.OK
    shown = asyncio.run(_one(verb, job_id, step, cost))
    if shown is None:
        return exits.INTERRUPTED
    if as_json:
        screen.say_json(shown)
    else:
        _show(shown)
    return exits.OK


async def _all() -> list[dict[str, Any]]:
    async with opened() as app:
        return await app.service(Research).jobs(str(Owner()), limit=50)


async def _erase(job_id: str) -> None:
    async with opened() as app:
        await app.service(Research).erase(str(Owner()), job_id)


async def _one(verb: str, job_id: str, step: str | None, cost: str) -> dict[str, Any] | None:
    async with opened() as app:
        research, owner = app.service(Research), str(Owner())
        if verb == "cancel":
            return await research.cancel(owner, job_id)
        if verb == "reconcile":
            if step is None:
                raise InvalidInput(
                    "jobs reconcile needs the step too; `citewell jobs show` names it."
                )
            return await research.reconcile(owner, job_id, step, dollars=cost)
        if verb == "watch":
            research.serve()
            return await watched(app, job_id)
        return await research.status(owner, job_id)


def _list(rows: list[dict[str, Any]], *, as_json: bool) -> int:
    if as_json:
        screen.say_json({"jobs": rows})
    elif not rows:
        screen.say("No research jobs. `citewell research` begins one.")
    else:
        screen.table(
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
    return exits.OK if rows else exits.NOTHING


def _show(status: dict[str, Any]) -> None:
    screen.say(f"{status['jobId']}: {status['status']}", style="bold")
    for name, part in status["progress"].items():
        error = (part.get("error") or {}).get("message", "")
        details = " ".join(str(value) for value in (part.get("note"), error) if value)
        screen.say(f"  {name}: {part['status']} {details}".rstrip())
    screen.say(status["nextStep"], style="dim")
