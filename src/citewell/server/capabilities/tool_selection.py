"""Reads manifest.json, and selects the tools that a client is offered: by profile, toolsets, single names and read-only.

Standard library only, because the instant start uses it before anything else is loaded.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

ALL_TOOLS = "all"
DEFAULT_PROFILE = "default"
ARTIFACT_READER = "read_artifact"  # offered wherever a tool can link its result
SESSION_OPENER, SESSION_ARGUMENT = "sequential_search", "sessionId"
ADDED_PREFIX = "+"  # before a toolset or tool that is added to the profile instead of replacing it

# `searxng` imitates a strict spec 3 server: web_search with the argument names, defaults and limits
# of that specification. Each change is to an argument's published schema; `name` renames it.
PROFILES: dict[str, dict[str, Any]] = {
    "searxng": {
        "tools": ("web_search",),
        "arguments": {
            "web_search": {
                "num_results": {"name": "results_count", "default": 10},
                "fetch_content": {"default": True},
                "language": {"default": "en", "pattern": "^[a-z]{2}(-[A-Z]{2})?$"},
                "safe": {"name": "safe_search", "type": "integer", "enum": [0, 1, 2], "default": 1},
                "time_range": {"enum": ["", "day", "week", "month", "year"], "default": ""},
            }
        },
    },
}
_COUNT_ARGUMENT = ("web_search", "num_results")
_USUAL_COUNT = 5  # results of web_search, where neither profile nor setting says otherwise
MANIFEST_PATH = Path(__file__).parents[1] / "manifest.json"  # `make reference` writes it


def select_entries(
    entries: Iterable[Mapping[str, Any]],
    *,
    profile: str = DEFAULT_PROFILE,
    toolsets: Iterable[str] = (),
    tools: Iterable[str] = (),
    read_only: bool = False,
    switched_on: Collection[str] = (),
) -> list[Mapping[str, Any]]:
    """The entries to offer, in their order; `switched_on` has the settings that are true.

    Toolsets and tools replace the profile; names that start with a plus are added to it instead.
    The tool that reads linked results comes with every tool that can link.
    A tool that requires a setting which is not true is left out.
    Raises ValueError naming an unknown profile, toolset or tool, or a tool whose setting is off.
    """
    known = list(entries)
    sets, singles = list(toolsets), list(tools)
    wanted, extra = _strip_plus(sets), _strip_plus(singles)
    _check_selection(known, profile=profile, toolsets=wanted, tools=extra)
    for entry in known:
        setting = _find_missing_setting(entry, switched_on) if entry["name"] in extra else None
        if setting is not None:
            raise ValueError(f"the tool {entry['name']} also needs {setting}=true")
    for names in (sets, singles):
        if any(map(_is_added, names)) and not all(map(_is_added, names)):
            raise ValueError(
                f"{','.join(names)} mixes names with and without a plus; write a plus before each "
                "to add to the profile, or before none to replace it"
            )
    if all(map(_is_added, [*sets, *singles])) or (sets and _is_added(sets[0])):
        preset = PROFILES.get(profile, {}).get("tools", ())
        extra |= set(preset)
        wanted |= set() if preset else {profile}
    chosen = [
        entry
        for entry in known
        if _is_selected(entry, wanted, extra)
        and (not read_only or entry["readOnly"])
        and _find_missing_setting(entry, switched_on) is None
    ]
    if not any(entry.get("links") for entry in chosen):
        return chosen
    offered = {ARTIFACT_READER, *(entry["name"] for entry in chosen)}
    return [entry for entry in known if entry["name"] in offered]


def list_required_settings(entries: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The settings that at least one tool requires to be true."""
    return frozenset(
        setting for entry in entries if (setting := entry.get("requiredSetting")) is not None
    )


def describe_disabled_tool(
    entries: Iterable[Mapping[str, Any]],
    name: str,
    *,
    toolsets: Iterable[str] = (),
    tools: Iterable[str] = (),
    read_only: bool = False,
    switched_on: Collection[str] = (),
) -> str | None:
    """How to switch on a tool that this choice leaves out; None if there is no such tool."""
    entry = next((entry for entry in entries if entry["name"] == name), None)
    if entry is None:
        return None
    if setting := _find_missing_setting(entry, switched_on):
        return (
            f"The tool {name} is switched off. To switch it on, set {setting}=true and start the "
            "server again."
        )
    if read_only and not entry["readOnly"]:
        return (
            f"The tool {name} is switched off, because the server offers only tools that change "
            "nothing. To switch it on, start the server without --read-only (CITEWELL_READ_ONLY)."
        )
    sets, singles = list(toolsets), list(tools)
    if singles and not sets and not all(map(_is_added, singles)):
        flag, setting, value = "--tools", "CITEWELL_TOOLS", ",".join([*singles, name])
    else:
        plus = ADDED_PREFIX if all(map(_is_added, sets)) else ""
        value = ",".join([*sets, plus + entry["toolset"]])
        flag, setting = "--toolsets", "CITEWELL_TOOLSETS"
    return (
        f"The tool {name} is switched off. To switch it on, start the server with "
        f"{flag} {value} ({setting}={value}); over HTTP, /mcp/{entry['toolset']} offers it too."
    )


def find_argument_changes(
    profile: str, *, default_count: int | None = None, max_count: int | None = None
) -> dict[str, dict[str, dict[str, Any]]]:
    """What the profile, and the settings for the number of results, change of arguments, by tool."""
    changes: dict[str, dict[str, dict[str, Any]]] = {
        tool: dict(arguments)
        for tool, arguments in PROFILES.get(profile, {}).get("arguments", {}).items()
    }
    if default_count or max_count:
        tool, argument = _COUNT_ARGUMENT
        count = dict(changes.setdefault(tool, {}).get(argument, {}))
        count["default"] = default_count or count.get("default", _USUAL_COUNT)
        if max_count:
            count |= {"maximum": max_count, "default": min(count["default"], max_count)}
        changes[tool][argument] = count
    return changes


def list_changed_defaults(
    changes: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> dict[str, dict[str, Any]]:
    """The defaults among the changes, by tool and argument."""
    return {
        tool: {name: change["default"] for name, change in arguments.items() if "default" in change}
        for tool, arguments in changes.items()
    }


def build_offered_wires(
    chosen: Iterable[Mapping[str, Any]], changes: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> dict[str, dict[str, Any]]:
    """The wire form of each chosen tool by name, with the changes.

    Without the tool that opens sessions no other takes the id of one, unless it requires it.
    """
    wires = {entry["name"]: apply_argument_changes(entry["wire"], changes) for entry in chosen}
    if SESSION_OPENER in wires:
        return wires
    return {name: _drop_session_argument(wire) for name, wire in wires.items()}


def _drop_session_argument(wire: dict[str, Any]) -> dict[str, Any]:
    schema = wire["inputSchema"]
    if SESSION_ARGUMENT in schema.get("required", ()):
        return wire
    kept = {name: node for name, node in schema["properties"].items() if name != SESSION_ARGUMENT}
    return {**wire, "inputSchema": {**schema, "properties": kept}}


def apply_argument_changes(
    wire: dict[str, Any], changes: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> dict[str, Any]:
    """A tool's wire form with the changes in its input schema."""
    changed = changes.get(wire["name"])
    if not changed:
        return wire
    schema = wire["inputSchema"]
    properties = {}
    for name, value in schema["properties"].items():
        change = dict(changed.get(name, {}))
        properties[change.pop("name", name)] = {**value, **change}
    return {**wire, "inputSchema": {**schema, "properties": properties}}


def _is_added(name: str) -> bool:
    return name.startswith(ADDED_PREFIX)


def _strip_plus(names: Iterable[str]) -> set[str]:
    return {name.removeprefix(ADDED_PREFIX) for name in names}


def _is_selected(entry: Mapping[str, Any], wanted: set[str], extra: set[str]) -> bool:
    by_set = (
        ALL_TOOLS in wanted
        or entry["toolset"] in wanted
        or (DEFAULT_PROFILE in wanted and entry["default"])
    )
    return by_set or entry["name"] in extra


def _find_missing_setting(entry: Mapping[str, Any], switched_on: Collection[str]) -> str | None:
    """The setting that the tool requires and that is not true."""
    setting: str | None = entry.get("requiredSetting")
    return setting if setting is not None and setting not in switched_on else None


def _check_selection(
    known: list[Mapping[str, Any]], *, profile: str, toolsets: set[str], tools: set[str]
) -> None:
    sets = {entry["toolset"] for entry in known} | {ALL_TOOLS, DEFAULT_PROFILE}
    if profile not in sets | set(PROFILES):
        raise ValueError(
            f"unknown profile {profile}; the profiles are {', '.join(sorted(sets | set(PROFILES)))}"
        )
    if unknown := sorted(toolsets - sets):
        raise ValueError(
            f"unknown toolset {', '.join(unknown)}; the toolsets are {', '.join(sorted(sets))}"
        )
    if unknown := sorted(tools - {entry["name"] for entry in known}):
        raise ValueError(f"unknown tool {', '.join(unknown)}")


def load_manifest(path: Path = MANIFEST_PATH) -> dict[str, Any]:
    """`tools`: an entry per tool (name, toolset, default, readOnly, wire); `replies`: the SDK's results."""
    manifest: dict[str, Any] = json.loads(path.read_bytes())
    return manifest
