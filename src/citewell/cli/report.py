"""`citewell report`: a research job's report, in the format wanted."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from citewell.cli import exits, screen
from citewell.cli.opened import opened
from citewell.services.research import export
from citewell.services.research.service import Research
from citewell.tooling import Owner


def command(
    job_id: Annotated[str, typer.Argument(help="The job; `citewell jobs` lists them.")],
    *,
    form: Annotated[str, typer.Option("--format", help="md, html, json or bibtex.")] = "md",
    out: Annotated[Path | None, typer.Option(help="Write the report to this file.")] = None,
) -> int:
    """Print the report of a finished research job."""
    export.named(form)
    text = asyncio.run(_text(job_id, form))
    if out is None:
        screen.say(text, whole=True)
    else:
        out.write_text(text, encoding="utf-8")
        sys.stderr.write(f"citewell: written to {out}.\n")
    return exits.OK


async def _text(job_id: str, form: str) -> str:
    async with opened() as app:
        return await app.service(Research).document(str(Owner()), job_id, form)
