from __future__ import annotations

import pytest

from citewell.server.capabilities import tool_selection

ENTRIES = [
    {"name": "web_search", "toolset": "core", "default": True, "readOnly": True},
    {"name": "memory_save", "toolset": "people", "default": False, "readOnly": False},
    {"name": "search", "toolset": "connector", "default": False, "readOnly": True},
    {"name": "read_artifact", "toolset": "other", "default": False, "readOnly": True},
]


def names(**choice: object) -> list[str]:
    return [entry["name"] for entry in tool_selection.select_entries(ENTRIES, **choice)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, ["web_search"]),
        ({"profile": "all"}, ["web_search", "memory_save", "search", "read_artifact"]),
        ({"profile": "connector"}, ["search"]),
        ({"profile": "searxng"}, ["web_search", "read_artifact"]),
        ({"toolsets": ["people"]}, ["memory_save"]),
        ({"toolsets": ["default", "connector"]}, ["web_search", "search"]),
        ({"tools": ["search"]}, ["search"]),
        ({"toolsets": ["all"], "read_only": True}, ["web_search", "search", "read_artifact"]),
    ],
)
def test_the_choice_decides_the_list(choice: dict[str, object], expected: list[str]) -> None:
    assert names(**choice) == expected


@pytest.mark.parametrize("choice", [{"profile": "x"}, {"toolsets": ["x"]}, {"tools": ["x"]}])
def test_an_unknown_choice_is_named(choice: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"unknown .* x"):
        names(**choice)


def test_a_profile_shows_its_own_defaults_in_the_schema() -> None:
    wire = {
        "name": "web_search",
        "inputSchema": {"properties": {"num_results": {"default": 5}, "query": {}}},
    }

    shown = tool_selection.apply_profile_defaults(wire, "searxng")

    assert shown["inputSchema"]["properties"]["num_results"]["default"] == 10
    assert wire["inputSchema"]["properties"]["num_results"]["default"] == 5
