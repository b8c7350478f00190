"""The tool list stays lean, and acceptable to every client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from citewell.core import tooling as tools
from citewell.server.capabilities import tool_selection
from citewell.server.commands import reference
from tests.requirements import requires

FORBIDDEN = {
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "format",
    "const",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "title",
    "propertyNames",
}


def tokens(profile: str, *, switched_on: bool) -> float:
    """What the list costs, without or with every setting that offers further tools."""
    entries = tool_selection.load_manifest()["tools"]
    switches = tool_selection.list_required_settings(entries) if switched_on else ()
    chosen = tool_selection.select_entries(entries, profile=profile, switched_on=switches)
    costs = [
        {key: entry["wire"][key] for key in ("name", "description", "inputSchema")}
        for entry in chosen
    ]
    return len(json.dumps(costs, ensure_ascii=False, separators=(",", ":")).encode()) / 4


def keys(node: Any, *, names: bool = False) -> Iterator[str]:
    """Every schema keyword; property names are not keywords."""
    if isinstance(node, list):
        for item in node:
            yield from keys(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if not names:
                yield key
            yield from keys(value, names=key == "properties" and not names)


@requires("defect.list_size")
@pytest.mark.parametrize(
    ("profile", "switched_on", "most"),
    [("default", False, 4000), ("default", True, 4800), ("all", True, 12000)],
)
def test_the_list_fits_its_budget(profile: str, switched_on: bool, most: int) -> None:
    assert tokens(profile, switched_on=switched_on) <= most


def test_the_whole_list_with_output_schemas_is_bounded() -> None:
    wires = [entry["wire"] for entry in tool_selection.load_manifest()["tools"]]

    assert len(json.dumps(wires, separators=(",", ":")).encode()) / 4 <= 20000


@requires("argument.flat_schema")
@pytest.mark.parametrize("name", tools.list_tool_names())
def test_a_schema_holds_nothing_a_strict_client_refuses(name: str) -> None:
    wire = next(
        entry["wire"] for entry in tool_selection.load_manifest()["tools"] if entry["name"] == name
    )

    assert not set(keys(wire["inputSchema"])) & FORBIDDEN


@requires("tool.description")
@pytest.mark.parametrize("name", tools.list_tool_names())
def test_a_description_is_short_and_there(name: str) -> None:
    wire = next(
        entry["wire"] for entry in tool_selection.load_manifest()["tools"] if entry["name"] == name
    )

    assert 20 <= len(wire["description"]) <= 400


def test_the_manifest_is_what_the_code_says() -> None:
    assert (
        tool_selection.MANIFEST_PATH.read_text(encoding="utf-8") == reference.render_manifest()
    ), "run `make reference`"
