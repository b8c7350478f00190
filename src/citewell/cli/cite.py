"""`citewell cite`: works looked up by their identifiers and written out as a bibliography."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from citewell.cli import exits, screen
from citewell.cli.bar import bar
from citewell.cli.opened import opened
from citewell.errors import InvalidInput
from citewell.model.paper import PaperId
from citewell.services.scholar.records import NOT_REGISTERED, Record, Records
from citewell.text import bibliography, identifiers, works

_PIPE = "-"


def command(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID...]",
            help="DOIs, arXiv ids, PMIDs or ISBNs; without any, or for -, one a line from standard input.",
        ),
    ] = None,
    *,
    style: Annotated[
        str, typer.Option("--style", "-s", help=f"One of {', '.join(bibliography.STYLES)}.")
    ] = "apa",
) -> int:
    """Look works up and write them out in a citation style.

    Exits with 1 when one of them is not known, and with 3 when nobody could say.
    """
    if style not in bibliography.STYLES:
        raise InvalidInput(
            f"There is no style {style}; there are {', '.join(bibliography.STYLES)}."
        )
    wanted = _wanted(ids or [_PIPE])
    known = {text: _identified(text) for text in wanted}
    asked = [paper_id for paper_id in known.values() if paper_id is not None]
    records = asyncio.run(_find(list(dict.fromkeys(asked))))
    found = [works.of_paper(record.paper) for record in records.values() if record.paper]
    if found:
        today = datetime.now(UTC).date()
        screen.say(bibliography.rendered(found, style=style, accessed=today), whole=True)
    return max(
        (_told(text, paper_id, records) for text, paper_id in known.items()), default=exits.OK
    )


def _wanted(given: Sequence[str]) -> list[str]:
    """Each once, in order; what is piped in stands in its place."""
    lines = [line for text in given for line in (sys.stdin if text == _PIPE else [text])]
    wanted = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not wanted:
        raise InvalidInput("Name at least one DOI, arXiv id, PMID or ISBN.")
    return wanted


def _identified(text: str) -> PaperId | None:
    """A bare number is a PMID; nothing else looks like one."""
    named = f"PMID: {text}" if text.isascii() and text.isdigit() and len(text) < 9 else text
    return next(iter(identifiers.ids(named)), None)


async def _find(ids: Sequence[PaperId]) -> dict[PaperId, Record]:
    if not ids:
        return {}
    async with opened() as app:
        records = app.service(Records)
        with bar("Looking up", total=len(ids)) as done:

            async def one(paper_id: PaperId) -> Record:
                record = await records.find(paper_id)
                done()
                return record

            return dict(zip(ids, await asyncio.gather(*map(one, ids)), strict=True))


def _told(text: str, paper_id: PaperId | None, records: dict[PaperId, Record]) -> int:
    """The exit code for one of them, and on stderr why there is no citation."""
    if paper_id is None:
        exits.complain(f"{text}: not a DOI, arXiv id, PMID or ISBN.", {})
        return exits.NOTHING
    record = records[paper_id]
    if record.paper is not None:
        return exits.OK
    if record.state == NOT_REGISTERED:
        exits.complain(f"{text}: no registry knows {paper_id}.", {})
        return exits.NOTHING
    exits.complain(f"{text}: nobody who could know was able to answer.", {})
    return exits.UPSTREAM
