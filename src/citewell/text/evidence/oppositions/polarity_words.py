"""Says in which direction an English word points: more or less, better or worse, needed or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from citewell.text.data_tables import load_table

CHANGE, GOODNESS, EFFECT, NEED, LINK = "change", "goodness", "effect", "need", "link"
# Words of amount that describe a thing rather than say what becomes of it.
AMOUNT_WORDS = frozenset(
    ["low", "high", "more", "less", "longer", "larger", "smaller", "fewer", "greater"]
)
_WORD_CACHE_ENTRIES = 2**14


@dataclass(frozen=True, slots=True, kw_only=True)
class WordPolarity:
    """The axis a word speaks of and its side; only words of one axis can oppose each other."""

    axis: str
    sign: int  # 1 or -1
    is_state: bool = False  # may stand behind its noun: "FGF21 deficiency"


@lru_cache(maxsize=_WORD_CACHE_ENTRIES)
def find_word_polarities(word: str) -> tuple[WordPolarity, ...]:
    """What the word says on each axis; empty for most words."""
    exact, endings = _load_polarities()
    found = list(exact.get(word, ()))
    for length in range(4, len(word) + 1):
        found += endings.get(word[:length], ())
    state = _is_state_word(word)
    return tuple(
        WordPolarity(axis=axis, sign=sign, is_state=state) for axis, sign in dict(found).items()
    )


def _is_state_word(word: str) -> bool:
    exact, endings = _load_state_words()
    return word in exact or any(word.startswith(one) for one in endings)


@cache
def _load_state_words() -> tuple[frozenset[str], frozenset[str]]:
    return _split_entries(load_table(__package__, "polarity_words")["state"])


def _split_entries(listed: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The whole words of a list, and its beginnings of words."""
    return (
        frozenset(one for one in listed if not one.endswith("*")),
        frozenset(one[:-1] for one in listed if one.endswith("*")),
    )


@cache
def _load_polarities() -> tuple[dict[str, list[tuple[str, int]]], dict[str, list[tuple[str, int]]]]:
    exact: dict[str, list[tuple[str, int]]] = {}
    endings: dict[str, list[tuple[str, int]]] = {}
    for axis, sides in load_table(__package__, "polarity_words")["axes"].items():
        for sign, listed in zip((1, -1), sides, strict=True):
            whole, begun = _split_entries(listed)
            for word in whole:
                exact.setdefault(word, []).append((axis, sign))
            for word in begun:
                endings.setdefault(word, []).append((axis, sign))
    return exact, endings
