"""`citewell report`: prints the report of a research job in a chosen format."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import open_command_app
from citewell.cli.terminal import screen
from citewell.services.research.research_service import ResearchService
from citewell.services.research.views import job_export


def command(
    job_id: Annotated[str, typer.Argument(help="The id of the job; `citewell jobs` lists them.")],
    *,
    form: Annotated[str, typer.Option("--format", help="md, html, json or bibtex.")] = "md",
    out: Annotated[Path | None, typer.Option(help="Write the report to this file.")] = None,
) -> int:
    known_form = job_export.resolve_export_format(form)
    text = asyncio.run(_load_report_text(job_id, form))
    if out is None:
        screen.print_document(text, known_form)
    else:
        out.write_text(text, encoding="utf-8")
        sys.stderr.write(f"citewell: wrote {out}.\n")
    return exit_codes.OK


async def _load_report_text(job_id: str, form: str) -> str:
    async with open_command_app() as app:
        return await app.require_service(ResearchService).render_document(
            str(app.local_owner), job_id, form
        )
