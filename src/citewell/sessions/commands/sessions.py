"""List research sessions, show one, or export it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import call_with_app, open_command_app
from citewell.core.errors import InvalidInput
from citewell.core.tooling import Owner
from citewell.core.values.argument_types import EXPORT_FORMATS
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research_session import ResearchSession
from citewell.sessions import session_export, session_views
from citewell.sessions.session_tracking import SessionTracker

SESSION_ACTIONS = ("list", "show", "export")


def command(
    verb: Annotated[str, typer.Argument(help="list, show or export.")] = "list",
    session_id: Annotated[str | None, typer.Argument(help="The session to show or export.")] = None,
    *,
    form: Annotated[
        str, typer.Option("--format", help="markdown, json, html or bibtex, for export.")
    ] = "markdown",
    out: Annotated[Path | None, typer.Option(help="Write the export to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    if verb not in SESSION_ACTIONS:
        raise InvalidInput(f"sessions accepts {', '.join(SESSION_ACTIONS)}, not {verb}.")
    if verb == "list":
        found = call_with_app(
            lambda app: app.require_service(SessionTracker).list_sessions(str(app.local_owner))
        )
        return _print_session_list(found, as_json=as_json)
    if session_id is None:
        raise InvalidInput(
            f"`sessions {verb}` needs the id of a session; `citewell sessions list` shows them."
        )
    session, stamp = asyncio.run(_load_stored_session(session_id))
    if verb == "show":
        return _print_stored_session(session, as_json=as_json)
    return _export_stored_session(session, form, stamp=stamp, out=out)


async def _load_stored_session(session_id: str) -> tuple[ResearchSession, str]:
    async with open_command_app() as app:
        sessions = app.require_service(SessionTracker)
        return await sessions.find_session(str(app.local_owner), session_id), sessions.format_now()


def _print_session_list(sessions: tuple[ResearchSession, ...], *, as_json: bool) -> int:
    rows = [_build_session_row(session) for session in sessions]
    if as_json:
        screen.print_json({"sessions": rows})
    elif not rows:
        screen.print_text("No research sessions. An assistant starts one with sequential_search.")
    for row in () if as_json else rows:
        state = "done" if row["isComplete"] else "open"
        screen.print_text(
            f"{row['sessionId']}  {row['startedAt']}  {state:4}  {row['steps']} {pluralize(row['steps'], 'step')}, {row['sources']} {pluralize(row['sources'], 'source')}"
        )
        screen.print_text(f"    {row['researchGoal']}")
    return exit_codes.OK if rows else exit_codes.NOTHING_FOUND


def _build_session_row(session: ResearchSession) -> dict[str, Any]:
    return {
        "sessionId": session.id,
        "researchGoal": session.goal,
        "startedAt": session.started,
        "isComplete": session.is_complete,
        "steps": len(session.steps),
        "sources": len(session.sources),
    }


def _print_stored_session(session: ResearchSession, *, as_json: bool) -> int:
    if as_json:
        screen.print_json(session_views.build_recovery_view(session))
    else:
        screen.print_text(
            session_export.render_session(
                session, "markdown", tenant=Owner().tenant, stamp=session.started
            )
        )
    return exit_codes.OK


def _export_stored_session(
    session: ResearchSession, form: str, *, stamp: str, out: Path | None
) -> int:
    if form not in EXPORT_FORMATS:
        raise InvalidInput(f"--format must be one of {', '.join(EXPORT_FORMATS)}.")
    made = session_export.render_session(session, form, tenant=Owner().tenant, stamp=stamp)
    text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False, indent=2)
    if out is None:
        screen.print_text(text, unwrapped=True)
    else:
        out.write_text(text, encoding="utf-8")
        screen.print_text(f"Wrote {out}.")
    return exit_codes.OK
