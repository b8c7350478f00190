"""How much a word says about what a text is about: rare words weigh more than common ones.

Half of a weight comes from the passages at hand, half from how rare the word is in English pages at
large: among a dozen pages on one subject its own name is no rare word, and is still the subject.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from math import log

from citewell.text.language import word_forms
from citewell.text.language.word_forms import reduce_verb

_FREQUENCY_FILES = {
    "en": "term_frequencies.txt",
    "de": "term_frequencies_de.txt",
    "es": "term_frequencies_es.txt",
}
_BACKGROUND_SHARE = 0.5
_UNKNOWN_COUNT = 1  # passages that hold a word which the table of frequencies lacks
_CACHED_STEMS = 2**14
_COMPOUND_CODES = frozenset(("de",))
_MIN_PART_LETTERS = 4
_JOINT_PATTERN = re.compile(r"(?<=\w{4})s\Z")  # Zeitung-s-verlag


def weigh_rarity(held: int, total: int) -> float:
    """The weight of a term that occurs in `held` of `total` passages, always above 0."""
    return log(1 + (total - held + 0.5) / (held + 0.5))


def weigh_term(term: str, *, held: int, total: int, language: str | None) -> float:
    """The weight of a stem that `held` of the `total` passages at hand contain."""
    local = weigh_rarity(held, total)
    if (language or "en")[:2] != "en":
        return local
    frequencies, passages = load_frequencies()
    general = weigh_rarity(frequencies.get(term, _UNKNOWN_COUNT), passages)
    return _BACKGROUND_SHARE * general + (1 - _BACKGROUND_SHARE) * local


def knows_frequencies(code: str) -> bool:
    return code in _FREQUENCY_FILES


def weigh_stem(stem: str, code: str) -> float:
    """How rare a stem is in its language; a German verb is as rare as its most common form, a compound as its rarer part."""
    frequencies, passages = load_frequencies(code)
    forms = {stem, stem.removesuffix("t"), reduce_verb(stem)} if code in _COMPOUND_CODES else {stem}
    count = max(frequencies.get(form, 0) for form in forms)
    parts = None if count else split_compound(stem, code)
    if parts:
        count = min(frequencies[part] for part in parts)
    return weigh_rarity(count or _UNKNOWN_COUNT, passages)


@lru_cache(maxsize=_CACHED_STEMS)
def split_compound(stem: str, code: str) -> tuple[str, str] | None:
    """The stems of the two ordinary words that a German word is made of; None if it is not."""
    if code not in _COMPOUND_CODES:
        return None
    ordinary, names = load_frequencies(code)[0], load_name_stems(code)
    for at in range(len(stem) - _MIN_PART_LETTERS, _MIN_PART_LETTERS - 1, -1):
        last = stem[at:]
        if last not in ordinary or last in names:
            continue
        first = word_forms.stem_word(_JOINT_PATTERN.sub("", stem[:at]), code)
        if first in ordinary and first not in names:
            return first, last
    return None


@cache
def load_frequencies(code: str = "en") -> tuple[Mapping[str, int], int]:
    """In how many passages of a language each stem occurs, and how many passages were counted."""
    rows, total = _load_rows(code)
    return {stem.lower(): count for stem, count in rows.items()}, total


@cache
def load_name_stems(code: str) -> frozenset[str]:
    """The German or Spanish stems that are nearly always names."""
    return frozenset(stem.lower() for stem in _load_rows(code)[0] if stem[0].isupper())


@cache
def _load_rows(code: str) -> tuple[Mapping[str, int], int]:
    file = resources.files(__package__).joinpath(_FREQUENCY_FILES[code])
    first, *lines = file.read_text(encoding="utf-8").splitlines()
    counts: dict[str, int] = {}
    for line in lines:
        count, stems = line.split("\t")
        counts.update(dict.fromkeys(stems.split(), int(count)))
    return counts, int(first)
