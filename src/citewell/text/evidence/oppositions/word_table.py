"""The words by which a sentence of one language opposes another; `words` has one table for each language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class OppositionWords:
    """Lists of words, separated by spaces, and alternatives of regular expressions for whole words."""

    # Regular expression: deny what follows, or what stands before them at the end of a clause.
    denials: str
    noun_denials: str  # those that stand before a noun, and deny the first words that follow alone
    # Regular expression: with one of these a sentence neither plainly says nor plainly denies it.
    limits: str
    # Regular expression: deny without a denying word, as "stays out of" does.
    hidden_denials: str
    duties: str  # words of duty, which a denial takes away: "it is not necessary to sign"
    permissions: str  # with one of these a sentence does not say that something must be
    pairs: str  # words with a slash between them that exclude each other in the same place
    # Verbs with a slash between them, likewise, in any of their forms.
    verb_pairs: str = ""
    # Beginnings of words that say that something becomes or is more, and less.
    rising: str = ""
    falling: str = ""
    light: str  # words, many of them of degree, that say nothing of what a sentence is about
    than: str  # the word after a comparative
    comparatives: str
    # Regular expression: verbs that set what is before them above what follows.
    exceeding: str
    additions: str  # words that join clauses, over which a denial of a verb does not reach
