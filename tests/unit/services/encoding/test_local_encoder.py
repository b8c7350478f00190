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

from citewell.errors import CitewellError, Misconfigured
from citewell.services.encoding import onnx_model
from citewell.services.encoding.encoder_folder import open_encoder_folder
from citewell.services.encoding.local_encoder import (
    TEXTS_PER_TASK,
    LocalEncoder,
    open_encoder_workers,
)
from citewell.text.evidence.vector_similarity import measure_cosines
from citewell.workers.worker_tasks import FailureCause, TaskFailure, WorkerTask
from tests.encoders import DIMENSIONS, build_tiny_encoder
from tests.requirements import requires

pytestmark = pytest.mark.process  # the encoder's own process

TEXTS = ("tip the waiter", "charge the battery", "sugar tax", "tax")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return build_tiny_encoder(tmp_path / "model")


def with_encoder(folder: Path, act: Callable[[LocalEncoder], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        opened = open_encoder_folder(folder)
        encoder = LocalEncoder(opened, open_encoder_workers(opened))
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

    one, two = embed(folder, "tip battery", "tip sugar")

    assert one == two


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
        async with open_encoder_workers(open_encoder_folder(folder)) as workers:
            task: WorkerTask[str] = WorkerTask("citewell.fetch.text_tasks:clean_page_text", str)
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
