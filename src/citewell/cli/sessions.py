"""`citewell sessions`: what research is on record, and documents made of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from citewell.cli import exits, screen
from citewell.cli.opened import opened
from citewell.errors import InvalidInput
from citewell.model.session import Session
from citewell.services.sessions import export, views
from citewell.services.sessions.tracking import Sessions
from citewell.tooling import Owner

VERBS = ("list", "show", "export")


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
    """List your research sessions, show one, or export it as a document."""
    if verb not in VERBS:
        raise InvalidInput(f"sessions takes {', '.join(VERBS)}, not {verb}.")
    if verb == "list":
        return _list(asyncio.run(_all()), as_json=as_json)
    if session_id is None:
        raise InvalidInput(
            f"sessions {verb} needs the id of a session; `citewell sessions list` shows them."
        )
    session, stamp = asyncio.run(_one(session_id))
    if verb == "show":
        return _show(session, as_json=as_json)
    return _export(session, form, stamp=stamp, out=out)


async def _all() -> tuple[Session, ...]:
    async with opened() as app:
        return await app.service(Sessions).listed(str(Owner()))


async def _one(session_id: str) -> tuple[Session, str]:
    async with opened() as app:
        sessions = app.service(Sessions)
        return await sessions.find(str(Owner()), session_id), sessions.stamp()


def _list(sessions: tuple[Session, ...], *, as_json: bool) -> int:
    rows = [_row(session) for session in sessions]
    if as_json:
        screen.say_json({"sessions": rows})
    elif not rows:
        screen.say("No research sessions. An assistant begins one with sequential_search.")
    for row in () if as_json else rows:
        state = "done" if row["isComplete"] else "open"
        screen.say(
            f"{row['sessionId']}  {row['startedAt']}  {state:4}  {row['steps']} steps, {row['sources']} sources"
        )
        screen.say(f"    {row['researchGoal']}")
    return exits.OK if rows else exits.NOTHING


def _row(session: Session) -> dict[str, Any]:
    return {
        "sessionId": session.id,
        "researchGoal": session.goal,
        "startedAt": session.started,
        "isComplete": session.complete,
        "steps": len(session.steps),
        "sources": len(session.sources),
    }


def _show(session: Session, *, as_json: bool) -> int:
    if as_json:
        screen.say_json(views.recovery(session))
    else:
        screen.say(
            export.document(session, "markdown", tenant=Owner().tenant, stamp=session.started)
        )
    return exits.OK


def _export(session: Session, form: str, *, stamp: str, out: Path | None) -> int:
    if form not in export.FORMATS:
        raise InvalidInput(f"format is one of {', '.join(export.FORMATS)}.")
    made = export.document(session, form, tenant=Owner().tenant, stamp=stamp)
    text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False, indent=2)
    if out is None:
        screen.say(text, whole=True)
    else:
        out.write_text(text, encoding="utf-8")
        screen.say(f"Written to {out}.")
    return exits.OK
