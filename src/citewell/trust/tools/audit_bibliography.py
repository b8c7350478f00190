"""Check every reference of a bibliography."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from pydantic import Field

from citewell.citations.references.reference_splitting import has_reference_heading
from citewell.core.errors import InvalidInput
from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.argument_types import BLANK_IS_ABSENT, BibliographyFormat
from citewell.core.values.citation_checks import AuditReport
from citewell.sessions import session_export
from citewell.sessions.session_tracking import SessionTracker
from citewell.trust import bibliography_audit
from citewell.trust.bibliography_audit import AuditRequest, BibliographyAudit
from citewell.trust.bibliography_reading import BibliographyReader
from citewell.trust.brief_audit import (
    BriefAudit,
    append_cases,
    find_case_text,
    is_brief_document,
    omit_listed_cases,
)


class Args(ToolArguments):
    """Check a whole reference list at once: entries that are not registered, mismatched, retracted, duplicate or dead, each with its reason; and every court case that the text cites. Evidence, no verdict; says what could not be checked. For one citation use verify_citation."""

    bibliography: Annotated[
        str | None,
        Field(
            default=None,
            max_length=10_000_000,
            description="Any reference manager's or database's export, LaTeX, a list in prose, or a brief; of a brief only citations and case names leave the machine.",
        ),
        BLANK_IS_ABSENT,
    ]
    format: Literal["auto", BibliographyFormat] = "auto"
    entries: Annotated[
        tuple[dict[str, Any], ...],
        Field(
            default=(),
            max_length=2000,
            description="Items of other tools' answers, or objects with url, title, author, site, date, doi; and claim: what it is cited for.",
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
    text = args.bibliography or ""
    case_text = await asyncio.to_thread(find_case_text, text, args.format)
    if case_text and not args.entries and await _is_brief(args):
        return await call.require_service(BriefAudit).audit_brief(
            case_text, progress=call.report_progress
        )
    report, cases = await asyncio.gather(
        _audit_listed_references(args, call), _audit_cited_cases(case_text, call)
    )
    return append_cases(report, omit_listed_cases(cases, report) if cases else None)


async def _audit_listed_references(args: Args, call: ToolCall) -> AuditReport:
    request = await _build_audit_request(args, call)
    return await call.require_service(BibliographyAudit).audit_bibliography(
        request, tenant=call.owner.tenant, owner=str(call.owner), progress=call.report_progress
    )


async def _audit_cited_cases(case_text: str, call: ToolCall) -> AuditReport | None:
    return await call.require_service(BriefAudit).audit_brief(case_text) if case_text else None


async def _is_brief(args: Args) -> bool:
    """Whether only the cited cases are to be checked; a format that is named is taken at its word."""
    text = args.bibliography or ""
    if args.format != "auto" or await asyncio.to_thread(has_reference_heading, text):
        return False
    return await asyncio.to_thread(is_brief_document, text)


async def _build_audit_request(args: Args, call: ToolCall) -> AuditRequest:
    """The references to audit: from entries, else the bibliography, else the session."""
    if args.entries:
        return bibliography_audit.build_entries_request(args.entries)
    if args.bibliography:
        document = await call.require_service(BibliographyReader).parse_document(
            args.bibliography, format=args.format
        )
        return bibliography_audit.build_document_request(document)
    if args.session_id:
        session = await call.require_service(SessionTracker).find_session(
            str(call.owner), args.session_id
        )
        return bibliography_audit.build_works_request(
            session_export.convert_sources(session.sources)
        )
    raise InvalidInput("Give entries, bibliography or sessionId.")


TOOL = Tool(
    args=Args,
    result=AuditReport,
    run=run,
    toolset="trust",
    in_default_profile=True,
    has_long_timeout=True,
)
