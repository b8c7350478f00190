from __future__ import annotations

from typing import Any

import pytest

from citewell.server.capabilities import tool_selection

ENTRIES = [
    {"name": "web_search", "toolset": "core", "default": True, "readOnly": True, "links": True},
    {"name": "memory_save", "toolset": "people", "default": False, "readOnly": False},
    {"name": "search", "toolset": "connector", "default": False, "readOnly": True},
    {"name": "read_artifact", "toolset": "other", "default": False, "readOnly": True},
]


def names(**choice: object) -> list[str]:
    return [entry["name"] for entry in tool_selection.select_entries(ENTRIES, **choice)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, ["web_search", "read_artifact"]),
        ({"tools": ["web_search"]}, ["web_search", "read_artifact"]),
        ({"profile": "all"}, ["web_search", "memory_save", "search", "read_artifact"]),
        ({"profile": "connector"}, ["search"]),
        ({"profile": "searxng"}, ["web_search", "read_artifact"]),
        ({"toolsets": ["people"]}, ["memory_save"]),
        ({"toolsets": ["default", "connector"]}, ["web_search", "search", "read_artifact"]),
        ({"tools": ["search"]}, ["search"]),
        ({"toolsets": ["all"], "read_only": True}, ["web_search", "search", "read_artifact"]),
        ({"toolsets": ["+connector"]}, ["web_search", "search", "read_artifact"]),
        (
            {"toolsets": ["+connector", "+people"]},
            ["web_search", "memory_save", "search", "read_artifact"],
        ),
        (
            {"profile": "searxng", "toolsets": ["+people"]},
            ["web_search", "memory_save", "read_artifact"],
        ),
        ({"profile": "connector", "toolsets": ["+people"]}, ["memory_save", "search"]),
        (
            {"toolsets": ["+connector"], "tools": ["memory_save"]},
            ["web_search", "memory_save", "search", "read_artifact"],
        ),
        ({"tools": ["+search"]}, ["web_search", "search", "read_artifact"]),
        ({"tools": ["+search"], "toolsets": ["people"]}, ["memory_save", "search"]),
        ({"toolsets": ["+people"], "read_only": True}, ["web_search", "read_artifact"]),
    ],
)
def test_the_choice_decides_the_list(choice: dict[str, object], expected: list[str]) -> None:
    assert names(**choice) == expected


@pytest.mark.parametrize(
    "choice",
    [
        {"profile": "x"},
        {"toolsets": ["x"]},
        {"toolsets": ["+x"]},
        {"tools": ["x"]},
        {"tools": ["+x"]},
    ],
)
def test_an_unknown_choice_is_named(choice: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"unknown .* x"):
        names(**choice)


def test_a_profile_shows_its_own_names_and_defaults_in_the_schema() -> None:
    wire: dict[str, Any] = {
        "name": "web_search",
        "inputSchema": {"properties": {"num_results": {"default": 5}, "query": {}}},
    }

    changes = tool_selection.find_argument_changes("searxng")
    shown = tool_selection.apply_argument_changes(wire, changes)

    assert shown["inputSchema"]["properties"]["results_count"]["default"] == 10
    assert list(shown["inputSchema"]["properties"]) == ["results_count", "query"]
    assert wire["inputSchema"]["properties"]["num_results"]["default"] == 5
    assert tool_selection.list_changed_defaults(changes)["web_search"]["num_results"] == 10


@pytest.mark.parametrize(
    ("profile", "default", "most", "shown"),
    [
        ("default", 7, None, {"default": 7}),
        ("default", None, 3, {"default": 3, "maximum": 3}),
        ("default", 7, 20, {"default": 7, "maximum": 20}),
        ("searxng", None, 20, {"name": "results_count", "default": 10, "maximum": 20}),
        ("searxng", None, 4, {"name": "results_count", "default": 4, "maximum": 4}),
    ],
)
def test_settings_change_how_many_results_the_schema_shows(
    profile: str, default: int | None, most: int | None, shown: dict[str, Any]
) -> None:
    changes = tool_selection.find_argument_changes(profile, default_count=default, max_count=most)

    assert changes["web_search"]["num_results"] == shown


@pytest.mark.parametrize(
    "choice", [{"toolsets": ["+connector", "people"]}, {"tools": ["+search", "memory_save"]}]
)
def test_names_with_and_without_a_plus_are_not_mixed(choice: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match="a plus"):
        names(**choice)


@pytest.mark.parametrize(
    ("choice", "advice"),
    [
        ({}, "--toolsets +people (CITEWELL_TOOLSETS=+people)"),
        ({"toolsets": ["core"]}, "--toolsets core,people (CITEWELL_TOOLSETS=core,people)"),
        (
            {"toolsets": ["+connector"]},
            "--toolsets +connector,+people (CITEWELL_TOOLSETS=+connector,+people)",
        ),
        (
            {"tools": ["search"]},
            "--tools search,memory_save (CITEWELL_TOOLS=search,memory_save)",
        ),
    ],
)
def test_a_tool_that_is_off_says_how_to_switch_it_on(choice: dict[str, Any], advice: str) -> None:
    reason = tool_selection.describe_disabled_tool(ENTRIES, "memory_save", **choice)

    assert reason is not None
    assert "memory_save is switched off" in reason
    assert advice in reason


def test_a_tool_that_writes_is_off_because_of_read_only() -> None:
    reason = tool_selection.describe_disabled_tool(ENTRIES, "memory_save", read_only=True)

    assert reason is not None
    assert "--read-only" in reason
    assert "CITEWELL_READ_ONLY" in reason


SWITCHED = [
    {**ENTRIES[0]},
    {**ENTRIES[1], "default": True, "requiredSetting": "MEMORY_ENABLED"},
]


@pytest.mark.parametrize("choice", [{}, {"profile": "all"}, {"toolsets": ["people", "core"]}])
def test_a_tool_is_offered_only_while_its_setting_is_true(choice: dict[str, Any]) -> None:
    off = tool_selection.select_entries(SWITCHED, **choice)
    on = tool_selection.select_entries(SWITCHED, **choice, switched_on={"MEMORY_ENABLED"})

    assert [entry["name"] for entry in off] == ["web_search"]
    assert [entry["name"] for entry in on] == ["web_search", "memory_save"]


def test_a_tool_that_is_chosen_by_name_needs_its_setting() -> None:
    with pytest.raises(ValueError, match="memory_save also needs MEMORY_ENABLED=true"):
        tool_selection.select_entries(SWITCHED, tools=["+memory_save"])


def test_a_tool_that_is_off_names_its_setting() -> None:
    reason = tool_selection.describe_disabled_tool(SWITCHED, "memory_save")

    assert reason is not None
    assert "MEMORY_ENABLED=true" in reason


def test_a_tool_that_does_not_exist_cannot_be_switched_on() -> None:
    assert tool_selection.describe_disabled_tool(ENTRIES, "nothing") is None
