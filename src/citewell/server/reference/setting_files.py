"""Renders what lists the settings: their reference page, `.env.example` and `server.json`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.core.config import list_settings
from citewell.core.environment import CONFIG_FILE_VARIABLE
from citewell.reading import sites
from citewell.routing.ports import ProviderOption, ProviderSpec
from citewell.server import reference
from citewell.server.capabilities.prompts import SERVER_DESCRIPTION, SERVER_TITLE

LISTING_SCHEMA_URL = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
LISTING_NAME = (
    "io.github.citewell/citewell"  # a registry verifies that the publisher owns the namespace
)

_FILE_HEADER = (
    "Written by `make reference`; docs/reference/settings.md says the same with more words. Nothing here is needed: "
    "without any setting the keyless providers are used. Citewell reads the environment and a TOML file, not .env by "
    "itself; a shell does: set -a; . ./.env; set +a"
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


def list_server_entries() -> Iterator[SettingEntry]:
    """The server's settings, by room, in the order of their declaration."""
    for setting in list_settings():
        yield SettingEntry(
            name=setting.name,
            default=reference.format_default(setting.default),
            help=setting.help,
            secret=setting.secret,
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
    environment_only = [
        SettingEntry(name=name, default="", help=meaning)
        for name, meaning in ENVIRONMENT_ONLY_SETTINGS.items()
    ]
    providers = [
        f"## {spec.title}\n\n{render_settings_table(list_provider_entries(spec))}"
        for spec in sorted(specs, key=lambda spec: spec.name)
        if any(True for _ in list_provider_entries(spec))
    ]
    return reference.join_page_parts(
        "Settings",
        SETTINGS_INTRO,
        render_settings_table(list_server_entries()),
        *providers,
        f"## Sites that are read through their own servers\n\n{render_settings_table(list_site_entries())}",
        f"## Environment only\n\n{render_settings_table(environment_only)}",
    )


def render_settings_table(entries: Iterable[SettingEntry]) -> str:
    rows = [
        (
            reference.format_code(entry.name),
            reference.format_code(entry.default),
            entry.help + (" Secret." if entry.secret else ""),
        )
        for entry in entries
    ]
    return reference.render_reference_table(("Setting", "Default", "Meaning"), rows)


# Renders `.env.example`: every setting with its default, commented out.


def render_env_example(specs: Sequence[ProviderSpec]) -> str:
    parts = [_wrap_comment(_FILE_HEADER)]
    parts += [
        f"# {spec.title}: {spec.homepage}\n{_render_env_entries(list_provider_entries(spec))}"
        for spec in sorted(specs, key=lambda spec: (spec.rank, spec.name))
        if spec.options
    ]
    parts.append(f"# The server\n{_render_env_entries(list_server_entries())}")
    return "\n\n".join(parts) + "\n"


def _render_env_entries(entries: Iterable[SettingEntry]) -> str:
    return "\n".join(
        f"{_wrap_comment(entry.help)}\n#{entry.name}={entry.default}" for entry in entries
    )


def _wrap_comment(words: str) -> str:
    return textwrap.fill(
        words, 100, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )


# Renders `server.json`, the entry of this server in registries of MCP servers.


def render_registry_listing(specs: Sequence[ProviderSpec], *, version: str) -> str:
    listing = {
        "$schema": LISTING_SCHEMA_URL,
        "name": LISTING_NAME,
        "title": SERVER_TITLE,
        "description": SERVER_DESCRIPTION,
        "version": version,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": "citewell",
                "version": version,
                "runtimeHint": "uvx",
                "packageArguments": [{"type": "positional", "value": "serve"}],
                "transport": {"type": "stdio"},
                "environmentVariables": [
                    _build_variable_json(option)
                    for spec in sorted(specs, key=lambda spec: spec.name)
                    for option in spec.options
                ],
            }
        ],
    }
    return json.dumps(listing, ensure_ascii=False, indent=2) + "\n"


def _build_variable_json(option: ProviderOption) -> dict[str, Any]:
    """One environment variable; never required, because the server starts without any provider's settings."""
    variable: dict[str, Any] = {
        "name": option.env,
        "description": option.help,
        "isRequired": False,
        "isSecret": option.secret,
    }
    return variable | ({"default": option.default} if option.default else {})
