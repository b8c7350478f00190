"""One file is one tool; the file's name is the tool's."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from citewell.tooling import Tool


def names() -> tuple[str, ...]:
    """Every tool there is, in a stable order, without importing any."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load(name: str) -> Tool:
    tool: Tool = import_module(f"{__name__}.{name}").TOOL
    return tool


def discover() -> dict[str, Tool]:
    return {name: load(name) for name in names()}
