"""`citewell cite`: looks works up by their identifiers and prints them as a bibliography."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import open_command_app
from citewell.cli.running.shared_options import STDIN_NAME
from citewell.cli.terminal import screen
from citewell.cli.terminal.progress_bar import show_progress_bar
from citewell.errors import InvalidInput
from citewell.model.argument_types import BIBLIOGRAPHY_STYLES
from citewell.model.paper import PaperId
from citewell.services.scholar.registry_records import NOT_REGISTERED, WorkRecord, WorkRecords
from citewell.text.citations import bibliographies, citable_works, identifiers


def command(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID...]",
            help="DOIs, arXiv ids, PMIDs or ISBNs; if none is given, or for -, one per line from standard input.",
        ),
    ] = None,
    *,
    style: Annotated[
        str,
        typer.Option("--style", "-s", help=f"One of {', '.join(BIBLIOGRAPHY_STYLES)}."),
    ] = "apa",
) -> int:
    if style not in BIBLIOGRAPHY_STYLES:
        raise InvalidInput(
            f"Unknown style {style}. The styles are {', '.join(BIBLIOGRAPHY_STYLES)}."
        )
    wanted = _collect_identifiers(ids or [STDIN_NAME])
    known = {text: _parse_identifier(text) for text in wanted}
    asked = [paper_id for paper_id in known.values() if paper_id is not None]
    records = asyncio.run(_look_up_records(list(dict.fromkeys(asked))))
    found = [
        citable_works.convert_paper(record.paper) for record in records.values() if record.paper
    ]
    if found:
        today = datetime.now(UTC).date()
        screen.print_text(
            bibliographies.render_bibliography(found, style=style, accessed=today), unwrapped=True
        )
    return max(
        (_report_identifier(text, paper_id, records) for text, paper_id in known.items()),
        default=exit_codes.OK,
    )


def _collect_identifiers(given: Sequence[str]) -> list[str]:
    """The given identifiers without duplicates, in order; "-" stands for the lines of standard input."""
    lines = [line for text in given for line in (sys.stdin if text == STDIN_NAME else [text])]
    wanted = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not wanted:
        raise InvalidInput("Give at least one DOI, arXiv id, PMID or ISBN.")
    return wanted


def _parse_identifier(text: str) -> PaperId | None:
    """The identifier in `text`, or None; a bare number is read as a PMID."""
    named = f"PMID: {text}" if text.isascii() and text.isdigit() and len(text) < 9 else text
    return next(iter(identifiers.find_identifiers(named)), None)


async def _look_up_records(ids: Sequence[PaperId]) -> dict[PaperId, WorkRecord]:
    if not ids:
        return {}
    async with open_command_app() as app:
        records = app.require_service(WorkRecords)
        with show_progress_bar("Looking up", total=len(ids)) as done:

            async def one(paper_id: PaperId) -> WorkRecord:
                record = await records.find_record(paper_id)
                done()
                return record

            return dict(zip(ids, await asyncio.gather(*map(one, ids)), strict=True))


def _report_identifier(
    text: str, paper_id: PaperId | None, records: dict[PaperId, WorkRecord]
) -> int:
    """The exit code for one identifier; prints to stderr why it has no citation."""
    if paper_id is None:
        exit_codes.print_error(f"{text}: not a DOI, arXiv id, PMID or ISBN.", {})
        return exit_codes.NOTHING_FOUND
    record = records[paper_id]
    if record.paper is not None:
        return exit_codes.OK
    if record.state == NOT_REGISTERED:
        exit_codes.print_error(f"{text}: {paper_id} is not registered.", {})
        return exit_codes.NOTHING_FOUND
    exit_codes.print_error(f"{text}: could not be checked, because no registry answered.", {})
    return exit_codes.UPSTREAM_FAILED
