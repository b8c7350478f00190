"""Pick up a research session after the context was lost."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.errors import NotFound
from citewell.model.base import UNTRUSTED, Report
from citewell.services.sessions import views
from citewell.services.sessions.tracking import Sessions
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """Recover a sequential_search session: goal, summary, index of steps, the last three whole, open gaps and sources. Give stepId for one earlier step in full."""

    session_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="sessionId")]
    step_id: Annotated[int | None, Field(default=None, ge=1, validation_alias="stepId")]


async def run(args: Args, call: Call) -> Report:
    session = await call.service(Sessions).find(str(call.owner), args.session_id)
    if args.step_id is None:
        return Report(content=views.recovery(session))
    step = session.step(args.step_id)
    if step is None:
        raise NotFound(
            f"Step {args.step_id} does not exist; the session has steps 1 to {session.last}."
        )
    shown = {"sessionId": session.id, "step": views.whole_step(session, step), "trust": UNTRUSTED}
    return Report(content=shown)


TOOL = Tool(args=Args, result=Report, run=run, toolset="sessions", open_world=False)
