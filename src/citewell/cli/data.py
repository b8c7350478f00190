"""`citewell data`: gets what works without a network: the table of retractions, and the encoder."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Annotated, Any

import typer

from citewell.cli.diagnosis.encoder_checks import check_encoder
from citewell.cli.diagnosis.installation_checks import InstallationCheck
from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import open_command_app
from citewell.cli.running.shared_options import JsonOption
from citewell.cli.terminal import screen
from citewell.errors import CitewellError, InvalidInput
from citewell.model.counted_words import pluralize
from citewell.server.app import App
from citewell.server.wiring.trust_wiring import open_retraction_table
from citewell.services.encoding.model_download import ModelDownload
from citewell.services.trust.retractions.retraction_import import ImportOutcome, RetractionImport
from citewell.store.retraction_table import RetractionEdition
from citewell.store.state_store import has_stored_state

_SECONDS_PER_DAY = 86400.0
_STALE_DAYS = 60  # the public file changes every working day


def update_retractions(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATH|URL]",
            help="The Retraction Watch CSV; the default is RETRACTION_WATCH_URL.",
        ),
    ] = None,
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Accept a file with far fewer rows than before.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Import the retraction table again; if that fails, the current one is kept."""
    done = asyncio.run(_import_retractions(source, force=force))
    if as_json:
        screen.print_json(_build_import_json(done))
    else:
        _print_import(done)
    return exit_codes.OK


async def _import_retractions(source: str | None, *, force: bool) -> ImportOutcome:
    async with open_command_app() as app:
        chosen = source or app.settings.retraction_watch_url
        if chosen.lower().startswith(("http://", "https://")):
            app.network.guard.trust_service(
                chosen
            )  # the address was chosen by the person who runs this
        with screen.show_spinner("Importing the retraction table") as spinner:
            importing = app.require_service(RetractionImport)
            return await importing.import_table(chosen, report=spinner.update_progress, force=force)


def _print_import(done: ImportOutcome) -> None:
    tally, edition = done.tally, done.edition
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in tally.count_by_kind.most_common())
    screen.print_text(
        f"{edition.rows:,} {pluralize(edition.rows, 'notice')} up to {edition.newest_notice_date or 'no date'}: {kinds}."
    )
    if done.before is not None and done.change is not None:
        screen.print_text(
            f"{done.change.added:,} new, {done.change.removed:,} removed, {done.change.changed:,} of"
            f" another kind, compared with the table up to {done.before.newest_notice_date}."
        )
    if tally.without_identifier:
        screen.print_text(
            f"{tally.without_identifier:,} have neither a DOI nor a PMID and were skipped."
        )
    if tally.malformed:
        screen.print_text(
            f"{tally.malformed:,} {pluralize(tally.malformed, 'row')} could not be read:",
            style="yellow",
        )
        for fault in tally.faults:
            screen.print_text(f"  line {fault.line}: {fault.reason}")


def _build_import_json(done: ImportOutcome) -> dict[str, Any]:
    change = done.change
    return {
        **_build_edition_json(done.edition),
        "kinds": dict(done.tally.count_by_kind),
        "withoutIdentifier": done.tally.without_identifier,
        "malformed": done.tally.malformed,
        "faults": [{"line": one.line, "reason": one.reason} for one in done.tally.faults],
        "change": change
        and {"added": change.added, "removed": change.removed, "changedKind": change.changed},
    }


def show_retractions(*, as_json: JsonOption = False) -> int:
    """Show the imported table and its age; exits with 1 if none is imported."""
    edition = asyncio.run(_load_edition())
    if as_json:
        screen.print_json(_build_edition_json(edition) if edition else None)
    elif edition is None:
        screen.print_text(
            "No retraction table is imported. Import one with `citewell data update`."
        )
    else:
        screen.print_table(
            ("RETRACTIONS", ""), [(name, str(what)) for name, what in _build_edition_rows(edition)]
        )
    return exit_codes.OK if edition else exit_codes.NOTHING_FOUND


async def _load_edition() -> RetractionEdition | None:
    async with open_command_app() as app:
        return await open_retraction_table(app.open_state()).load_edition()


def _build_edition_rows(edition: RetractionEdition) -> list[tuple[str, str]]:
    facts = _build_edition_json(edition)
    return [
        ("notices", f"{edition.rows:,}"),
        ("skipped", f"{edition.skipped:,}"),
        ("newest notice", edition.newest_notice_date or "unknown"),
        (
            "imported",
            f"{facts['imported']} ({facts['ageDays']} {pluralize(facts['ageDays'], 'day')} ago)",
        ),
        ("from", edition.origin),
    ]


def _build_edition_json(edition: RetractionEdition) -> dict[str, Any]:
    return {
        "rows": edition.rows,
        "skipped": edition.skipped,
        "date": edition.newest_notice_date,
        "imported": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(edition.imported_at)),
        "ageDays": count_age_days(edition, now=time.time()),
        "origin": edition.origin,
    }


def count_age_days(edition: RetractionEdition, *, now: float) -> int:
    """Whole days since the table was imported."""
    return max(0, int((now - edition.imported_at) // _SECONDS_PER_DAY))


async def _find_edition(app: App) -> RetractionEdition | None:
    """The imported table; None if there is none, in which case no state is created either."""
    if not has_stored_state(app.settings):
        return None
    return await open_retraction_table(app.open_state()).load_edition()


async def check_retraction_table(app: App) -> InstallationCheck:
    """The doctor's check of the retraction table: whether there is one, and how old it is."""
    name, update_it = "retraction table", "citewell data update"
    try:
        edition = await _find_edition(app)
    except CitewellError as error:
        return InstallationCheck(name=name, state="warning", detail=error.message)
    if edition is None:
        detail = "none imported; retractions are only looked up in registries"
        return InstallationCheck(
            name=name, state="ok", detail=detail, change=f"{update_it} (optional)"
        )
    days = count_age_days(edition, now=time.time())
    detail = f"{edition.rows:,} {pluralize(edition.rows, 'notice')} up to {edition.newest_notice_date}, imported {days} {pluralize(days, 'day')} ago"
    if days > _STALE_DAYS:
        return InstallationCheck(name=name, state="warning", detail=detail, change=update_it)
    return InstallationCheck(name=name, state="ok", detail=detail)


def install_encoder(
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Download without asking.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Delete the downloaded model.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Download the model that ranks passages by meaning; it is used from then on."""
    facts = asyncio.run(_remove_encoder() if remove else _install_encoder(yes=yes))
    if as_json:
        screen.print_json(facts)
    else:
        screen.print_text(facts["message"])
    return exit_codes.OK


async def _remove_encoder() -> dict[str, Any]:
    async with open_command_app() as app:
        download = app.require_service(ModelDownload)
        was_there = await asyncio.to_thread(download.remove_model)
        message = f"{download.folder} was deleted." if was_there else "No model was downloaded."
        return {"message": message, "folder": str(download.folder), "removed": was_there}


async def _install_encoder(*, yes: bool) -> dict[str, Any]:
    async with open_command_app() as app:
        download = app.require_service(ModelDownload)
        told = download.model.describe_model()
        facts = {"folder": str(download.folder), "model": told, "downloaded": False}
        if await asyncio.to_thread(download.has_model):
            return {"message": f"{download.folder} already has {told}.", **facts}
        base_url = app.settings.encoder_download_url
        _confirm_download(f"{told}, from {base_url} into {download.folder}", yes=yes)
        app.network.guard.trust_service(base_url)  # chosen by the person who runs this
        with screen.show_spinner("Downloading the encoder") as spinner:
            await download.install_model(report=spinner.update_progress)
        check = await check_encoder(app, offline=True)
        advice = f" {check.change}" if check.change else ""
        message = f"{told} is in {download.folder}. Encoder: {check.detail}.{advice}"
        return {"message": message, **facts, "downloaded": True, "state": check.state}


def _confirm_download(what: str, *, yes: bool) -> None:
    """Ask a person at a terminal; raises InvalidInput if nobody can be asked, or the answer is no."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput(f"This would download {what}. Say so with --yes.", action="inform_user")
    if not typer.confirm(f"Download {what}?", default=True, err=True):
        raise InvalidInput("Nothing was downloaded.", action="inform_user")


SUBCOMMANDS = {
    "update": update_retractions,
    "status": show_retractions,
    "encoder": install_encoder,
}
