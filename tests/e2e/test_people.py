"""Memory, workspaces and usage through real clients: who may keep what, and who reads it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from citewell.core import config
from citewell.core.tooling import Owner
from citewell.people.consent_service import ConsentService
from citewell.people.workspace_service import WorkspaceMembers
from citewell.server.state.state_store import StateStore
from tests.e2e.clients import TRANSPORTS, body, connected, listening
from tests.requirements import requires

Environ = dict[str, str]
FLAGS = {
    "MEMORY_ENABLED": {"memory_save", "memory_recall"},
    "USER_ANALYTICS_ENABLED": {"get_my_analytics"},
    "WORKSPACES_ENABLED": {"workspace_contribute", "workspace_read"},
    "MONITORING_ENABLED": {"monitor_query_save", "monitor_query_check"},
}
PEOPLE = set().union(*FLAGS.values())
ALL_ON = dict.fromkeys(FLAGS, "true")
ANN, BEN = Owner(tenant="acme", user="ann"), Owner(tenant="beta", user="ben")
EVE, NAMESAKE = Owner(tenant="acme", user="eve"), Owner(tenant="beta", user="ann")


def converse(
    transport: str, environ: Mapping[str, str], talk: Callable[[Client], Awaitable[Any]], **how: Any
) -> Any:
    async def run() -> Any:
        async with connected(transport, environ, **how) as client:
            return await talk(client)

    return asyncio.run(run())


async def list_names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    return body(await client.call_tool(tool, arguments))


def explain(result: Any) -> tuple[str, str]:
    """The sentence and the kind of a refused call."""
    assert result.is_error
    sentence, _, block = result.content[0].text.partition("\n\n")
    return sentence, json.loads(block)["error"]["kind"]


class Team:
    """A server behind a proxy that names its users, and what the host does for them."""

    def __init__(self, base: str, environ: Environ) -> None:
        self._base = base
        self._environ = environ

    @contextlib.asynccontextmanager
    async def enter(self, owner: Owner | None, path: str = "/mcp") -> AsyncIterator[Client]:
        names = {"x-user": owner.user, "x-tenant": owner.tenant} if owner else {}
        async with (
            httpx2.AsyncClient(headers=names, trust_env=False, timeout=30) as http,
            Client(streamable_http_client(self._base + path, http_client=http)) as client,
        ):
            yield client

    async def act(self, owner: Owner | None, tool: str, **arguments: Any) -> dict[str, Any]:
        async with self.enter(owner) as client:
            return await call(client, tool, **arguments)

    async def consent(self, owner: Owner, *purposes: str, granted: bool = True) -> None:
        async with self._open_state() as state:
            consents = ConsentService(state.consents)
            decide = consents.grant_consent if granted else consents.withdraw_consent
            for purpose in purposes:
                await decide(owner, purpose, decided_from="host")

    async def join(self, workspace: str, *owners: Owner) -> None:
        async with self._open_state() as state:
            for owner in owners:
                await WorkspaceMembers(state.workspaces).add_member(workspace, owner)

    async def leave(self, workspace: str, owner: Owner) -> None:
        async with self._open_state() as state:
            await WorkspaceMembers(state.workspaces).remove_member(workspace, owner)

    async def erase(self, owner: Owner) -> None:
        async with self._open_state() as state:
            await state.erase_owner(str(owner))

    @contextlib.asynccontextmanager
    async def _open_state(self) -> AsyncIterator[Any]:
        """The same store from another process's point of view."""
        state = StateStore(config.load_settings(self._environ))
        try:
            yield state
        finally:
            await state.aclose()


def serve(environ: Environ, play: Callable[[Team], Awaitable[Any]]) -> Any:
    proxied = environ | {
        **ALL_ON,
        "CITEWELL_PROXY_USER_HEADER": "X-User",
        "CITEWELL_PROXY_TENANT_HEADER": "X-Tenant",
        "CITEWELL_TRUSTED_PROXIES": "127.0.0.1",
    }

    async def run() -> Any:
        async with listening(proxied) as base:
            return await play(Team(base, proxied))

    return asyncio.run(run())


@requires(
    "get_my_analytics.registered", "memory_save.registered", "workspace_contribute.registered"
)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_setting_offers_its_tools_and_without_it_no_choice_does(
    transport: str, environ: Environ
) -> None:
    for choice in ({"CITEWELL_PROFILE": "all"}, {"CITEWELL_TOOLSETS": "people"}):
        assert not converse(transport, environ | choice, list_names) & PEOPLE
    for setting, offered in FLAGS.items():
        assert converse(transport, environ | {setting: "on"}, list_names) & PEOPLE == offered


@requires("memory_save.registered")
def test_no_path_of_a_server_offers_what_its_setting_switches_off(environ: Environ) -> None:
    for path in ("/mcp", "/mcp/all", "/mcp/people"):
        assert not converse("http", environ, list_names, path=path) & PEOPLE
        assert converse("http", environ | ALL_ON, list_names, path=path) >= PEOPLE


@requires("people.disabled")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_tool_that_is_off_names_the_setting_that_switches_it_on(
    transport: str, environ: Environ
) -> None:
    async def talk(client: Client) -> str:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("memory_save", {"note": "x"})
        assert refused.value.error.code == types.INVALID_PARAMS
        return refused.value.error.message

    assert "MEMORY_ENABLED=true" in converse(transport, environ, talk)


@requires(
    "memory_save.answer", "memory_save.arguments", "memory_recall.answer", "memory_recall.query",
    "people.local_user",
)  # fmt: skip
@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_the_local_user_remembers_across_processes(transport: str, environ: Environ) -> None:
    local = environ | {"MEMORY_ENABLED": "1", "STDIO_USER_ID": "ann@example.org"}

    async def save(client: Client) -> list[dict[str, Any]]:
        return [
            await call(client, "memory_save", note="Cells age by telomere loss.", topic="Ageing",
                       url="https://example.org/cells", tags=["biology", "review"]),
            await call(client, "memory_save", note="Prices of batteries fell."),
        ]  # fmt: skip

    async def recall(client: Client) -> list[dict[str, Any]]:
        return [
            await call(client, "memory_recall"),
            await call(client, "memory_recall", topic="ageing"),
            await call(client, "memory_recall", query="battery price"),
            await call(client, "memory_recall", limit=1),
        ]

    saved = converse(transport, local, save)
    every, by_topic, by_words, paged = converse(transport, local, recall)

    assert [set(one) for one in saved] == [{"status", "id", "createdAt"}] * 2
    assert (every["status"], every["count"], every["trust"]) == ("ok", 2, "user-asserted-content")
    [first] = by_topic["memories"]
    assert first == {
        "id": saved[0]["id"],
        "tenantId": "default",
        "userId": "ann@example.org",
        "topic": "Ageing",
        "note": "Cells age by telomere loss.",
        "url": "https://example.org/cells",
        "tags": ["biology", "review"],
        "createdAt": saved[0]["createdAt"],
    }
    assert [one["id"] for one in by_words["memories"]] == [saved[1]["id"]]
    assert (paged["count"], paged["total"], paged["nextOffset"]) == (1, 2, 1)


@requires("people.local_user")
def test_the_local_users_setting_does_not_share_and_yields_to_a_withdrawal(
    environ: Environ,
) -> None:
    local = environ | ALL_ON | {"STDIO_USER_ID": "ann"}

    async def withdraw() -> None:
        state = StateStore(config.load_settings(local))
        await ConsentService(state.consents).withdraw_consent(
            Owner(user="ann"), "memory", decided_from="host"
        )
        await state.aclose()

    async def talk(client: Client) -> list[str]:
        return [
            (await call(client, "workspace_read", workspace_id="team"))["status"],
            (await call(client, "memory_save", note="x"))["status"],
        ]

    before = converse("memory", local, talk)
    asyncio.run(withdraw())

    assert before == ["no_consent", "ok"]
    assert converse("memory", local, talk) == ["no_consent", "no_consent"]


@requires("memory_save.anonymous", "get_my_analytics.status")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_call_without_a_user_is_told_what_to_set(transport: str, environ: Environ) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("memory_save", {"note": "x"}),
        ("memory_recall", {}),
        ("workspace_contribute", {"workspace_id": "team", "note": "x"}),
        ("workspace_read", {"workspace_id": "team"}),
        ("get_my_analytics", {}),
    ]

    async def talk(client: Client) -> list[dict[str, Any]]:
        return [await call(client, tool, **arguments) for tool, arguments in calls]

    for answer in converse(transport, environ | ALL_ON, talk):
        assert answer["status"] == "unavailable"
        assert "STDIO_USER_ID" in answer["reason"]


@requires("memory_save.bounds")
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"note": "x" * 9_000_000}, "note"),
        ({"note": " \u200b "}, "note"),
        ({"note": "x", "tags": {"a": "b"}}, "tags"),
        ({"note": "x", "tags": ["y" * 101]}, "tags"),
        ({"note": "x", "url": "javascript:alert(1)"}, "url"),
        ({"note": "x", "url": "https://["}, "url"),
        ({"note": "x", "user_id": "ben"}, "user_id"),
    ],
)
def test_a_note_that_cannot_be_kept_is_refused_by_name(
    arguments: dict[str, Any], named: str, environ: Environ
) -> None:
    local = environ | ALL_ON | {"STDIO_USER_ID": "ann"}

    async def talk(client: Client) -> tuple[Any, Any, Any]:
        refused = await client.call_tool("memory_save", arguments)
        both = {"workspace_id": "team", **arguments}
        shared = await client.call_tool("workspace_contribute", both)
        return refused, shared, await call(client, "memory_recall")

    refused, shared, left = converse("memory", local, talk)

    for one in (refused, shared):
        sentence, kind = explain(one)
        assert (kind, len(sentence) < 500) == ("validation", True)
        assert named in sentence
    assert left["count"] == 0


@pytest.mark.parametrize("workspace", ["w" * 9_000_000, "  ", "a\x00b", {"a": 1}])
def test_a_workspace_id_that_cannot_be_one_is_refused(workspace: Any, environ: Environ) -> None:
    local = environ | ALL_ON | {"STDIO_USER_ID": "ann"}

    async def talk(client: Client) -> list[Any]:
        return [
            await client.call_tool("workspace_read", {"workspace_id": workspace}),
            await client.call_tool(
                "workspace_contribute", {"workspace_id": workspace, "note": "x"}
            ),
        ]

    for refused in converse("memory", local, talk):
        sentence, kind = explain(refused)
        assert (kind, len(sentence) < 500) == ("validation", True)
        assert "workspace_id" in sentence


@requires("memory_recall.paging")
def test_a_list_that_is_too_long_for_one_answer_goes_on(environ: Environ) -> None:
    local = environ | ALL_ON | {"STDIO_USER_ID": "ann"}

    async def talk(client: Client) -> list[int]:
        for number in range(6):
            await call(client, "memory_save", note=f"{number} " + "word " * 1990)
        seen: list[int] = []
        page: dict[str, Any] = {"nextOffset": 0}
        while "nextOffset" in page:
            page = await call(client, "memory_recall", offset=page["nextOffset"])
            seen += [int(memory["note"].split()[0]) for memory in page["memories"]]
            assert len(json.dumps(page)) < 60_000
        return seen

    assert converse("memory", local, talk) == [5, 4, 3, 2, 1, 0]


@requires("memory_save.consent", "memory_recall.own")
def test_each_user_of_a_server_remembers_alone_and_only_with_consent(environ: Environ) -> None:
    async def play(team: Team) -> Any:
        refused = await team.act(ANN, "memory_save", note="before consent")
        for owner in (ANN, EVE, NAMESAKE):
            await team.consent(owner, "memory")
            await team.act(owner, "memory_save", note=f"of {owner}")
        recalled = [
            [
                one["note"]
                for one in (await team.act(owner, "memory_recall", query="of"))["memories"]
            ]
            + [one["note"] for one in (await team.act(owner, "memory_recall"))["memories"]]
            for owner in (ANN, EVE, NAMESAKE)
        ]
        await team.consent(ANN, "memory", granted=False)
        return (
            refused,
            recalled,
            await team.act(ANN, "memory_recall"),
            await team.act(BEN, "memory_recall"),
        )

    refused, recalled, withdrawn, never = serve(environ, play)

    assert refused["status"] == "no_consent"
    assert "id" not in refused
    assert [set(notes) for notes in recalled] == [
        {"of acme/ann"}, {"of acme/eve"}, {"of beta/ann"},
    ]  # fmt: skip
    for answer in (withdrawn, never):
        assert (answer["status"], answer["count"], answer["memories"]) == ("no_consent", 0, [])


@requires(
    "workspace_contribute.answer", "workspace_contribute.identity", "workspace_contribute.erasure",
    "workspace_read.answer", "workspace_read.membership", "workspace_read.consent",
)  # fmt: skip
def test_a_workspace_is_read_by_its_members_while_they_are_members(environ: Environ) -> None:
    async def read(team: Team, owner: Owner) -> tuple[str, list[str]]:
        answer = await team.act(owner, "workspace_read", workspace_id="team")
        assert answer["count"] == len(answer["contributions"])
        assert answer["trust"] == "untrusted-external-content"
        return answer["status"], [one["contributorUser"] for one in answer["contributions"]]

    async def play(team: Team) -> Any:
        told: dict[str, Any] = {}
        finding = {"workspace_id": "team", "note": "Cells age.", "tags": ["biology"]}
        told["no consent"] = await team.act(ANN, "workspace_contribute", **finding)
        for owner in (ANN, BEN, EVE):
            await team.consent(owner, "workspace")
        told["no member"] = await team.act(ANN, "workspace_contribute", **finding)
        await team.join("team", ANN, BEN)
        await team.join("elsewhere", EVE)
        told["shared"] = await team.act(ANN, "workspace_contribute", **finding)
        told["contents"] = await team.act(BEN, "workspace_read", workspace_id="team")
        told["outsider"] = await read(team, EVE)
        await team.leave("team", BEN)
        told["left"] = await read(team, BEN)
        await team.join("team", BEN)
        await team.consent(ANN, "workspace", granted=False)
        told["withdrawn"] = await read(team, ANN), await read(team, BEN)
        await team.consent(ANN, "workspace")
        told["again"] = await read(team, BEN)
        await team.erase(ANN)
        told["erased"] = await read(team, ANN), await read(team, BEN)
        return told

    told = serve(environ, play)

    assert [told[name]["status"] for name in ("no consent", "no member", "shared")] == [
        "no_consent", "not_member", "ok",
    ]  # fmt: skip
    [contribution] = told["contents"]["contributions"]
    assert contribution.pop("createdAt").endswith("Z")
    assert contribution == {
        "id": told["shared"]["id"],
        "workspaceId": "team",
        "contributorTenant": "acme",
        "contributorUser": "ann",
        "note": "Cells age.",
        "tags": ["biology"],
    }
    assert told["outsider"] == told["left"] == ("not_member", [])
    assert told["withdrawn"] == (("no_consent", []), ("ok", []))
    assert told["again"] == ("ok", ["ann"])
    assert told["erased"] == (("no_consent", []), ("ok", []))


@requires(
    "get_my_analytics.status", "get_my_analytics.caller", "get_my_analytics.analytics",
    "get_my_analytics.consent",
)  # fmt: skip
def test_usage_is_counted_from_consent_to_withdrawal_for_the_caller_alone(
    environ: Environ,
) -> None:
    async def play(team: Team) -> list[dict[str, Any]]:
        await team.act(ANN, "memory_recall")
        told = [await team.act(ANN, "get_my_analytics")]
        await team.consent(ANN, "analytics")
        await team.consent(EVE, "analytics")
        told.append(await team.act(EVE, "get_my_analytics"))
        async with team.enter(ANN) as client:
            await call(client, "memory_recall")
            await client.call_tool("memory_save", {})  # refused, and still a call
            told.append(await call(client, "get_my_analytics"))
            told.append(await call(client, "get_my_analytics"))
            await team.consent(ANN, "analytics", granted=False)
            told.append(await call(client, "get_my_analytics"))
            await team.consent(ANN, "analytics")
            told.append(await call(client, "get_my_analytics"))
        return told

    before, eve, first, second, withdrawn, again = serve(environ, play)

    assert (before["status"], eve["status"], withdrawn["status"]) == (
        "no_consent", "empty", "no_consent",
    )  # fmt: skip
    assert "consented" in before["reason"]
    analytics = first["analytics"]
    assert first["status"] == "ok"
    assert (analytics["tenantId"], analytics["userId"], analytics["totalCalls"]) == (
        "acme",
        "ann",
        2,
    )
    assert analytics["toolCounts"] == {"memory_recall": 1, "memory_save": 1}
    assert analytics["recentTools"] == ["memory_save", "memory_recall"]
    assert analytics["firstSeen"] <= analytics["lastSeen"]
    assert second["analytics"]["totalCalls"] == 3
    # The calls under withdrawal are missing; those before it are still known.
    assert again["analytics"]["totalCalls"] == 3
