"""The tools of all rooms: files of a room's `tools` folder, named after the tool, or the file of a domain."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from citewell.core.room_modules import list_domains, list_room_modules
from citewell.core.tooling import Tool

if TYPE_CHECKING:
    from citewell.routing.ports import ToolProviders


@cache
def list_tool_modules() -> dict[str, str]:
    """The module of each tool by the tool's name, sorted, without importing any."""
    domains = {domain.tool: domain.module for domain in list_domains() if domain.tool}
    return dict(sorted((list_room_modules("tools") | domains).items()))


def list_tool_names() -> tuple[str, ...]:
    return tuple(list_tool_modules())


def load(name: str) -> Tool:
    tool: Tool = import_module(list_tool_modules()[name]).TOOL
    return tool


def load_all_tools() -> dict[str, Tool]:
    return {name: load(name) for name in list_tool_names()}


def load_tool_providers() -> dict[str, ToolProviders]:
    """Which providers serve each search tool, in the order of the offers; loads all tools."""
    served = {name: tool.served_by for name, tool in load_all_tools().items() if tool.served_by}
    offers = [*type(served["web_search"].offer)]
    return dict(sorted(served.items(), key=lambda item: offers.index(item[1].offer)))
