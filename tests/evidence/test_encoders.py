"""A model in a folder, run in its real process: the same vectors always, and nobody waits for a broken one."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from citewell.core.config import Settings, load_settings
from citewell.core.errors import CitewellError, Misconfigured
from citewell.evidence.encoding import onnx_model
from citewell.evidence.encoding.encoders import (
    TEXTS_PER_REQUEST,
    TEXTS_PER_TASK,
    LocalEncoder,
    is_own_machine,
    open_encoder_folder,
    open_model_workers,
)
from citewell.evidence.encoding.onnx_model import measure_cosines
from citewell.evidence.encoding.passage_similarity import PassageSimilarity, SimilarityScores
from citewell.routing.ports import TextEncoder
from citewell.server.app import App
from citewell.workers.worker_tasks import FailureCause, TaskFailure, WorkerTask
from tests.encoders import DIMENSIONS, build_tiny_encoder
from tests.net.loopback import Exchange, Handler, Server, serve
from tests.requirements import requires

pytestmark = pytest.mark.process  # the encoder's own process

TEXTS = ("tip the waiter", "charge the battery", "sugar tax", "tax")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return build_tiny_encoder(tmp_path / "model")


def with_encoder(folder: Path, act: Callable[[LocalEncoder], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        opened = open_encoder_folder(folder)
        encoder = LocalEncoder(opened, open_model_workers(opened.model_bytes))
        try:
            return await act(encoder)
        finally:
            await encoder.aclose()

    return asyncio.run(run())


def embed(folder: Path, *texts: str) -> tuple[bytes, ...]:
    vectors: tuple[bytes, ...] = with_encoder(folder, lambda encoder: encoder.embed_texts(texts))
    return vectors


def test_a_text_has_the_same_vector_alone_and_among_others(folder: Path) -> None:
    async def act(encoder: LocalEncoder) -> Any:
        together = await encoder.embed_texts(TEXTS * TEXTS_PER_TASK)
        return together, [(await encoder.embed_texts([text]))[0] for text in TEXTS]

    together, alone = with_encoder(folder, act)

    assert list(together) == alone * TEXTS_PER_TASK
    assert {len(vector) for vector in together} == {DIMENSIONS}


def test_what_means_the_same_is_nearer_than_what_shares_a_word(folder: Path) -> None:
    question, *passages = embed(folder, "tipping a waiter", "gratuity", "a battery", "a sugar tax")

    near, *far = measure_cosines(question, passages)

    assert near > 0.9
    assert max(far) < 0.5


def test_padding_and_limits_in_the_tokenizer_file_are_not_taken(folder: Path) -> None:
    short, long = embed(folder, "tip", "tip tip tip tip tip tip")

    assert short == long


def test_a_model_that_gives_sentences_is_taken_as_it_is(folder: Path, tmp_path: Path) -> None:
    whole = build_tiny_encoder(tmp_path / "whole", gives_sentence=True)

    assert embed(whole, *TEXTS) == embed(folder, *TEXTS)


def test_a_folder_may_say_that_the_first_token_stands_for_the_text(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))

    first, two = embed(folder, "tip battery", "tip sugar")

    assert first == two


def test_a_very_long_text_is_cut(folder: Path) -> None:
    short, long = embed(folder, "tip", "tip " * onnx_model.MAX_TEXT_CHARS)

    assert short == long


@pytest.mark.parametrize("text", ["", " \n", "\ud800", "\x00"])
def test_a_text_without_words_has_a_vector_like_any_other(folder: Path, text: str) -> None:
    (vector,) = embed(folder, text)

    assert len(vector) == DIMENSIONS


def test_the_model_stays_loaded_for_the_next_task(folder: Path) -> None:
    async def act(encoder: LocalEncoder) -> tuple[set[int], set[int]]:
        await encoder.embed_texts(TEXTS)
        first = {child.pid for child in psutil.Process().children()}
        await encoder.embed_texts(TEXTS)
        return first, {child.pid for child in psutil.Process().children()}

    first, second = with_encoder(folder, act)

    assert first & second


@requires("encoder.fenced")
def test_the_encoders_process_has_no_other_task(folder: Path) -> None:
    async def act() -> None:
        async with open_model_workers(open_encoder_folder(folder).model_bytes) as workers:
            task: WorkerTask[str] = WorkerTask(
                "citewell.reading.extracted_page:clean_page_text", str
            )
            await workers.run_task(task, text="x")

    with pytest.raises(TaskFailure) as caught:
        asyncio.run(act())

    assert caught.value.cause is FailureCause.BUG


@pytest.mark.parametrize("name", ["model.onnx", "onnx/model_quantized.onnx", "onnx/model_O4.onnx"])
def test_the_model_is_found_where_publishers_put_it(folder: Path, name: str) -> None:
    (folder / "onnx").mkdir()
    shutil.move(folder / "model.onnx", folder / name)

    assert open_encoder_folder(folder).model_file == folder / name


def test_the_name_changes_with_the_files_and_not_with_their_place(
    folder: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    other = build_tiny_encoder(tmp_path / "other", gives_sentence=True)

    names = [open_encoder_folder(place).name for place in (folder, copy, other)]

    assert names[0] == names[1] != names[2]


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(folder: Path, missing: str) -> None:
    (folder / missing).unlink()

    with pytest.raises(Misconfigured, match=missing) as caught:
        open_encoder_folder(folder)

    assert caught.value.settings == ("CITEWELL_ENCODER",)


@pytest.mark.parametrize(
    ("broken", "content"),
    [("model.onnx", b"not a model"), ("model.onnx", b""), ("tokenizer.json", b"{}")],
)
def test_a_damaged_file_is_an_error_and_no_crash(folder: Path, broken: str, content: bytes) -> None:
    (folder / broken).write_bytes(content)

    with pytest.raises(CitewellError, match="damaged"):
        embed(folder, "tip")


def test_without_the_libraries_the_extra_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    onnx_model._load_model.cache_clear()

    with pytest.raises(Misconfigured) as caught:
        onnx_model.embed_model_texts(
            str(folder / "model.onnx"), str(folder / "tokenizer.json"), ("tip",), takes_first=False
        )

    assert "citewell[semantic]" in caught.value.remedy


# An embeddings server: asked as its vendors document, and told apart when it answers otherwise.


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

    sent = [json.loads(request.body)["input"] for request in server.seen]
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
    ("status", "body", "remedy"),
    [
        (404, {"error": {"message": "model 'm' not found"}}, "CITEWELL_ENCODER_MODEL"),
        (401, {"error": "no"}, "key"),
        (400, {"error": {"message": "input is too long"}}, "refused the request"),
        (500, {}, "failed"),
    ],
)
def test_a_refusal_is_told_with_what_to_change(
    environ: dict[str, str], status: int, body: object, remedy: str
) -> None:
    scores, _ = run_with_server(
        answer_with(status, body), score, environ, CITEWELL_ENCODER_MODEL="m"
    )

    assert scores.cosines == ()
    assert remedy in scores.note


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
