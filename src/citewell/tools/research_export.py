"""Turn a research session into a document."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citewell.model.base import UNTRUSTED, Report
from citewell.services.links import Links
from citewell.services.sessions import export
from citewell.services.sessions.tracking import Sessions
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """Export a sequential_search session as a report (markdown, html), structured json, or its sources as bibtex."""

    session_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="sessionId")]
    format: Annotated[Literal["markdown", "json", "html", "bibtex"], Field(default="markdown")]
    verify_links: Annotated[
        bool,
        Field(
            default=False, description="Check each source and find an archived copy of dead ones."
        ),
    ]


async def run(args: Args, call: Call) -> Report:
    sessions = call.service(Sessions)
    session = await sessions.find(str(call.owner), args.session_id)
    checked = None
    if args.verify_links:
        await call.progress(0, len(session.sources), "checking links")
        checked = await call.service(Links).check(source.url for source in session.sources)
    stamp, tenant = sessions.stamp(), call.owner.tenant
    return Report(
        content={
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
    )


TOOL = Tool(args=Args, result=Report, run=run, toolset="sessions", open_world=False, long=True)
