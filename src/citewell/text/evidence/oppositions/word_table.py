"""The words by which a sentence of one language opposes another, from one table for each language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from citewell.text.data_tables import load_table

OPPOSITION_LANGUAGES = frozenset(("en", "de", "fr", "es"))


@dataclass(frozen=True, slots=True, kw_only=True)
class OppositionWords:
    """Lists of words, and alternatives of regular expressions for whole words."""

    # Regular expression: deny what follows, or what stands before them at the end of a clause.
    denials: Sequence[str]
    # Those that stand before a noun, and deny the first words that follow alone.
    noun_denials: Sequence[str]
    # Regular expression: with one of these a sentence neither plainly says nor plainly denies it.
    limits: Sequence[str]
    # Regular expression: deny without a denying word, as "stays out of" does.
    hidden_denials: Sequence[str]
    duties: Sequence[str]  # words of duty, which a denial takes away: "it is not necessary to sign"
    permissions: Sequence[str]  # with one of these a sentence does not say that something must be
    # Words with a slash between them that exclude each other in the same place.
    pairs: Sequence[str]
    # Verbs with a slash between them, likewise, in any of their forms.
    verb_pairs: Sequence[str] = ()
    # Beginnings of words that say that something becomes or is more, and less.
    rising: Sequence[str] = ()
    falling: Sequence[str] = ()
    # Words, many of them of degree, that say nothing of what a sentence is about.
    light: Sequence[str]
    than: str  # the word after a comparative
    comparatives: Sequence[str]
    # Regular expression: verbs that set what is before them above what follows.
    exceeding: Sequence[str]
    # Words that join clauses, over which a denial of a verb does not reach.
    additions: Sequence[str]


@cache
def load_opposition_words(code: str) -> OppositionWords:
    """The words of one of `OPPOSITION_LANGUAGES`."""
    return OppositionWords(**load_table(__package__, f"words_{code}"))
