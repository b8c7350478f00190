from __future__ import annotations

import asyncio
from collections.abc import Sequence

from citewell.evidence.encoding.passage_similarity import SimilarityScores
from citewell.research.pages.page_analysis import (
    MeaningScores,
    PageAnalysis,
    rank_by_meaning,
    score_meaning,
)
from tests.fake_services import use_fake
from tests.research.page_sets import analyse_texts

QUESTION = "How much does the crossing cost?"
NEAR_IN_WORDS = "The crossing does much for the town. The crossing is known for its cost overruns."
NEAR_IN_MEANING = "A ticket for the ferry is sold at four dollars on weekdays and five on Sundays."


class ScriptedScorer:
    """Finds the passage with the ticket near, and every other one far."""

    def __init__(self, *, has_encoder: bool = True, note: str = "") -> None:
        self.asked: list[tuple[str, bool]] = []
        self._has_encoder = has_encoder
        self._note = note

    async def has_encoder(self) -> bool:
        return self._has_encoder

    async def score_passages(
        self, question: str, passages: Sequence[str], *, is_private: bool = False
    ) -> SimilarityScores:
        self.asked.append((question, is_private))
        if self._note:
            return SimilarityScores(note=self._note)
        near = tuple(0.9 if "ticket" in passage else 0.1 for passage in passages)
        return SimilarityScores(cosines=near, closeness=near, encoder="scripted")


def score(found: PageAnalysis, scorer: ScriptedScorer) -> MeaningScores:
    async def analyse() -> PageAnalysis:
        return found

    return asyncio.run(score_meaning(analyse, use_fake(scorer)))


def test_a_passage_near_in_meaning_goes_before_one_that_shares_words() -> None:
    found = analyse_texts(QUESTION, NEAR_IN_WORDS, f"The cost of the crossing. {NEAR_IN_MEANING}")

    scores = score(found, ScriptedScorer())
    ranked = rank_by_meaning(found, scores.closeness)

    assert scores.encoder == "scripted"
    assert found.windows[0][0].page == 0
    assert ranked.windows[0][0].page == 1


def test_scores_survive_being_stored_with_the_job() -> None:
    scores = score(analyse_texts(QUESTION, NEAR_IN_WORDS), ScriptedScorer())

    assert MeaningScores.model_validate(scores.model_dump(mode="json")) == scores


def test_without_an_encoder_nothing_is_asked() -> None:
    scorer = ScriptedScorer(has_encoder=False)

    assert score(analyse_texts(QUESTION, NEAR_IN_WORDS), scorer) == MeaningScores()
    assert not scorer.asked


def test_an_encoder_that_fails_leaves_a_note_and_the_order_of_words() -> None:
    scores = score(analyse_texts(QUESTION, NEAR_IN_WORDS), ScriptedScorer(note="It is down."))

    assert (scores.closeness, scores.encoder, scores.note) == ({}, "", "It is down.")
