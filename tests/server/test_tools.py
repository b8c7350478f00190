from __future__ import annotations

from citewell.core import tooling as tools
from citewell.server.reference import estimate_tool_tokens
from tests.command_runs import Run


def test_every_tool_is_listed_with_its_tokens(run: Run) -> None:
    ran = run("tools", "--json")

    listed = {row["name"]: row for row in ran.json()["tools"]}
    assert ran.code == 0
    assert set(listed) == set(tools.list_tool_names())
    assert all(row["tokens"] > 0 for row in listed.values())


def test_the_total_is_within_the_budget(run: Run) -> None:
    budgets = run("tools", "--json").json()["budgets"]

    assert 0 < budgets["default profile"]["tokens"] <= budgets["default profile"]["budget"] == 4000
    assert 0 < budgets["all tools"]["tokens"] <= budgets["all tools"]["budget"] == 12000


def test_a_toolset_narrows_the_list(run: Run) -> None:
    ran = run("tools", "--json", "--toolsets", "connector")

    assert {row["name"] for row in ran.json()["tools"]} == {"search", "fetch"}


def test_a_toolset_with_a_plus_is_listed_beside_the_default_profile(run: Run) -> None:
    rows = run("tools", "--json", "--toolsets", "+connector").json()["tools"]

    assert {row["name"] for row in rows} == {row["name"] for row in rows if row["default"]} | {
        "search",
        "fetch",
    }
    assert "web_search" in {row["name"] for row in rows}


def test_an_unknown_toolset_is_a_usage_error(run: Run) -> None:
    ran = run("tools", "--toolsets", "nonsense")

    assert ran.code == 2
    assert "nonsense" in ran.err


def test_people_get_a_table(run: Run) -> None:
    ran = run("tools")

    assert ran.out.splitlines()[0].split() == ["TOOL", "TOOLSET", "DEFAULT", "TOKENS"]


def test_a_token_is_four_bytes_of_what_every_client_pays_for() -> None:
    wire = {
        "name": "x",
        "description": "é" * 8,
        "inputSchema": {},
        "outputSchema": {"a": "ignored"},
    }

    assert (
        estimate_tool_tokens(wire)
        == len(
            '{"name":"x","description":"","inputSchema":{}}' + "éééééééé".encode().decode("latin-1")
        )
        // 4
    )
