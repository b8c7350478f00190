"""Orders the matches of a library search by meaning as well as by words, where there is an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from citewell.services.encoding.similarity_scores import SimilarityScores
from citewell.store.library.library_store import LibraryMatch

MAX_RANKED_MATCHES = 20  # the first by words; each costs two short texts
_WORD_SHARE = (
    0.5  # of the score; on 181 questions over 400 pages a third or two thirds was no better
)


class SimilarityScorer(Protocol):
    """Compares passages with a question, or says why it cannot."""

    async def score_passages(
        self, question: str, passages: Sequence[str], *, is_private: bool = False
    ) -> SimilarityScores: ...


async def rerank_matches(
    query: str, matches: Sequence[LibraryMatch], scorer: SimilarityScorer
) -> tuple[LibraryMatch, ...]:
    """The matches with new scores, best first; unchanged if no encoder can be used.

    A document is as near as its snippet or its opening, whichever is nearer.
    """
    near = matches[:MAX_RANKED_MATCHES]
    snippets = [_join_title(match, match.snippet) for match in near]
    openings = [_join_title(match, match.opening) for match in near]
    scores = await scorer.score_passages(
        query.replace('"', " "), [*snippets, *openings], is_private=True
    )
    best = max((match.score for match in matches), default=0.0)
    if not scores.closeness or best <= 0.0:
        return tuple(matches)
    pairs = zip(scores.closeness[: len(near)], scores.closeness[len(near) :], strict=True)
    nearness = [max(pair) for pair in pairs] + [0.0] * (len(matches) - len(near))
    ranked = (
        replace(match, score=_WORD_SHARE * match.score + (1 - _WORD_SHARE) * best * share)
        for match, share in zip(matches, nearness, strict=True)
    )
    return tuple(sorted(ranked, key=lambda match: -match.score))


def _join_title(match: LibraryMatch, text: str) -> str:
    return f"{match.card.title}. {' '.join(text.split())}"
