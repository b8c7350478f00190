"""`citewell cite`: prints works as a bibliography: looked up by their identifiers, or those of a file."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from citewell.cli.running import exit_codes, reference_files
from citewell.cli.running.command_app import open_command_app, report_offline
from citewell.cli.running.shared_options import STDIN_NAME
from citewell.cli.terminal import screen
from citewell.cli.terminal.progress_bar import show_progress_bar
from citewell.errors import FailureReason, InvalidInput
from citewell.model.argument_types import BIBLIOGRAPHY_STYLES
from citewell.model.paper import PaperId
from citewell.model.reference import Reference
from citewell.server.app import App
from citewell.services.citing.csl_bibliographies import CslBibliographies
from citewell.services.scholar.registry_records import NOT_REGISTERED, WorkRecord, WorkRecords
from citewell.text.citations import bibliographies, citable_works, identifiers
from citewell.text.citations.citable_works import CitableWork
from citewell.text.references.citable_references import convert_reference


def command(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID|FILE...]",
            help="DOIs, arXiv ids, PMIDs, ISBNs or RFC numbers, or files with references; if none is given, or for -, one per line from standard input.",
        ),
    ] = None,
    *,
    style: Annotated[
        str,
        typer.Option(
            "--style",
            "-s",
            help=f"One of {', '.join(BIBLIOGRAPHY_STYLES)}; or any CSL style, by path or name.",
        ),
    ] = "apa",
) -> int:
    wanted = _collect_identifiers(ids or [STDIN_NAME])
    files = [text for text in wanted if Path(text).is_file()]
    known = {text: _parse_identifier(text) for text in wanted if text not in files}
    asked = [paper_id for paper_id in known.values() if paper_id is not None]
    records, text = asyncio.run(_cite_found_works(list(dict.fromkeys(asked)), style, files))
    if text:
        screen.print_text(text, unwrapped=True)
    return max(
        (_report_identifier(text, paper_id, records) for text, paper_id in known.items()),
        default=exit_codes.OK,
    )


def _collect_identifiers(given: Sequence[str]) -> list[str]:
    """The given identifiers without duplicates, in order; "-" stands for the lines of standard input."""
    lines = [line for text in given for line in (sys.stdin if text == STDIN_NAME else [text])]
    wanted = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not wanted:
        raise InvalidInput("Give at least one DOI, arXiv id, PMID, ISBN or RFC number.")
    return wanted


def _parse_identifier(text: str) -> PaperId | None:
    """The identifier in `text`, or None; a bare number is read as a PMID."""
    named = f"PMID: {text}" if text.isascii() and text.isdigit() and len(text) < 9 else text
    return next(iter(identifiers.find_identifiers(named)), None)


async def _cite_found_works(
    ids: Sequence[PaperId], style: str, files: Sequence[str]
) -> tuple[dict[PaperId, WorkRecord], str]:
    """What the registries know of each work, and the bibliography of those and of the files."""
    if not ids and not files and style in BIBLIOGRAPHY_STYLES:
        return {}, ""
    today = datetime.now(UTC).date()
    async with open_command_app() as app:
        engine = app.require_service(CslBibliographies)
        # Opened before anything is looked up, so that a missing style costs no request.
        csl = None if style in BIBLIOGRAPHY_STYLES else await engine.open_style(style)
        written = [one for name in files for one in await _read_references(app, name)]
        guessed = [one.ids[0] for one in written if isinstance(one, Reference)]
        records = await _look_up_records(app, list(dict.fromkeys((*ids, *guessed))))
        if app.network.reach is not None and any(map(_is_offline, records.values())):
            report_offline(app.network.reach)
        found = [citable_works.convert_paper(paper) for one in ids if (paper := records[one].paper)]
        found += [_choose_cited_work(one, records) for one in written]
        if csl is None:
            text = bibliographies.render_bibliography(
                found, style=style, accessed=today, keeps_unaddressed=True
            )
        elif found:
            text = await engine.format_works(csl, found, accessed=today)
            sys.stderr.write(f"citewell: {csl.title or style}, formatted by {csl.engine}.\n")
        else:
            text = ""
    return records, text


async def _read_references(app: App, name: str) -> list[Reference | CitableWork]:
    """The works of a file; a reference instead where it is better looked up.

    Those are references in prose with an identifier, because their fields are guessed.
    """
    found = await reference_files.read_reference_file(app, name)
    if found.document is None:
        raise InvalidInput(f"{name} is a brief; its citations are checked by citewell audit.")
    is_guessed = found.document.format == "prose" or found.document.is_guessed
    return [
        one if is_guessed and one.ids else convert_reference(one)
        for one in found.document.references
    ]


def _choose_cited_work(
    one: Reference | CitableWork, records: dict[PaperId, WorkRecord]
) -> CitableWork:
    """The registry's data of a guessed reference, or what it says itself if there is none."""
    if isinstance(one, CitableWork):
        return one
    paper = records[one.ids[0]].paper
    return citable_works.convert_paper(paper) if paper else convert_reference(one)


async def _look_up_records(app: App, ids: Sequence[PaperId]) -> dict[PaperId, WorkRecord]:
    records = app.require_service(WorkRecords)
    with show_progress_bar("Looking up", total=len(ids)) as done:

        async def one(paper_id: PaperId) -> WorkRecord:
            record = await records.find_record(paper_id)
            done()
            return record

        return dict(zip(ids, await asyncio.gather(*map(one, ids)), strict=True))


def _is_offline(record: WorkRecord) -> bool:
    """Whether nothing is known of the work because the machine has no network."""
    return record.paper is None and any(
        one.error_kind == FailureReason.OFFLINE for one in record.asked
    )


def _report_identifier(
    text: str, paper_id: PaperId | None, records: dict[PaperId, WorkRecord]
) -> int:
    """The exit code for one identifier; prints to stderr why it has no citation."""
    if paper_id is None:
        exit_codes.print_error(f"{text}: not a DOI, arXiv id, PMID, ISBN or RFC number.", {})
        return exit_codes.NOTHING_FOUND
    record = records[paper_id]
    if record.paper is not None:
        return exit_codes.OK
    if record.state == NOT_REGISTERED:
        exit_codes.print_error(f"{text}: {paper_id} is not registered.", {})
        return exit_codes.NOTHING_FOUND
    if _is_offline(record):
        return exit_codes.UPSTREAM_FAILED  # said once for all
    exit_codes.print_error(f"{text}: could not be checked, because no registry answered.", {})
    return exit_codes.UPSTREAM_FAILED
