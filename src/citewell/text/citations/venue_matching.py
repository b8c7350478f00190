"""Compares the names of journals and conferences, which are abbreviated in many ways."""

from __future__ import annotations

import re

from citewell.text.citations.title_matching import extract_title_words, fold_text

_WORD_PATTERN = re.compile(r"[^\W\d_]+")
_SMALL_WORDS = frozenset({"of", "the", "and", "in", "for", "on", "de", "des", "der", "und", "et", "la", "a", "an", "to"})  # fmt: skip
# Words that many venues have, so that they do not tell one from another.
_COMMON_WORDS = frozenset({
    "journal", "proceedings", "proc", "annual", "international", "conference", "conf", "symposium", "workshop", "transactions",
    "letters", "review", "reviews", "bulletin", "annals", "archives", "acta", "advances", "american", "european", "society",
    "association", "research", "science", "sciences", "studies", "ieee", "acm", "lecture", "notes", "series",
})  # fmt: skip
# Where a work stands beside, or before, its journal.
_REPOSITORY_PATTERN = re.compile(
    r"\b(?:arxiv|\w{2,6}rxiv|ssrn|preprints?|zenodo|figshare|osf|research square|hal|repec|corr|pubmed|available|online)\b",
    re.IGNORECASE,
)


def compare_venues(one: str, other: str) -> bool | None:
    """Whether two names mean the same venue; None if that cannot be told."""
    first, second = _list_venue_words(one), _list_venue_words(other)
    if not first or not second:
        return None
    if _is_abbreviated(first, second) or _is_abbreviated(second, first):
        return True
    if _is_venue_acronym(one, second) or _is_venue_acronym(other, first):
        return True
    if _REPOSITORY_PATTERN.search(one) or _REPOSITORY_PATTERN.search(other):
        return None
    telling = [set(extract_title_words(name)) - _COMMON_WORDS for name in (one, other)]
    if not all(telling):
        return None
    return None if any(_can_be_same(a, b) for a in telling[0] for b in telling[1]) else False


def _list_venue_words(name: str) -> list[str]:
    return [word for word in _WORD_PATTERN.findall(fold_text(name)) if word not in _SMALL_WORDS]


def _is_abbreviated(short: list[str], long: list[str]) -> bool:
    """Whether every word of the short name stands for one of the long name, in their order."""
    rest = iter(long)
    return all(any(_can_be_same(word, other) for other in rest) for word in short)


def _can_be_same(one: str, other: str) -> bool:
    """Whether one word is the other's abbreviation: "natl" of "national", "chem" of "chemistry"."""
    short, long = sorted((one, other), key=len)
    letters = iter(long)
    return short[0] == long[0] and all(letter in letters for letter in short)


def _is_venue_acronym(name: str, words: list[str]) -> bool:
    letters = iter("".join(word[0] for word in words))
    shown = fold_text("".join(char for char in name if char.isupper()))
    is_one_word = len(_WORD_PATTERN.findall(name)) == 1
    return is_one_word and len(shown) > 1 and all(letter in letters for letter in shown)
