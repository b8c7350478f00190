"""English words with a near meaning, so that a page need not use the words of the question.

The table was made with a sentence encoder (see training/related_words.py); it is a list of stems with
their nearest stems and how near they are, in hundredths.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

_RELATED_FILE = "related_words.txt"
_LEAST_NEARNESS = 0.55  # below it, words are only of the same field
_RELATED_FACTOR = 0.8  # a related word counts at most this much of the word itself


def find_related_stems(stem: str, *, language: str | None) -> Mapping[str, float]:
    """Stems of related words, each with the share of the word's weight that it earns."""
    return _load_related().get(stem, {}) if (language or "en")[:2] == "en" else {}


@cache
def _load_related() -> Mapping[str, Mapping[str, float]]:
    text = resources.files(__package__).joinpath(_RELATED_FILE).read_text(encoding="utf-8")
    found: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        stem, *others = line.split()
        pairs = (other.rsplit(":", 1) for other in others)
        found[stem] = {
            word: _RELATED_FACTOR * (int(near) / 100 - _LEAST_NEARNESS) / (1 - _LEAST_NEARNESS)
            for word, near in pairs
            if int(near) / 100 > _LEAST_NEARNESS
        }
    return found
