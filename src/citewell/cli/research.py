"""`citewell research`: runs deep research from a shell and shows its progress."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import open_command_app
from citewell.cli.running.shared_options import STDIN_NAME
from citewell.cli.terminal import screen
from citewell.cli.terminal.job_progress import JobProgressView, open_progress_view
from citewell.environment import split_name_list
from citewell.errors import InvalidInput
from citewell.model.argument_types import RESEARCH_MODES
from citewell.model.research import RESEARCH_TIERS
from citewell.server.app import App
from citewell.services.research.planning.assignments import ResearchQuestion
from citewell.services.research.research_service import ResearchService
from citewell.services.research.views import job_export

_POLL_SECONDS = 1.0  # between two status requests


def command(
    query: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    *,
    tier: Annotated[
        str, typer.Option(help="How much effort and cost: XXS, XS, S, M, L or XL.")
    ] = "S",
    provider: Annotated[
        list[str] | None,
        typer.Option(
            "--provider",
            "--providers",
            help="A provider to use; may be repeated, or comma-separated.",
        ),
    ] = None,
    mode: Annotated[str, typer.Option(help="fast or methodical.")] = "methodical",
    scope: Annotated[
        str | None,
        typer.Option(
            help="Where to search: web, library or both; with library nothing leaves the machine."
        ),
    ] = None,
    share_library: Annotated[
        bool,
        typer.Option("--share-library", help="Let providers be sent text of your library."),
    ] = False,
    form: Annotated[
        str, typer.Option("--format", help="Format of the report: md, html, json or bibtex.")
    ] = "md",
    out: Annotated[Path | None, typer.Option(help="Write the report to this file.")] = None,
    detach: Annotated[
        bool,
        typer.Option(
            "--detach",
            help="Print the id of the job and exit; a running server or worker does the work.",
        ),
    ] = False,
) -> int:
    text = sys.stdin.read() if query == STDIN_NAME else query
    question = ResearchQuestion(
        query=text,
        tier=tier.upper(),
        providers=_parse_provider_names(provider),
        mode=mode,
        scope=scope,
        share_library=share_library,
    )
    if question.tier not in RESEARCH_TIERS or mode not in RESEARCH_MODES:
        raise InvalidInput(
            f"--tier must be one of {', '.join(RESEARCH_TIERS)}; --mode must be {' or '.join(RESEARCH_MODES)}."
        )
    known_form = job_export.resolve_export_format(form)
    return asyncio.run(_run_research(question, form=known_form, out=out, detach=detach))


def _parse_provider_names(given: list[str] | None) -> tuple[str, ...]:
    return split_name_list(",".join(given or ()))


async def _run_research(
    question: ResearchQuestion, *, form: str, out: Path | None, detach: bool
) -> int:
    async with open_command_app() as app:
        research, owner = app.require_service(ResearchService), str(app.local_owner)
        started = await research.start_research(owner, question)
        _print_job_start(started)
        if detach:
            screen.print_text(started["jobId"])
            return exit_codes.OK
        status = await watch_job(app, started["jobId"])
        if status is None:
            return exit_codes.INTERRUPTED
        if status["status"] != "completed":
            exit_codes.print_error(_describe_job_failure(status), {})
            return exit_codes.UPSTREAM_FAILED
        text = await research.render_document(owner, started["jobId"], form)
    return _write_job_report(text, form, out, started["jobId"])


async def watch_job(app: App, job_id: str) -> dict[str, Any] | None:
    """Show the job until it ends and return its last status; None after Ctrl-C."""
    research, owner = app.require_service(ResearchService), str(app.local_owner)
    with open_progress_view() as watch:
        while True:
            try:
                status = await research.wait_for_status(owner, job_id)
                watch.show_job_status(status)
                if status["status"] in {"completed", "failed", "cancelled"}:
                    return status
                await research.wait_for_status(owner, job_id, wait=_POLL_SECONDS)
            except (KeyboardInterrupt, asyncio.CancelledError):
                return await _handle_interrupt(research, owner, job_id, watch)


async def _handle_interrupt(
    research: ResearchService, owner: str, job_id: str, watch: JobProgressView
) -> dict[str, Any] | None:
    """After Ctrl-C, ask whether to cancel the job; otherwise it stays unfinished."""
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
    if await watch.ask_whether_to_cancel():
        await research.cancel_research_job(owner, job_id)
        sys.stderr.write(f"citewell: cancelled {job_id}. Results that were paid for are kept.\n")
    else:
        sys.stderr.write(
            f"citewell: {job_id} is not finished. It continues when a server or `citewell worker` runs;"
            f" `citewell report {job_id}` prints its report.\n"
        )
    return None


def _print_job_start(started: dict[str, Any]) -> None:
    prior = started.get("priorWork")
    sys.stderr.write(
        f"citewell: job {started['jobId']}, {', '.join(started['selectedProviders'])}, about {started['estimatedDuration']}.\n"
    )
    for job in (prior or {}).get("jobs", ()):
        sys.stderr.write(f"  Earlier research: {job['query']} (citewell report {job['jobId']})\n")


def _describe_job_failure(status: dict[str, Any]) -> str:
    error = status.get("error") or {}
    return error.get("message") or f"The job ended with status {status['status']}."


def _write_job_report(text: str, form: str, out: Path | None, job_id: str) -> int:
    if out is None:
        screen.print_document(text, form)
    else:
        out.write_text(text, encoding="utf-8")
        sys.stderr.write(
            f"citewell: wrote {out}; `citewell report {job_id}` prints other formats.\n"
        )
    return exit_codes.OK
