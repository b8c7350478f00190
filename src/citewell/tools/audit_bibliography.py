"""Check every reference of a bibliography."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from citewell.errors import InvalidInput
from citewell.model.trust import AuditReport
from citewell.services.sessions import export
from citewell.services.sessions.tracking import Sessions
from citewell.services.trust import intake
from citewell.services.trust.audit import Audit
from citewell.services.trust.intake import Wish
from citewell.text import references
from citewell.tooling import Arguments, Call, Tool


def _blank(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


class Args(Arguments):
    """Check a whole reference list at once: entries that are not registered, mismatched, retracted, duplicate or dead, each with its reason. Give a document, a list or a session. Evidence, no verdict; what could not be checked says so. For one citation use verify_citation."""

    bibliography: Annotated[
        str | None,
        Field(
            default=None,
            max_length=10_000_000,
            description="BibTeX, RIS, CSL-JSON or a list in prose.",
        ),
        BeforeValidator(_blank),
    ]
    format: Annotated[Literal["auto", "csl-json", "ris", "bibtex", "prose"], Field(default="auto")]
    entries: Annotated[
        tuple[dict[str, Any], ...],
        Field(
            default=(),
            max_length=2000,
            description="Each with url, title, author, site, date, doi, and claim: what it is cited for.",
        ),
    ]
    session_id: Annotated[
        str | None,
        Field(
            default=None,
            max_length=100,
            validation_alias="sessionId",
            description="Checks the session's sources.",
        ),
        BeforeValidator(_blank),
    ]


async def run(args: Args, call: Call) -> AuditReport:
    wish = await _wish(args, call)
    return await call.service(Audit).audit(wish, tenant=call.owner.tenant, progress=call.progress)


async def _wish(args: Args, call: Call) -> Wish:
    """The first of entries, bibliography and session that was given."""
    if args.entries:
        return intake.of_entries(args.entries)
    if args.bibliography:
        # Megabytes take a while to read; the loop must not stand still.
        document = await asyncio.to_thread(references.read, args.bibliography, format=args.format)
        return intake.of_document(document)
    if args.session_id:
        session = await call.service(Sessions).find(str(call.owner), args.session_id)
        return intake.of_works(export.works(session))
    raise InvalidInput("Give entries, bibliography or sessionId.")


TOOL = Tool(args=Args, result=AuditReport, run=run, toolset="trust", default=True, long=True)
