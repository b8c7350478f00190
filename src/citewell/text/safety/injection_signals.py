"""Finds sentences in outside text that try to command an AI reader.

A signal is a hint for the caller, not a verdict; the text itself is not changed.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from citewell.core.lazy_patterns import compile_on_use
from citewell.core.values.scrape_results import InjectedSentence
from citewell.text.data_tables import load_table

# One of these is in every match; looking for them first is far faster than the pattern.
_CUES = ("assistant", "chat", "language model", "llm", "a.i", " ai", "agent", "search engine", "asked", "the user", "the asker", "reader")  # fmt: skip
_READER_REGEX = r"(?:an? |any |all )?(?:a\.?i\.?|chat ?bots?|(?:large )?language models?|llms?|(?:ai|virtual|digital) (?:assistants?|agents?|models?|systems?)|assistants?|search engines?)"
_ANSWER_VERB_REGEX = r"(?:answer|reply|respond|say|state|claim|output|report|tell|write|quote|cite)"
_ANSWER_ORDER_PATTERN = compile_on_use(
    rf"\b{_READER_REGEX}\b.{{0,40}}\b(?:must|should|shall|ha[sv]e? to|needs? to|(?:is|are) to)\b.{{0,20}}"
    rf"\b{_ANSWER_VERB_REGEX}\b\s{{0,9}}+(?:[:“\"'‘]|that\b|only\b|with\b|the (?:user|reader|asker)\b)"
    rf"|\bif you(?: are|['’]re) {_READER_REGEX}\b.{{0,40}}\b{_ANSWER_VERB_REGEX}\b"
    rf"|\b(?:{_READER_REGEX}|readers?)s?\s{{0,9}}+:.{{0,40}}\b(?:correct|right|only) answer\b"
    rf"|\b(?:tell|inform|assure) the (?:user|asker) (?:that|to)\b"
    rf"|\b(?:when|if|whenever) (?:you are )?asked\b.{{0,60}},\s{{0,9}}+(?:always |only |just )?{_ANSWER_VERB_REGEX}\b",
    re.IGNORECASE,
)

MAX_INJECTION_SIGNALS = 10
MAX_SIGNAL_CHARS = 200
_MAX_SCANNED_CHARS = 2_000_000  # characters
_CUE_WINDOW_CHARS = 160  # characters around a cue word that its pattern is tried on
_MAX_CUE_POSITIONS = 3000
_GRAM_BYTES = 4
_GRAM_CHUNK_BYTES = 2**16
# Letters of other alphabets than the Latin one.
_FOREIGN_LETTER_PATTERN = compile_on_use("[\u0370-\u1dff\u3040-\ud7ff]")
# Characters to either side of a match that are searched for the sentence's ends.
_SENTENCE_REACH_CHARS = 300

_LEADING_MARKS_PATTERN = compile_on_use(r"[.!?:;,\n(\"“'*>\s-]*")
_SENTENCE_EDGE_PATTERN = compile_on_use(r"[.!?](?=\s)|[\n。！？]")
# A sentence that quotes a command while it talks about attacks is a report, not a command.
_QUOTATION_MARK_PATTERN = compile_on_use(r"[\"“”„«»‘「『`]|(?<!\w)'(?=\w)|(?<=\w)'(?!\w)")
_REPORTING_WORDS_PATTERN = compile_on_use(
    r"attack|inject|jailbreak|example|such as|phrases?\b|strings?\b|\blike\b|e\.g\.|payload|adversar|malicious|hacker|researchers?|trick|vulnerab|typed|wrote|paper|study|called|z\. ?b\.|beispiel|angreifer|angriff"
    r"|exemple|attaqu|ejemplo|ataque|例如|攻击|攻撃|например|атак"
)


def find_injection_signals(text: str) -> tuple[InjectedSentence, ...]:
    """Sentences that look like commands to an AI reader, in text order; at most ten."""
    found: dict[int, InjectedSentence] = {}
    for start, signal in _iterate_signals(text):
        found.setdefault(start, signal)
    return tuple(found[start] for start in sorted(found)[:MAX_INJECTION_SIGNALS])


def has_injection_signal(text: str) -> bool:
    """Whether the text has at least one sentence that looks like a command to an AI reader."""
    return next(_iterate_signals(text), None) is not None


def _iterate_signals(text: str) -> Iterator[tuple[int, InjectedSentence]]:
    """The signals in the order of the patterns, each with the start of its sentence."""
    low = text[:_MAX_SCANNED_CHARS].lower()
    # Lower-casing rarely changes the length; if it does, the offsets fit only the lower-cased text.
    source = text if len(low) == len(text[:_MAX_SCANNED_CHARS]) else low
    for kind, place in _find_injection_matches(low):
        start, sentence = _extract_matched_sentence(source, *place)
        if not _is_quoted_report(low, place, sentence.lower()):
            yield (
                start,
                InjectedSentence(kind=kind, sentence=sentence[:MAX_SIGNAL_CHARS], end=place[1]),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _CommandRule:
    kind: str
    cues: tuple[str, ...]  # the pattern is tried only near one of them
    companions: tuple[str, ...]  # one of them is in every match; empty if that is not known
    pattern: re.Pattern[str]


@cache
def _compile_command_rules() -> tuple[_CommandRule, ...]:
    """The rules of `injection_rules.json`; "{name}" in a pattern stands for one of its parts."""
    table = load_table(__package__, "injection_rules")
    rules = []
    for row in table["rules"]:
        regex: str = row["pattern"]
        for name, part in table["parts"].items():
            regex = regex.replace(f"{{{name}}}", part)
        rules.append(
            _CommandRule(
                kind=row["kind"],
                cues=tuple(row["cues"]),
                companions=tuple(row.get("companions", ())),
                pattern=re.compile(regex),
            )
        )
    return tuple(rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class _CueWords:
    """All cue words, by the way in which they are looked for."""

    direct: tuple[str, ...]
    foreign: tuple[str, ...]  # of other alphabets
    # With the groups of four letters that start at even places of the word, and at odd places.
    by_grams: tuple[tuple[str, frozenset[int], frozenset[int]], ...]


@cache
def _sort_cue_words() -> _CueWords:
    words = {word for rule in _compile_command_rules() for word in rule.cues}
    long = {word for word in words if word.isascii() and len(word) > _GRAM_BYTES}
    foreign = {word for word in words if _FOREIGN_LETTER_PATTERN.search(word)}
    return _CueWords(
        direct=tuple(words - long - foreign),
        foreign=tuple(foreign),
        by_grams=tuple(
            (word, frozenset(_list_grams(word.encode())), frozenset(_list_grams(word[1:].encode())))
            for word in long
        ),
    )


def _list_grams(data: bytes) -> set[int]:
    """The groups of four bytes at even places, each as a number: the fastest way to collect them."""
    grams: set[int] = set()
    for start in (0, _GRAM_BYTES // 2):
        end = len(data) - (len(data) - start) % _GRAM_BYTES
        grams.update(array("I", data[start:end]))
    return grams


def _find_cue_words(low: str) -> set[str]:
    """The cue words in the text. Most are not, and are ruled out by their groups of four letters."""
    cues = _sort_cue_words()
    there = {word for word in cues.direct if word in low}
    if _FOREIGN_LETTER_PATTERN.search(low):
        there.update(word for word in cues.foreign if word in low)
    data = low.encode("ascii", "replace")
    for start in range(0, len(data), _GRAM_CHUNK_BYTES):  # in chunks, for little memory
        grams = _list_grams(data[start : start + _GRAM_CHUNK_BYTES + _CUE_WINDOW_CHARS])
        likely = (word for word, even, odd in cues.by_grams if even <= grams or odd <= grams)
        there.update(word for word in likely if word not in there and word in low)
    return there


def _find_injection_matches(low: str) -> Iterator[tuple[str, tuple[int, int]]]:
    there = _find_cue_words(low)
    windows: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for rule in _compile_command_rules() if there else ():
        near = tuple(word for word in rule.cues if word in there)
        if near and near not in windows:
            windows[near] = _build_cue_windows(low, near)
        for start, end in windows[near] if near else ():
            found = (low.find(word, start, end) >= 0 for word in rule.companions)
            if rule.companions and not any(found):
                continue
            for match in rule.pattern.finditer(low, start, end):
                # A pattern may start with the punctuation of the previous sentence.
                lead = _LEADING_MARKS_PATTERN.match(match[0])
                yield rule.kind, (match.start() + (lead.end() if lead else 0), match.end())


def _build_cue_windows(low: str, words: tuple[str, ...]) -> list[tuple[int, int]]:
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


# Finds sentences that tell an AI reader what to answer.


def has_answer_order(sentence: str) -> bool:
    """Whether the sentence tells an assistant, or whoever is asked, what to say."""
    low = f" {sentence.lower()}"
    return any(cue in low for cue in _CUES) and _ANSWER_ORDER_PATTERN.search(sentence) is not None
