"""Matches author names across spellings, name orders, transliterations and scripts."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from citewell.model.paper import WorkAuthor
from citewell.text.citations import author_names
from citewell.text.citations.title_matching import extract_title_words, fold_text
from citewell.text.language.scripts import classify_script

# Words that do not distinguish one family name from another.
_COMMON_SURNAME_WORDS = author_names.NAME_PARTICLES | {
    "te", "ben", "ul", "saint", "san", "santa", "mac", "mc", "o", "d", "l", "y", "e", "i", "och", "und",
    "jr", "sr", "ii", "iii",
}  # fmt: skip
_TRANSLITERATION_PAIRS = (
    ("ae", "a"),
    ("oe", "o"),
    ("ue", "u"),
    ("aa", "a"),
    ("kh", "h"),
    ("ij", "y"),
    ("sch", "sh"),
)
_NAME_WORD_PATTERN = re.compile(r"[^\W\d_]+")
_MIN_SURNAME_RATIO = 0.8
_MIN_FUZZY_LETTERS = 5


@lru_cache(maxsize=4096)  # each author is compared with many others
def build_surname_keys(person: WorkAuthor) -> frozenset[str]:
    """Normalized words of the family name, without particles; empty for organisations."""
    return frozenset(normalize_surname(word) for word in _list_filing_words(person) if word)


@lru_cache(maxsize=16384)  # a list of authors is compared with those of many candidates
def match_authors(one: WorkAuthor, other: WorkAuthor) -> bool | None:
    """Whether two names can be the same author.

    None if they cannot be compared: different scripts, or an organisation and a person.
    """
    if not _has_same_script(one, other):
        return None
    if build_joined_surname(one) == build_joined_surname(other) or build_surname_keys(
        one
    ) & build_surname_keys(other):
        return True
    if _build_abbreviation(one.name) == other.name or _build_abbreviation(other.name) == one.name:
        return True
    if is_collective_author(one) or is_collective_author(other):
        return _match_organisations(one, other)
    return _has_similar_spelling(build_surname_keys(one), build_surname_keys(other))


def can_compare_surname(named: str, person: WorkAuthor) -> bool:
    """Whether a written name can be compared with a person: both in Latin script, no organisation."""
    return (
        not is_collective_author(person)
        and classify_script(named) == classify_script(person.name or person.family) == "latin"
    )


def is_author_mentioned(person: WorkAuthor, text: str) -> bool:
    """Whether the text contains this author's name; for organisations, their abbreviation too."""
    words = {normalize_surname(word) for word in _NAME_WORD_PATTERN.findall(fold_text(text))}
    wanted = build_surname_keys(person)
    if is_collective_author(person):
        return _has_abbreviation(text, person.name) or not set(
            extract_title_words(person.name)
        ) - set(extract_title_words(text))
    return bool(wanted & words) or _has_joined_surname(person, text)


def _has_joined_surname(person: WorkAuthor, text: str) -> bool:
    """Whether a name is in the text with other spaces: "Mc Carthy", or divided at the end of a line.

    "Anderson" is not in "Shanderson".
    """
    joined = build_joined_surname(person)
    if len(joined) < _MIN_FUZZY_LETTERS:
        return False
    if len(_NAME_WORD_PATTERN.findall(fold_text(person.family))) > 1:
        return joined in normalize_surname(_join_name_letters(text))
    words = [normalize_surname(word) for word in _NAME_WORD_PATTERN.findall(fold_text(text))]
    return any(first + second == joined for first, second in pairwise(words))


def _list_filing_words(person: WorkAuthor) -> list[str]:
    if is_collective_author(person):
        return []
    if person.family:
        return _split_surname_words(person.family)
    whole = _split_surname_words(person.name)
    if "," in person.name:
        return _split_surname_words(person.name.partition(",")[0])
    # The family name may be at either end.
    return [word for word in (whole[:1] + whole[-1:]) if len(word) > 1] or whole


def _split_surname_words(name: str) -> list[str]:
    words = [word for word in _NAME_WORD_PATTERN.findall(fold_text(name)) if word]
    kept = [word for word in words if word not in _COMMON_SURNAME_WORDS and len(word) > 1]
    return kept or words


def normalize_surname(word: str) -> str:
    for long, short in _TRANSLITERATION_PAIRS:
        word = word.replace(long, short)
    return word


@lru_cache(maxsize=4096)
def build_joined_surname(person: WorkAuthor) -> str:
    family = (
        person.family
        or author_names.AuthorName(name=person.name, organisation=person.organisation).family
    )
    return normalize_surname(_join_name_letters(family))


def _join_name_letters(text: str) -> str:
    return "".join(_NAME_WORD_PATTERN.findall(fold_text(text)))


@lru_cache(maxsize=4096)
def is_collective_author(person: WorkAuthor) -> bool:
    """Whether this is an organisation, or a name of several words that cannot be split."""
    if person.organisation:
        return True
    if person.family:
        return False
    return author_names.AuthorName(name=person.name).is_indivisible and " " in person.name.strip()


def _match_organisations(one: WorkAuthor, other: WorkAuthor) -> bool | None:
    """True if two organisations share half their words, else None: a person may write for one."""
    if not (is_collective_author(one) and is_collective_author(other)):
        return None
    first, second = set(extract_title_words(one.name)), set(extract_title_words(other.name))
    shared = len(first & second)
    return True if shared and shared >= min(len(first), len(second)) / 2 else None


def _has_abbreviation(text: str, name: str) -> bool:
    letters = _build_abbreviation(name)
    return bool(letters and re.search(rf"\b{re.escape(letters)}\b", text))


def _build_abbreviation(name: str) -> str:
    """The abbreviation of an organisation's capitalised words; empty for fewer than three."""
    letters = "".join(word[0] for word in re.findall(r"[A-ZÀ-Þ][\w'’-]*", name))
    return letters if len(letters) > 2 else ""


def _has_same_script(one: WorkAuthor, other: WorkAuthor) -> bool:
    return classify_script(one.name or one.family) == classify_script(other.name or other.family)


def _has_similar_spelling(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two keys are nearly equal, as Chebyshev and Tchebychev."""
    return any(
        len(first) >= _MIN_FUZZY_LETTERS
        and len(second) >= _MIN_FUZZY_LETTERS
        and SequenceMatcher(None, first, second, autojunk=False).ratio() >= _MIN_SURNAME_RATIO
        for first in one
        for second in other
    )
