"""`server.json`: how a registry of MCP servers lists this one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from citewell.ports import Option, Spec
from citewell.server.instructions import DESCRIPTION, TITLE

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
NAME = "io.github.citewell/citewell"  # the publisher proves that the namespace is theirs


def text(specs: Sequence[Spec], *, version: str) -> str:
    listing = {
        "$schema": SCHEMA,
        "name": NAME,
        "title": TITLE,
        "description": DESCRIPTION,
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
                    _variable(option)
                    for spec in sorted(specs, key=lambda spec: spec.name)
                    for option in spec.options
                ],
            }
        ],
    }
    return json.dumps(listing, ensure_ascii=False, indent=2) + "\n"


def _variable(option: Option) -> dict[str, Any]:
    """No provider is needed to start, so none of its settings is required."""
    variable: dict[str, Any] = {
        "name": option.env,
        "description": option.help,
        "isRequired": False,
        "isSecret": option.secret,
    }
    return variable | ({"default": option.default} if option.default else {})
