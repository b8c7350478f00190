"""Renders `server.json`, the entry of this server in registries of MCP servers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from citewell.ports import ProviderOption, ProviderSpec
from citewell.server.capabilities.instructions import SERVER_DESCRIPTION, SERVER_TITLE

LISTING_SCHEMA_URL = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
LISTING_NAME = (
    "io.github.citewell/citewell"  # a registry verifies that the publisher owns the namespace
)


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
