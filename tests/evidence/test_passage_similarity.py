"""What ranks by meaning: the encoder is asked once for a text, and its failures are told, not raised."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from citewell.core.config import Settings, load_settings
from citewell.core.errors import Misconfigured, UpstreamUnavailable
from citewell.evidence.encoding import passage_similarity
from citewell.evidence.encoding.onnx_model import round_vector
from citewell.evidence.encoding.passage_similarity import (
    REST_SECONDS,
    CosineScale,
    PassageSimilarity,
    SimilarityScores,
)
from citewell.routing.ports import TextEncoder
from citewell.server.app import App
from citewell.store.cache_store import open_cache_store
from tests.clocks import Clock
from tests.encoders import build_tiny_encoder
from tests.requirements import requires

QUESTION, PASSAGES = "tip", ("tipping", "battery")


@dataclass
class FakeEncoder:
    """Counts letters; remembers what it was asked."""

    name: str = "fake"
    is_local: bool = True
    letters: str = "abit"
    failure: Exception | None = None
    asked: list[str] = field(default_factory=list)

    async def embed_texts(self, texts: Sequence[str]) -> tuple[bytes, ...]:
        self.asked += texts
        if self.failure is not None:
            raise self.failure
        return tuple(
            round_vector([text.count(letter) for letter in self.letters]) for text in texts
        )


class HangingEncoder(FakeEncoder):
    async def embed_texts(self, texts: Sequence[str]) -> tuple[bytes, ...]:
        await asyncio.Event().wait()
        raise AssertionError


class FailingLater(FakeEncoder):
    """Fails at its third call, and never again."""

    calls = 0

    async def embed_texts(self, texts: Sequence[str]) -> tuple[bytes, ...]:
        self.calls += 1
        self.failure = UpstreamUnavailable("The server is down.") if self.calls == 3 else None
        return await super().embed_texts(texts)


def ask(
    encoder: FakeEncoder | None,
    act: Callable[[PassageSimilarity], Awaitable[Any]],
    *,
    data: Path,
    clock: Callable[[], float] | None = None,
    seconds: float = 5.0,
) -> Any:
    async def open_encoder() -> TextEncoder | None:
        return encoder

    async def run() -> Any:
        store = open_cache_store(Settings(data_dir=data))
        similarity = PassageSimilarity(
            open_encoder, store.facts, seconds=seconds, clock=clock or Clock(now=1000.0)
        )
        try:
            return await act(similarity)
        finally:
            await store.aclose()

    return asyncio.run(run())


async def score(similarity: PassageSimilarity, **how: bool) -> SimilarityScores:
    return await similarity.score_passages(QUESTION, PASSAGES, **how)


def test_each_passage_has_its_cosine_and_the_encoder_is_named(tmp_path: Path) -> None:
    scores = ask(FakeEncoder(), score, data=tmp_path)

    near, far = scores.cosines
    assert near > far
    assert (scores.encoder, scores.note) == ("fake", "")


def test_without_an_encoder_there_are_no_cosines_and_nothing_to_say(tmp_path: Path) -> None:
    assert ask(None, score, data=tmp_path) == SimilarityScores()


def test_without_passages_nobody_is_asked(tmp_path: Path) -> None:
    encoder = FakeEncoder()

    scores = ask(encoder, lambda similarity: similarity.score_passages(QUESTION, ()), data=tmp_path)

    assert (scores.cosines, encoder.asked) == ((), [])


def test_a_text_is_encoded_once_also_after_a_restart(tmp_path: Path) -> None:
    encoder = FakeEncoder()

    first = ask(encoder, score, data=tmp_path)
    again = ask(encoder, score, data=tmp_path)

    assert again == first
    assert encoder.asked == [QUESTION, *PASSAGES]


def test_vectors_of_another_encoder_are_not_taken(tmp_path: Path) -> None:
    other = FakeEncoder(name="other")

    ask(FakeEncoder(), score, data=tmp_path)
    ask(other, score, data=tmp_path)

    assert other.asked == [QUESTION, *PASSAGES]


def test_a_server_that_changed_its_model_is_asked_for_all_texts_again(tmp_path: Path) -> None:
    changed = FakeEncoder(letters="abitz")
    ask(
        FakeEncoder(),
        lambda similarity: similarity.score_passages(QUESTION, ["battery"]),
        data=tmp_path,
    )

    scores = ask(changed, score, data=tmp_path)

    assert len(scores.cosines) == 2
    assert changed.asked[-3:] == [QUESTION, *PASSAGES]


@requires("encoder.private")
def test_private_passages_go_to_no_server_elsewhere(tmp_path: Path) -> None:
    encoder = FakeEncoder(is_local=False)

    scores = ask(encoder, lambda similarity: score(similarity, is_private=True), data=tmp_path)

    assert encoder.asked == []
    assert scores.cosines == ()
    assert "not on this machine" in scores.note


def test_vectors_of_private_passages_are_kept_in_memory_and_not_on_disk(tmp_path: Path) -> None:
    encoder = FakeEncoder()

    async def act(similarity: PassageSimilarity) -> None:
        await score(similarity, is_private=True)
        await score(similarity, is_private=True)

    ask(encoder, act, data=tmp_path)
    within_one_process = list(encoder.asked)
    ask(encoder, score, data=tmp_path)

    assert within_one_process == [QUESTION, *PASSAGES]
    assert encoder.asked == [QUESTION, *PASSAGES] * 2


@requires("encoder.optional")
@pytest.mark.parametrize(
    "failure", [Misconfigured("The model is damaged."), UpstreamUnavailable("The server is down.")]
)
def test_a_failure_is_told_and_the_encoder_rests(tmp_path: Path, failure: Exception) -> None:
    encoder, clock = FakeEncoder(failure=failure), Clock(now=1000.0)

    async def act(similarity: PassageSimilarity) -> list[SimilarityScores]:
        early = [await score(similarity), await score(similarity)]
        clock.now += REST_SECONDS
        encoder.failure = None
        return [*early, await score(similarity)]

    first, second, third = ask(encoder, act, data=tmp_path, clock=clock)

    assert first == second
    assert str(failure)[1:] in first.note
    assert encoder.asked == [QUESTION, *PASSAGES] * 2
    assert len(third.cosines) == 2


def test_an_encoder_that_takes_too_long_is_left(tmp_path: Path) -> None:
    scores = ask(HangingEncoder(), score, data=tmp_path, seconds=0.01)

    assert scores.cosines == ()
    assert "longer than 0.01 seconds" in scores.note


ENGLISH = (
    "When was the bridge over the river built?",
    ("It was completed in 1932.", "A tax on it."),
)
GERMAN = (
    "Wann wurde die Brücke über den Fluss gebaut?",
    ("Sie ist seit 1932 dort.", "Eine Steuer."),
)


@pytest.mark.process
@pytest.mark.parametrize(("texts", "is_known"), [(ENGLISH, True), (GERMAN, False)])
def test_an_encoder_is_asked_only_in_languages_that_it_knows(
    environ: dict[str, str],
    tmp_path: Path,
    texts: tuple[str, tuple[str, ...]],
    is_known: bool,
) -> None:
    question, passages = texts
    chosen = build_tiny_encoder(tmp_path / "chosen")

    scores = ask_app(environ, question, passages, CITEWELL_ENCODER=str(chosen))

    assert bool(scores.cosines) is bool(scores.closeness) is is_known
    assert ("does not know the language" in scores.note) is not is_known


def test_closeness_is_alike_for_encoders_whose_cosines_crowd() -> None:
    crowded, spread = (
        CosineScale(unrelated=0.7, nearest=0.9),
        CosineScale(unrelated=0.1, nearest=0.7),
    )

    assert crowded.scale_cosine(0.8) == pytest.approx(spread.scale_cosine(0.4))
    assert (crowded.scale_cosine(0.6), crowded.scale_cosine(0.95)) == (0.0, 1.0)


def test_every_language_has_the_same_number_of_probes_and_no_pair_shares_a_long_word() -> None:
    probes = passage_similarity._load_probes()
    shared = [
        word
        for pairs in probes.values()
        for question, passage in pairs
        for word in {*question.lower().split()} & {*passage.lower().split()}
        if len(word) > 5
    ]

    assert {len(pairs) for pairs in probes.values()} == {6}
    assert shared == []


def test_what_was_encoded_before_a_failure_is_not_encoded_again(tmp_path: Path) -> None:
    encoder, clock = FailingLater(), Clock(now=1000.0)
    passages = [f"abit {number}" for number in range(200)]

    async def act(similarity: PassageSimilarity) -> SimilarityScores:
        await similarity.score_passages("", passages)
        clock.now += REST_SECONDS
        return await similarity.score_passages("", passages)

    scores = ask(encoder, act, data=tmp_path, clock=clock)

    assert len(scores.cosines) == 200
    assert len(encoder.asked) < 300


def ask_app(
    environ: dict[str, str],
    question: str = QUESTION,
    passages: tuple[str, ...] = PASSAGES,
    **settings: str,
) -> SimilarityScores:
    async def run() -> SimilarityScores:
        app = App(load_settings(environ | settings))
        try:
            similarity = app.require_service(PassageSimilarity)
            return await similarity.score_passages(question, passages)
        finally:
            await app.aclose()

    return asyncio.run(run())


@pytest.mark.process
def test_a_downloaded_encoder_is_used_unless_it_is_switched_off(
    environ: dict[str, str], tmp_path: Path
) -> None:
    build_tiny_encoder(Path(environ["CITEWELL_DATA_DIR"]) / "encoder")

    used, unused = ask_app(environ), ask_app(environ, CITEWELL_ENCODER="off")

    assert len(used.cosines) == 2
    assert unused == SimilarityScores()


@pytest.mark.process
def test_the_folder_in_the_settings_is_used(environ: dict[str, str], tmp_path: Path) -> None:
    chosen = build_tiny_encoder(tmp_path / "chosen")

    scores = ask_app(environ, CITEWELL_ENCODER=str(chosen))

    assert scores.cosines[0] > scores.cosines[1]


def test_a_folder_that_is_not_there_is_told(environ: dict[str, str], tmp_path: Path) -> None:
    scores = ask_app(environ, CITEWELL_ENCODER=str(tmp_path / "absent"))

    assert (scores.cosines, scores.encoder) == ((), "")
    assert "it has no model.onnx" in scores.note
