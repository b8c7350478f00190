"""Check every reference of a bibliography."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from pydantic import Field

from citewell.errors import InvalidInput
from citewell.model.argument_types import BLANK_IS_ABSENT, BibliographyFormat
from citewell.model.citation_checks import AuditReport
from citewell.services.sessions import session_export
from citewell.services.sessions.session_tracking import SessionTracker
from citewell.services.trust import bibliography_intake
from citewell.services.trust.bibliography_audit import BibliographyAudit
from citewell.services.trust.bibliography_intake import AuditRequest
from citewell.services.trust.bibliography_reading import BibliographyReader
from citewell.services.trust.brief_audit import BriefAudit, is_brief_document
from citewell.tooling import Tool, ToolArguments, ToolCall


class Args(ToolArguments):
    """Check a whole reference list at once: entries that are not registered, mismatched, retracted, duplicate or dead, each with its reason; in a legal brief, every cited case. Give a document, a list or a session. Evidence, no verdict; what could not be checked says so. For one citation use verify_citation."""

    bibliography: Annotated[
        str | None,
        Field(
            default=None,
            max_length=10_000_000,
            description="An export of any reference manager or database, LaTeX, a list in prose, or a brief; of a brief only citations and case names leave the machine.",
        ),
        BLANK_IS_ABSENT,
    ]
    format: Literal["auto", BibliographyFormat] = "auto"
    entries: Annotated[
        tuple[dict[str, Any], ...],
        Field(
            default=(),
            max_length=2000,
            description="Items of other tools' answers as they are, or each with url, title, author, site, date, doi; and claim: what it is cited for.",
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
        BLANK_IS_ABSENT,
    ]


async def run(args: Args, call: ToolCall) -> AuditReport:
    if not args.entries and args.bibliography and await _is_brief(args):
        return await call.require_service(BriefAudit).audit_brief(
            args.bibliography, progress=call.report_progress
        )
    wish = await _build_audit_request(args, call)
    return await call.require_service(BibliographyAudit).audit_bibliography(
        wish, tenant=call.owner.tenant, owner=str(call.owner), progress=call.report_progress
    )


async def _is_brief(args: Args) -> bool:
    """Whether the document's cited cases are to be checked; a format that is named is taken at its word."""
    if args.format != "auto":
        return False
    return await asyncio.to_thread(is_brief_document, args.bibliography or "")


async def _build_audit_request(args: Args, call: ToolCall) -> AuditRequest:
    """The references to audit: from entries, else the bibliography, else the session."""
    if args.entries:
        return bibliography_intake.build_entries_request(args.entries)
    if args.bibliography:
        document = await call.require_service(BibliographyReader).parse_document(
            args.bibliography, format=args.format
        )
        return bibliography_intake.build_document_request(document)
    if args.session_id:
        session = await call.require_service(SessionTracker).find_session(
            str(call.owner), args.session_id
        )
        return bibliography_intake.build_works_request(session_export.list_cited_works(session))
    raise InvalidInput("Give entries, bibliography or sessionId.")


TOOL = Tool(
    args=Args,
    result=AuditReport,
    run=run,
    toolset="trust",
    in_default_profile=True,
    has_long_timeout=True,
)
