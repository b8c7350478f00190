"""Finds sentences in outside text that try to command an AI reader.

A signal is a hint for the caller, not a verdict; the text itself is not changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from citewell.model.page_signals import InjectedSentence
from citewell.text.safety.injection_patterns import INJECTION_PATTERN_ROWS

MAX_INJECTION_SIGNALS = 10
MAX_SIGNAL_CHARS = 200
_MAX_SCANNED_CHARS = 2_000_000  # characters
_CUE_WINDOW_CHARS = 160  # characters around a cue word that its pattern is tried on
_MAX_CUE_POSITIONS = 3000
# Characters to either side of a match that are searched for the sentence's ends.
_SENTENCE_REACH_CHARS = 300

_LEADING_MARKS_PATTERN = re.compile(r"[.!?:;,\n(\"“'*>\s-]*")
_SENTENCE_EDGE_PATTERN = re.compile(r"[.!?](?=\s)|[\n。！？]")
# A sentence that quotes a command while it talks about attacks is a report, not a command.
_QUOTATION_MARK_PATTERN = re.compile(r"[\"“”„«»‘「『`]|(?<!\w)'(?=\w)|(?<=\w)'(?!\w)")
_REPORTING_WORDS_PATTERN = re.compile(
    r"attack|inject|jailbreak|example|such as|phrases?\b|strings?\b|\blike\b|e\.g\.|payload|adversar|malicious|hacker|researchers?|trick|vulnerab|typed|wrote|paper|study|called|z\. ?b\.|beispiel|angreifer|angriff"
    r"|exemple|attaqu|ejemplo|ataque|例如|攻击|攻撃|например|атак"
)


def find_injection_signals(text: str) -> tuple[InjectedSentence, ...]:
    """Sentences that look like commands to an AI reader, in text order; at most ten."""
    low = text[:_MAX_SCANNED_CHARS].lower()
    # Lower-casing rarely changes the length; if it does, the offsets fit only the lower-cased text.
    source = text if len(low) == len(text[:_MAX_SCANNED_CHARS]) else low
    found: dict[int, InjectedSentence] = {}
    for kind, place in _find_injection_matches(low):
        start, sentence = _extract_matched_sentence(source, *place)
        if start not in found and not _is_quoted_report(low, place, sentence.lower()):
            found[start] = InjectedSentence(
                kind=kind, sentence=sentence[:MAX_SIGNAL_CHARS], end=place[1]
            )
    return tuple(found[start] for start in sorted(found)[:MAX_INJECTION_SIGNALS])


def has_injection_signal(text: str) -> bool:
    """Whether the text has at least one sentence that looks like a command to an AI reader."""
    return bool(find_injection_signals(text))


@cache
def _compile_injection_rows() -> tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...]:
    return tuple(
        (kind, tuple(words.split("|")), re.compile(rule))
        for kind, words, rule in INJECTION_PATTERN_ROWS
    )


@cache
def _list_cue_words() -> frozenset[str]:
    return frozenset(word for _, words, _ in _compile_injection_rows() for word in words)


def _find_injection_matches(low: str) -> Iterator[tuple[str, tuple[int, int]]]:
    there = {word for word in _list_cue_words() if word in low}
    for kind, words, pattern in _compile_injection_rows() if there else ():
        near = [word for word in words if word in there]
        for start, end in _build_cue_windows(low, near) if near else ():
            for match in pattern.finditer(low, start, end):
                # A pattern may start with the punctuation of the previous sentence.
                lead = _LEADING_MARKS_PATTERN.match(match[0])
                yield kind, (match.start() + (lead.end() if lead else 0), match.end())


def _build_cue_windows(low: str, words: list[str]) -> list[tuple[int, int]]:
    """The parts of the text around the cue words; plain search is far faster than the patterns."""
    places: list[int] = []
    for word in words:
        place = low.find(word)
        while place >= 0 and len(places) < _MAX_CUE_POSITIONS:
            places.append(place)
            place = low.find(word, place + _CUE_WINDOW_CHARS)
    merged: list[tuple[int, int]] = []
    for place in sorted(places):
        if merged and place - _CUE_WINDOW_CHARS <= merged[-1][1]:
            merged[-1] = (merged[-1][0], place + _CUE_WINDOW_CHARS)
        else:
            merged.append((max(0, place - _CUE_WINDOW_CHARS), place + _CUE_WINDOW_CHARS))
    return merged


def _extract_matched_sentence(text: str, start: int, end: int) -> tuple[int, str]:
    """The start of the sentence around a match, and the sentence."""
    floor = max(0, start - _SENTENCE_REACH_CHARS)
    first = floor
    for edge in _SENTENCE_EDGE_PATTERN.finditer(text, floor, start):
        first = edge.end()
    # The match must be inside the characters that are returned.
    first = max(first, start - MAX_SIGNAL_CHARS // 2)
    close = _SENTENCE_EDGE_PATTERN.search(text, end, min(len(text), end + _SENTENCE_REACH_CHARS))
    last = close.end() if close else min(len(text), end + _SENTENCE_REACH_CHARS)
    return first, " ".join(text[first:last].split())


def _is_quoted_report(low: str, place: tuple[int, int], sentence: str) -> bool:
    start, end = place
    around = low[max(0, start - 3) : start], low[end : end + 120]
    quoted = _QUOTATION_MARK_PATTERN.search(around[0]) and _QUOTATION_MARK_PATTERN.search(around[1])
    return bool(quoted and _REPORTING_WORDS_PATTERN.search(sentence))
