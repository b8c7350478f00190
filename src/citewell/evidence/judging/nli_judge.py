"""A judge with an entailment model on this machine, which reads the passages nearest to the claim."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from citewell.core.errors import MalformedResponse, Misconfigured
from citewell.core.values.research import ClaimRelation
from citewell.evidence.encoding.encoders import MODEL_FAULTS_BY_CAUSE, MODEL_TASK_SECONDS
from citewell.evidence.judging.claim_judge import NLI_NAME, ClaimPair, Judgement, Opinion, Unjudged
from citewell.evidence.judging.nli_model import EntailmentLabel, NliFolder, PairScores
from citewell.evidence.settings import JUDGE_MODEL_SETTING
from citewell.evidence.signs.claim_support import SourceText, list_support_signs
from citewell.evidence.signs.grounding_signs import GROUNDING_SIGNS
from citewell.evidence.signs.sentence_features import build_sentence_features
from citewell.text.passages.markdown_blocks import render_plain_text
from citewell.text.passages.term_weights import weigh_term
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, WorkerTask

MIN_ENTAILMENT = 0.5
# Models call many a passage about something else a contradiction; only sure ones count.
MIN_CONTRADICTION = 0.7
MAX_CLAIM_CHARS = 1200  # a longer one would push the passage out of the model's sight
# More windows find more that seems to entail a false claim: of 16 twice as much as of one.
MAX_WINDOWS = 3
_WINDOW_WORDS = 110
_MAX_PIECE_CHARS = 1600  # of a text without full stops
_MIN_QUOTE_SHARE = 0.9  # of the weight of the claim's words that the window has
# Of a contradiction one of these must be seen, so that the difference can be shown.
_DIFFERENCE_SIGNS = frozenset(
    ("numbers lost in sentence", "names lost in sentence", "denial differs", "contraries",
     "directions differ", "absolutes lost", "opposition", "names turned")
)  # fmt: skip
_KEPT_SOURCES = 4  # whose sentences are kept for the next claim
_CLASSIFY_TASK: WorkerTask[PairScores] = WorkerTask(
    "citewell.evidence.judging.nli_model:classify_text_pairs", PairScores
)
_LONG_CLAIM = "The claim is too long for an entailment model."
_LATE = "The entailment model did not get to this claim in time."
_NO_TEXT = "The source has no sentence."


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceWindow:
    """A passage that the model reads, and the place in it that is quoted."""

    start: int
    end: int
    quote: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _LabelShares:
    entailment: float
    contradiction: float


class NliJudge:
    name = NLI_NAME
    is_local = True

    def __init__(
        self,
        folder: NliFolder,
        workers: TaskRunner,
        *,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """After `seconds` no further pair of a check is begun."""
        self._folder = folder
        self._workers = workers
        self._seconds = seconds
        self._clock = clock

    async def judge_claims(self, pairs: Sequence[ClaimPair]) -> tuple[Opinion, ...]:
        end = self._clock() + self._seconds
        return tuple(
            [
                await self._judge_claim_pair(pair)
                if self._clock() <= end
                else Unjudged(reason=_LATE)
                for pair in pairs
            ]
        )

    async def aclose(self) -> None:
        await self._workers.aclose()

    async def _judge_claim_pair(self, pair: ClaimPair) -> Opinion:
        if len(pair.claim) > MAX_CLAIM_CHARS:
            return Unjudged(reason=_LONG_CLAIM)
        windows = await asyncio.to_thread(choose_source_windows, pair.claim, pair.source)
        if not windows:
            return Unjudged(reason=_NO_TEXT)
        passages = [
            render_plain_text(pair.source.text[window.start : window.end]) for window in windows
        ]
        rows = await self._classify_passages(passages, pair.claim)
        shares = [self._read_label_shares(row) for row in rows]
        return await asyncio.to_thread(_choose_judgement, pair, windows, shares)

    async def _classify_passages(
        self, passages: Sequence[str], claim: str
    ) -> tuple[tuple[float, ...], ...]:
        folder = self._folder
        try:
            answer = await self._workers.run_task(
                _CLASSIFY_TASK,
                limit_seconds=MODEL_TASK_SECONDS,
                model_file=str(folder.model_file),
                tokenizer_file=str(folder.tokenizer_file),
                pairs=tuple(
                    (_drop_half_pairs(passage), _drop_half_pairs(claim)) for passage in passages
                ),
                labels=len(folder.labels),
                max_pieces=folder.max_pieces,
            )
        except TaskFailure as failure:
            raise Misconfigured(
                f"The entailment model {MODEL_FAULTS_BY_CAUSE[failure.cause]}.",
                action="inform_user",
                detail=failure.place or None,
                settings=(JUDGE_MODEL_SETTING,),
            ) from None
        if len(answer.rows) != len(passages):
            raise MalformedResponse("The entailment model's process answered for too few passages.")
        return answer.rows

    def _read_label_shares(self, row: Sequence[float]) -> _LabelShares:
        shares = dict.fromkeys(EntailmentLabel, 0.0)
        for label, share in zip(self._folder.labels, row, strict=True):
            shares[label] += share
        return _LabelShares(
            entailment=shares[EntailmentLabel.ENTAILMENT],
            contradiction=shares[EntailmentLabel.CONTRADICTION],
        )


def _drop_half_pairs(text: str) -> str:
    """The text without halves of surrogate pairs, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode()


def choose_source_windows(claim: str, source: SourceText) -> list[SourceWindow]:
    """At most three passages of whole sentences, about 110 words each, that do not overlap.

    The first has most of the claim's rare words. Of a source that shares no word with the claim,
    perhaps in another language, the beginning.
    """
    spans, terms = _list_span_terms(source)
    if not spans:
        return []
    asked = build_sentence_features(claim, language=source.language).terms
    weights = {term: weigh_term(term, held=0, total=1, language=source.language) for term in asked}
    lengths = [len(source.text[start:end].split()) for start, end in spans]
    near = {at for at, held in enumerate(terms) if not asked.isdisjoint(held)}
    starts = near | {at - 1 for at in near if at}
    scored = []
    for first in starts:
        last = _find_window_end(lengths, first)
        held = asked & frozenset().union(*terms[first:last])
        scored.append((-sum(map(weights.__getitem__, held)), last - first, first, last))
    chosen: list[tuple[int, int]] = []
    for _, _, first, last in sorted(scored):
        if len(chosen) < MAX_WINDOWS and all(
            last <= start or end <= first for start, end in chosen
        ):
            chosen.append((first, last))
    return [
        SourceWindow(
            start=spans[first][0],
            end=spans[last - 1][1],
            quote=_narrow_to_quote(spans, terms, weights, first, last),
        )
        for first, last in chosen or [(0, _find_window_end(lengths, 0))]
    ]


def _find_window_end(lengths: Sequence[int], first: int) -> int:
    """The sentence after the last of a window; a single sentence may be longer than a window."""
    last, words = first + 1, lengths[first]
    while last < len(lengths) and words + lengths[last] <= _WINDOW_WORDS:
        words += lengths[last]
        last += 1
    return last


def _narrow_to_quote(
    spans: Sequence[tuple[int, int]],
    terms: Sequence[frozenset[str]],
    weights: Mapping[str, float],
    first: int,
    last: int,
) -> tuple[int, int]:
    """The place of the fewest sentences of a window that have nearly all of its words of the claim."""

    def weigh_sentences(start: int, end: int) -> float:
        held = frozenset().union(*terms[start:end])
        return sum(weight for term, weight in weights.items() if term in held)

    enough = _MIN_QUOTE_SHARE * weigh_sentences(first, last)
    runs = [
        (start, start + count)
        for count in range(1, last - first + 1)
        for start in range(first, last - count + 1)
    ]
    start, end = next(run for run in runs if weigh_sentences(*run) >= enough)
    return spans[start][0], spans[end - 1][1]


@lru_cache(maxsize=_KEPT_SOURCES)
def _list_span_terms(
    source: SourceText,
) -> tuple[tuple[tuple[int, int], ...], tuple[frozenset[str], ...]]:
    """The sentences with their words; what has no full stop for long, such as a table, in pieces."""
    spans = tuple(
        (at, min(at + _MAX_PIECE_CHARS, end))
        for start, end in source.sentence_spans
        for at in range(start, end, _MAX_PIECE_CHARS)
    )
    texts = (source.text[start:end] for start, end in spans)
    return spans, tuple(
        build_sentence_features(text, language=source.language).terms for text in texts
    )


def _choose_judgement(
    pair: ClaimPair, windows: Sequence[SourceWindow], shares: Sequence[_LabelShares]
) -> Judgement:
    """Support by the strongest window; a contradiction only by the first, which is the nearest."""
    source = pair.source
    best = max(range(len(windows)), key=lambda at: round(shares[at].entailment, 3))
    entailment = shares[best].entailment
    relation, shown = ClaimRelation.MENTIONS, windows[best]
    if entailment >= MIN_ENTAILMENT:
        relation = ClaimRelation.SUPPORTS
    elif shares[0].contradiction >= MIN_CONTRADICTION:
        shown = windows[0]
        if _has_located_difference(pair.claim, source, shown):
            relation = ClaimRelation.CONTRADICTS
    start, end = shown.quote
    return Judgement(
        relation=relation,
        score=round(entailment, 4),
        judge=NLI_NAME,
        quote=source.text[start:end],
        start=start,
        end=end,
    )


def _has_located_difference(claim: str, source: SourceText, window: SourceWindow) -> bool:
    """Whether the window speaks of the claim's subject, and differs from it in something to show."""
    text = SourceText(
        text=source.text[window.start : window.end],
        language=source.language,
        known_names=source.known_names,
    )
    asked = build_sentence_features(claim, language=source.language).terms
    signs = list_support_signs(claim, text)
    if signs is None or 2 * len(asked & text.all_terms) < len(asked):
        return False
    return any(
        sign > 0
        for name, sign in zip(GROUNDING_SIGNS, signs, strict=True)
        if name in _DIFFERENCE_SIGNS
    )
