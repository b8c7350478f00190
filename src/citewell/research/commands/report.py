"""Print the report of a finished research job."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import call_with_app
from citewell.research import job_export
from citewell.research.research_service import ResearchService


def command(
    job_id: Annotated[str, typer.Argument(help="The id of the job; `citewell jobs` lists them.")],
    *,
    form: Annotated[str, typer.Option("--format", help="md, html, json or bibtex.")] = "md",
    out: Annotated[Path | None, typer.Option(help="Write the report to this file.")] = None,
) -> int:
    known_form = job_export.resolve_export_format(form)
    text = call_with_app(
        lambda app: app.require_service(ResearchService).render_document(
            str(app.local_owner), job_id, form
        )
    )
    if out is None:
        screen.print_document(text, known_form)
    else:
        out.write_text(text, encoding="utf-8")
        sys.stderr.write(f"citewell: wrote {out}.\n")
    return exit_codes.OK
