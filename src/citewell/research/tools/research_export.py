"""Export a research session or a completed research job as a document."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from citewell.core.errors import InvalidInput
from citewell.core.tooling import MainBody, Tool, ToolArguments, ToolCall
from citewell.core.values.argument_types import ExportFormat
from citewell.core.values.wire_values import UNTRUSTED_LABEL
from citewell.links.link_checks import LinkChecker
from citewell.reading.pages.artifacts import find_document_media_type
from citewell.research.research_service import ResearchService
from citewell.sessions import session_export
from citewell.sessions.session_tracking import SessionTracker
from citewell.sessions.session_views import ExportAnswer


class Args(ToolArguments):
    """Export a sequential_search session or a completed research job as a report (markdown, html), structured json, or its sources as bibtex. Give sessionId or jobId."""

    session_id: Annotated[
        str | None, Field(default=None, min_length=1, max_length=100, validation_alias="sessionId")
    ]
    job_id: Annotated[
        str | None, Field(default=None, min_length=1, max_length=100, validation_alias="jobId")
    ]
    format: ExportFormat = "markdown"
    verify_links: Annotated[
        bool,
        Field(
            default=False,
            description="Check each source of a session and find an archived copy of dead ones.",
        ),
    ]


async def run(args: Args, call: ToolCall) -> ExportAnswer:
    if args.session_id is not None and args.job_id is None:
        return ExportAnswer.model_validate(await _export_session(args.session_id, args, call))
    if args.job_id is not None and args.session_id is None:
        owner, research = str(call.owner), call.require_service(ResearchService)
        shown = await research.export_job(owner, args.job_id, args.format)
        return ExportAnswer.model_validate(shown | {"tenantId": call.owner.tenant})
    raise InvalidInput("Give either sessionId or jobId, and not both.")


async def _export_session(session_id: str, args: Args, call: ToolCall) -> dict[str, Any]:
    sessions = call.require_service(SessionTracker)
    session = await sessions.find_session(str(call.owner), session_id)
    checked = None
    if args.verify_links:
        await call.report_progress(0, len(session.sources), "checking links")
        checked = await call.require_service(LinkChecker).check_links(
            source.url for source in session.sources
        )
    stamp, tenant = sessions.format_now(), call.owner.tenant
    return {
        "sessionId": session.id,
        "format": args.format,
        "researchGoal": session.goal,
        "stepCount": len(session.steps),
        "sourceCount": len(session.sources),
        "startedAt": session.started,
        "exportedAt": stamp,
        "tenantId": tenant,
        "document": session_export.render_session(
            session, args.format, tenant=tenant, stamp=stamp, checked=checked
        ),
        "trust": UNTRUSTED_LABEL,
    }


TOOL = Tool(
    args=Args,
    result=ExportAnswer,
    run=run,
    toolset="sessions",
    open_world=False,
    has_long_timeout=True,
    links_large_results=True,
    main_body=MainBody(
        key="document", find_media_type=lambda body: find_document_media_type(body["format"])
    ),
)
