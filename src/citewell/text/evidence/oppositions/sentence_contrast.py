"""What differs between a statement and a sentence of the source, if one says the contrary of the other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

NEGATION, ANTONYM, COMPARISON = "negation", "antonym", "comparison"


class Certainty(IntEnum):
    """How sure it is that a source says the contrary."""

    UNSETTLED = 1  # contrary words are there, but others may take them back
    POSSIBLE = 2
    LIKELY = 3  # more often right than not, as a judge of claims may say
    SURE = 4  # nothing else is possible, as must be so before an author is told


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceContrast:
    """The words that differ."""

    kind: str
    stated: str  # empty if only the source denies
    said: str  # empty if only the statement denies
    certainty: Certainty
