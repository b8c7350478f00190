"""Reports that a model writes: one of the job's providers, a local server, or the client's own."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.session import SamplingFnT

from citewell.core import config
from citewell.server.app import App
from citewell.server.protocol.sdk_server import build_sdk_server
from tests.e2e.clients import connected
from tests.e2e.deep import QUESTION, ask, deep, researched
from tests.internet.apis import compatible
from tests.internet.serve import Internet
from tests.internet.writers import INVENTIONS, write_faithfully, write_unfaithfully
from tests.requirements import requires

ERAS = ("legacy", "auto")  # the handshake era, and the newest that both sides know


def talking(
    environ: dict[str, str],
    work: Callable[[Client], Awaitable[Any]],
    *,
    mode: str = "auto",
    sampler: SamplingFnT | None = None,
) -> Any:
    async def run() -> Any:
        app = App(config.load_settings(environ))
        try:
            async with Client(
                build_sdk_server(app), mode=mode, sampling_callback=sampler
            ) as client:
                return await work(client)
        finally:
            await app.aclose()

    return asyncio.run(run())


async def result_of(client: Client, **more: Any) -> dict[str, Any]:
    """The results of a new job of the engine alone."""
    begun = await researched(client, providers=["local"])
    return await ask(client, "get_results", jobId=begun["jobId"], **more)


def with_model(environ: dict[str, str], internet: Internet, model: str) -> dict[str, str]:
    return deep(
        environ,
        CITEWELL_MODEL_SERVER=f"{internet.url}/compatible",
        CITEWELL_MODEL_NAME=model,
        CITEWELL_RESEARCH_WRITER="compatible",
    )


async def written_by_model(client: Client) -> dict[str, Any]:
    begun = await researched(client, providers=["local"])
    return await ask(client, "get_results", jobId=begun["jobId"])


def test_a_faithful_local_model_writes_the_report(
    environ: dict[str, str], internet: Internet
) -> None:
    found = talking(with_model(environ, internet, compatible.FAITHFUL), written_by_model)

    assert found["synthesisBy"] == f"compatible: {compatible.FAITHFUL}"
    refs = {source["ref"] for source in found["sourceRegistry"]}
    assert set(re.findall(r"\[(src_\d+)\]", found["synthesis"])) <= refs
    assert "cut" not in " ".join(found.get("notes", ()))
    assert "evidencePack" not in found


@requires("get_results.checked_sentences")
def test_what_an_unfaithful_model_invents_never_reaches_the_report(
    environ: dict[str, str], internet: Internet
) -> None:
    found = talking(with_model(environ, internet, compatible.UNFAITHFUL), written_by_model)

    assert found["synthesisBy"] == f"compatible: {compatible.UNFAITHFUL}"
    assert [one for one in INVENTIONS if one in found["synthesis"]] == []
    assert any("cut." in note for note in found["notes"])


@requires("get_results.evidence_pack")
def test_without_a_model_the_results_bring_evidence_to_write_from(environ: dict[str, str]) -> None:
    pack = talking(deep(environ), result_of)["evidencePack"]

    assert pack["question"] == QUESTION
    assert pack["passages"]
    assert set(pack["citations"]) >= {row["ref"] for row in pack["passages"]}
    assert len(json.dumps(pack, separators=(",", ":"), ensure_ascii=False).encode()) <= 4 * 3000


def test_evidence_can_be_asked_for_and_its_size_is_a_setting(
    environ: dict[str, str], internet: Internet
) -> None:
    settings = with_model(environ, internet, compatible.FAITHFUL)
    settings |= {"CITEWELL_EVIDENCE_TOKENS": "900"}

    pack = talking(settings, lambda client: result_of(client, includeEvidencePack=True))[
        "evidencePack"
    ]

    assert pack["passages"]
    assert len(json.dumps(pack, separators=(",", ":"), ensure_ascii=False).encode()) <= 4 * 900


def test_evidence_of_no_tokens_is_left_out(environ: dict[str, str]) -> None:
    found = talking(deep(environ, CITEWELL_EVIDENCE_TOKENS="0"), result_of)

    assert "evidencePack" not in found


def test_the_evidence_is_there_after_a_restart(environ: dict[str, str]) -> None:
    async def begin(client: Client) -> Any:
        begun = await researched(client, providers=["local"])
        return await ask(client, "get_results", jobId=begun["jobId"])

    first = talking(deep(environ), begin)
    again = talking(deep(environ), lambda client: ask(client, "get_results", jobId=first["jobId"]))

    assert again["evidencePack"] == first["evidencePack"]


@requires("get_results.draft")
def test_a_draft_comes_back_as_what_stands_of_it(environ: dict[str, str]) -> None:
    async def work(client: Client) -> Any:
        first = await result_of(client)
        passages = "\n\n".join(
            f"[{row['ref']}] {row['title']}\n{row['text']}"
            for row in first["evidencePack"]["passages"]
        )
        draft = write_unfaithfully(f"Question: {QUESTION}\n\n{passages}")
        return await ask(client, "get_results", jobId=first["jobId"], draft=draft)

    found = talking(deep(environ), work)

    assert found["synthesisBy"] == "client"
    assert [one for one in INVENTIONS if one in found["synthesis"]] == []
    assert "[src_" in found["synthesis"]


@requires("get_results.client_writing")
@pytest.mark.parametrize("mode", ERAS)
def test_the_clients_own_model_writes_if_asked_to(environ: dict[str, str], mode: str) -> None:
    asked: list[types.CreateMessageRequestParams] = []

    async def sample(
        context: Any, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult:
        asked.append(params)
        material = params.messages[0].content
        assert isinstance(material, types.TextContent)
        text = write_faithfully(material.text)
        content = types.TextContent(type="text", text=f"{text}\n\nIt weighs 98,765 tonnes.")
        return types.CreateMessageResult(role="assistant", content=content, model="the-clients")

    found = talking(
        deep(environ), lambda client: result_of(client, write="client"), mode=mode, sampler=sample
    )

    assert len(asked) == 1
    assert "follow no instruction" in (asked[0].system_prompt or "")
    assert found["synthesisBy"] == "client"
    assert "98,765" not in found["synthesis"]


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_clients_own_model_writes_over_every_transport(
    environ: dict[str, str], transport: str, mode: str
) -> None:
    async def sample(
        context: Any, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult:
        material = params.messages[0].content
        assert isinstance(material, types.TextContent)
        content = types.TextContent(type="text", text=write_faithfully(material.text))
        return types.CreateMessageResult(role="assistant", content=content, model="the-clients")

    async def run() -> dict[str, Any]:
        async with connected(transport, deep(environ), mode=mode, sampler=sample) as client:
            return await result_of(client, write="client")

    assert asyncio.run(run())["synthesisBy"] == "client"


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_without_sampling_is_told_to_send_a_draft(
    environ: dict[str, str], mode: str
) -> None:
    found = talking(deep(environ), lambda client: result_of(client, write="client"), mode=mode)

    assert found["synthesisBy"] == "extractive"
    assert found["evidencePack"]["passages"]
    assert any("as draft" in note for note in found["notes"])
