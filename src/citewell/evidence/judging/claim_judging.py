"""Asks the chosen judge; whatever it leaves open or gets wrong, the words of the source decide."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import nlargest
from typing import Self

from citewell.core.config import Settings
from citewell.core.errors import CitewellError, Misconfigured
from citewell.core.service_kit import ServiceKit
from citewell.core.settings import CoreSettings
from citewell.core.tooling import ProgressCallback
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import ClaimRelation
from citewell.evidence.judging.claim_judge import (
    LEXICAL_NAME,
    NLI_NAME,
    ClaimJudge,
    ClaimPair,
    Judgement,
    Opinion,
    Unjudged,
    read_judge_choice,
    require_nli_path,
)
from citewell.evidence.judging.model_judge import ModelCaller
from citewell.evidence.settings import EvidenceSettings
from citewell.evidence.signs import claim_support
from citewell.evidence.signs.oppositions.compared_sentence import Certainty
from citewell.evidence.signs.sentence_features import build_sentence_features
from citewell.text.quantities import stated_quantities

_MAX_CLOSE_SENTENCES = 24  # that are looked at for the one that contradicts
OTHER_LANGUAGE_REASON = "The claim and the source are in different languages."

MAX_JUDGED_PAIRS = 60  # in one check, by a judge that takes time or money
_MIN_SECONDS = 3.0  # a judge is not asked for less
REST_SECONDS = 60.0  # an entailment model that failed is not tried again for this long
_BY_WORDS = "Judged by words alone: "
_PRIVATE_NOTE = (
    f"{_BY_WORDS}the text of your library stays on this machine, and {{name}} is not on it."
)
_MANY_NOTE = f"{_BY_WORDS}at most {MAX_JUDGED_PAIRS} claims of one check are given to {{name}}."
_NO_TIME_NOTE = f"{_BY_WORDS}reading the sources left no time for another judge."
_NUMBER_NOTE = "A number of the claim is not in the source, so it is not called supported."
_NLI_TIME_SHARE = 0.8  # of the judge's time; what was judged by then is kept
# Of a tool's time: a paid call that is given up takes some to settle
_ANSWER_RESERVE_SECONDS = 25.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeContext:
    """On whose behalf a check runs, where it reports to, and who is asked if a model judges."""

    owner: str = ""  # who pays; without one no call that costs something is made
    progress: ProgressCallback | None = None
    # Asks the provider of this name within a job; None: by a call of its own.
    open_caller: Callable[[str], ModelCaller] | None = None
    begun: float = field(default_factory=time.monotonic)  # when the call began that asks


# Opens the judge for a context, and the seconds that it may take at most.
OpenJudge = Callable[[JudgeContext, float], Awaitable[ClaimJudge]]


class ClaimJudging:
    """The judge that the settings choose, with the lexical one behind it."""

    def __init__(
        self,
        kind: str,
        open_judge: OpenJudge,
        *,
        seconds: float,
        call_seconds: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`kind` is lexical, nli or model; `seconds` is the longest time that one check may take.

        `call_seconds` is the time of a whole call, of which reading the sources has used a part.
        """
        self.kind = kind
        self.seconds = seconds
        self._call_seconds = call_seconds
        self._open_judge = open_judge
        self._clock = clock
        self._lexical = LexicalJudge()
        self._kept: ClaimJudge | None = None  # one that holds a process
        self._opening = asyncio.Lock()
        self._rests_until = 0.0
        self._resting_reason = ""

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        settings = kit.settings
        return cls(
            read_judge_choice(settings).kind,
            partial(_open_configured_judge, kit),
            seconds=settings[EvidenceSettings].judge_timeout,
            call_seconds=settings[CoreSettings].long_tool_timeout - _ANSWER_RESERVE_SECONDS,
        )

    @property
    def is_lexical(self) -> bool:
        return self.kind == LEXICAL_NAME

    async def judge_claims(
        self, pairs: Sequence[ClaimPair], context: JudgeContext | None = None
    ) -> tuple[Opinion, ...]:
        """One opinion for each pair; a failure of the chosen judge is told in the note, never raised."""
        by_words = await self._lexical.judge_claims(pairs)
        if self.is_lexical or not pairs:
            return by_words
        chosen = await self._ask_chosen_judge(pairs, context or JudgeContext())
        return await asyncio.to_thread(lambda: tuple(map(_merge_opinions, pairs, chosen, by_words)))

    async def open_chosen_judge(
        self, context: JudgeContext | None = None, *, seconds: float | None = None
    ) -> ClaimJudge:
        """The judge that is chosen; raises a CitewellError that says what is wrong with it."""
        if self.is_lexical:
            return self._lexical
        async with self._opening:
            if self._kept is not None:
                return self._kept
            limit = self.seconds if seconds is None else seconds
            judge = await self._open_judge(context or JudgeContext(), limit)
            self._kept = judge if hasattr(judge, "aclose") else None
            return judge

    async def aclose(self) -> None:
        """End the process of the judge's model; the next check starts another."""
        judge, self._kept = self._kept, None
        close = getattr(judge, "aclose", None)
        if close is not None:
            await close()

    async def _ask_chosen_judge(
        self, pairs: Sequence[ClaimPair], context: JudgeContext
    ) -> list[Opinion]:
        if self._clock() < self._rests_until:
            return [Unjudged(reason=self._resting_reason)] * len(pairs)
        left = min(self.seconds, context.begun + self._call_seconds - self._clock())
        if left < min(_MIN_SECONDS, self.seconds):
            return [Unjudged(reason=_NO_TIME_NOTE)] * len(pairs)
        try:
            judge = await self.open_chosen_judge(context, seconds=left)
            refused = _find_refusals(pairs, judge)
            asked = [place for place in range(len(pairs)) if place not in refused]
            # A model keeps its own time: calls that cost something are settled, not dropped.
            async with asyncio.timeout(left if self.kind == NLI_NAME else None):
                opinions = (
                    await judge.judge_claims([pairs[place] for place in asked]) if asked else ()
                )
        except TimeoutError:
            return self._fail_over(
                f"{self.kind} took longer than {left:g} {pluralize(left, 'second')}", pairs
            )
        except CitewellError as error:
            await self.aclose()  # it is opened anew, for its files may have been mended by then
            reason = f"{error.provider or self.kind} gave no judgement: {error.message}"
            is_setting = isinstance(error, Misconfigured)
            return self._fail_over(error.message if is_setting else reason, pairs)
        found: dict[int, Opinion] = dict(zip(asked, opinions, strict=True))
        return [found.get(place) or Unjudged(reason=refused[place]) for place in range(len(pairs))]

    def _fail_over(self, reason: str, pairs: Sequence[ClaimPair]) -> list[Opinion]:
        note = f"{_BY_WORDS}{reason.rstrip('.')}."
        # A model may fail for one owner alone, who has no credits left.
        if self.kind == NLI_NAME:
            self._rests_until, self._resting_reason = self._clock() + REST_SECONDS, note
        return [Unjudged(reason=note)] * len(pairs)


def build_lexical_judging() -> ClaimJudging:
    """Judging by words alone, which needs no setting."""

    async def open_lexical(_context: JudgeContext, _seconds: float) -> ClaimJudge:
        return LexicalJudge()

    return ClaimJudging(LEXICAL_NAME, open_lexical, seconds=0.0)


def list_judging_notes(opinions: Sequence[Opinion]) -> tuple[str, ...]:
    """The notes of some opinions, each once, with the number of claims that it is about."""
    counts: dict[str, int] = {}
    for opinion in opinions:
        if isinstance(opinion, Judgement) and opinion.note:
            counts[opinion.note] = counts.get(opinion.note, 0) + 1
    return tuple(f"{note} ({count} of {len(opinions)} claims)" for note, count in counts.items())


def _find_refusals(pairs: Sequence[ClaimPair], judge: ClaimJudge) -> dict[int, str]:
    """The pairs that this judge is not given, by their place, and why."""
    refused = {
        place: _PRIVATE_NOTE.format(name=judge.name)
        for place, pair in enumerate(pairs)
        if pair.is_private and not judge.is_local
    }
    open_places = [place for place in range(len(pairs)) if place not in refused]
    return refused | {
        place: _MANY_NOTE.format(name=judge.name) for place in open_places[MAX_JUDGED_PAIRS:]
    }


def _merge_opinions(pair: ClaimPair, chosen: Opinion, by_words: Opinion) -> Opinion:
    if isinstance(chosen, Unjudged):
        note = (
            chosen.reason
            if chosen.reason.startswith(_BY_WORDS)
            else _BY_WORDS + (chosen.reason[:1].lower() + chosen.reason[1:])
        )
        return by_words if isinstance(by_words, Unjudged) else replace(by_words, note=note)
    if isinstance(by_words, Unjudged):
        return chosen
    lost = _list_missing_numbers(pair)
    merged = replace(chosen, missing_numbers=lost)
    if lost and chosen.relation is ClaimRelation.SUPPORTS:
        # Half a claim is not supported: a number that stands nowhere is the usual invention.
        merged = replace(
            merged,
            relation=ClaimRelation.QUALIFIES,
            score=min(chosen.score, claim_support.MIN_SUPPORTED_SCORE),
            note=_NUMBER_NOTE,
        )
    if not merged.quote:
        merged = replace(merged, quote=by_words.quote, start=by_words.start, end=by_words.end)
    return merged


def _list_missing_numbers(pair: ClaimPair) -> tuple[str, ...]:
    """Numbers of the claim that stand nowhere in the source."""
    quantities = build_sentence_features(pair.claim, language=pair.source.language).quantities
    if not quantities:
        return ()
    given = (value for each in pair.source.sentence_features for value in each.quantities)
    return tuple(
        quantity.text for quantity in stated_quantities.find_missing_quantities(quantities, given)
    )


async def _open_configured_judge(
    kit: ServiceKit, context: JudgeContext, seconds: float
) -> ClaimJudge:
    """The judge of the settings; raises Misconfigured if it cannot be used."""
    if read_judge_choice(kit.settings).kind == NLI_NAME:
        return await _open_nli_judge(kit.settings)
    from citewell.evidence.judging.model_judge import ModelJudge

    models = kit.require_judging_models()
    name = models.find_provider()
    open_caller = context.open_caller or partial(models.open_caller, owner=context.owner)
    return ModelJudge(open_caller(name), seconds=seconds, progress=context.progress)


async def _open_nli_judge(settings: Settings) -> ClaimJudge:
    from citewell.evidence.encoding.encoders import open_model_workers
    from citewell.evidence.judging.nli_judge import NliJudge
    from citewell.evidence.judging.nli_model import open_nli_folder

    folder = await asyncio.to_thread(open_nli_folder, require_nli_path(settings))
    return NliJudge(
        folder,
        open_model_workers(folder.model_bytes),
        seconds=_NLI_TIME_SHARE * settings[EvidenceSettings].judge_timeout,
    )


# The judge that is always there: it compares words, numbers and negations, on this machine.


class LexicalJudge:
    name = LEXICAL_NAME
    is_local = True

    async def judge_claims(self, pairs: Sequence[ClaimPair]) -> tuple[Opinion, ...]:
        """The opinions; long sources take time, so another thread does it."""
        return await asyncio.to_thread(lambda: tuple(map(judge_by_words, pairs)))


def judge_by_words(pair: ClaimPair) -> Opinion:
    """The opinion; none about texts that are in different languages."""
    if not claim_support.can_share_language(pair.claim, pair.source):
        return Unjudged(reason=OTHER_LANGUAGE_REASON)
    return compare_pair_words(pair)


def compare_pair_words(pair: ClaimPair) -> Judgement:
    """The judgement of a pair that is known to be in one language."""
    found = claim_support.assess_support(pair.claim, pair.source)
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
        sentence = source.sentence_features[place]
        against = claim_support.find_source_opposition(asked, [sentence])
        if against is not None and against.certainty >= Certainty.LIKELY:
            return source.sentence_spans[place]
    return None
