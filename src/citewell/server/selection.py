"""Which tools a client is offered: toolsets, single names, read-only, and profiles' own defaults.

Standard library only: the instant start uses it before anything else is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

EVERYTHING = "all"
DEFAULT = "default"

# A profile is a preset: a strict spec-3 server is web_search alone with that spec's defaults.
PROFILES: dict[str, dict[str, Any]] = {
    "searxng": {
        "tools": ("web_search", "read_artifact"),  # a large answer is paged with the second
        "defaults": {"web_search": {"num_results": 10, "fetch_content": True}},
    },
}


def chosen(
    entries: Iterable[Mapping[str, Any]],
    *,
    profile: str = DEFAULT,
    toolsets: Iterable[str] = (),
    tools: Iterable[str] = (),
    read_only: bool = False,
) -> list[Mapping[str, Any]]:
    """The manifest entries to offer, in the manifest's order; ValueError names an unknown choice."""
    known = list(entries)
    wanted, extra = set(toolsets), set(tools)
    _check(known, profile=profile, toolsets=wanted, tools=extra)
    preset = PROFILES.get(profile, {})
    if not wanted and not extra:
        extra = set(preset.get("tools", ()))
    if not wanted and not extra:
        wanted = {profile}
    return [
        entry
        for entry in known
        if _matches(entry, wanted, extra) and (not read_only or entry["readOnly"])
    ]


def defaults(profile: str) -> dict[str, dict[str, Any]]:
    """Argument defaults a profile changes, by tool."""
    changed: dict[str, dict[str, Any]] = PROFILES.get(profile, {}).get("defaults", {})
    return changed


def offered(wire: dict[str, Any], profile: str) -> dict[str, Any]:
    """A tool's wire form with the profile's defaults shown in its schema."""
    changed = defaults(profile).get(wire["name"])
    if not changed:
        return wire
    schema = wire["inputSchema"]
    properties = {
        name: {**value, "default": changed[name]} if name in changed else value
        for name, value in schema["properties"].items()
    }
    return {**wire, "inputSchema": {**schema, "properties": properties}}


def _matches(entry: Mapping[str, Any], wanted: set[str], extra: set[str]) -> bool:
    by_set = (
        EVERYTHING in wanted
        or entry["toolset"] in wanted
        or (DEFAULT in wanted and entry["default"])
    )
    return by_set or entry["name"] in extra


def _check(
    known: list[Mapping[str, Any]], *, profile: str, toolsets: set[str], tools: set[str]
) -> None:
    sets = {entry["toolset"] for entry in known} | {EVERYTHING, DEFAULT}
    if profile not in sets | set(PROFILES):
        raise ValueError(
            f"unknown profile {profile}; there are {', '.join(sorted(sets | set(PROFILES)))}"
        )
    if unknown := sorted(toolsets - sets):
        raise ValueError(
            f"unknown toolset {', '.join(unknown)}; there are {', '.join(sorted(sets))}"
        )
    if unknown := sorted(tools - {entry["name"] for entry in known}):
        raise ValueError(f"unknown tool {', '.join(unknown)}")
