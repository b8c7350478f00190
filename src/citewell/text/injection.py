"""Sentences in outside text that speak to an AI reader as if to command it: pointed out, never changed.

A signal is a hint for the caller, not a verdict: the text itself stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from citewell.text.commands import ROWS

MOST = 10
LONGEST = 200
_SCANNED = 2_000_000  # characters
_NEAR = 160  # characters around a telling word in which its pattern is tried
_PLACES = 3000
_REACH = 300  # how far a sentence is followed to either side of what was found


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    kind: str  # override, address, role, conceal, disclose, act, markup
    sentence: str


_LEAD = re.compile(r"[.!?:;,\n(\"“'*>\s-]*")
_EDGE = re.compile(r"[.!?](?=\s)|[\n。！？]")
# A sentence that quotes an order while it talks about orders is a report, not an order.
_QUOTED = re.compile(r"[\"“”„«»‘「『`]|(?<!\w)'(?=\w)|(?<=\w)'(?!\w)")
_REPORTS = re.compile(
    r"attack|inject|jailbreak|example|such as|phrases?\b|strings?\b|\blike\b|e\.g\.|payload|adversar|malicious|hacker|researchers?|trick|vulnerab|typed|wrote|paper|study|called|z\. ?b\.|beispiel|angreifer|angriff"
    r"|exemple|attaqu|ejemplo|ataque|例如|攻击|攻撃|например|атак"
)


def signals(text: str) -> tuple[Signal, ...]:
    """The sentences that look like orders to a machine, in the order they stand; ten at most."""
    low = text[:_SCANNED].lower()
    source = text if len(low) == len(text[:_SCANNED]) else low  # few letters change length
    found: dict[int, tuple[str, str]] = {}
    for kind, place in _matches(low):
        start, sentence = _sentence(source, *place)
        if start not in found and not _reported(low, place, sentence.lower()):
            found[start] = (kind, sentence)
    ordered = sorted(found.items())[:MOST]
    return tuple(Signal(kind=kind, sentence=text[:LONGEST]) for _, (kind, text) in ordered)


def commanding(text: str) -> bool:
    """Whether the text holds at least one such sentence."""
    return bool(signals(text))


@cache
def _rows() -> tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...]:
    return tuple((kind, tuple(words.split("|")), re.compile(rule)) for kind, words, rule in ROWS)


@cache
def _words() -> frozenset[str]:
    return frozenset(word for _, words, _ in _rows() for word in words)


def _matches(low: str) -> Iterator[tuple[str, tuple[int, int]]]:
    there = {word for word in _words() if word in low}
    for kind, words, pattern in _rows() if there else ():
        near = [word for word in words if word in there]
        for start, end in _windows(low, near) if near else ():
            for match in pattern.finditer(low, start, end):
                # A pattern may begin with the end of the sentence before.
                lead = _LEAD.match(match[0])
                yield kind, (match.start() + (lead.end() if lead else 0), match.end())


def _windows(low: str, words: list[str]) -> list[tuple[int, int]]:
    """The parts of the text near one of the words, which are found far faster than a pattern."""
    places: list[int] = []
    for word in words:
        place = low.find(word)
        while place >= 0 and len(places) < _PLACES:
            places.append(place)
            place = low.find(word, place + _NEAR)
    merged: list[tuple[int, int]] = []
    for place in sorted(places):
        if merged and place - _NEAR <= merged[-1][1]:
            merged[-1] = (merged[-1][0], place + _NEAR)
        else:
            merged.append((max(0, place - _NEAR), place + _NEAR))
    return merged


def _sentence(text: str, start: int, end: int) -> tuple[int, str]:
    """Where the sentence around a match begins, and the sentence."""
    floor = max(0, start - _REACH)
    first = floor
    for edge in _EDGE.finditer(text, floor, start):
        first = edge.end()
    first = max(first, start - LONGEST // 2)  # the telling words stay within what is shown
    close = _EDGE.search(text, end, min(len(text), end + _REACH))
    last = close.end() if close else min(len(text), end + _REACH)
    return first, " ".join(text[first:last].split())


def _reported(low: str, place: tuple[int, int], sentence: str) -> bool:
    start, end = place
    around = low[max(0, start - 3) : start], low[end : end + 120]
    quoted = _QUOTED.search(around[0]) and _QUOTED.search(around[1])
    return bool(quoted and _REPORTS.search(sentence))
