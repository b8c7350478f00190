"""`citewell doctor`: what works, what does not, and the line of configuration to change."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from citewell.cli import data, exits, probes, screen, surroundings
from citewell.cli.opened import opened, settings
from citewell.cli.probes import Verdict
from citewell.cli.surroundings import Check
from citewell.errors import CitewellError
from citewell.ports import Offer
from citewell.server.app import App
from citewell.services.web.route import Router

_STYLES = {
    probes.WORKING: "green",
    probes.UNTRIED: "",
    probes.UNCONFIGURED: "dim",
    probes.LIMITED: "yellow",
    probes.EMPTY: "yellow",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    providers: tuple[Verdict, ...]
    checks: tuple[Check, ...]

    @property
    def healthy(self) -> bool:
        """Some provider can search the web, and nothing that is needed is broken."""
        able = any(row.usable and Offer.WEB in row.offers for row in self.providers)
        return able and all(check.state != "failed" for check in self.checks)


def command(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Send no request at all.")] = False,
    paid: Annotated[
        bool, typer.Option("--paid", help="Try providers with a key too; each costs one request.")
    ] = False,
) -> int:
    """Check every provider and the installation; exits with 1 when no provider can search the web."""
    report = asyncio.run(_examined(offline=offline, paid=paid))
    if as_json:
        screen.say_json(wire(report))
    else:
        _show(report)
    return exits.OK if report.healthy else exits.NOTHING


async def _examined(*, offline: bool, paid: bool) -> Report:
    async with opened(settings()) as app:
        with screen.spinner("Asking the providers"):
            return await diagnose(app, offline=offline, paid=paid)


async def diagnose(app: App, *, offline: bool = False, paid: bool = False) -> Report:
    """The whole report for this app's settings."""
    verdicts = await probes.examine(app.catalogue, app.settings.raw, offline=offline, paid=paid)
    # One look-up makes the store open its file and find whatever is wrong with it.
    await app.store.memory("doctor").recall("probe")
    specs = [app.catalogue.spec(name) for name in app.catalogue.names()]
    checks = (
        surroundings.python(),
        surroundings.extras(),
        surroundings.configuration(app.settings.raw or os.environ),
        surroundings.names(app.settings, specs),
        surroundings.data_directory(app.settings),
        surroundings.cache(app.settings, app.store.warnings()),
        _routing(app),
        surroundings.lenses(app.lenses.names(), app.lenses.warnings),
        await data.check(app),
    )
    return Report(providers=verdicts, checks=checks)


def _routing(app: App) -> Check:
    try:
        router = Router(app.settings, app.catalogue)
        chain = router.chain(Offer.WEB)
    except CitewellError as error:
        return surroundings.routing(error, (), ())
    return surroundings.routing(None, router.warnings(), (*chain.main, *chain.spare))


def wire(report: Report) -> dict[str, object]:
    return {
        "healthy": report.healthy,
        "providers": [asdict(row) for row in report.providers],
        "checks": [asdict(check) for check in report.checks],
    }


def _show(report: Report) -> None:
    rows = [(row.name, row.state, row.detail) for row in report.providers]
    styles = [_STYLES.get(row.state, "red") for row in report.providers]
    screen.table(("PROVIDER", "STATE", "DETAIL"), rows, styles=styles)
    screen.say()
    marks = [screen.STYLES[check.state] for check in report.checks]
    screen.table(
        ("CHECK", "STATE", "DETAIL"),
        [(c.name, c.state, c.detail) for c in report.checks],
        styles=marks,
    )
    wanting = [row for row in report.providers if row.configured]
    broken = [check for check in report.checks if check.state != "ok"]
    _show_changes("TO REPAIR", [*wanting, *broken])
    absent = [row for row in report.providers if not row.configured]
    sound = [check for check in report.checks if check.state == "ok"]
    _show_changes("TO ADD, IF WANTED", [*absent, *sound])
    if not report.healthy:
        screen.say("No provider can search the web at present, or a check failed.", style="red")


def _show_changes(heading: str, rows: Sequence[Verdict | Check]) -> None:
    changes = [(row.name, row.change) for row in rows if row.change]
    if changes:
        screen.say()
        screen.table((heading, "CHANGE"), changes)
