"""A judge that asks a model: several claims in a call, and every quote is looked for in the source."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.errors import CitewellError, MalformedResponse
from citewell.model.research import ClaimRelation, WritingRequest
from citewell.services.judging import judging_prompts
from citewell.services.judging.claim_judge import ClaimPair, Judgement, Opinion, Unjudged
from citewell.services.judging.judging_prompts import NumberedClaim, StatedJudgement
from citewell.services.judging.source_excerpts import choose_excerpts, is_reader_order
from citewell.services.judging.source_quotes import QuotableSource
from citewell.text.evidence.claim_support import SourceText, can_share_language
from citewell.text.evidence.sentence_features import build_sentence_features
from citewell.tooling import ProgressCallback

MAX_PAIRS_PER_CALL = 8
MAX_CONCURRENT_CALLS = 3
_MIN_CALL_SECONDS = 3.0  # a call is not begun for less
# How far a source supports a claim whose relation a model named; it is asked for no number.
_SCORES = {
    ClaimRelation.SUPPORTS: 0.9,
    ClaimRelation.QUALIFIES: 0.5,
    ClaimRelation.MENTIONS: 0.2,
    ClaimRelation.CONTRADICTS: 0.0,
}
_NO_TEXT = "There is no text to judge."
_NO_ANSWER = "The model gave no usable judgement of this claim."
_NO_QUOTE = "The model quoted nothing."
_FALSE_QUOTE = "The model's quote is not in the source."
_ORDER_QUOTE = "The model quoted an instruction to its reader."
_STRAY_QUOTE = "The model's quote shares no word with the claim."
_LATE = "The model did not get to this claim in time."


class ModelCaller(Protocol):
    """Sends a text to one model and pays for it; raises a CitewellError if there is no answer."""

    @property
    def provider(self) -> str: ...

    @property
    def is_local(self) -> bool: ...

    async def ask_model(
        self, build: Callable[[str], WritingRequest], *, part: int, seconds: float
    ) -> str:
        """The model's text.

        `build` makes the request from the tag of the call; `part` counts the calls of a check.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClaimBatch:
    part: int
    places: tuple[int, ...]  # of its pairs


class ModelJudge:
    def __init__(
        self,
        caller: ModelCaller,
        *,
        seconds: float,
        progress: ProgressCallback | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`seconds` is the longest time that all calls together may take."""
        self.name = f"model:{caller.provider}"
        self.is_local = caller.is_local
        self._caller = caller
        self._seconds = seconds
        self._progress = progress
        self._clock = clock

    async def judge_claims(self, pairs: Sequence[ClaimPair]) -> tuple[Opinion, ...]:
        """One opinion for each pair; raises the error of the first call if no call was answered."""
        gate = asyncio.Semaphore(MAX_CONCURRENT_CALLS)
        end, least = self._clock() + self._seconds, min(_MIN_CALL_SECONDS, self._seconds / 2)
        failures: list[CitewellError] = []
        found: dict[int, Opinion] = {}
        done = 0

        async def judge_claim_batch(batch: _ClaimBatch) -> None:
            nonlocal done
            async with gate:
                # After one failure the others would most likely fail too, and may cost something.
                left = end - self._clock()
                if failures or left < least:
                    return
                chosen = [pairs[place] for place in batch.places]
                try:
                    opinions = await self._ask_claim_batch(batch.part, chosen, seconds=left)
                except CitewellError as error:
                    failures.append(error)
                    return
            found.update(zip(batch.places, opinions, strict=True))
            done += len(batch.places)
            if self._progress is not None:
                await self._progress(done, len(pairs), f"{done} of {len(pairs)} claims judged")

        blank = Unjudged(reason=_NO_TEXT)
        found |= {place: blank for place, pair in enumerate(pairs) if not _has_judged_text(pair)}
        asked = [place for place in range(len(pairs)) if place not in found]
        await asyncio.gather(*map(judge_claim_batch, _split_claim_batches(pairs, asked)))
        if failures and not done:
            raise failures[0]
        lost = Unjudged(reason=failures[0].message if failures else _LATE)
        return tuple(found.get(place, lost) for place in range(len(pairs)))

    async def _ask_claim_batch(
        self, part: int, pairs: Sequence[ClaimPair], *, seconds: float
    ) -> list[Opinion]:
        sources = {pair.source: QuotableSource(pair.source) for pair in pairs}
        build = await asyncio.to_thread(_prepare_judging_request, pairs, sources)
        text = await self._caller.ask_model(build, part=part, seconds=seconds)
        stated = judging_prompts.parse_stated_judgements(text, len(pairs))
        if not stated:
            raise MalformedResponse(
                "It answered with something else than judgements.", provider=self._caller.provider
            )
        return await asyncio.to_thread(self._check_batch_answers, pairs, sources, stated)

    def _check_batch_answers(
        self,
        pairs: Sequence[ClaimPair],
        sources: dict[SourceText, QuotableSource],
        stated: dict[int, StatedJudgement],
    ) -> list[Opinion]:
        return [
            self._check_stated_judgement(pair, sources[pair.source], stated.get(number))
            for number, pair in enumerate(pairs, start=1)
        ]

    def _check_stated_judgement(
        self, pair: ClaimPair, source: QuotableSource, stated: StatedJudgement | None
    ) -> Opinion:
        """The judgement if its quote is in the source and can have to do with the claim."""
        if stated is None:
            return Unjudged(reason=_NO_ANSWER)
        bare = Judgement(relation=stated.relation, score=_SCORES[stated.relation], judge=self.name)
        needs_quote = stated.relation is not ClaimRelation.MENTIONS
        place = source.find_source_quote(stated.quote)
        if place is None:
            fault = _FALSE_QUOTE if stated.quote.strip() else _NO_QUOTE
            return Unjudged(reason=fault) if needs_quote else bare
        quote = pair.source.text[slice(*place)]
        touched = (quote, *(unit.text for unit in source.list_quoted_units(*place)))
        if any(map(is_reader_order, touched)):
            return Unjudged(reason=_ORDER_QUOTE)
        if needs_quote and not _can_bear_claim(pair, quote):
            return Unjudged(reason=_STRAY_QUOTE)
        return Judgement(
            relation=bare.relation,
            score=bare.score,
            judge=bare.judge,
            quote=quote,
            start=place[0],
            end=place[1],
        )


def _has_judged_text(pair: ClaimPair) -> bool:
    return bool(pair.claim.strip() and pair.source.text.strip())


def _split_claim_batches(pairs: Sequence[ClaimPair], asked: Sequence[int]) -> list[_ClaimBatch]:
    """Batches of these pairs; those with one source together, so that it is sent once."""
    first = {pairs[place].source: place for place in reversed(asked)}
    order = sorted(asked, key=lambda place: (first[pairs[place].source], place))
    starts = range(0, len(order), MAX_PAIRS_PER_CALL)
    return [
        _ClaimBatch(part=part, places=tuple(order[start : start + MAX_PAIRS_PER_CALL]))
        for part, start in enumerate(starts, start=1)
    ]


def _prepare_judging_request(
    pairs: Sequence[ClaimPair], sources: dict[SourceText, QuotableSource]
) -> Callable[[str], WritingRequest]:
    numbers = {source: number for number, source in enumerate(sources, start=1)}
    claims = [NumberedClaim(text=pair.claim, source=numbers[pair.source]) for pair in pairs]
    shown = [
        choose_excerpts(
            quotable,
            [pair.claim for pair in pairs if pair.source == source],
            language=source.language,
        )
        for source, quotable in sources.items()
    ]
    return lambda tag: judging_prompts.build_judging_request(shown, claims, tag=tag)


def _can_bear_claim(pair: ClaimPair, quote: str) -> bool:
    """Whether the quote shares a word or number with the claim, or is in another language."""
    language = pair.source.language
    asked = build_sentence_features(pair.claim, language=language)
    said = build_sentence_features(quote, language=language)
    return bool(asked.terms & said.terms) or not can_share_language(pair.claim, pair.source)
