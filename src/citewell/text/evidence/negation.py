"""Detects negated and refuting statements by their words, in many languages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache

from citewell.text.data_tables import load_table
from citewell.text.language import tokens
from citewell.text.language.scripts import UNSPACED_LANGUAGES

# Phrases that contain a negating word but do not negate.
_NON_NEGATING_PATTERN = re.compile(
    r"\bnot only\b|\bwhether or not\b|\bno doubt\b|\bnot least\b|\bno longer than\b|\bnot to mention\b"
    r"|\bno\. ?\d|\bno (?:less|fewer|more) than\b|\bnothing but\b|\bnot until\b|\bnot just\b"
    r"|\bnicht nur\b|\bnon seulement\b|\bno solo\b|\bno sólo\b|\bnon solo\b|\bnão só\b|\bниче(?:го|м) не\b"
    r"|\bне только\b|\bniet alleen\b|不仅|不但|不僅|だけでなく|\bwithout (?:a )?doubt\b|\bnot surprising\w*",
    re.IGNORECASE,
)
# Negation is part of the verb, so it is unknown which word is negated.
_VERB_NEGATION_LANGUAGES = UNSPACED_LANGUAGES | {"tr"}
_CLAUSE_BREAK_PATTERN = re.compile(r"[;:.!?]|, ")
_NEGATION_REACH_WORDS = 2  # content words after a negating word that it negates


def count_negations(text: str, *, language: str | None = None) -> int:
    """The number of negating words in the text."""
    return len(
        _compile_negation_pattern((language or "en")[:2]).findall(
            _NON_NEGATING_PATTERN.sub(" ", text)
        )
    )


def is_negated_statement(text: str, *, language: str | None = None) -> bool:
    """Whether the statement is negated; two negations cancel each other."""
    return count_negations(text, language=language) % 2 == 1


def remove_mere_emphasis(text: str) -> str:
    """An English text without phrases such as "not only" that negate nothing."""
    lower = text.lower()
    return _NON_NEGATING_PATTERN.sub(" ", text) if "no" in lower or "without" in lower else text


def has_negated_terms(text: str, terms: AbstractSet[str], *, language: str | None = None) -> bool:
    """Whether the text negates one of these stems; negations of other words do not count."""
    code = (language or "en")[:2]
    plain = _NON_NEGATING_PATTERN.sub(" ", text)
    found = _compile_negation_pattern(code).finditer(plain)
    if code in _VERB_NEGATION_LANGUAGES:
        return sum(1 for _ in found) % 2 == 1
    return sum(_has_negated_neighbour(plain, match, terms, language) for match in found) % 2 == 1


def is_negated_apart(
    first: str,
    second: str,
    *,
    first_terms: AbstractSet[str],
    second_terms: AbstractSet[str],
    language: str | None,
) -> bool:
    """Whether one of two sentences negates a stem of the other, and the other does not."""
    return has_negated_terms(first, second_terms, language=language) != has_negated_terms(
        second, first_terms, language=language
    )


def has_refutation_cue(sentence: str, *, language: str | None) -> bool:
    """Whether the sentence contains a refuting word; False for languages without a list."""
    pattern = _compile_refutation_pattern((language or "en")[:2])
    return bool(pattern and pattern.search(sentence))


def _has_negated_neighbour(
    text: str, match: re.Match[str], terms: AbstractSet[str], language: str | None
) -> bool:
    """Whether a stem follows the negating word or, if the clause ends there, stands before it."""
    behind = _CLAUSE_BREAK_PATTERN.split(text[match.end() :], maxsplit=1)[0]
    said = tokens.list_terms(behind, language=language)[:_NEGATION_REACH_WORDS]
    if not said:
        said = tokens.list_terms(
            _CLAUSE_BREAK_PATTERN.split(text[: match.start()])[-1], language=language
        )[-1:]
    return any(stem in terms for stem in said)


@cache
def _compile_negation_pattern(language: str) -> re.Pattern[str]:
    listed = load_table(__package__, "negation_words")["languages"]
    return _compile_word_pattern(listed.get(language, listed["en"]), "negating", language)


@cache
def _compile_refutation_pattern(language: str) -> re.Pattern[str] | None:
    words = load_table(__package__, "negation_words")["languages"].get(language, {})
    is_known = "both" in words or "refuting" in words
    return _compile_word_pattern(words, "refuting", language) if is_known else None


def _compile_word_pattern(
    words: Mapping[str, Sequence[str]], kind: str, language: str
) -> re.Pattern[str]:
    """Finds whole words; in Chinese, Japanese and Korean it finds them anywhere."""
    regex = "|".join([*words.get("both", ()), *words.get(kind, ())])
    if language in UNSPACED_LANGUAGES:
        return re.compile(regex)
    return re.compile(rf"(?<!\w)(?:{regex})(?!\w)", re.IGNORECASE)
