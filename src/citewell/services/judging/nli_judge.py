"""A judge with an entailment model on this machine: the strongest window of sentences is the quote."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from citewell.errors import MalformedResponse, Misconfigured
from citewell.model.research import ClaimRelation
from citewell.services.encoding.local_encoder import MODEL_FAULTS_BY_CAUSE, MODEL_TASK_SECONDS
from citewell.services.judging.claim_judge import (
    NLI_NAME,
    ClaimPair,
    Judgement,
    Opinion,
    Unjudged,
)
from citewell.services.judging.nli_folder import (
    JUDGE_MODEL_SETTING,
    EntailmentLabel,
    NliFolder,
)
from citewell.services.judging.nli_model import PairScores
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import build_sentence_features
from citewell.text.passages.plain_markdown import render_plain_text
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, WorkerTask

MIN_ENTAILMENT = 0.5
# Models call many a passage about something else a contradiction; only sure ones count.
MIN_CONTRADICTION = 0.7
MAX_CLAIM_CHARS = 1200  # a longer one would push the passage out of the model's sight
_PAIRS_PER_TASK = 16
_MAX_NEAR_SENTENCES = 6
_MAX_SMALL_SOURCE = 8  # sentences; of such a source all are compared
_MAX_WINDOW_CHARS = 1600
_KEPT_SOURCES = 4  # whose sentences are kept for the next claim
_CLASSIFY_TASK: WorkerTask[PairScores] = WorkerTask(
    "citewell.services.judging.nli_model:classify_text_pairs", PairScores
)
_LONG_CLAIM = "The claim is too long for an entailment model."
_LATE = "The entailment model did not get to this claim in time."
_NO_TEXT = "The source has no sentence."


@dataclass(frozen=True, slots=True, kw_only=True)
class _ScoredWindow:
    start: int
    end: int
    entailment: float
    contradiction: float
    shares_subject: bool


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
        windows = await asyncio.to_thread(choose_sentence_windows, pair.claim, pair.source)
        if not windows:
            return Unjudged(reason=_NO_TEXT)
        passages = [render_plain_text(pair.source.text[slice(*place)]) for place in windows]
        rows: list[tuple[float, ...]] = []
        for start in range(0, len(passages), _PAIRS_PER_TASK):
            rows += await self._classify_passages(
                passages[start : start + _PAIRS_PER_TASK], pair.claim
            )
        scored = await asyncio.to_thread(self._score_sentence_windows, pair, windows, rows)
        return _choose_judgement(pair.source, scored)

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
                pairs=tuple((_drop_half_pairs(one), _drop_half_pairs(claim)) for one in passages),
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

    def _score_sentence_windows(
        self,
        pair: ClaimPair,
        windows: Sequence[tuple[int, int]],
        rows: Sequence[tuple[float, ...]],
    ) -> list[_ScoredWindow]:
        asked = build_sentence_features(pair.claim, language=pair.source.language).terms
        scored = []
        for (start, end), row in zip(windows, rows, strict=True):
            shares = dict.fromkeys(EntailmentLabel, 0.0)
            for label, share in zip(self._folder.labels, row, strict=True):
                shares[label] += share
            text = pair.source.text[start:end]
            said = build_sentence_features(text, language=pair.source.language).terms
            scored.append(
                _ScoredWindow(
                    start=start,
                    end=end,
                    entailment=shares[EntailmentLabel.ENTAILMENT],
                    contradiction=shares[EntailmentLabel.CONTRADICTION],
                    shares_subject=2 * len(asked & said) >= len(asked),
                )
            )
        return scored


def _drop_half_pairs(text: str) -> str:
    """The text without halves of surrogate pairs, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode()


def choose_sentence_windows(claim: str, source: SourceText) -> list[tuple[int, int]]:
    """Places of single sentences and of three in a row, near the words of the claim.

    Of a source that shares no word with the claim, perhaps in another language, the beginning.
    """
    spans, terms = _list_span_terms(source)
    asked = build_sentence_features(claim, language=source.language).terms
    order = sorted(range(len(spans)), key=lambda at: (-len(asked & terms[at]), at))
    most = _MAX_SMALL_SOURCE if len(spans) <= _MAX_SMALL_SOURCE else _MAX_NEAR_SENTENCES
    windows: dict[tuple[int, int], None] = {}
    for at in order[:most]:
        first, last = max(0, at - 1), min(len(spans) - 1, at + 1)
        for start, end in (spans[at], (spans[first][0], spans[last][1])):
            windows[start, min(end, start + _MAX_WINDOW_CHARS)] = None
    return list(windows)


@lru_cache(maxsize=_KEPT_SOURCES)
def _list_span_terms(
    source: SourceText,
) -> tuple[tuple[tuple[int, int], ...], tuple[frozenset[str], ...]]:
    """The sentences with their words; what has no full stop for long, such as a table, in pieces."""
    spans = tuple(
        (at, min(at + _MAX_WINDOW_CHARS, end))
        for start, end in source.sentence_spans
        for at in range(start, end, _MAX_WINDOW_CHARS)
    )
    said = (source.text[start:end] for start, end in spans)
    return spans, tuple(
        build_sentence_features(text, language=source.language).terms for text in said
    )


def _choose_judgement(source: SourceText, scored: Sequence[_ScoredWindow]) -> Judgement:
    """The relation of the strongest window; of equals the shortest, which says most exactly why."""
    best = max(scored, key=lambda one: (round(one.entailment, 3), one.start - one.end))
    opposed = [
        one for one in scored if one.contradiction >= MIN_CONTRADICTION and one.shares_subject
    ]
    relation, shown = ClaimRelation.MENTIONS, best
    if best.entailment >= MIN_ENTAILMENT:
        relation = ClaimRelation.SUPPORTS
    elif opposed:
        relation = ClaimRelation.CONTRADICTS
        shown = max(opposed, key=lambda one: (round(one.contradiction, 3), one.start - one.end))
    return Judgement(
        relation=relation,
        score=round(best.entailment, 4),
        judge=NLI_NAME,
        quote=source.text[shown.start : shown.end],
        start=shown.start,
        end=shown.end,
    )
