"""Renders the reference page of settings: the server's, then those of each provider."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.config import Settings
from citewell.environment import CONFIG_FILE_VARIABLE
from citewell.fetch import sites
from citewell.ports import ProviderSpec
from citewell.server.reference.page_markdown import (
    format_code,
    format_default,
    join_page_parts,
    render_reference_table,
)

SETTINGS_INTRO = (
    "Every setting is an environment variable. The same names, in any case, may stand in a TOML file, "
    "`citewell/config.toml` in the user's configuration directory. The environment wins. "
    "Durations are written `90s`, `15m` or `4h`, lists with commas. `citewell doctor` shows which "
    "file was read and names that nothing reads."
)
# These are read before the settings file, so only from the environment.
ENVIRONMENT_ONLY_SETTINGS = {
    CONFIG_FILE_VARIABLE: "The settings file to read instead of the usual one.",
    "CITEWELL_FRONT": "`0` switches the instant start off: every answer then waits for the whole server.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingEntry:
    """One setting as the generated files show it."""

    name: str
    default: str
    help: str
    secret: bool = False


def list_environment_only_entries() -> Iterator[SettingEntry]:
    for name, meaning in ENVIRONMENT_ONLY_SETTINGS.items():
        yield SettingEntry(name=name, default="", help=meaning)


def list_server_entries() -> Iterator[SettingEntry]:
    """The server's settings, in the order of their declaration."""
    for field in Settings.model_fields.values():
        if field.alias:
            extra: Any = field.json_schema_extra or {}
            yield SettingEntry(
                name=field.alias,
                default=format_default(field.default),
                help=field.description or "",
                secret=bool(extra.get("secret")),
            )


def list_provider_entries(spec: ProviderSpec) -> Iterator[SettingEntry]:
    """The settings of a provider, its base URL last."""
    for option in spec.options:
        private = " May be on a private network." if option.is_self_hosted else ""
        yield SettingEntry(
            name=option.env,
            default=option.default or "",
            help=option.help + private,
            secret=option.secret,
        )
    if spec.base_url:
        yield SettingEntry(
            name=spec.base_url_env, default=spec.base_url, help=f"Where {spec.title}'s API is."
        )


def list_site_entries() -> Iterator[SettingEntry]:
    """The addresses of the servers that site readers use."""
    for name in sites.NAMES:
        for endpoint in sites.load_site_reader(name).ENDPOINTS:
            yield SettingEntry(
                name=endpoint.base_url_env,
                default=endpoint.base_url,
                help=f"Where pages of the site {name} are read.",
            )


def render_settings_page(specs: Sequence[ProviderSpec]) -> str:
    providers = [
        f"## {spec.title}\n\n{render_settings_table(list_provider_entries(spec))}"
        for spec in sorted(specs, key=lambda spec: spec.name)
        if _has_setting_entries(spec)
    ]
    return join_page_parts(
        "Settings",
        SETTINGS_INTRO,
        render_settings_table(list_server_entries()),
        *providers,
        f"## Sites that are read through their own servers\n\n{render_settings_table(list_site_entries())}",
        f"## Environment only\n\n{render_settings_table(list_environment_only_entries())}",
    )


def _has_setting_entries(spec: ProviderSpec) -> bool:
    return any(True for _ in list_provider_entries(spec))


def render_settings_table(entries: Iterable[SettingEntry]) -> str:
    rows = [
        (
            format_code(entry.name),
            format_code(entry.default),
            entry.help + (" Secret." if entry.secret else ""),
        )
        for entry in entries
    ]
    return render_reference_table(("Setting", "Default", "Meaning"), rows)
