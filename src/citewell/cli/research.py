"""`citewell research`: deep research from a shell, with its progress in view."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from citewell.cli import exits, screen
from citewell.cli.opened import opened
from citewell.cli.watching import Watch, watching
from citewell.errors import InvalidInput
from citewell.model.research import TIERS
from citewell.server.app import App
from citewell.services.research import export
from citewell.services.research.asking import MODES, Question
from citewell.services.research.service import Research
from citewell.tooling import Owner

_WAIT = 1.0  # seconds between two looks


def command(
    query: Annotated[str, typer.Argument(help="The question; - reads it from stdin.")],
    *,
    tier: Annotated[str, typer.Option(help="XXS, XS, S, M, L or XL: how far it may go.")] = "S",
    provider: Annotated[
        list[str] | None,
        typer.Option("--provider", "--providers", help="May be repeated, or a list with commas."),
    ] = None,
    mode: Annotated[str, typer.Option(help="fast or methodical.")] = "methodical",
    form: Annotated[
        str, typer.Option("--format", help="What to print at the end: md, html, json or bibtex.")
    ] = "md",
    out: Annotated[Path | None, typer.Option(help="Write the report to this file.")] = None,
    detach: Annotated[
        bool,
        typer.Option(
            "--detach", help="Print the job's id and leave it to a running server or worker."
        ),
    ] = False,
) -> int:
    """Research a question deeply and print a report in which every claim has its evidence."""
    text = sys.stdin.read() if query == "-" else query
    question = Question(query=text, tier=tier.upper(), providers=_names(provider), mode=mode)
    if question.tier not in TIERS or mode not in MODES:
        raise InvalidInput(f"--tier is one of {', '.join(TIERS)}; --mode is {' or '.join(MODES)}.")
    export.named(form)
    return asyncio.run(_run(question, form=form, out=out, detach=detach))


def _names(given: list[str] | None) -> tuple[str, ...]:
    return tuple(name.strip() for part in given or () for name in part.split(",") if name.strip())


async def _run(question: Question, *, form: str, out: Path | None, detach: bool) -> int:
    async with opened() as app:
        research, owner = app.service(Research), str(Owner())
        started = await research.start(owner, question)
        _tell(started)
        if detach:
            screen.say(started["jobId"])
            return exits.OK
        status = await watched(app, started["jobId"])
        if status is None:
            return exits.INTERRUPTED
        if status["status"] != "completed":
            exits.complain(_why(status), {})
            return exits.UPSTREAM
        text = await research.document(owner, started["jobId"], form)
    return _deliver(text, out, started["jobId"])


async def watched(app: App, job_id: str) -> dict[str, Any] | None:
    """The job's last status; None when the person left it running."""
    research, owner = app.service(Research), str(Owner())
    with watching() as watch:
        while True:
            try:
                status = await research.status(owner, job_id)
                watch.show(status)
                if status["status"] in {"completed", "failed", "cancelled"}:
                    return status
                await research.status(owner, job_id, wait=_WAIT)
            except (KeyboardInterrupt, asyncio.CancelledError):
                return await _interrupted(research, owner, job_id, watch)


async def _interrupted(
    research: Research, owner: str, job_id: str, watch: Watch
) -> dict[str, Any] | None:
    """Ctrl-C: stop the job, or leave it to whoever serves next."""
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
    if await watch.asked_to_cancel():
        await research.cancel(owner, job_id)
        sys.stderr.write(f"citewell: cancelled {job_id}. What was paid for is kept.\n")
    else:
        sys.stderr.write(
            f"citewell: {job_id} is kept. It goes on when a server or `citewell worker` runs;"
            f" `citewell report {job_id}` prints it.\n"
        )
    return None


def _tell(started: dict[str, Any]) -> None:
    prior = started.get("priorWork")
    sys.stderr.write(
        f"citewell: job {started['jobId']}, {', '.join(started['selectedProviders'])}, about {started['estimatedDuration']}.\n"
    )
    for job in (prior or {}).get("jobs", ()):
        sys.stderr.write(f"  You asked before: {job['query']} (citewell report {job['jobId']})\n")


def _why(status: dict[str, Any]) -> str:
    error = status.get("error") or {}
    return error.get("message") or f"The job ended as {status['status']}."


def _deliver(text: str, out: Path | None, job_id: str) -> int:
    if out is None:
        screen.say(text, whole=True)
    else:
        out.write_text(text, encoding="utf-8")
        sys.stderr.write(
            f"citewell: written to {out}; `citewell report {job_id}` has other formats.\n"
        )
    return exits.OK
