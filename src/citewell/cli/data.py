"""`citewell data`: the tables that checks use without a network, and how old they are."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

import typer

from citewell.cli import exits, screen
from citewell.cli.opened import opened
from citewell.cli.surroundings import Check
from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.services.trust.importing import Imported, Importing
from citewell.store.retractions import Edition

ABOUT = "Tables for checks without a network: retractions, from the public Retraction Watch file."
_DAY = 86400.0
_STALE = 60  # days; the public file changes every working day

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def group(epilog: str) -> typer.Typer:
    """The verbs under `citewell data`."""
    verbs = typer.Typer(help=ABOUT, no_args_is_help=True, epilog=epilog)
    for name, command in (("update", update), ("status", status)):
        verbs.command(name, epilog=epilog)(exits.ended(command))
    return verbs


def update(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATH|URL]",
            help="The Retraction Watch CSV; RETRACTION_WATCH_URL unless given.",
        ),
    ] = None,
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Take a file with far fewer rows than before.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Import the table of retractions anew; if that fails, the one in use stays."""
    done = asyncio.run(_updated(source, force=force))
    if as_json:
        screen.say_json(_wire(done))
    else:
        _tell(done)
    return exits.OK


async def _updated(source: str | None, *, force: bool) -> Imported:
    async with opened() as app:
        chosen = source or app.settings.retraction_watch_url
        if chosen.lower().startswith(("http://", "https://")):
            app.network.guard.trust(chosen)  # whoever runs this names the address
        with screen.spinner("Importing the table of retractions") as spinner:
            importing = app.service(Importing)
            return await importing.run(chosen, report=spinner.report, force=force)


def _tell(done: Imported) -> None:
    tally, edition = done.tally, done.edition
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in tally.kinds.most_common())
    screen.say(f"{edition.rows:,} notices up to {edition.dated or 'no date'}: {kinds}.")
    if done.before is not None and done.change is not None:
        screen.say(
            f"{done.change.added:,} new, {done.change.removed:,} gone, {done.change.changed:,} of"
            f" another kind since the table up to {done.before.dated}."
        )
    if tally.nameless:
        screen.say(f"{tally.nameless:,} have neither DOI nor PubMed number and were passed over.")
    if tally.malformed:
        screen.say(f"{tally.malformed:,} rows could not be read:", style="yellow")
        for fault in tally.faults:
            screen.say(f"  line {fault.line}: {fault.reason}")


def _wire(done: Imported) -> dict[str, Any]:
    change = done.change
    return {
        **_facts(done.edition),
        "kinds": dict(done.tally.kinds),
        "withoutIdentifier": done.tally.nameless,
        "malformed": done.tally.malformed,
        "faults": [{"line": one.line, "reason": one.reason} for one in done.tally.faults],
        "change": change
        and {"added": change.added, "removed": change.removed, "changedKind": change.changed},
    }


def status(*, as_json: JsonOption = False) -> int:
    """Show what is imported and how old it is; exits with 1 while there is nothing."""
    edition = asyncio.run(_edition())
    if as_json:
        screen.say_json(_facts(edition) if edition else None)
    elif edition is None:
        screen.say("No table of retractions is imported. `citewell data update` brings one.")
    else:
        screen.table(("RETRACTIONS", ""), [(name, str(what)) for name, what in _lines(edition)])
    return exits.OK if edition else exits.NOTHING


async def _edition() -> Edition | None:
    async with opened() as app:
        return await app.retraction_table().edition()


def _lines(edition: Edition) -> list[tuple[str, str]]:
    facts = _facts(edition)
    return [
        ("notices", f"{edition.rows:,}"),
        ("passed over", f"{edition.skipped:,}"),
        ("newest notice", edition.dated or "unknown"),
        ("imported", f"{facts['imported']} ({facts['ageDays']} days ago)"),
        ("from", edition.origin),
    ]


def _facts(edition: Edition) -> dict[str, Any]:
    return {
        "rows": edition.rows,
        "skipped": edition.skipped,
        "date": edition.dated,
        "imported": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(edition.imported)),
        "ageDays": age(edition, now=time.time()),
        "origin": edition.origin,
    }


def age(edition: Edition, *, now: float) -> int:
    """Whole days since it was imported."""
    return max(0, int((now - edition.imported) // _DAY))


async def check(app: App) -> Check:
    """The doctor's line: whether checks without a network have anything to go by."""
    name, update_it = "retraction table", "citewell data update"
    try:
        edition = await app.retraction_table().edition()
    except CitewellError as error:
        return Check(name=name, state="warning", detail=error.message)
    if edition is None:
        detail = "none imported; retractions are looked up in registries alone"
        return Check(name=name, state="ok", detail=detail, change=f"{update_it} (only if wanted)")
    days = age(edition, now=time.time())
    detail = f"{edition.rows:,} notices up to {edition.dated}, imported {days} days ago"
    if days > _STALE:
        return Check(name=name, state="warning", detail=detail, change=update_it)
    return Check(name=name, state="ok", detail=detail)
