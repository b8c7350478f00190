"""Recover a research session after the client lost its context."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.errors import NotFound
from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.wire_values import UNTRUSTED_LABEL
from citewell.sessions import session_views
from citewell.sessions.session_tracking import SessionTracker
from citewell.sessions.session_views import SessionRecovery


class Args(ToolArguments):
    """Recover a sequential_search session: goal, summary, index of steps, the last three whole, open gaps and sources. Give stepId for one earlier step in full."""

    session_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="sessionId")]
    step_id: Annotated[int | None, Field(default=None, ge=1, validation_alias="stepId")]


async def run(args: Args, call: ToolCall) -> SessionRecovery:
    session = await call.require_service(SessionTracker).find_session(
        str(call.owner), args.session_id
    )
    if args.step_id is None:
        return SessionRecovery.model_validate(session_views.build_recovery_view(session))
    step = session.find_step(args.step_id)
    if step is None:
        raise NotFound(
            f"Step {args.step_id} does not exist; the session has {session.describe_step_numbers()}.",
            action="fix_arguments",
        )
    shown = {
        "sessionId": session.id,
        "step": session_views.build_step_view(session, step),
        "trust": UNTRUSTED_LABEL,
    }
    return SessionRecovery.model_validate(shown)


TOOL = Tool(
    args=Args,
    result=SessionRecovery,
    run=run,
    toolset="sessions",
    in_default_profile=True,
    open_world=False,
)
