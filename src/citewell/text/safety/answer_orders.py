"""Finds sentences that tell an AI reader what to answer.

They are milder than the commands of `injection_signals`, and an article about assistants may well have
one: so they are no warning, but such a sentence is never quoted as an answer.
"""

from __future__ import annotations

import re

# One of these is in every match; looking for them first is far faster than the pattern.
_CUES = ("assistant", "chat", "language model", "llm", "a.i", " ai", "agent", "search engine", "asked", "the user", "the asker", "reader")  # fmt: skip
_READER_REGEX = r"(?:an? |any |all )?(?:a\.?i\.?|chat ?bots?|(?:large )?language models?|llms?|(?:ai|virtual|digital) (?:assistants?|agents?|models?|systems?)|assistants?|search engines?)"
_ANSWER_VERB_REGEX = r"(?:answer|reply|respond|say|state|claim|output|report|tell|write|quote|cite)"
_ANSWER_ORDER_PATTERN = re.compile(
    rf"\b{_READER_REGEX}\b.{{0,40}}\b(?:must|should|shall|ha[sv]e? to|needs? to|(?:is|are) to)\b.{{0,20}}"
    rf"\b{_ANSWER_VERB_REGEX}\b\s{{0,9}}+(?:[:“\"'‘]|that\b|only\b|with\b|the (?:user|reader|asker)\b)"
    rf"|\bif you(?: are|['’]re) {_READER_REGEX}\b.{{0,40}}\b{_ANSWER_VERB_REGEX}\b"
    rf"|\b(?:{_READER_REGEX}|readers?)s?\s{{0,9}}+:.{{0,40}}\b(?:correct|right|only) answer\b"
    rf"|\b(?:tell|inform|assure) the (?:user|asker) (?:that|to)\b"
    rf"|\b(?:when|if|whenever) (?:you are )?asked\b.{{0,60}},\s{{0,9}}+(?:always |only |just )?{_ANSWER_VERB_REGEX}\b",
    re.IGNORECASE,
)


def has_answer_order(sentence: str) -> bool:
    """Whether the sentence tells an assistant, or whoever is asked, what to say."""
    low = f" {sentence.lower()}"
    return any(cue in low for cue in _CUES) and _ANSWER_ORDER_PATTERN.search(sentence) is not None
