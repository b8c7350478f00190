"""How near the best passages are to the question in meaning, as an encoder sees it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from pydantic import Field

from citewell.model.wire_values import WireValue
from citewell.services.encoding.similarity_scores import SimilarityScores
from citewell.services.research.analysis.page_analysis import (
    PageAnalysis,
    list_encodable_passages,
)


class PassageScorer(Protocol):
    async def has_encoder(self) -> bool: ...

    async def score_passages(
        self, question: str, passages: Sequence[str], *, is_private: bool = False
    ) -> SimilarityScores: ...


class MeaningScores(WireValue):
    """The closeness of passages by name, 0 to 1; stored as a step of the job."""

    closeness: dict[str, float] = Field(default_factory=dict)
    encoder: str = ""  # its name; empty if none was used
    note: str = ""  # why a chosen encoder was not used


async def score_meaning(
    analyse: Callable[[], Awaitable[PageAnalysis]], scorer: PassageScorer
) -> MeaningScores:
    """Scores for the best passages of every part; nothing if there is no usable encoder.

    One private passage makes the whole question private: scores of some passages alone would put
    the others behind.
    """
    if not await scorer.has_encoder():
        return MeaningScores()
    found = await analyse()
    passages = list_encodable_passages(found)
    private = any(one.is_private for one in passages)
    closeness: dict[str, float] = {}
    encoder = note = ""
    for place, part in enumerate(found.parts):
        own = [one for one in passages if one.part == place]
        if not own:
            continue
        scores = await scorer.score_passages(
            part.text, [one.text for one in own], is_private=private
        )
        if not scores.closeness:
            return MeaningScores(note=scores.note)
        encoder, note = scores.encoder, scores.note
        closeness |= {
            one.name: round(near, 4) for one, near in zip(own, scores.closeness, strict=True)
        }
    return MeaningScores(closeness=closeness, encoder=encoder, note=note)
