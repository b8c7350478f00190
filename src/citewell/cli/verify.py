"""`citewell verify`: the verify_citation tool, from a shell."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from citewell.cli import exits, screen
from citewell.cli.opened import opened
from citewell.cli.refused import refused
from citewell.server.pipeline import Outcome

_SAID = {
    "found": ("Found", "ok"),
    "not_registered": ("Not registered", "failed"),
    "gone": ("Gone", "failed"),
    "unchecked": ("Could not be checked", "warning"),
}


def command(
    citation: Annotated[
        str,
        typer.Argument(help="DOI, URL, reference, arXiv id, PMID, ISBN or legal citation."),
    ],
    *,
    claim: Annotated[
        str | None, typer.Option(help="What it is cited for; the source's nearest sentences.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tool's own answer.")] = False,
) -> int:
    """Check one citation: that it exists, is what it says, was not retracted, and speaks of a claim.

    Exits with 1 when it is retracted, mismatched or not registered, or nothing like it
    is known, and with 3 when nobody could say.
    """
    given = {"citation": citation} | ({"claim": claim} if claim else {})
    outcome = asyncio.run(_ask(given))
    if outcome.is_error:
        return refused(outcome, as_json=as_json)
    body = outcome.body or {}
    if as_json:
        screen.say_json(body)
    else:
        _show(body)
    return _code(body)


async def _ask(arguments: Mapping[str, object]) -> Outcome:
    async with opened() as app:
        with screen.spinner("Checking") as progress:
            return await app.call("verify_citation", arguments, report=progress.report)


def _code(body: Mapping[str, Any]) -> int:
    retracted = (body.get("retractionStatus") or {}).get("retracted")
    if retracted or body.get("mismatches") or body["existence"] in {"not_registered", "gone"}:
        return exits.NOTHING
    if body["verificationStatus"] == "not_found":
        return exits.NOTHING
    unanswered = body["existence"] == "unchecked" and body["inputType"] != "legal"
    return exits.UPSTREAM if unanswered else exits.OK


def _show(body: Mapping[str, Any]) -> None:
    word, style = _SAID.get(body["existence"], (body["existence"], "warning"))
    kind = body["inputType"]
    screen.say(f"{word} ({kind})", style=screen.STYLES[style])
    if record := body.get("matchedRecord"):
        _show_work("Record", record)
    elif near := body.get("possibleMatch"):
        _show_work("Nearest record", near)
    for line, style in _lines(body):
        screen.say(line, style=screen.STYLES.get(style, ""))
    for sentence in body.get("claimEvidence") or ():
        screen.say(f"  “{sentence}”")


def _show_work(label: str, record: Mapping[str, Any]) -> None:
    names = record.get("authors") or ()
    who = ", ".join(names[:3]) + (" et al." if len(names) > 3 else "")
    facts = (who, str(record.get("year") or ""), record.get("journal") or "")
    screen.say(f"{label}: {record['title']}")
    screen.say(f"  {' · '.join(fact for fact in facts if fact)}", style="dim")
    screen.say(f"  {record['url']}", style="cyan", whole=True)


def _lines(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What there is to say, each with its colour."""
    if status := body.get("retractionStatus"):
        yield _notice(status), "failed" if status["retracted"] else "warning"
    for mismatch in body.get("mismatches") or ():
        yield f"Mismatch: {mismatch}", "failed"
    if right := body.get("suggestedDoi"):
        yield f"The words fit DOI {right}.", "warning"
    if body.get("linkState") == "dead":
        reason = body.get("linkReason") or "no server answered"
        archived = f"; archived at {body['archivedUrl']}" if body.get("archivedUrl") else ""
        yield f"The link is dead ({reason}{archived}).", "warning"
    if caveat := body.get("authenticityCaveat"):
        yield caveat, "warning"
    for note in body.get("notes") or ():
        yield note, "idle"
    if support := body.get("claimSupport"):
        yield f"Claim: {support.replace('_', ' ')}.", "ok" if support == "addressed" else "warning"
    if body.get("contrastSignal"):
        yield "A sentence of the source denies something; read it.", "warning"


def _notice(status: Mapping[str, Any]) -> str:
    word = str(status["kind"]).replace("_", " ").capitalize()
    when = f" of {status['date']}" if status.get("date") else ""
    source = f" according to {status['source']}" if status.get("source") else ""
    notice = f"; notice {status['noticeDoi']}" if status.get("noticeDoi") else ""
    return f"{word}{when}{source}{notice}."
