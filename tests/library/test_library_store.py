"""A library search ranks by meaning where there is an encoder, and by words alone where there is none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from citewell.evidence.encoding.passage_similarity import SimilarityScores
from citewell.library.library_access import MAX_RANKED_MATCHES, rerank_matches
from citewell.library.library_rows import DocumentCard
from citewell.library.library_store import LibraryMatch
from tests.command_runs import Run, logs_restored, run
from tests.encoders import build_tiny_encoder
from tests.fake_services import use_fake

__all__ = ["logs_restored", "run"]  # fixtures of the commands


@dataclass
class FakeScorer:
    """Near is what holds the word."""

    word: str = ""
    note: str = ""
    asked: list[tuple[str, bool]] = field(default_factory=list)

    async def score_passages(
        self, question: str, passages: Sequence[str], *, is_private: bool = False
    ) -> SimilarityScores:
        self.asked.append((question, is_private))
        if self.note:
            return SimilarityScores(note=self.note)
        near = tuple(float(self.word in text) for text in passages)
        return SimilarityScores(cosines=near, closeness=near)


def match(name: str, score: float, *, snippet: str = "", opening: str = "") -> LibraryMatch:
    card = DocumentCard(id=name, title=name)
    return LibraryMatch(card=card, score=score, snippet=snippet, opening=opening)


def rank(matches: Sequence[LibraryMatch], scorer: FakeScorer, query: str = "x") -> list[str]:
    ranked = asyncio.run(rerank_matches(query, matches, use_fake(scorer)))
    return [match.card.id for match in ranked]


@pytest.mark.parametrize("part", ["snippet", "opening"])
def test_a_document_that_is_near_in_either_part_moves_up(part: str) -> None:
    matches = [match("first", 2.0), match("second", 1.9), match("third", 1.2, **{part: "bridge"})]

    assert rank(matches, FakeScorer("bridge")) == ["third", "first", "second"]


def test_without_an_encoder_the_order_stays() -> None:
    matches = [match("first", 2.0), match("second", 1.9, snippet="bridge")]

    assert rank(matches, FakeScorer(note="none")) == ["first", "second"]


def test_words_still_count_among_what_is_equally_near() -> None:
    matches = [match("first", 2.0), match("second", 1.0)]

    assert rank(matches, FakeScorer("nothing")) == ["first", "second"]


def test_the_question_is_asked_privately_and_without_quotes() -> None:
    scorer = FakeScorer("bridge")

    rank([match("first", 1.0), match("second", 1.0)], scorer, 'the "old bridge"')

    assert scorer.asked == [("the  old bridge ", True)]


def test_matches_far_down_are_not_encoded_and_stay_below() -> None:
    matches = [match(str(place), 100.0 - place) for place in range(MAX_RANKED_MATCHES)]
    last = match("last", 1.0, snippet="bridge")

    assert rank([*matches, last], FakeScorer("bridge"))[-1] == "last"


@pytest.mark.process
def test_the_library_is_searched_with_the_encoder_of_the_settings(run: Run, tmp_path: Path) -> None:
    texts = {
        "near.md": "# Ferns\n\nWhat ferns and hostas like: no sun. It is said of gardens.",
        "far.md": "# Gardens\n\nGardens which are sold: the tax on the price of gardens, gardens.",
    }
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    run("library", "add", str(folder))
    encoder = str(build_tiny_encoder(tmp_path / "model"))

    query = "gardens shade"
    words = run("library", "search", query, "--json").json()
    meaning = run("library", "search", query, "--json", CITEWELL_ENCODER=encoder).json()

    assert [hit["title"] for hit in words] == ["Gardens", "Ferns"]
    assert [hit["title"] for hit in meaning] == ["Ferns", "Gardens"]
