"""Research a question in depth and print a cited report.

The report has evidence for every claim. On a terminal it is shown formatted; in a pipe, or with
--out, it is markdown.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import STDIN_NAME, open_command_app
from citewell.core.environment import split_name_list
from citewell.core.errors import InvalidInput
from citewell.core.values.argument_types import RESEARCH_MODES
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import RESEARCH_TIERS
from citewell.jobs.step_values import ResearchQuestion
from citewell.research import job_export
from citewell.research.research_service import ResearchService
from citewell.text.safety.text_cleaning import extract_visible_text

if TYPE_CHECKING:
    from citewell.server.app import App


_STATUS_COLOURS = {
    "completed": "green",
    "failed": "red",
    "cancelled": "yellow",
    "uncertain": "yellow",
}


class JobProgressView:
    def __init__(self, live: Any = None) -> None:
        self._live = live
        self._last = ""

    def show_job_status(self, status: Mapping[str, Any]) -> None:
        if self._live is not None:
            self._live.update(_build_status_table(status))
            return
        line = _describe_job_status(status)
        if line != self._last:
            sys.stderr.write(f"{line}\n")
            self._last = line

    async def ask_whether_to_cancel(self) -> bool:
        """Ask whether to cancel the job; False without asking if there is no terminal."""
        if self._live is None or not sys.stdin.isatty():
            return False
        self._live.stop()
        sys.stderr.write("\nCancel the job (c), or keep it (Enter)? ")
        sys.stderr.flush()
        answer: str = await asyncio.to_thread(sys.stdin.readline)
        return answer.strip().lower().startswith("c")


@contextmanager
def open_progress_view() -> Iterator[JobProgressView]:
    if not sys.stderr.isatty():
        yield JobProgressView()
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), transient=True, refresh_per_second=4) as live:
        yield JobProgressView(live)


def _describe_job_status(status: Mapping[str, Any]) -> str:
    parts = [
        f"{name} {part['status']}" + (f" ({part['note']})" if part.get("note") else "")
        for name, part in status["progress"].items()
    ]
    return extract_visible_text(
        f"{status['phase']}: {', '.join(parts)}; {_describe_job_counts(status)}, ${status['costCents'] / 100:.2f}"
    )


def _describe_job_counts(status: Mapping[str, Any]) -> str:
    return f"{status.get('pagesRead', 0)} {pluralize(status.get('pagesRead', 0), 'page')} read, {status.get('claimsFound', 0)} claims"


def _build_status_table(status: Mapping[str, Any]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    seconds = status["elapsedMs"] // 1000
    caption = f"{status['phase']} · {_describe_job_counts(status)} · {seconds} s · ${status['costCents'] / 100:.2f}"
    table = Table(
        *("Provider", "Status", "Time", "Cost", ""),
        box=box.SIMPLE_HEAD,
        caption=caption,
        min_width=len(caption),
    )
    for name, part in status["progress"].items():
        lasted = part.get("durationSeconds")
        table.add_row(
            name,
            Text(part["status"], style=_STATUS_COLOURS.get(part["status"], "")),
            f"{lasted} s" if lasted is not None else "",
            f"${part['costCents'] / 100:.2f}" if part.get("costCents") else "",
            Text(
                extract_visible_text(
                    part.get("note") or (part.get("error") or {}).get("message") or ""
                )
            ),
        )
    return table


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
        bool, typer.Option("--share-library", help="Let providers be sent text of your library.")
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
        providers=split_name_list(",".join(provider or ())),
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
            error = status.get("error") or {}
            job_failure = error.get("message") or f"The job ended with status {status['status']}."
            exit_codes.print_error(job_failure, {})
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


def _write_job_report(text: str, form: str, out: Path | None, job_id: str) -> int:
    if out is None:
        screen.print_document(text, form)
    else:
        out.write_text(text, encoding="utf-8")
        sys.stderr.write(
            f"citewell: wrote {out}; `citewell report {job_id}` prints other formats.\n"
        )
    return exit_codes.OK
