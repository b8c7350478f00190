"""Instances behind a balancer without sticky sessions: each call may be served by another one."""

from __future__ import annotations

import asyncio
import urllib.request
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from tests.cluster.cluster import Cluster
from tests.e2e.clients import body
from tests.e2e.deep import ask, researched
from tests.internet.writers import write_faithfully

pytestmark = [pytest.mark.process, pytest.mark.timeout(600)]
QUERY = {"query": "How do lithium-ion batteries age?"}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_of_either_era_is_served_by_all_instances(cluster: Cluster, mode: str) -> None:
    async def call_often() -> list[int]:
        async with Client(f"{cluster.url}/mcp", mode=mode) as client:
            listed = await client.list_tools()
            assert listed.tools
            return [
                len(body(await client.call_tool("web_search", QUERY))["urls"])
                for _ in range(2 * len(cluster.instances))
            ]

    found = asyncio.run(call_often())

    assert all(found)


def test_requests_one_after_the_other_go_to_different_instances(cluster: Cluster) -> None:
    served = set()
    for _ in range(len(cluster.instances)):
        with urllib.request.urlopen(f"{cluster.url}/health/ready", timeout=5) as answer:
            served.add(answer.headers["x-instance"])

    assert served == set(cluster.instances)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_model_of_a_client_is_asked_and_answers_through_the_balancer(
    cluster: Cluster, mode: str
) -> None:
    """In the older era the question and the answer pass through different instances."""

    async def sample(
        context: object, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult:
        material = params.messages[0].content
        assert isinstance(material, types.TextContent)
        content = types.TextContent(type="text", text=write_faithfully(material.text))
        return types.CreateMessageResult(role="assistant", content=content, model="the-clients")

    async def run() -> dict[str, Any]:
        async with Client(f"{cluster.url}/mcp", mode=mode, sampling_callback=sample) as client:
            begun = await researched(client, providers=["local"])
            return await ask(client, "get_results", jobId=begun["jobId"], write="client")

    assert asyncio.run(run())["synthesisBy"] == "client"
