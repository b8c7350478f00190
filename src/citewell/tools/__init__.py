"""The tools: one file each, named after the tool."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from citewell.tooling import Tool


def list_tool_names() -> tuple[str, ...]:
    """The names of all tools, sorted, without importing them."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load(name: str) -> Tool:
    tool: Tool = import_module(f"{__name__}.{name}").TOOL
    return tool


def load_all_tools() -> dict[str, Tool]:
    return {name: load(name) for name in list_tool_names()}
