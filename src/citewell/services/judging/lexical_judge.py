"""The judge that is always there: it compares words, numbers and negations, on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from heapq import nlargest

from citewell.model.research import ClaimRelation
from citewell.services.judging.claim_judge import (
    LEXICAL_NAME,
    ClaimPair,
    Judgement,
    Opinion,
    Unjudged,
)
from citewell.text.evidence.claim_support import (
    MIN_SUPPORTED_SCORE,
    assess_support,
    can_share_language,
    classify_relation,
)
from citewell.text.evidence.sentence_features import build_sentence_features

_MAX_CLOSE_SENTENCES = 24  # that are looked at for the one that contradicts
OTHER_LANGUAGE_REASON = "The claim and the source are in different languages."


class LexicalJudge:
    name = LEXICAL_NAME
    is_local = True

    async def judge_claims(self, pairs: Sequence[ClaimPair]) -> tuple[Opinion, ...]:
        """The opinions; long sources take time, so another thread does it."""
        return await asyncio.to_thread(lambda: tuple(map(judge_by_words, pairs)))


def judge_by_words(pair: ClaimPair) -> Opinion:
    """The opinion; none about texts that are in different languages."""
    if not can_share_language(pair.claim, pair.source):
        return Unjudged(reason=OTHER_LANGUAGE_REASON)
    return compare_pair_words(pair)


def compare_pair_words(pair: ClaimPair) -> Judgement:
    """The judgement of a pair that is known to be in one language."""
    found = assess_support(pair.claim, pair.source)
    relation, place = found.relation, (found.start, found.end)
    if relation is ClaimRelation.CONTRADICTS:
        against = _find_opposing_place(pair)
        # What no sentence shows by itself is no evidence.
        relation = ClaimRelation.MENTIONS if against is None else relation
        place = place if against is None else against
    return Judgement(
        relation=relation,
        score=found.score,
        judge=LEXICAL_NAME,
        quote=pair.source.text[slice(*place)],
        start=place[0],
        end=place[1],
        missing_numbers=found.missing_numbers,
        doubts=found.doubts,
        ungrounded_words=found.ungrounded_words,
    )


def _find_opposing_place(pair: ClaimPair) -> tuple[int, int] | None:
    """The sentence nearest to the claim of those that contradict it."""
    source = pair.source
    asked = build_sentence_features(pair.claim, language=source.language)
    near = source.count_shared_terms(asked.terms)
    for place in nlargest(_MAX_CLOSE_SENTENCES, near, key=near.__getitem__):
        said = source.sentence_features[place]
        relation = classify_relation(asked, [said], MIN_SUPPORTED_SCORE)
        if relation is ClaimRelation.CONTRADICTS:
            return source.sentence_spans[place]
    return None
