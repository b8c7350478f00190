"""Check one citation with the registries.

Does it exist, does it describe the right work, was it not retracted, and does it address a claim?
Exits with 1 if it is retracted, mismatched, not registered or not found, and with 3 if it could not
be checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli import screen
from citewell.cli.command_app import AnswerJson, open_command_app
from citewell.cli.exit_codes import AllowUnchecked, choose_gate_exit
from citewell.cli.tool_command import print_tool_error
from citewell.text.data_tables import load_table

if TYPE_CHECKING:
    from citewell.server.call_values import ToolOutcome

_ABSENT = frozenset({"not_registered", "gone", "dead", "probably_never_existed"})
_RELATION_STYLES = {"supports": "ok", "contradicts": "failed"}


def command(
    citation: Annotated[
        str,
        typer.Argument(
            help="DOI, URL, reference, arXiv id, PMID, ISBN, RFC, standard or legal citation."
        ),
    ],
    *,
    claim: Annotated[
        str | None,
        typer.Option(help="What it is cited for; shows the closest sentences of the source."),
    ] = None,
    as_json: AnswerJson = False,
    allow_unchecked: AllowUnchecked = False,
) -> int:
    given = {"citation": citation} | ({"claim": claim} if claim else {})
    outcome = asyncio.run(_call_verify_citation(given))
    if outcome.error is not None:
        return print_tool_error(outcome.error, as_json=as_json)
    body = outcome.body or {}
    if as_json:
        screen.print_json(body)
    else:
        _print_verification(body)
    # Whether nobody could say that it exists, or the source could not be read for the claim.
    is_unchecked = (
        body["existence"] == "unchecked" or body.get("claimSupport") == "source_unavailable"
    )
    return choose_gate_exit(
        is_wrong=_is_wrong(body),
        unchecked_count=int(is_unchecked),
        allow_unchecked=allow_unchecked,
    )


async def _call_verify_citation(arguments: Mapping[str, object]) -> ToolOutcome:
    async with open_command_app(is_gate=True) as app:
        with screen.show_spinner("Checking") as progress:
            return await app.call_tool(
                "verify_citation", arguments, report=progress.update_progress
            )


def _is_wrong(body: Mapping[str, Any]) -> bool:
    retracted = (body.get("retractionStatus") or {}).get("retracted")
    return bool(
        retracted
        or body.get("mismatches")
        or body["existence"] in _ABSENT
        or body["verificationStatus"] == "not_found"
    )


def _print_verification(body: Mapping[str, Any]) -> None:
    word, style = _choose_headline(body)
    kind = body["inputType"]
    screen.print_text(f"{word} ({kind})", style=screen.STATE_COLOURS[style])
    if record := body.get("matchedRecord"):
        _print_matched_work("Record", record)
    elif near := body.get("possibleMatch"):
        _print_matched_work("Nearest record", near)
    for near in body.get("nearestRecords") or ():
        _print_matched_work("Similar", near)
    for line, style in _list_verdict_lines(body):
        screen.print_text(line, style=screen.STATE_COLOURS.get(style, ""))
    near = [
        sentence
        for sentence in body.get("claimEvidence") or ()
        if sentence not in body.get("claimQuote", "")
    ]
    for sentence in near:
        screen.print_text(f"  “{sentence}”")


def _choose_headline(body: Mapping[str, Any]) -> tuple[str, str]:
    """The first words of the result and their style; a record that differs is not an unchecked one."""
    if body["existence"] == "unchecked" and body.get("mismatches"):
        return "Differs from the registered work", "failed"
    if body["verificationStatus"] == "unread":
        return "Exists, content not seen", "warning"
    labels = load_table(__package__, "command_words")["existence"]
    word, style = labels.get(body["existence"], (body["existence"], "warning"))
    return word, style


def _print_matched_work(label: str, record: Mapping[str, Any]) -> None:
    names = record.get("authors") or ()
    who = ", ".join(names[:3]) + (" et al." if len(names) > 3 else "")
    facts = (who, str(record.get("year") or ""), record.get("journal") or "")
    case_facts = (record.get("citation"), record.get("court"), record.get("dateFiled"))
    screen.print_text(f"{label}: {record['title']}")
    details = [fact for fact in (*facts, *case_facts) if fact]
    if details:
        screen.print_text(f"  {' · '.join(details)}", style="dim")
    if address := record.get("url") or (
        f"https://doi.org/{doi}" if (doi := record.get("doi")) else ""
    ):
        screen.print_text(f"  {address}", style="cyan", unwrapped=True)


def _list_verdict_lines(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The lines to print about the verdict, each with its style."""
    if status := body.get("retractionStatus"):
        yield (
            _describe_retraction_notice(status),
            "failed" if status.get("retracted") else "warning",
        )
    yield from _list_difference_lines(body)
    if body.get("linkState") == "dead":
        reason = body.get("linkReason") or "the server did not answer"
        archived = f"; archived at {body['archivedUrl']}" if body.get("archivedUrl") else ""
        yield f"The link is dead ({reason}{archived}).", "warning"
    if caveat := body.get("authenticityCaveat"):
        yield caveat, "warning"
    for note in body.get("notes") or ():
        yield note, "idle"
    if support := body.get("claimSupport"):
        yield f"Claim: {support.replace('_', ' ')}.", "ok" if support == "addressed" else "warning"
    yield from _list_judgement_lines(body)
    if body.get("contrastSignal"):
        yield "The source seems to deny the claim; read its sentences.", "warning"


def _list_difference_lines(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """In what the citation differs from the record, and what it should be."""
    for mismatch in body.get("mismatches") or ():
        yield f"Mismatch: {mismatch}", "failed"
    for correction in body.get("corrections") or ():
        yield (
            f"Correct {correction['field']}: {correction['record']} (cited: {correction['cited']})",
            "warning",
        )
    if body["existence"] != "unchecked" and (right := body.get("suggestedDoi")):
        yield f"The citation matches DOI {right} instead.", "warning"
    if (right := body.get("suggestedCitation")) and body["existence"] != "found":
        yield f"The right citation is probably {right}.", "warning"


def _list_judgement_lines(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the judge says of the claim, with the words of the source that show it."""
    if relation := body.get("claimRelation"):
        style = _RELATION_STYLES.get(relation, "warning")
        yield f"The source {relation} it, says the judge {body['claimJudge']}:", style
        yield f"  “{' '.join(body.get('claimQuote', '').split())}”", "idle"
    if note := body.get("claimJudgeNote"):
        yield note, "warning"


def _describe_retraction_notice(status: Mapping[str, Any]) -> str:
    word = str(status["kind"]).replace("_", " ").capitalize()
    when = f" of {status['date']}" if status.get("date") else ""
    source = f" according to {status['source']}" if status.get("source") else ""
    notice = f"; notice {status['noticeDoi']}" if status.get("noticeDoi") else ""
    return f"{word}{when}{source}{notice}."
