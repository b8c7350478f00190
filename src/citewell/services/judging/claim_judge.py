"""What a judge is asked and answers: pairs of a claim and a source, and for each its judgement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.model.research import ClaimRelation
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.grounding_signs import GroundingDoubt

LEXICAL_NAME, MODEL_NAME, NLI_NAME = "lexical", "model", "nli"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPair:
    """A claim, and the text that should support it."""

    claim: str
    source: SourceText
    # The source, or the claim, has text of the owner's library, which stays on this machine.
    is_private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The relation of a source to a claim, and the place that shows it.

    `quote` is `source.text[start:end]`, character for character. It is empty only if the relation
    is `mentions` and the judge names no place.
    """

    relation: ClaimRelation
    score: float  # 0 to 1: how far the source supports the claim
    judge: str  # lexical, nli or model:<provider>
    quote: str = ""
    start: int = 0
    end: int = 0
    missing_numbers: tuple[str, ...] = ()  # of the claim, that the source does not give
    # Why a passage that has the words of the claim does not support it, and which words it lacks.
    doubts: tuple[GroundingDoubt, ...] = ()
    ungrounded_words: tuple[str, ...] = ()
    note: str = ""  # why the chosen judge did not speak, or was not taken at its word


@dataclass(frozen=True, slots=True, kw_only=True)
class Unjudged:
    """Why a judge cannot say anything about a pair."""

    reason: str


Opinion = Judgement | Unjudged


class ClaimJudge(Protocol):
    """Judges pairs; whatever the claims and sources say, it never quotes what is not in the source."""

    @property
    def name(self) -> str:
        """As it is shown in results."""
        ...

    @property
    def is_local(self) -> bool:
        """True if no text leaves this machine."""
        ...

    async def judge_claims(self, pairs: Sequence[ClaimPair]) -> tuple[Opinion, ...]:
        """One opinion for each pair, in order. Raises a CitewellError if the judge cannot be used."""
        ...
