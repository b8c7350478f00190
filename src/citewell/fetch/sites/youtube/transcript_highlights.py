"""Chooses the most representative passages of a transcript, with their times."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from citewell.fetch.sites.youtube.video_captions import CaptionCue, format_video_time
from citewell.model.page_signals import TalkHighlight
from citewell.text.language import tokens
from citewell.text.safety.invisible_characters import extract_visible_text

_MAX_HIGHLIGHTS = 5
_MIN_CAPTION_CUES = 5  # a shorter transcript gets no highlights
_PASSAGE_WORDS = 22  # a passage ends here even without a full stop
_MIN_PASSAGE_WORDS = 6
_MAX_TERM_OVERLAP = 0.5  # share of common terms above which two passages are too similar
_DIGIT_PATTERN = re.compile(r"\d")
_SENTENCE_END_PATTERN = re.compile(r"[.!?…。！？][\"'”’)\]]*$")


def choose_transcript_highlights(
    cues: Sequence[CaptionCue], *, language: str | None = None
) -> tuple[TalkHighlight, ...]:
    """Up to five highlights, best first; none for a very short transcript."""
    if len(cues) < _MIN_CAPTION_CUES:
        return ()
    passages = _split_transcript_passages(cues)
    bags = [tokens.extract_terms(text, language=language) for _, text in passages]
    scores = _score_transcript_passages([text for _, text in passages], bags)
    chosen = _choose_distinct_passages(scores, bags)
    if not chosen:
        return ()
    best = scores[chosen[0]]
    return tuple(
        TalkHighlight(
            text=passages[place][1],
            score=round(scores[place] / best, 3),
            start_time=format_video_time(passages[place][0]),
        )
        for place in chosen
    )


def _split_transcript_passages(cues: Sequence[CaptionCue]) -> list[tuple[float, str]]:
    """(start, text) of each passage: cues joined until a sentence ends or is long enough."""
    found: list[tuple[float, str]] = []
    start = 0.0
    words: list[str] = []
    for cue in cues:
        start = start if words else cue.start
        words += extract_visible_text(cue.text).split()
        if len(words) >= _PASSAGE_WORDS or (
            len(words) >= _MIN_PASSAGE_WORDS and _SENTENCE_END_PATTERN.search(cue.text)
        ):
            found.append((start, " ".join(words)))
            words = []
    if words:
        found.append((start, " ".join(words)))
    return found


def _score_transcript_passages(texts: Sequence[str], bags: Sequence[frozenset[str]]) -> list[float]:
    """Each passage's score by the transcript's recurring terms in it; numbers add a little."""
    spread = Counter(term for bag in bags for term in bag)
    most = math.log(1 + len(bags))
    weight = {term: math.log(1 + times) / most for term, times in spread.items() if times > 1}
    return [
        sum(weight.get(term, 0.1) for term in bag) / math.sqrt(len(bag) + 4)
        + (0.15 if _DIGIT_PATTERN.search(text) else 0.0)
        for text, bag in zip(texts, bags, strict=True)
    ]


def _choose_distinct_passages(scores: Sequence[float], bags: Sequence[frozenset[str]]) -> list[int]:
    chosen: list[int] = []
    for place in sorted(range(len(scores)), key=lambda at: (-scores[at], at)):
        if len(chosen) == _MAX_HIGHLIGHTS:
            break
        if len(bags[place]) >= 3 and all(
            _is_distinct_passage(bags[place], bags[other]) for other in chosen
        ):
            chosen.append(place)
    return chosen


def _is_distinct_passage(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) <= _MAX_TERM_OVERLAP * min(len(one), len(other))
