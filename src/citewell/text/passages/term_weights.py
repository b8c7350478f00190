"""How much a word says about what a text is about: rare words weigh more than common ones.

Half of a weight comes from the passages at hand, half from how rare the word is in English pages at
large: among a dozen pages on one subject its own name is no rare word, and is still the subject.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from math import log

_FREQUENCY_FILE = "term_frequencies.txt"
_BACKGROUND_SHARE = 0.5


def weigh_rarity(held: int, total: int) -> float:
    """The weight of a term that occurs in `held` of `total` passages, always above 0."""
    return log(1 + (total - held + 0.5) / (held + 0.5))


def weigh_term(term: str, *, held: int, total: int, language: str | None) -> float:
    """The weight of a stem that `held` of the `total` passages at hand contain."""
    local = weigh_rarity(held, total)
    if (language or "en")[:2] != "en":
        return local
    frequencies, passages = load_frequencies()
    general = weigh_rarity(frequencies.get(term, 1), passages)
    return _BACKGROUND_SHARE * general + (1 - _BACKGROUND_SHARE) * local


@cache
def load_frequencies() -> tuple[Mapping[str, int], int]:
    """In how many English passages each stem occurs, and how many passages were counted."""
    text = resources.files(__package__).joinpath(_FREQUENCY_FILE).read_text(encoding="utf-8")
    first, *lines = text.splitlines()
    counts: dict[str, int] = {}
    for line in lines:
        count, stems = line.split("\t")
        counts.update(dict.fromkeys(stems.split(), int(count)))
    return counts, int(first)
