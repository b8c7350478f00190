"""Check providers, registries and the installation.

Exits with 1 if no provider can search the web or a check failed, such as that of the master key.
"""

from __future__ import annotations

import asyncio
import os
import platform
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import load_command_settings, open_command_app
from citewell.core.config import Settings
from citewell.core.errors import CitewellError, Misconfigured
from citewell.core.tooling import load_tool_providers
from citewell.core.values.counted_words import pluralize
from citewell.routing.ports import Offer, ToolProviders
from citewell.routing.provider_catalogue import ProviderCatalogue, SearchRouter
from citewell.server.app import App
from citewell.server.commands import data
from citewell.server.commands.diagnosis import http_checks, installation_checks, provider_probes
from citewell.server.commands.diagnosis.installation_checks import InstallationCheck
from citewell.server.commands.diagnosis.provider_probes import WORKING, ProviderVerdict
from citewell.server.http.auth.auth_setup import build_issuer_client, build_key_set_loader
from citewell.server.http.auth.auth_ways import (
    check_auth_settings,
    choose_audiences,
    list_auth_ways,
)
from citewell.server.http.auth.caller import CallerProof, VerifierUnavailable
from citewell.server.settings import ServerSettings
from citewell.store.settings import StoreSettings

# What may cost money is asked only of providers that somebody configured.
_CHOSEN_OFFERS = frozenset({Offer.ANSWERS, Offer.STRUCTURED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolVerdict:
    """Who would serve a tool, in the order they are asked, and what could be added."""

    tool: str
    served_by: tuple[str, ...]  # providers that work, or are set up and were not tried
    failing: tuple[str, ...] = ()  # set up, but they failed or found nothing
    otherwise: str = ""  # what serves the tool without a provider
    could_add: tuple[str, ...] = ()  # provider and the settings it needs

    @property
    def is_served(self) -> bool:
        return bool(self.served_by or self.otherwise)


def _judge_tool(
    tool: str,
    served: ToolProviders,
    catalogue: ProviderCatalogue,
    by_name: dict[str, ProviderVerdict],
) -> ToolVerdict:
    configured = [
        name
        for name in catalogue.list_offering(served.offer)
        if served.offer not in _CHOSEN_OFFERS or catalogue.is_explicitly_chosen(name)
    ]
    working = [name for name in configured if by_name[name].is_usable]
    able = [
        name
        for name in catalogue.list_provider_names()
        if served.offer in catalogue.find_spec(name).offers and catalogue.find_spec(name).base_url
    ]
    return ToolVerdict(
        tool=tool,
        served_by=tuple(sorted(working, key=lambda name: by_name[name].state != WORKING)),
        failing=tuple(
            f"{name} ({by_name[name].state})" for name in configured if name not in working
        ),
        otherwise=served.without_provider,
        could_add=tuple(
            f"{name} ({_describe_settings(catalogue, name)})"
            for name in able
            if name not in configured
        ),
    )


def _describe_settings(catalogue: ProviderCatalogue, name: str) -> str:
    """The settings that are missing, or the key of a provider that also works without one."""
    keys = [option.env for option in catalogue.find_spec(name).options if option.secret]
    return catalogue.describe_missing_settings(name) or " or ".join(keys)


_WAYS_NAME, _ISSUER_NAME = "authentication", "oauth issuer"

_NAME = "object store"
_PROBE_FOLDER = "doctor"
_PROBE_BODY = b"written by `citewell doctor`"

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
        screen.print_json(
            {
                "healthy": report.is_healthy,
                "providers": [asdict(row) for row in report.providers],
                "tools": [asdict(row) for row in report.tools],
                "checks": [asdict(check) for check in report.checks],
            }
        )
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
    # Look something up, which makes the store open its file and shows what is wrong with it.
    remote = installation_checks.is_cache_remote(app.settings)
    if not offline or (not remote and installation_checks.has_cache_files(app.settings)):
        await app.store.build_provider_memory("doctor").recall_fact("probe")
    specs = [app.catalogue.find_spec(name) for name in app.catalogue.list_provider_names()]
    # None of the table if it would send a request although `offline` is set.
    asks_table = not (offline and app.settings[StoreSettings].database_url)
    checks = (
        InstallationCheck(
            name="python", detail=f"{platform.python_version()} on {platform.system()}"
        ),
        installation_checks.check_extras(),
        installation_checks.check_config_file(app.settings.raw or os.environ),
        installation_checks.check_setting_names(app.settings, specs),
        installation_checks.check_data_directory(app.settings),
        installation_checks.check_cache(app.settings, app.store.list_store_warnings()),
        *await installation_checks.check_state(app, offline=offline),
        *await check_object_store(app.settings, offline=offline),
        *await check_authentication(app, offline=offline),
        _check_search_routing(app),
        installation_checks.check_lenses(app.lenses.list_lens_names(), app.lenses.warnings),
        *((await data.check_retraction_table(app),) if asks_table else ()),
        *await http_checks.check_http_mode(app, offline=offline),
        await installation_checks.check_encoder(app, offline=offline),
        await installation_checks.check_judge(app, offline=offline, paid=paid),
    )
    by_name = {verdict.name: verdict for verdict in verdicts}
    tools = tuple(
        _judge_tool(tool, served, app.catalogue, by_name)
        for tool, served in load_tool_providers().items()
    )
    return DoctorReport(providers=verdicts, tools=tools, checks=checks)


def _check_search_routing(app: App) -> InstallationCheck:
    try:
        router = SearchRouter(app.settings, app.catalogue)
        chain = router.require_chain(Offer.WEB)
    except CitewellError as error:
        return installation_checks.check_routing(error, (), ())
    return installation_checks.check_routing(
        None, router.describe_unusable_choices(), (*chain.main, *chain.spare)
    )


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


# The doctor's check of the object store: whether an object can be written, read and deleted.


async def check_object_store(settings: Settings, *, offline: bool) -> tuple[InstallationCheck, ...]:
    """Whether the object store takes, gives back and deletes an object; nothing if none is set."""
    url = settings[StoreSettings].object_store_url
    if url is None:
        return ()
    state, detail, change = "ok", f"{url}, not tried", ""
    if not offline:
        try:
            if await _try_probe_object(settings, url):
                detail = f"{url} can be written, read and cleared"
            else:
                state = "failed"
                detail = f"{url} gives back something else than it was given"
        except CitewellError as error:
            state, detail, change = "failed", error.message, error.remedy or ""
    return (InstallationCheck(name=_NAME, state=state, detail=detail, change=change),)


async def _try_probe_object(settings: Settings, url: str) -> bool:
    """Whether the store gave back what it was given. Raises ObjectStoreFailed or Misconfigured."""
    from citewell.net.object_client import build_object_client, parse_object_address

    client = build_object_client(settings, parse_object_address(url))
    name = f"{_PROBE_FOLDER}/{secrets.token_hex(8)}"
    await client.put_object(name, _PROBE_BODY)
    try:
        found = await client.load_object(name, max_bytes=len(_PROBE_BODY))
    finally:
        await client.delete_objects([name])
    return found == _PROBE_BODY


# The doctor's checks of authentication: which ways are configured, and whether the issuer can be used.


async def check_authentication(app: App, *, offline: bool) -> tuple[InstallationCheck, ...]:
    """What callers over HTTP have to prove; with OAuth also whether metadata and keys can be read."""
    try:
        check_auth_settings(app.settings)
    except Misconfigured as error:
        return (InstallationCheck(name=_WAYS_NAME, state="failed", detail=error.message),)
    ways = InstallationCheck(name=_WAYS_NAME, detail=_describe_ways(app.settings))
    if not app.settings[ServerSettings].oauth_issuer:
        return (ways,)
    return ways, await _check_issuer(app, offline=offline)


def _describe_ways(settings: Settings) -> str:
    server_settings = settings[ServerSettings]
    descriptions = {
        CallerProof.OAUTH: (
            f"OAuth tokens of {server_settings.oauth_issuer} for {', '.join(choose_audiences(settings))}"
        ),
        CallerProof.API_TOKEN: "API tokens",
        CallerProof.PROXY: (
            f"the header {server_settings.proxy_user_header} from {', '.join(server_settings.trusted_proxies)}"
        ),
    }
    ways = [descriptions[way] for way in list_auth_ways(settings)]
    return "; ".join(ways) or "none: over HTTP this machine alone is served"


async def _check_issuer(app: App, *, offline: bool) -> InstallationCheck:
    client = build_issuer_client(app)
    if offline or client is None:
        return InstallationCheck(name=_ISSUER_NAME, detail="not asked with --offline")
    try:
        keys = await build_key_set_loader(app, client).load_key_set()
    except VerifierUnavailable as failure:
        return InstallationCheck(name=_ISSUER_NAME, state="failed", detail=failure.message)
    return InstallationCheck(
        name=_ISSUER_NAME,
        detail=f"metadata and {len(keys.keys)} {pluralize(len(keys.keys), 'key')} can be read",
    )
