"""A judge that asks a model: several claims in a call, and every quote is looked for in the source."""

from __future__ import annotations

import asyncio
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from citewell.core.errors import CitewellError, MalformedResponse
from citewell.core.tooling import ProgressCallback
from citewell.core.values.research import ClaimRelation, WritingRequest
from citewell.evidence.judging import claim_judge as judging_prompts
from citewell.evidence.judging.claim_judge import (
    ClaimPair,
    Judgement,
    NumberedClaim,
    Opinion,
    StatedJudgement,
    Unjudged,
)
from citewell.evidence.signs.claim_support import SourceText, can_share_language
from citewell.evidence.signs.sentence_features import build_sentence_features
from citewell.text.passages.page_units import PageUnit, split_page_units
from citewell.text.passages.passage_index import IndexedPage, PassageIndex, TermMatcher
from citewell.text.safety import injection_signals

MAX_QUOTE_CHARS = 1200  # a longer one is a copy of the source, and shows nothing
_MIN_QUOTE_WORDS = 3
_MIN_UNSPACED_CHARS = 8  # for languages that put no space between words
_DOUBLE_MARKS, _SINGLE_MARKS = "“”„‟«»″＂", "‘’‚‛‹›′＇"
_MARK_TABLE = str.maketrans(
    {**dict.fromkeys(_DOUBLE_MARKS, '"'), **dict.fromkeys(_SINGLE_MARKS, "'")}
)
_OUTER_MARKS = "\"'"

MAX_SOURCE_CHARS = 6000  # of one source in one call
_GAP_MARK = " […] "

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
        found |= {
            place: blank
            for place, pair in enumerate(pairs)
            if not (pair.claim.strip() and pair.source.text.strip())
        }
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
        start, end = place
        units = (unit.text for unit in source.units if unit.start < end and start < unit.end)
        if any(map(is_reader_order, (quote, *units))):
            return Unjudged(reason=_ORDER_QUOTE)
        if needs_quote and not _can_bear_claim(pair, quote):
            return Unjudged(reason=_STRAY_QUOTE)
        return Judgement(
            relation=bare.relation,
            score=bare.score,
            judge=bare.judge,
            quote=quote,
            start=start,
            end=end,
        )


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
    quoted = build_sentence_features(quote, language=language)
    return bool(asked.terms & quoted.terms) or not can_share_language(pair.claim, pair.source)


# Chooses what a model is shown of a long source: the passages nearest to the claims.


def choose_excerpts(
    source: QuotableSource,
    claims: Sequence[str],
    *,
    language: str | None,
    max_chars: int = MAX_SOURCE_CHARS,
) -> str:
    """The source without markup and without orders to its reader, or its best passages for each claim."""
    units = tuple(unit for unit in source.units if not is_reader_order(unit.text))
    if sum(len(unit.text) + 1 for unit in units) <= max_chars:
        return _join_passage_places(units, range(len(units)))
    taken: set[int] = set()
    used = 0
    for first, last in _rank_passages(units, claims, language):
        fresh = [place for place in range(first, last + 1) if place not in taken]
        size = sum(len(units[place].text) + 1 for place in fresh)
        if used + size > max_chars:
            continue
        taken.update(fresh)
        used += size
    return _join_passage_places(units, sorted(taken))


def is_reader_order(text: str) -> bool:
    """Whether a sentence gives orders to whatever model reads it, or says what it is to answer."""
    return injection_signals.has_injection_signal(text) or injection_signals.has_answer_order(text)


def _rank_passages(
    units: Sequence[PageUnit], claims: Sequence[str], language: str | None
) -> Iterator[tuple[int, int]]:
    """The best passage for each claim in turn, then the second of each, and so on."""
    page = IndexedPage(title="", language=language, units=tuple(units))
    index = PassageIndex([page])
    ranked = [
        TermMatcher(index, index.weigh_words(claim, language=language)).score_passages()
        for claim in claims
    ]
    for scores in zip(*ranked, strict=True):
        for score in scores:
            passage = index.passages[score.passage]
            yield passage.first, passage.last


def _join_passage_places(units: Sequence[PageUnit], places: Sequence[int]) -> str:
    text = ""
    for number, place in enumerate(places):
        if number:
            text += " " if places[number - 1] == place - 1 else _GAP_MARK
        text += units[place].text
    return text


# Finds the words that a judge says it quotes in the source; what is not there is no evidence.


class QuotableSource:
    """A source in which quotes are looked for, as it is written and without its markup."""

    def __init__(self, source: SourceText) -> None:
        self._source = source

    @cached_property
    def units(self) -> tuple[PageUnit, ...]:
        return split_page_units(self._source.text, language=self._source.language)

    def find_source_quote(self, quote: str) -> tuple[int, int] | None:
        """Where the quote stands in the source's text; None if it does not, or says too little.

        White space and the shapes of quotation marks may differ. A quote of the text without its
        markup is found as the sentences that contain it.
        """
        wanted = normalize_quote(quote)
        for words in dict.fromkeys((wanted, wanted.strip(_OUTER_MARKS).strip())):
            if has_quote_length(words):
                text, places = self._normalized_source_text
                at = text.find(words)
                written_quote = None if at < 0 else (places[at], places[at + len(words) - 1] + 1)
                found = written_quote or self._find_rendered_quote(words)
                if found is not None:
                    return found
        return None

    @cached_property
    def _normalized_source_text(self) -> tuple[str, array[int]]:
        return _normalize_with_places(self._source.text)

    @cached_property
    def _joined_unit_texts(self) -> tuple[str, list[int]]:
        """The units' texts in one, and where each of them begins."""
        text, starts = "", []
        for unit in self.units:
            starts.append(len(text))
            text += f"{normalize_quote(unit.text)} "
        return text, starts

    def _find_rendered_quote(self, words: str) -> tuple[int, int] | None:
        text, starts = self._joined_unit_texts
        at = text.find(words)
        if at < 0:
            return None
        first = self.units[bisect_right(starts, at) - 1]
        last = self.units[bisect_right(starts, at + len(words) - 1) - 1]
        return first.start, last.end


def normalize_quote(text: str) -> str:
    """The text with single spaces and plain quotation marks; nothing else is changed."""
    return " ".join(text.translate(_MARK_TABLE).split())


def has_quote_length(words: str) -> bool:
    """Whether a quote is long enough to be found by chance nowhere, and no copy of everything."""
    if len(words) > MAX_QUOTE_CHARS:
        return False
    is_unspaced = not words.isascii() and len(words) >= _MIN_UNSPACED_CHARS
    return len(words.split()) >= _MIN_QUOTE_WORDS or is_unspaced


def _normalize_with_places(text: str) -> tuple[str, array[int]]:
    """The normalized text, and for each of its characters the place in the original."""
    marked = text.translate(_MARK_TABLE)
    kept: list[str] = []
    places = array("I")
    in_space = True  # drops the space at the beginning
    for place, letter in enumerate(marked):
        was_space, in_space = in_space, letter.isspace()
        if in_space and was_space:
            continue
        kept.append(" " if in_space else letter)
        places.append(place)
    return "".join(kept), places
