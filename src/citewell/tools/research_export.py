"""Turn a research session, or a finished research job, into a document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from citewell.errors import InvalidInput
from citewell.model.base import UNTRUSTED, Report
from citewell.services.links import Links
from citewell.services.research.service import Research
from citewell.services.sessions import export
from citewell.services.sessions.tracking import Sessions
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """Export a sequential_search session or a completed research job as a report (markdown, html), structured json, or its sources as bibtex. Give sessionId or jobId."""

    session_id: Annotated[
        str | None,
        Field(default=None, min_length=1, max_length=100, validation_alias="sessionId"),
    ]
    job_id: Annotated[
        str | None, Field(default=None, min_length=1, max_length=100, validation_alias="jobId")
    ]
    format: Annotated[Literal["markdown", "json", "html", "bibtex"], Field(default="markdown")]
    verify_links: Annotated[
        bool,
        Field(
            default=False,
            description="Check each source of a session and find an archived copy of dead ones.",
        ),
    ]


async def run(args: Args, call: Call) -> Report:
    if args.session_id is not None and args.job_id is None:
        return Report(content=await _session(args.session_id, args, call))
    if args.job_id is not None and args.session_id is None:
        owner, research = str(call.owner), call.service(Research)
        shown = await research.exported(owner, args.job_id, args.format)
        return Report(content=shown | {"tenantId": call.owner.tenant})
    raise InvalidInput("Give either sessionId or jobId: one document is made of one of them.")


async def _session(session_id: str, args: Args, call: Call) -> dict[str, Any]:
    sessions = call.service(Sessions)
    session = await sessions.find(str(call.owner), session_id)
    checked = None
    if args.verify_links:
        await call.progress(0, len(session.sources), "checking links")
        checked = await call.service(Links).check(source.url for source in session.sources)
    stamp, tenant = sessions.stamp(), call.owner.tenant
    return {
        "sessionId": session.id,
        "format": args.format,
        "researchGoal": session.goal,
        "stepCount": len(session.steps),
        "sourceCount": len(session.sources),
        "startedAt": session.started,
        "exportedAt": stamp,
        "tenantId": tenant,
        "document": export.document(
            session, args.format, tenant=tenant, stamp=stamp, checked=checked
        ),
        "trust": UNTRUSTED,
    }


TOOL = Tool(args=Args, result=Report, run=run, toolset="sessions", open_world=False, long=True)
