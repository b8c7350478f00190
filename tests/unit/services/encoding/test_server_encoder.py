"""An embeddings server: asked as its vendors document, and told apart when it answers otherwise."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from citewell.config import Settings, load_settings
from citewell.ports import TextEncoder
from citewell.server.app import App
from citewell.services.encoding.encoder_choice import is_own_machine
from citewell.services.encoding.passage_similarity import PassageSimilarity
from citewell.services.encoding.server_encoder import TEXTS_PER_REQUEST
from citewell.services.encoding.similarity_scores import SimilarityScores
from tests.unit.net.loopback import Exchange, Handler, Server, serve

VECTORS = {"tip": [1.0, 0.0], "tipping": [0.9, 0.1], "battery": [0.0, 1.0]}


async def answer_well(exchange: Exchange) -> None:
    texts = json.loads(exchange.body)["input"]
    items = [
        {"object": "embedding", "index": index, "embedding": VECTORS.get(text, [0.5, 0.5])}
        for index, text in enumerate(texts)
    ]
    body = {"object": "list", "data": items[::-1], "model": "m", "usage": {"prompt_tokens": 1}}
    await exchange.reply(
        body=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
    )


def answer_with(status: int, body: object) -> Handler:
    async def answer(exchange: Exchange) -> None:
        await exchange.reply(status, json.dumps(body).encode())

    return answer


def run_with_server(
    handler: Handler,
    act: Callable[[PassageSimilarity], Awaitable[Any]],
    environ: dict[str, str],
    **settings: str,
) -> tuple[Any, Server]:
    async def run() -> tuple[Any, Server]:
        async with serve(handler) as server:
            chosen = {"CITEWELL_ENCODER": server.url("/v1/", host="127.0.0.1")} | settings
            app = App(load_settings(environ | chosen))
            try:
                return await act(app.require_service(PassageSimilarity)), server
            finally:
                await app.aclose()

    return asyncio.run(run())


async def score(similarity: PassageSimilarity) -> SimilarityScores:
    return await similarity.score_passages("tip", ("tipping", "battery"))


def test_the_server_is_asked_as_documented_and_its_order_is_restored(
    environ: dict[str, str],
) -> None:
    scores, server = run_with_server(
        answer_well,
        score,
        environ,
        CITEWELL_ENCODER_MODEL="nomic-embed-text",
        CITEWELL_ENCODER_KEY="secret-key",
    )

    near, far = scores.cosines
    assert near > 0.9 > far
    (asked,) = server.seen
    assert (asked.method, asked.path) == ("POST", "/v1/embeddings")
    assert json.loads(asked.body) == {
        "model": "nomic-embed-text",
        "input": ["tip", "tipping", "battery"],
        "encoding_format": "float",
    }
    assert asked.header("authorization") == "Bearer secret-key"


def test_many_texts_are_asked_for_in_several_requests_and_none_is_empty(
    environ: dict[str, str],
) -> None:
    async def act(similarity: PassageSimilarity) -> Any:
        encoder = await similarity.find_encoder()
        assert encoder is not None
        return await encoder.embed_texts([""] * (TEXTS_PER_REQUEST + 1))

    vectors, server = run_with_server(answer_well, act, environ)

    sent = [json.loads(one.body)["input"] for one in server.seen]
    assert len(vectors) == TEXTS_PER_REQUEST + 1
    assert [len(texts) for texts in sent] == [TEXTS_PER_REQUEST, 1]
    assert all(text for texts in sent for text in texts)


ITEM = {"index": 0, "embedding": [1.0]}


@pytest.mark.parametrize(
    "body",
    [
        {"data": [ITEM]},
        {"data": [ITEM, {"index": 1, "embedding": [1.0, 2.0]}, {"index": 2, "embedding": [1.0]}]},
        {"data": [{"index": number, "embedding": []} for number in range(3)]},
        {"data": "none"},
        {"error": "x"},
        [],
    ],
)
def test_an_answer_of_another_shape_is_told_and_not_used(
    environ: dict[str, str], body: object
) -> None:
    scores, _ = run_with_server(answer_with(200, body), score, environ)

    assert scores.cosines == ()
    assert "without the encoder" in scores.note


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (404, {"error": {"message": "model 'm' not found"}}, "CITEWELL_ENCODER_MODEL"),
        (401, {"error": "no"}, "key"),
        (400, {"error": {"message": "input is too long"}}, "refused the request"),
        (500, {}, "failed"),
    ],
)
def test_a_refusal_is_told_with_what_to_change(
    environ: dict[str, str], status: int, body: object, said: str
) -> None:
    scores, _ = run_with_server(
        answer_with(status, body), score, environ, CITEWELL_ENCODER_MODEL="m"
    )

    assert scores.cosines == ()
    assert said in scores.note


@pytest.mark.parametrize(
    ("address", "proxy", "own"),
    [
        ("http://127.0.0.1:11434/v1", None, True),
        ("http://localhost:1234/v1", None, True),
        ("http://[::1]:1234/v1", None, True),
        ("http://127.0.0.1:11434/v1", "http://proxy.example.org:3128", False),
        ("http://192.168.1.2:11434/v1", None, False),
        ("http://localhost.example.org/v1", None, False),
        ("https://api.example.org/v1", None, False),
    ],
)
def test_only_loopback_without_a_proxy_is_this_machine(
    address: str, proxy: str | None, own: bool
) -> None:
    assert is_own_machine(address, Settings(outbound_proxy=proxy)) is own


def test_a_server_elsewhere_says_so(environ: dict[str, str], tmp_path: Path) -> None:
    async def find() -> TextEncoder | None:
        app = App(load_settings(environ | {"CITEWELL_ENCODER": "https://api.example.org/v1"}))
        try:
            return await app.require_service(PassageSimilarity).find_encoder()
        finally:
            await app.aclose()

    encoder = asyncio.run(find())

    assert encoder is not None
    assert not encoder.is_local
