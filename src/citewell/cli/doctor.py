"""`citewell doctor`: checks providers and installation, and suggests settings to change."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from citewell.cli import data
from citewell.cli.diagnosis import (
    auth_checks,
    encoder_checks,
    http_checks,
    installation_checks,
    judge_checks,
    object_store_checks,
    provider_probes,
    state_checks,
    tool_service,
)
from citewell.cli.diagnosis.installation_checks import InstallationCheck
from citewell.cli.diagnosis.provider_probes import ProviderVerdict
from citewell.cli.diagnosis.tool_service import ToolVerdict
from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import load_command_settings, open_command_app
from citewell.cli.terminal import screen
from citewell.errors import CitewellError
from citewell.ports import Offer
from citewell.server.app import App
from citewell.services.routing.provider_chains import SearchRouter

_STATE_STYLES = {
    provider_probes.WORKING: "green",
    provider_probes.NOT_TRIED: "",
    provider_probes.NOT_CONFIGURED: "dim",
    provider_probes.RATE_LIMITED: "yellow",
    provider_probes.FINDS_NOTHING: "yellow",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorReport:
    providers: tuple[ProviderVerdict, ...]
    tools: tuple[ToolVerdict, ...]
    checks: tuple[InstallationCheck, ...]

    @property
    def is_healthy(self) -> bool:
        """True if a provider can search the web and no check failed."""
        able = any(row.is_usable and Offer.WEB in row.offers for row in self.providers)
        return able and all(check.state != "failed" for check in self.checks)


def command(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Send no requests.")] = False,
    paid: Annotated[
        bool,
        typer.Option("--paid", help="Also try providers with a key; each is charged one request."),
    ] = False,
) -> int:
    report = asyncio.run(_run_diagnosis(offline=offline, paid=paid))
    if as_json:
        screen.print_json(build_doctor_json(report))
    else:
        _print_doctor_report(report)
    return exit_codes.OK if report.is_healthy else exit_codes.NOTHING_FOUND


async def _run_diagnosis(*, offline: bool, paid: bool) -> DoctorReport:
    async with open_command_app(load_command_settings()) as app:
        with screen.show_spinner("Asking the providers"):
            return await diagnose_installation(app, offline=offline, paid=paid)


async def diagnose_installation(
    app: App, *, offline: bool = False, paid: bool = False
) -> DoctorReport:
    """The complete report for the settings of this app."""
    verdicts = await provider_probes.probe_providers(
        app.catalogue, app.settings.raw, offline=offline, paid=paid
    )
    await _open_cache(app, offline=offline)
    specs = [app.catalogue.find_spec(name) for name in app.catalogue.list_provider_names()]
    checks = (
        installation_checks.check_python(),
        installation_checks.check_extras(),
        installation_checks.check_config_file(app.settings.raw or os.environ),
        installation_checks.check_setting_names(app.settings, specs),
        installation_checks.check_data_directory(app.settings),
        installation_checks.check_cache(app.settings, app.store.list_store_warnings()),
        *await state_checks.check_state(app, offline=offline),
        *await object_store_checks.check_object_store(app.settings, offline=offline),
        *await auth_checks.check_authentication(app, offline=offline),
        _check_search_routing(app),
        installation_checks.check_lenses(app.lenses.list_lens_names(), app.lenses.warnings),
        *await _check_retraction_table(app, offline=offline),
        *await http_checks.check_http_mode(app, offline=offline),
        await encoder_checks.check_encoder(app, offline=offline),
        await judge_checks.check_judge(app, offline=offline, paid=paid),
    )
    tools = tool_service.judge_tools(app.catalogue, verdicts)
    return DoctorReport(providers=verdicts, tools=tools, checks=checks)


async def _open_cache(app: App, *, offline: bool) -> None:
    """Look something up, which makes the store open its file and shows what is wrong with it.

    With `offline` nothing is done if that would send a request or create a file.
    """
    remote = installation_checks.is_cache_remote(app.settings)
    if not offline or (not remote and installation_checks.has_cache_files(app.settings)):
        await app.store.build_provider_memory("doctor").recall_fact("probe")


async def _check_retraction_table(app: App, *, offline: bool) -> tuple[InstallationCheck, ...]:
    """The check of the table; none if it would send a request although `offline` is set."""
    if offline and app.settings.database_url:
        return ()
    return (await data.check_retraction_table(app),)


def _check_search_routing(app: App) -> InstallationCheck:
    try:
        router = SearchRouter(app.settings, app.catalogue)
        chain = router.require_chain(Offer.WEB)
    except CitewellError as error:
        return installation_checks.check_routing(error, (), ())
    return installation_checks.check_routing(
        None, router.describe_unusable_choices(), (*chain.main, *chain.spare)
    )


def build_doctor_json(report: DoctorReport) -> dict[str, object]:
    return {
        "healthy": report.is_healthy,
        "providers": [asdict(row) for row in report.providers],
        "tools": [asdict(row) for row in report.tools],
        "checks": [asdict(check) for check in report.checks],
    }


def _print_doctor_report(report: DoctorReport) -> None:
    rows = [(row.name, row.state, row.detail) for row in report.providers]
    styles = [_STATE_STYLES.get(row.state, "red") for row in report.providers]
    screen.print_table(("PROVIDER", "STATE", "DETAIL"), rows, styles=styles)
    screen.print_text()
    _print_tool_table(report.tools)
    screen.print_text()
    marks = [screen.STATE_COLOURS[check.state] for check in report.checks]
    screen.print_table(
        ("CHECK", "STATE", "DETAIL"),
        [(c.name, c.state, c.detail) for c in report.checks],
        styles=marks,
    )
    wanting = [row for row in report.providers if row.configured]
    broken = [check for check in report.checks if check.state != "ok"]
    _print_suggested_changes("TO FIX", [*wanting, *broken])
    absent = [row for row in report.providers if not row.configured]
    sound = [check for check in report.checks if check.state == "ok"]
    _print_suggested_changes("OPTIONAL", [*absent, *sound])
    if not report.is_healthy:
        screen.print_text("No provider can search the web now, or a check failed.", style="red")


def _print_tool_table(rows: Sequence[ToolVerdict]) -> None:
    screen.print_table(
        ("TOOL", "SERVED BY", "A KEY WOULD ADD"),
        [(row.tool, _describe_service(row), ", ".join(row.could_add) or "-") for row in rows],
        styles=["" if row.is_served else "yellow" for row in rows],
    )


def _describe_service(row: ToolVerdict) -> str:
    """The providers that answer, those that do not, and what else serves the tool."""
    parts = (
        ", ".join(row.served_by),
        f"not working: {', '.join(row.failing)}" if row.failing else "",
        f"else {row.otherwise}" if row.otherwise and row.served_by else row.otherwise,
    )
    return "; ".join(part for part in parts if part) or "nobody"


def _print_suggested_changes(
    heading: str, rows: Sequence[ProviderVerdict | InstallationCheck]
) -> None:
    changes = [(row.name, row.change) for row in rows if row.change]
    if changes:
        screen.print_text()
        screen.print_table((heading, "CHANGE"), changes)
