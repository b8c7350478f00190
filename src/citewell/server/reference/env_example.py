"""Renders `.env.example`: every setting with its default, commented out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from citewell.ports import ProviderSpec
from citewell.server.reference import settings_page
from citewell.server.reference.settings_page import SettingEntry

_FILE_HEADER = (
    "Written by `make reference`; docs/reference/settings.md says the same with more words. Nothing here is needed: "
    "without any setting the keyless providers are used. Citewell reads the environment and a TOML file, not .env by "
    "itself; a shell does: set -a; . ./.env; set +a"
)


def render_env_example(specs: Sequence[ProviderSpec]) -> str:
    parts = [_wrap_comment(_FILE_HEADER)]
    parts += [
        f"# {spec.title}: {spec.homepage}\n{_render_env_entries(settings_page.list_provider_entries(spec))}"
        for spec in _choose_configurable_specs(specs)
    ]
    parts.append(f"# The server\n{_render_env_entries(settings_page.list_server_entries())}")
    return "\n\n".join(parts) + "\n"


def _choose_configurable_specs(specs: Sequence[ProviderSpec]) -> list[ProviderSpec]:
    return [spec for spec in sorted(specs, key=lambda spec: (spec.rank, spec.name)) if spec.options]


def _render_env_entries(entries: Iterable[SettingEntry]) -> str:
    return "\n".join(
        f"{_wrap_comment(entry.help)}\n#{entry.name}={entry.default}" for entry in entries
    )


def _wrap_comment(words: str) -> str:
    return textwrap.fill(
        words, 100, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )
